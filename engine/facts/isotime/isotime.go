package isotime

import (
	"math"
	"time"
)

// ParseNS returns the instant in nanoseconds since the epoch. Instants that do not fit are clamped, so that
// "9999-12-31" still means "later than everything". It never returns 0, which stands for "absent" in the input
// document: the epoch itself reads as one nanosecond later.
func ParseNS(text string) (int64, bool) {
	at, ok := Parse(text)
	if !ok {
		return 0, false
	}
	return NS(at), true
}

// NS is the clamped nanosecond count of an instant, never 0.
func NS(at time.Time) int64 {
	switch seconds := at.Unix(); {
	case seconds >= math.MaxInt64/int64(time.Second):
		return math.MaxInt64
	case seconds <= math.MinInt64/int64(time.Second):
		return math.MinInt64
	}
	if ns := at.UnixNano(); ns != 0 {
		return ns
	}
	return 1
}

// Parse reads a date or a date with a time, in extended (2026-06-02T12:00:00.5+02:00) or basic form
// (20260602T120000Z). The separator is T or a space, the fraction has one to nine significant digits, the offset is
// Z, ±HH, ±HHMM or ±HH:MM, and seconds and minutes may be left out.
func Parse(text string) (time.Time, bool) {
	s := scanner{text: text}
	year, extended := s.digits(4), s.skip('-')
	month := s.digits(2)
	if extended && !s.skip('-') {
		return time.Time{}, false
	}
	day := s.digits(2)
	if s.bad || year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return time.Time{}, false
	}
	if s.done() {
		return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), true
	}
	if !s.skip('T') && !s.skip('t') && !s.skip(' ') {
		return time.Time{}, false
	}
	hour, minute, second, nanos := s.clock()
	offset := s.offset()
	if s.bad || !s.done() || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	at := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	return at.Add(-time.Duration(offset) * time.Second), true
}

func daysIn(year, month int) int {
	switch {
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	case month != 2:
		return 31
	case year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	}
	return 28
}

type scanner struct {
	text string
	pos  int
	bad  bool
}

func (s *scanner) done() bool { return s.pos == len(s.text) }

func (s *scanner) skip(c byte) bool {
	if s.pos < len(s.text) && s.text[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) isDigit() bool {
	return s.pos < len(s.text) && s.text[s.pos] >= '0' && s.text[s.pos] <= '9'
}

func (s *scanner) digits(n int) int {
	value := 0
	for range n {
		if !s.isDigit() {
			s.bad = true
			return 0
		}
		value = value*10 + int(s.text[s.pos]-'0')
		s.pos++
	}
	return value
}

// clock reads HH[:MM[:SS[.f]]] or HH[MM[SS[.f]]].
func (s *scanner) clock() (hour, minute, second, nanos int) {
	hour = s.digits(2)
	extended := s.skip(':')
	if !extended && !s.isDigit() {
		return hour, 0, 0, 0
	}
	minute = s.digits(2)
	if extended && !s.skip(':') || !extended && !s.isDigit() {
		return hour, minute, 0, 0
	}
	second = s.digits(2)
	if s.skip('.') || s.skip(',') {
		s.bad = s.bad || !s.isDigit()
		for scale := 100_000_000; s.isDigit(); scale /= 10 {
			nanos += int(s.text[s.pos]-'0') * scale
			s.pos++
		}
	}
	return hour, minute, second, nanos
}

// offset reads Z or ±HH[[:]MM] as seconds east of UTC. Nothing left means UTC.
func (s *scanner) offset() int {
	sign := 1
	switch {
	case s.done(), s.skip('Z'), s.skip('z'):
		return 0
	case s.skip('-'):
		sign = -1
	case s.skip('+'):
	default:
		s.bad = true
		return 0
	}
	hours, minutes := s.digits(2), 0
	if s.skip(':') || s.isDigit() {
		minutes = s.digits(2)
	}
	s.bad = s.bad || hours > 23 || minutes > 59
	return sign * (hours*3600 + minutes*60)
}
