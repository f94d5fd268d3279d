package isotime_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
)

func TestParse(t *testing.T) {
	noon := time.Date(2026, 8, 20, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-08-20T12:00:00+00:00":      noon,
		"2026-08-20T12:00:00Z":           noon,
		"2026-08-20t12:00:00z":           noon,
		"2026-08-20T12:00:00":            noon,
		"2026-08-20 12:00":               noon,
		"2026-08-20T12":                  noon,
		"20260820T120000Z":               noon,
		"20260820T1200":                  noon,
		"2026-08-20T14:00:00+02:00":      noon,
		"2026-08-20T14:00:00+02":         noon,
		"2026-08-20T06:30:00-0530":       noon,
		"2026-08-20T12:00:00.5Z":         noon.Add(500 * time.Millisecond),
		"2026-08-20T12:00:00,000001Z":    noon.Add(time.Microsecond),
		"2026-08-20T12:00:00.0000000019": noon.Add(time.Nanosecond),
		"2026-08-20":                     noon.Add(-12 * time.Hour),
		"2024-02-29T12:00:00Z":           time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC),
	} {
		got, ok := isotime.Parse(text)
		assert.True(t, ok, text)
		assert.True(t, want.Equal(got), "%s: %s", text, got)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", "soon", "2026", "2026-08", "2026-8-20", "2026-13-01", "2026-00-01", "2026-02-29", "2026-08-32", "2026-08-00", "0000-01-01",
		"2026-08-20T", "2026-08-20T24:00", "2026-08-20T12:60", "2026-08-20T12:00:60", "2026-08-20T12:00:00.", "2026-08-20T12:00:00+",
		"2026-08-20T12:00:00+24:00", "2026-08-20T12:00:00+02:60", "2026-08-20T12:00:00 UTC", "2026-08-20T12:00:00Zx", "2026-08-20x",
		"2026-0820", "202608-20", " 2026-08-20", "2026-08-20 ", "+2026-08-20", "２026-08-20", "2026-08-20T1:00", "2026-08-20T12:0",
	} {
		_, ok := isotime.Parse(text)
		assert.False(t, ok, text)
		_, ok = isotime.ParseNS(text)
		assert.False(t, ok, text)
	}
}

func TestNS(t *testing.T) {
	for text, want := range map[string]int64{
		"1970-01-01": 1, "1970-01-01T00:00:01Z": int64(time.Second), "9999-12-31": math.MaxInt64, "0001-01-01": math.MinInt64,
	} {
		ns, ok := isotime.ParseNS(text)
		assert.True(t, ok)
		assert.Equal(t, want, ns, text)
	}
}

func TestFormattedTimesParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "seconds")
		zone := time.FixedZone("", rapid.IntRange(-23*60, 23*60).Draw(t, "offset")*60)
		at := time.Unix(seconds, rapid.Int64Range(0, 999_999_999).Draw(t, "nanos")).In(zone)
		got, ok := isotime.Parse(at.Format(time.RFC3339Nano))
		require.True(t, ok)
		require.True(t, at.Equal(got))
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"2026-08-20T12:00:00.5+02:00", "20260820T120000Z", "2026-08-20 12", "2026-08-20T12:00:00,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, ok := isotime.Parse(text)
		// The standard library also reads one-digit hours; only what it would write itself is a reference.
		strict, err := time.Parse(time.RFC3339Nano, text)
		if err == nil && strict.Year() > 0 && strict.Format(time.RFC3339Nano) == text {
			require.True(t, ok, "RFC 3339 reads")
			require.True(t, strict.Equal(at))
		}
		if ns, ok := isotime.ParseNS(text); ok {
			require.NotZero(t, ns)
		}
	})
}

// TestLastDays: every month has as many days as the calendar says.
func TestLastDays(t *testing.T) {
	for year := 1; year < 10_000; year += 1 + year%7 {
		for month := time.January; month <= time.December; month++ {
			last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC)
			at, ok := isotime.Parse(last.Format("2006-01-02"))
			require.True(t, ok, last)
			require.Equal(t, last, at)
			_, ok = isotime.Parse(fmt.Sprintf("%04d-%02d-%02d", year, month, last.Day()+1))
			require.False(t, ok, last)
		}
	}
}
