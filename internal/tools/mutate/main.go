// Command mutate asks whether the tests of the bundle notice a changed rule. For every row of a decision table it drops
// the row, then negates its condition, and runs the tests: those of the row's package first, then all others. A mutant
// that no test notices survives. Exits 1 when fewer than -least percent are killed.
//
//	mutate [-least 95] [-only REGEX] [-allow FILE] DIR
//
// FILE lists survivors that are accepted, one a line: "mutation reason".
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/loader"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"
)

// mutant is one changed rule: its file, its place among the rules of the file, and what was done to it.
type mutant struct {
	file string
	rule int
	kind string
	name string
}

func main() {
	log.SetFlags(0)
	least := flag.Float64("least", 95, "percent of mutants that must be killed")
	only := flag.String("only", ".", "only rows whose name matches")
	allow := flag.String("allow", "", "file of accepted survivors")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: mutate [-least 95] [-only REGEX] [-allow FILE] DIR")
	}
	bundle, err := loader.NewFileLoader().Filtered([]string{flag.Arg(0)}, func(path string, info fs.FileInfo, _ int) bool {
		return !info.IsDir() && !slices.Contains([]string{".rego", ".yaml"}, filepath.Ext(path))
	})
	if err != nil {
		log.Fatal(err)
	}
	accepted, err := readAccepted(*allow)
	if err != nil {
		log.Fatal(err)
	}
	modules := bundle.ParsedModules()
	store := inmem.NewFromObject(bundle.Documents)
	mutants := enumerate(modules, regexp.MustCompile(*only))
	survivors := run(modules, store, mutants)
	unexplained := 0
	for _, m := range survivors {
		reason, ok := accepted[m.name]
		if !ok {
			reason = "NOT EXPLAINED"
			unexplained++
		}
		fmt.Printf("survived: %s (%s)\n", m.name, reason)
	}
	rate := 100 * float64(len(mutants)-len(survivors)) / float64(max(1, len(mutants)))
	fmt.Printf("%d mutants, %d killed, %d survived: %.1f%%\n", len(mutants), len(mutants)-len(survivors), len(survivors), rate)
	if rate < *least || unexplained > 0 {
		os.Exit(1)
	}
}

func readAccepted(path string) (map[string]string, error) {
	accepted := map[string]string{}
	if path == "" {
		return accepted, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if name, reason, ok := strings.Cut(lines.Text(), " | "); ok {
			accepted[strings.TrimPrefix(name, "- ")] = reason
		}
	}
	return accepted, lines.Err()
}

// enumerate lists the mutants of every table row, in file order.
func enumerate(modules map[string]*ast.Module, only *regexp.Regexp) []mutant {
	var out []mutant
	for _, file := range slices.Sorted(mapKeys(modules)) {
		seen := map[string]int{}
		for i, rule := range modules[file].Rules {
			id, ok := rowID(rule)
			if !ok || strings.HasSuffix(file, "_test.rego") || !only.MatchString(id) {
				continue
			}
			seen[id]++
			name := id
			if seen[id] > 1 {
				name = fmt.Sprintf("%s#%d", id, seen[id])
			}
			out = append(out, mutant{file, i, "drop", "drop " + name})
			if negatable(rule) {
				out = append(out, mutant{file, i, "negate", "negate " + name})
			}
		}
	}
	return out
}

func mapKeys(modules map[string]*ast.Module) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range modules {
			if !yield(name) {
				return
			}
		}
	}
}

// rowID names a row: a member of a partial set that gives rank and rule itself, or of one that is called a row and
// builds its members by a function or a list, in which the first text stands for the rule.
func rowID(rule *ast.Rule) (string, bool) {
	if rule.Head.Key == nil {
		return "", false
	}
	if object, ok := rule.Head.Key.Value.(ast.Object); ok && object.Get(ast.StringTerm("rank")) != nil {
		if term := object.Get(ast.StringTerm("rule")); term != nil {
			id, ok := term.Value.(ast.String)
			return string(id), ok
		}
	}
	name := rule.Head.Name.String()
	if name != "row" && !strings.HasSuffix(name, "_row") {
		return "", false
	}
	id := name
	ast.WalkTerms(rule.Head.Key, func(term *ast.Term) bool {
		if text, ok := term.Value.(ast.String); ok && id == name {
			id = name + ":" + string(text)
		}
		return false
	})
	return id, true
}

// negatable says that the row has a condition and that its head uses none of the condition's variables.
func negatable(rule *ast.Rule) bool {
	if len(rule.Body) == 1 && rule.Body[0].Equal(ast.NewExpr(ast.BooleanTerm(true))) {
		return false
	}
	bound := rule.Body.Vars(ast.VarVisitorParams{SkipRefHead: true})
	head := ast.NewVarVisitor().WithParams(ast.VarVisitorParams{SkipRefHead: true})
	head.Walk(rule.Head.Key)
	return len(bound.Intersect(head.Vars())) == 0
}

func (m mutant) apply(module *ast.Module) *ast.Module {
	changed := module.Copy()
	rule := changed.Rules[m.rule]
	if m.kind == "drop" {
		changed.Rules = slices.Delete(changed.Rules, m.rule, m.rule+1)
		return changed
	}
	condition := &ast.Rule{
		Head:     ast.RefHead(ast.Ref{ast.VarTerm("mutated_condition")}),
		Body:     rule.Body,
		Module:   changed,
		Location: rule.Location,
	}
	condition.Head.Value = ast.BooleanTerm(true)
	condition.Head.Name = "mutated_condition"
	negated := ast.NewExpr(ast.VarTerm("mutated_condition"))
	negated.Negated = true
	negated.Location = rule.Location
	rule.Body = ast.NewBody(negated)
	changed.Rules = append(changed.Rules, condition)
	return changed
}

func run(modules map[string]*ast.Module, store storage.Store, mutants []mutant) []mutant {
	alive := make([]bool, len(mutants))
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				killed, err := killed(modules, store, mutants[i])
				if err != nil {
					log.Fatalf("%s: %v", mutants[i].name, err)
				}
				alive[i] = !killed
			}
		})
	}
	for i := range mutants {
		next <- i
	}
	close(next)
	group.Wait()
	var survivors []mutant
	for i, m := range mutants {
		if alive[i] {
			survivors = append(survivors, m)
		}
	}
	return survivors
}

func killed(modules map[string]*ast.Module, store storage.Store, m mutant) (bool, error) {
	own := modules[m.file].Package.Path.String() + "_test"
	for _, try := range []struct {
		needed map[string]*ast.Module
		filter string
	}{{behind(modules, own), "^" + regexp.QuoteMeta(own) + `\.`}, {modules, ""}} {
		changed := make(map[string]*ast.Module, len(try.needed))
		for name, module := range try.needed {
			if name == m.file {
				changed[name] = m.apply(module)
				continue
			}
			changed[name] = module.Copy()
		}
		failed, err := anyFails(changed, store, try.filter)
		if err != nil || failed {
			return true, nil // a mutant that does not compile or run is noticed too
		}
	}
	return false, nil
}

// behind gives the modules of a package and of those that it imports, directly or through others. House rules have every
// package import what it reads.
func behind(modules map[string]*ast.Module, pkg string) map[string]*ast.Module {
	out := map[string]*ast.Module{}
	var add func(path ast.Ref)
	add = func(path ast.Ref) {
		for name, module := range modules {
			if _, known := out[name]; known || !module.Package.Path.HasPrefix(path) && !path.HasPrefix(module.Package.Path) {
				continue
			}
			out[name] = module
			for _, use := range module.Imports {
				if ref := use.Path.Value.(ast.Ref); ref.HasPrefix(ast.DefaultRootRef) {
					add(ref)
				}
			}
		}
	}
	add(ast.MustParseRef(pkg))
	return out
}

func anyFails(modules map[string]*ast.Module, store storage.Store, filter string) (bool, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return false, err
	}
	defer store.Abort(ctx, txn)
	runner := tester.NewRunner().SetStore(store).SetModules(modules).Filter(filter)
	results, err := runner.RunTests(ctx, txn)
	if err != nil {
		return false, err
	}
	for result := range results {
		if !result.Pass() {
			cancel()
			for range results { // the runner ends once nobody waits for its other tests
			}
			return true, nil
		}
	}
	return false, nil
}
