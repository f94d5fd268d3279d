package bundle

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Rule is one documented rule of a bundle, as its METADATA tells it.
type Rule struct {
	ID       string   `json:"id"`
	Package  string   `json:"package"` // without "data."
	Title    string   `json:"title"`
	When     string   `json:"when,omitempty"`     // the condition in words, or what the rule says
	Sets     []string `json:"sets,omitempty"`     // output fields
	Settings []string `json:"settings,omitempty"` // keys under data.loopx.settings
	File     string   `json:"file"`
	Line     int      `json:"line"`
}

//go:generate go run ../../internal/tools/rulesdoc ../../policy ../../fixtures/spec-rules.txt ../../docs/rules.md

// Catalog lists every rule with a custom.id, by package and then in file order. The bundle must have been loaded with
// Options.Annotations or Options.Check.
func (b *Bundle) Catalog() []Rule {
	var rules []Rule
	for name, module := range b.compiler.Modules {
		pkg := packageName(module)
		for _, note := range module.Annotations {
			id, ok := note.Custom["id"].(string)
			if !ok || note.Scope == "package" {
				continue
			}
			rules = append(rules, Rule{
				ID: id, Package: pkg, Title: note.Title, When: strings.Join(strings.Fields(note.Description), " "),
				Sets: words(note.Custom["sets"]), Settings: words(note.Custom["settings"]),
				File: name, Line: note.Location.Row,
			})
		}
	}
	slices.SortFunc(rules, func(a, b Rule) int {
		return cmpAll(strings.Compare(a.Package, b.Package), strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return rules
}

// PackageDoc is what a package says of itself.
type PackageDoc struct {
	Package, Title, Description string
}

// PackageDocs lists the package METADATA of the bundle by package.
func (b *Bundle) PackageDocs() []PackageDoc {
	var docs []PackageDoc
	for _, module := range b.compiler.Modules {
		for _, note := range module.Annotations {
			if note.Scope == "package" && note.Title != "" {
				docs = append(docs, PackageDoc{packageName(module), note.Title, strings.Join(strings.Fields(note.Description), " ")})
			}
		}
	}
	slices.SortFunc(docs, func(a, b PackageDoc) int { return strings.Compare(a.Package, b.Package) })
	return docs
}

func cmpAll(results ...int) int {
	for _, result := range results {
		if result != 0 {
			return result
		}
	}
	return 0
}

func words(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		out = append(out, fmt.Sprint(item))
	}
	return out
}

// WriteCatalog prints the catalogue as Markdown, a table for each package.
func (b *Bundle) WriteCatalog(w io.Writer) error {
	rules := b.Catalog()
	if _, err := fmt.Fprintf(w, "# Rules\n\nGenerated from the METADATA of `policy/` by `loopx policy rules`; do not edit. "+
		"%d rules. An answer names the rules that decided it under `rules`.\n", len(rules)); err != nil {
		return err
	}
	for _, doc := range b.PackageDocs() {
		if _, err := fmt.Fprintf(w, "\n## %s\n\n%s. %s\n", doc.Package, strings.TrimSuffix(doc.Title, "."), doc.Description); err != nil {
			return err
		}
		header := "\n| rule | title | when | sets | settings |\n| --- | --- | --- | --- | --- |\n"
		for _, rule := range rules {
			if rule.Package != doc.Package {
				continue
			}
			if _, err := fmt.Fprintf(w, "%s| `%s` | %s | %s | %s | %s |\n", header, rule.ID, cell(rule.Title), cell(rule.When),
				cell(strings.Join(rule.Sets, ", ")), cell(strings.Join(rule.Settings, ", "))); err != nil {
				return err
			}
			header = ""
		}
	}
	return nil
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
