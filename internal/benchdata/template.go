package benchdata

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed templates
var templates embed.FS

// template is a text with @NAME@ placeholders, cut once so that filling it in copies bytes and nothing else.
type template struct {
	literals []string // one more than names
	names    []string
	size     int
}

func load(name string) template { return parse(source(name)) }

// loadAll reads a file of several templates separated by lines of "%%".
func loadAll(name string) []template {
	var all []template
	for part := range strings.SplitSeq(source(name), "%%\n") {
		all = append(all, parse(part))
	}
	return all
}

func source(name string) string {
	data, err := templates.ReadFile("templates/" + name)
	if err != nil {
		panic(fmt.Sprintf("benchdata: embedded template: %v", err)) // the build is broken
	}
	return string(data)
}

func parse(text string) template {
	t := template{size: len(text)}
	literal := ""
	for {
		before, rest, ok := strings.Cut(text, "@")
		name, after, closed := strings.Cut(rest, "@")
		if !ok || !closed {
			t.literals = append(t.literals, literal+text)
			return t
		}
		if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			literal, text = literal+before+"@", rest
			continue
		}
		t.literals, t.names = append(t.literals, literal+before), append(t.names, name)
		literal, text = "", after
	}
}

// fill appends the text with the placeholders replaced.
func (t template) fill(out []byte, value func(name string) string) []byte {
	for i, name := range t.names {
		out = append(out, t.literals[i]...)
		out = append(out, value(name)...)
	}
	return append(out, t.literals[len(t.names)]...)
}
