package history

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/facts"
)

// sameAsJSON decodes an object both ways; what the value held before does not show.
func sameAsJSON[T any](t *rapid.T, f *form, draw func(*form) string, texts *texts) {
	var got, want T
	f.decode([]byte(draw(f)), &got, texts)
	raw := draw(f)
	f.decode([]byte(raw), &got, texts)
	_ = json.Unmarshal([]byte(raw), &want)
	require.Equal(t, want, got, raw)
}

// TestPartsAreReadAsByJSON: a nested object gives the fields that encoding/json gives, whatever its names look like.
func TestPartsAreReadAsByJSON(t *testing.T) {
	name := func(f *form) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			name := rapid.SampledFrom(append([]string{"other", "", "schema_version"}, f.names...)).Draw(t, "name")
			switch rapid.IntRange(0, 12).Draw(t, "spelling") {
			case 0:
				return strings.ToUpper(name)
			case 1:
				return strings.ReplaceAll(name, "s", "ſ") // folds to s
			case 2:
				return strings.ReplaceAll(name, "k", "K") // the Kelvin sign
			case 3:
				return strings.Replace(name, "e", "\\u0065", 1)
			}
			return name
		})
	}
	value := rapid.SampledFrom([]string{
		`"text"`, `""`, `"a\u0062\ud83d\ude00\\\""`, `"\ud800"`, `"ü"`, `"` + strings.Repeat("long ", 60) + `"`, `true`, `false`, `null`,
		`0`, `-1.5e3`, `{}`, `{"a": [1, "true"]}`, `[]`, `["a", 1]`, `"true"`,
	})
	gap := rapid.SampledFrom([]string{"", " ", "\t"})
	kept := &texts{}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(f *form) string {
			var members []string
			for range rapid.IntRange(0, 5).Draw(t, "members") {
				members = append(members, `"`+name(f).Draw(t, "name")+`"`+gap.Draw(t, "gap")+":"+gap.Draw(t, "gap")+value.Draw(t, "value"))
			}
			return "{" + gap.Draw(t, "gap") + strings.Join(members, ","+gap.Draw(t, "gap")) + gap.Draw(t, "gap") + "}"
		}
		sameAsJSON[facts.MonitorTarget](t, &targetForm, draw, kept)
		sameAsJSON[facts.VisionCheckpoint](t, &checkpointForm, draw, kept)
		sameAsJSON[facts.ProgressObservation](t, &observationForm, draw, nil)
		sameAsJSON[facts.OperatorGate](t, &gateForm, draw, kept)
		sameAsJSON[facts.Workspace](t, &workspaceForm, draw, kept)
		sameAsJSON[settlement](t, &settlementForm, draw, kept)
		sameAsJSON[readiness](t, &readinessForm, draw, kept)
		sameAsJSON[ack](t, &ackForm, draw, kept)
		sameAsJSON[delta](t, &deltaForm, draw, nil)
		sameAsJSON[semantic](t, &semanticForm, draw, kept)
	})
}

// TestOddFormsAreLeftToJSON: a struct with other fields is still decoded.
func TestOddFormsAreLeftToJSON(t *testing.T) {
	type counted struct {
		Name  string `json:"name"`
		Count int    `json:"count"`
	}
	f, got := formOf[counted](), counted{}
	require.False(t, f.simple)
	f.decode([]byte(`{"name": "a", "count": 3}`), &got, nil)
	require.Equal(t, counted{"a", 3}, got)
}

// TestReaderForgets: what a reader read before does not show in the next answer.
func TestReaderForgets(t *testing.T) {
	o := options(t)
	reader, path := NewReader(o.Settings), filepath.Join(t.TempDir(), indexName)
	rapid.Check(t, func(t *rapid.T) {
		text := generate(drawShape(t), rapid.Uint64().Draw(t, "seed"), time.Duration(o.Settings.MarginHours)*time.Hour)
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
			text += strings.Repeat("x", spareBytes) + "\n"
		}
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		o := o
		o.AgentID = rapid.SampledFrom([]string{"", "agent-a"}).Draw(t, "agent")
		got, err := reader.Read(filepath.Dir(path), o)
		require.NoError(t, err)
		require.Equal(t, read(t, filepath.Dir(path), o), got)
	})
}
