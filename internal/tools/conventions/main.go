// Command conventions checks the house rules of the policy bundle that `opa check` and `opa fmt` do not know:
// one package per directory, METADATA on packages and table rows, one id per row in three places (custom.id, labels,
// the row itself), ranks unique within a table, and no else chains.
//
//	conventions DIR
package main

import (
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

type checker struct {
	problems []string
	titled   map[string]bool   // packages with METADATA title and description
	ranks    map[string]string // package, table and rank to row id
	tests    strings.Builder
	ids      map[string]string // row id to location
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: conventions DIR")
	}
	c := &checker{titled: map[string]bool{}, ranks: map[string]string{}, ids: map[string]string{}}
	packages := map[string]bool{}
	err := filepath.WalkDir(os.Args[1], func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".rego" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, "_test.rego") {
			c.tests.Write(text)
			return nil
		}
		module, err := ast.ParseModuleWithOpts(path, string(text), ast.ParserOptions{ProcessAnnotation: true})
		if err != nil {
			return err
		}
		packages[module.Package.Path.String()] = true
		c.module(os.Args[1], path, module)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	for name := range packages {
		if !c.titled[name] {
			c.fail("%s: the package has no METADATA title and description", name)
		}
	}
	for row, location := range c.ids {
		_, id, _ := strings.Cut(row, " ")
		if !strings.Contains(c.tests.String(), id) && !strings.Contains(c.tests.String(), testName(id)) {
			c.fail("%s: no test names row %s", location, id)
		}
	}
	slices.Sort(c.problems)
	for _, problem := range c.problems {
		fmt.Println(problem)
	}
	if len(c.problems) > 0 {
		log.Fatalf("%d breaches of the rule conventions", len(c.problems))
	}
	fmt.Printf("%d packages and %d table rows keep the conventions\n", len(packages), len(c.ids))
}

// testName is the id as it stands in the name of a test.
func testName(id string) string {
	return "test_" + strings.NewReplacer(".", "_", "-", "_").Replace(strings.ToLower(id))
}

func (c *checker) fail(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *checker) module(root, path string, module *ast.Module) {
	name := module.Package.Path.String()
	directory, err := filepath.Rel(root, filepath.Dir(path))
	if want := "data." + strings.ReplaceAll(filepath.ToSlash(directory), "/", "."); err != nil || name != want {
		c.fail("%s: package %s does not match its directory", path, name)
	}
	for _, note := range module.Annotations {
		if note.Scope == "package" && note.Title != "" && note.Description != "" {
			c.titled[name] = true
		}
	}
	for _, rule := range module.Rules {
		if rule.Else != nil {
			c.fail("%s: else chain in %s; write ranked rows", rule.Location, rule.Head.Name)
		}
		c.row(name, rule, annotationAt(module, rule))
	}
}

// annotationAt finds the annotation block that ends right above a rule.
func annotationAt(module *ast.Module, rule *ast.Rule) *ast.Annotations {
	for _, note := range module.Annotations {
		if note.Scope != "package" && note.EndLoc().Row == rule.Location.Row-1 {
			return note
		}
	}
	return nil
}

func (c *checker) row(pkg string, rule *ast.Rule, note *ast.Annotations) {
	key := rule.Head.Key
	if key == nil {
		return
	}
	object, ok := key.Value.(ast.Object)
	if !ok {
		return
	}
	idTerm, rankTerm := object.Get(ast.StringTerm("rule")), object.Get(ast.StringTerm("rank"))
	if idTerm == nil || rankTerm == nil {
		return
	}
	id, ok := idTerm.Value.(ast.String)
	if !ok {
		c.fail("%s: the row's rule id is not a literal", rule.Location)
		return
	}
	row := pkg + " " + string(id)
	_, known := c.ids[row]
	place := fmt.Sprintf("%s.%s rank %s", pkg, rule.Head.Name, rankTerm)
	if other, taken := c.ranks[place]; taken && other != string(id) {
		c.fail("%s: %s and %s share %s", rule.Location, other, id, place)
	}
	c.ranks[place] = string(id)
	if note == nil {
		if !known { // a further condition of an annotated row needs no second block
			c.fail("%s: row %s has no METADATA", rule.Location, id)
		}
		return
	}
	c.ids[row] = rule.Location.String()
	if note.Title == "" {
		c.fail("%s: row %s has no title", rule.Location, id)
	}
	if note.Custom["id"] != string(id) {
		c.fail("%s: row %s has custom.id %v", rule.Location, id, note.Custom["id"])
	}
	if note.Labels["rule"] != string(id) {
		c.fail("%s: row %s has label rule %v", rule.Location, id, note.Labels["rule"])
	}
}
