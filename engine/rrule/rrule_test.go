package rrule_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	oracle "github.com/teambition/rrule-go"
	"pgregory.net/rapid"

	"github.com/loopx-dev/loopx-policy/engine/rrule"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"FREQ=MINUTELY;INTERVAL=30":                          "FREQ=MINUTELY;INTERVAL=30",
		" RRULE:FREQ=MINUTELY;INTERVAL=3 ":                   "FREQ=MINUTELY;INTERVAL=3",
		"INTERVAL=2;FREQ=HOURLY":                             "FREQ=HOURLY;INTERVAL=2",
		"FREQ=DAILY":                                         "FREQ=DAILY;INTERVAL=1",
		"FREQ=DAILY;BYMINUTE=30,0,30;BYHOUR=17,9;INTERVAL=1": "FREQ=DAILY;INTERVAL=1;BYHOUR=9,17;BYMINUTE=0,30",
		"FREQ=MINUTELY;INTERVAL=527040":                      "FREQ=MINUTELY;INTERVAL=527040",
	} {
		rule, err := rrule.Parse(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, rule.String())
	}
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"":                                           "not KEY=VALUE",
		"whenever":                                   "not KEY=VALUE",
		"INTERVAL=3":                                 "FREQ is missing",
		"FREQ=WEEKLY":                                "FREQ=WEEKLY is not one of",
		"FREQ=SECONDLY":                              "FREQ=SECONDLY is not one of",
		"freq=minutely":                              `"freq" is not supported`,
		"FREQ=MINUTELY;INTERVAL=0":                   "INTERVAL=0 is not a number",
		"FREQ=MINUTELY;INTERVAL=-5":                  "INTERVAL=-5 is not a number",
		"FREQ=MINUTELY;INTERVAL=+5":                  "INTERVAL=+5 is not a number",
		"FREQ=MINUTELY;INTERVAL=05":                  "INTERVAL=05 is not a number",
		"FREQ=MINUTELY;INTERVAL=1.5":                 "INTERVAL=1.5 is not a number",
		"FREQ=MINUTELY;INTERVAL=":                    "INTERVAL= is not a number",
		"FREQ=MINUTELY;INTERVAL=9999999999":          "INTERVAL=9999999999 is not a number",
		"FREQ=DAILY;INTERVAL=367":                    "longer than a year",
		"FREQ=HOURLY;INTERVAL=8785":                  "longer than a year",
		"FREQ=DAILY;BYHOUR=24":                       "BYHOUR=24 is not a number from 0 to 23",
		"FREQ=DAILY;BYMINUTE=60":                     "BYMINUTE=60 is not a number from 0 to 59",
		"FREQ=DAILY;BYHOUR=":                         "BYHOUR= is not a number",
		"FREQ=DAILY;BYHOUR=1,,2":                     "BYHOUR= is not a number",
		"FREQ=DAILY;BYDAY=MO":                        `"BYDAY" is not supported`,
		"FREQ=DAILY;COUNT=3":                         `"COUNT" is not supported`,
		"FREQ=DAILY;UNTIL=20260820T120000Z":          `"UNTIL" is not supported`,
		"FREQ=DAILY;TZID=Europe/Berlin":              `"TZID" is not supported`,
		"FREQ=DAILY;FREQ=DAILY":                      "FREQ is given twice",
		"FREQ=DAILY;":                                "not KEY=VALUE",
		"FREQ=DAILY BYHOUR=3":                        "FREQ=DAILY BYHOUR=3 is not one of",
		"DTSTART:20260820T120000Z\nRRULE:FREQ=DAILY": "is not supported",
		"FREQ=DAILY;BYHOUR=" + strings.Repeat("1,", 300) + "1": "longer than",
	} {
		_, err := rrule.Parse(text)
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
}

var freqs = map[rrule.Freq]oracle.Frequency{
	rrule.Minutely: oracle.MINUTELY, rrule.Hourly: oracle.HOURLY, rrule.Daily: oracle.DAILY,
}

// agree holds a rule against what a full RRULE library reads in the same text.
func agree(t require.TestingT, text string, rule rrule.Rule) {
	option, err := oracle.StrToROption(rrule.Normal(text))
	require.NoError(t, err, text)
	assert.Equal(t, freqs[rule.Freq], option.Freq, text)
	interval := option.Interval
	if interval == 0 { // not given
		interval = 1
	}
	assert.Equal(t, rule.Interval, interval, text)
	for _, pair := range [][2][]int{{rule.ByHour, option.Byhour}, {rule.ByMinute, option.Byminute}} {
		theirs := slices.Clone(pair[1])
		slices.Sort(theirs)
		assert.Equal(t, slices.Compact(theirs), append([]int(nil), pair[0]...), text)
	}
	_, err = oracle.NewRRule(*option)
	assert.NoError(t, err, text)
}

func TestPrintedRulesReadAsTheSameRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := func(most int, label string) []int {
			out := rapid.SliceOfNDistinct(rapid.IntRange(0, most), 0, 5, rapid.ID[int]).Draw(t, label)
			if len(out) == 0 {
				return nil
			}
			slices.Sort(out)
			return out
		}
		rule := rrule.Rule{
			Freq:     rapid.SampledFrom([]rrule.Freq{rrule.Minutely, rrule.Hourly, rrule.Daily}).Draw(t, "freq"),
			Interval: rapid.IntRange(1, 366).Draw(t, "interval"),
			ByHour:   values(23, "hours"),
			ByMinute: values(59, "minutes"),
		}
		again, err := rrule.Parse(rule.String())
		require.NoError(t, err)
		assert.Equal(t, rule, again)
		agree(t, rule.String(), rule)
	})
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"FREQ=MINUTELY;INTERVAL=30", "RRULE:FREQ=DAILY;BYHOUR=9,17;BYMINUTE=0,30", "FREQ=HOURLY;INTERVAL=-1", "FREQ=WEEKLY;BYDAY=MO",
		"INTERVAL=3;FREQ=DAILY;", "FREQ=MINUTELY;INTERVAL=99999999999999999999",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := rrule.Parse(text)
		if err != nil {
			assert.True(t, strings.HasPrefix(err.Error(), "rrule: "))
			return
		}
		again, err := rrule.Parse(rule.String())
		require.NoError(t, err)
		assert.Equal(t, rule, again)
		agree(t, text, rule)
	})
}
