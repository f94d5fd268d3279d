package goalstate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sectionRole maps a heading to the role of its todos, "" for any other section.
func sectionRole(title string) string {
	title = strings.ToLower(title)
	for _, section := range sections {
		for _, name := range section.names {
			if strings.Contains(title, name) {
				return section.role
			}
		}
	}
	return ""
}

var sections = []struct {
	role  string
	names []string
}{
	{roleArchive, []string{"todo archive", "work archive", "completed archive", "completed work", "完成归档", "待办归档"}},
	{roleUser, []string{"user todo", "owner review reading queue", "owner reading queue"}},
	{roleAgent, []string{"agent todo", "codex todo"}},
}

// task matches ^\s*[-*]\s+\[( |x|X|-)\]\s+TEXT\s*$.
func task(line string) (marker byte, text string, ok bool) {
	rest := strings.TrimLeftFunc(line, unicode.IsSpace)
	if rest == "" || rest[0] != '-' && rest[0] != '*' || !startsWithSpace(rest[1:]) {
		return 0, "", false
	}
	rest = strings.TrimLeftFunc(rest[1:], unicode.IsSpace)
	if len(rest) < 4 || rest[0] != '[' || rest[2] != ']' || !startsWithSpace(rest[3:]) {
		return 0, "", false
	}
	switch rest[1] {
	case ' ', 'x', 'X', '-':
		text = strings.TrimSpace(rest[3:])
		return rest[1], text, text != ""
	}
	return 0, "", false
}

// todoLike says that a line looks like a checkbox to a person: a list marker, then brackets around at most one
// character that is no digit, and not a link.
func todoLike(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeftFunc(afterListMarker(line), unicode.IsSpace), "[")
	if !ok {
		return false
	}
	inside, after, ok := strings.Cut(rest, "]")
	inside = strings.TrimSpace(inside)
	if !ok || utf8.RuneCountInString(inside) > 1 || inside != "" && inside[0] >= '0' && inside[0] <= '9' {
		return false
	}
	return after == "" || after[0] != '(' && after[0] != '[' && after[0] != ':'
}

func isListItem(line string) bool { return afterListMarker(line) != "" }

// afterListMarker returns what follows "-", "*", "+", "1." or "1)" and white space, "" when there is no marker.
func afterListMarker(line string) string {
	rest := line[indentOf(line):]
	if rest == "" {
		return ""
	}
	if c := rest[0]; c == '-' || c == '*' || c == '+' {
		rest = rest[1:]
	} else {
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		if digits == 0 || digits == len(rest) || rest[digits] != '.' && rest[digits] != ')' {
			return ""
		}
		rest = rest[digits+1:]
	}
	if !startsWithSpace(rest) {
		return ""
	}
	return rest
}

// indentOf counts the spaces and tabs in front of a line.
func indentOf(line string) int {
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	return n
}

func startsWithSpace(text string) bool {
	if text == "" || text[0] > ' ' && text[0] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsSpace(r)
}

// fence is an open code fence.
type fence struct {
	char   byte
	length int
	line   int
	inList bool
	hidden int // first line inside that would be a todo or a todo section
}

func (f *fence) open() bool { return f.length > 0 }

// start opens the fence when the line is an opening fence. Outside a list, four spaces make it indented code.
func (f *fence) start(line string, number int, inList bool) bool {
	indent := indentOf(line)
	rest := line[indent:]
	if len(rest) < 3 || rest[0] != '`' && rest[0] != '~' || !inList && (indent > 3 || strings.Contains(line[:indent], "\t")) {
		return false
	}
	length := run(rest)
	if length < 3 || rest[0] == '`' && strings.IndexByte(rest[length:], '`') >= 0 {
		return false
	}
	*f = fence{char: rest[0], length: length, line: number, inList: inList && indent > 0}
	return true
}

func (f *fence) ends(line string) bool {
	rest := strings.TrimSpace(line)
	return rest != "" && rest[0] == f.char && run(rest) == len(rest) && len(rest) >= f.length
}

// run is how often the first character of a text that is not empty repeats.
func run(text string) int {
	n := 1
	for n < len(text) && text[n] == text[0] {
		n++
	}
	return n
}
