package render

import (
	"fmt"
	"io"
	"sort"
)

// Formats in the order in which help lists them.
const (
	Markdown = "markdown"
	JSON     = "json"
	Table    = "table"
)

// Formats lists what Write accepts.
var Formats = []string{Markdown, JSON, Table}

// Document is what can be printed.
type Document interface {
	// JSON is the whole document, as bytes to print.
	JSON() []byte
	// Fields is the document as plain values. Numbers are json.Number.
	Fields() (map[string]any, error)
	// Rank orders keys for reading; keys of equal rank go by name.
	Rank(key string) int
}

// View tells how a document is laid out in markdown and table.
type View int

// Views.
const (
	// Decision shows one goal's answer.
	Decision View = iota
	// Plan lists goals by group and hides empty groups.
	Plan
	// Status lists every goal by group and shows empty groups too.
	Status
	// Report shows every field in reading order.
	Report
	// Why shows the rules behind an answer and what would change it.
	Why
	// Prompt shows a text as it is, to be handed on.
	Prompt
)

// Write prints a document.
func Write(w io.Writer, format string, view View, doc Document) error {
	if format == JSON {
		_, err := w.Write(doc.JSON())
		return err
	}
	fields, err := doc.Fields()
	if err != nil {
		return err
	}
	p := &page{fields: fields, rank: doc.Rank}
	_, listed := fields["groups"].(map[string]any)
	grouped := (view == Plan || view == Status) && listed
	prompt, written := fields["text"].(string)
	switch {
	case view == Prompt && written:
		p.out.WriteString(prompt + "\n")
	case view == Prompt && (format == Markdown || format == Table):
		p.report(format)
	case view == Report && (format == Markdown || format == Table):
		p.report(format)
	case view == Why && format == Markdown:
		p.whyMarkdown()
	case view == Why && format == Table:
		p.whyTable()
	case format == Markdown && grouped:
		p.planMarkdown(view)
	case format == Markdown:
		p.decisionMarkdown()
	case format == Table && grouped:
		p.planTable(view)
	case format == Table:
		p.decisionTable()
	default:
		return fmt.Errorf("unknown format %q", format)
	}
	_, err = w.Write(p.out.Bytes())
	return err
}

// sortedKeys gives the keys of an object in reading order.
func (p *page) sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for k := range object {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if a, b := p.rank(keys[i]), p.rank(keys[j]); a != b {
			return a < b
		}
		return keys[i] < keys[j]
	})
	return keys
}
