package history

import "bytes"

// glance tells from a few bytes that a line cannot matter. Beyond the windows only two questions may still be open, the
// status run and the lane's material rows, and most lines answer "not me" by one field. A line is skipped only when
// that field provably belongs to the row itself and not to an object inside it; every other line is read in full.
// A damaged line that looks like that is skipped too: it can hide nothing that is still asked.
func (w *walk) glance(line []byte) (at int64, skip bool) {
	line = bytes.TrimRight(line, " \t\r")
	if len(line) == 0 || line[len(line)-1] != '}' {
		return 0, false
	}
	at, ok := w.leadingTime(line)
	if !ok {
		return 0, false
	}
	if !w.open.lane {
		return at, w.open.status && w.noStatus(line)
	}
	agent, ok := outer(line, `"agent_id"`)
	if !ok || w.open.goal || !w.known.foreign(agent) {
		return 0, false
	}
	return at, !w.open.status || w.noStatus(line)
}

// noStatus is true for a line that cannot be the status run.
func (w *walk) noStatus(line []byte) bool {
	if class, ok := outer(line, `"classification"`); ok && w.known.class(class).has(statusNeutral) {
		return true
	}
	scope, ok := outer(line, `"progress_scope"`)
	return ok && string(scope) == w.options.Settings.AgentLaneScope
}

// leadingTime reads generated_at when it is the first field, as writers put it.
func (w *walk) leadingTime(line []byte) (int64, bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"generated_at":`))
	if !ok {
		return 0, false
	}
	text, ok := text(rest)
	if !ok {
		return 0, false
	}
	return w.known.clock.parse(text)
}

// outer gives the text of a field of the outermost object, when that is plain from the braces around it: no object
// was opened before it, or none but the outermost is closed after it.
func outer(line []byte, name string) ([]byte, bool) {
	key := []byte(name)
	at := bytes.Index(line, key)
	if at < 0 {
		return nil, false
	}
	if bytes.Count(line[:at], []byte{'{'}) != 1 {
		at = bytes.LastIndex(line, key)
		if bytes.Count(line[at:], []byte{'}'}) != 1 {
			return nil, false
		}
	}
	before := bytes.TrimRight(line[:at], " \t")
	if c := before[len(before)-1]; c != ',' && c != '{' {
		return nil, false
	}
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line[at+len(key):], " \t"), []byte{':'})
	if !ok {
		return nil, false
	}
	return text(rest)
}

// text reads a string without escapes at the start of rest.
func text(rest []byte) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte{'"'})
	if !ok {
		return nil, false
	}
	end := bytes.IndexByte(rest, '"')
	if end < 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
		return nil, false
	}
	return rest[:end], true
}

// instants is a set of times that may say yes too often and never no too often.
type instants [1024]uint64

func (s *instants) slot(at int64) (*uint64, uint64) {
	hash := uint64(at) * 0x9e3779b97f4a7c15 >> 48
	return &s[hash>>6], 1 << (hash & 63)
}

func (s *instants) add(at int64) {
	word, bit := s.slot(at)
	*word |= bit
}

func (s *instants) has(at int64) bool {
	word, bit := s.slot(at)
	return *word&bit != 0
}

type skippedLine struct {
	at   int64
	line ref
}

// skipped remembers the lines that were passed over, as long as an earlier line may be the same row.
type skipped struct {
	lines []skippedLine
	times instants
	limit int
}

func (s *skipped) add(at int64, line ref, w *walk) {
	if len(s.lines) >= max(s.limit, w.options.keep) {
		last, kept := w.passed(), s.lines[:0]
		s.times = instants{}
		for _, l := range s.lines {
			if l.at <= last {
				kept = append(kept, l)
				s.times.add(l.at)
			}
		}
		s.lines, s.limit = kept, 2*len(kept)
	}
	s.lines = append(s.lines, skippedLine{at, line})
	s.times.add(at)
}

// take removes the lines of one instant.
func (s *skipped) take(at int64) []ref {
	if !s.times.has(at) {
		return nil
	}
	var out []ref
	kept := s.lines[:0]
	for _, l := range s.lines {
		if l.at == at {
			out = append(out, l.line)
			continue
		}
		kept = append(kept, l)
	}
	s.lines = kept
	return out
}
