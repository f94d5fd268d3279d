package history

import (
	"time"

	"github.com/loopx-dev/loopx-policy/engine/facts/isotime"
)

// clock reads generated_at. Neighbouring rows share their date, so it is read once and the usual spelling,
// 2006-01-02T15:04:05+00:00, is added to it; every other spelling is left to isotime.
type clock struct {
	date  [len("2006-01-02")]byte
	start int64 // of the date, nanoseconds since the epoch
}

func (c *clock) parse(text []byte) (int64, bool) {
	if len(text) == 25 && text[10] == 'T' && text[13] == ':' && text[16] == ':' && text[22] == ':' {
		hour, minute, second := pair(text[11:]), pair(text[14:]), pair(text[17:])
		zone := 60*pair(text[20:]) + pair(text[23:])
		if hour < 24 && minute < 60 && second < 60 && pair(text[20:]) < 24 && pair(text[23:]) < 60 && c.day(text) {
			switch text[19] {
			case '+':
				return c.start + int64(60*(60*hour+minute-zone)+second)*int64(time.Second), true
			case '-':
				return c.start + int64(60*(60*hour+minute+zone)+second)*int64(time.Second), true
			}
		}
	}
	return isotime.ParseNS(string(text))
}

// day makes the date of text the current one; false when it is none or too near to an end of the range.
func (c *clock) day(text []byte) bool {
	date := [len(c.date)]byte(text)
	if date == c.date {
		return true
	}
	start, ok := isotime.ParseNS(string(date[:]))
	if !ok || text[0] != '2' || start%int64(24*time.Hour) != 0 || start > 1<<62 {
		return false
	}
	c.date, c.start = date, start
	return true
}

// pair reads two digits, 100 when they are none.
func pair(text []byte) int {
	tens, ones := text[0]-'0', text[1]-'0'
	if tens > 9 || ones > 9 {
		return 100
	}
	return int(10*tens + ones)
}
