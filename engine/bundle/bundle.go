package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"github.com/loopx-dev/loopx-policy/engine/vm"
	"github.com/loopx-dev/loopx-policy/policy"
)

// Options says which bundle to load.
type Options struct {
	// Policy is a directory or tar.gz archive that replaces the embedded bundle.
	Policy string
	// ProjectDir is where .loopx/policy is looked for. Empty: no overlay is read.
	ProjectDir string
	// Entrypoints must exist in the bundle, e.g. "data.loopx.should_run.decision".
	Entrypoints []string
	// Annotations keeps the METADATA blocks, for explanations and rule listings. Loading takes longer.
	Annotations bool
	// Check runs every check, also for the embedded bundle, and holds the rules against the input schema.
	Check bool

	base    fs.FS // stands in for the embedded bundle in tests
	measure measure
}

// measure switches single levers off, for benchmarks and for the test that they change no answer.
type measure struct {
	keepGC, serial, source, stages bool
}

// Bundle is a compiled bundle. It never changes and is safe for use by many goroutines.
//
// The embedded bundle is evaluated as a program (package vm). Any other bundle, and the embedded one with rules of the
// project, is compiled from source and evaluated by OPA's own evaluator, which gives the same answers more slowly.
type Bundle struct {
	compiler *ast.Compiler // of a bundle that was compiled from source
	store    storage.Store // the data for its evaluator
	program  *vm.Program   // of the embedded bundle
	known    *snapshot     // what else its snapshot tells
	data     vm.Value
	revision string
	digest   string
	source   string

	rules []file // the sources of the rules

	settings func() (map[string]any, error)
	explain  func() (map[string]*Explanation, error)
	queries  sync.Map // entrypoint to *prepared
}

// Load reads, checks and compiles a bundle.
func Load(opts Options) (*Bundle, error) {
	var b *Bundle
	load := func() (err error) {
		b, err = load(opts)
		return err
	}
	if opts.measure.keepGC {
		return b, load()
	}
	err := withoutGC(load)
	return b, err
}

func load(opts Options) (*Bundle, error) {
	files, trusted, err := readBase(opts)
	if err != nil {
		return nil, err
	}
	var overlay []file
	if opts.ProjectDir != "" {
		if overlay, err = readOverlay(opts.ProjectDir); err != nil {
			return nil, err
		}
	}
	rules, data, manifest := split(files)
	extraRules, extraData, _ := split(overlay)
	if len(rules) == 0 {
		return nil, sourceError(opts.Policy, nil, "holds no rules (*.rego)")
	}

	b := &Bundle{digest: digest(files), source: opts.Policy, rules: append(rules[:len(rules):len(rules)], extraRules...)}
	trusted = trusted && len(extraRules) == 0
	restored, err := b.restore(opts, trusted, extraData)
	if err == nil && !restored {
		err = b.compile(opts, trusted, rules, extraRules, data, extraData)
	}
	if err != nil {
		return nil, err
	}
	for _, entrypoint := range opts.Entrypoints {
		if err := b.checkEntrypoint(entrypoint); err != nil {
			return nil, err
		}
	}
	if b.revision, err = manifestRevision(manifest); err != nil {
		return nil, err
	}
	if len(overlay) > 0 {
		b.digest = digest(append(files[:len(files):len(files)], overlay...))
	}
	b.settings = sync.OnceValues(b.decodeSettings)
	b.explain = sync.OnceValues(b.decodeExplanations)
	return b, nil
}

// restore takes the embedded bundle from its snapshot and says whether it could.
func (b *Bundle) restore(opts Options, trusted bool, extraData []file) (bool, error) {
	if !trusted || opts.Check || opts.Annotations || opts.measure.source {
		return false, nil
	}
	known, ok := embedded(b.digest)
	if !ok {
		return false, nil
	}
	b.known, b.program, b.data = known, known.program, known.data
	if len(extraData) == 0 {
		return true, nil
	}
	base, _ := vm.ToAST(known.data).(ast.Object)
	tree, err := overlayData(base, extraData)
	if err != nil {
		return false, err
	}
	if b.data, err = vm.FromAST(tree); err != nil {
		return false, err
	}
	b.program, err = known.program.WithData(b.data)
	return true, err
}

// compile makes the bundle from its sources.
func (b *Bundle) compile(opts Options, trusted bool, rules, extraRules, data, extraData []file) error {
	tree, err := loadData(data, extraData)
	if err != nil {
		return err
	}
	if b.data, err = vm.FromAST(tree); err != nil {
		return err
	}
	vm.Settle(b.data)
	b.store = inmem.NewFromASTObject(tree)
	b.compiler, err = build(opts, trusted, rules, extraRules, tree)
	return err
}

// build compiles rules from source.
func build(opts Options, trusted bool, rules, extra []file, tree ast.Object) (*ast.Compiler, error) {
	copts := compileOptions{
		trusted:     trusted && !opts.Check && !opts.measure.stages,
		typed:       opts.Check,
		annotations: opts.Annotations || opts.Check,
		serial:      opts.measure.serial,
	}
	all := append(rules[:len(rules):len(rules)], extra...)
	modules, err := parse(all, copts)
	if err != nil {
		return nil, err
	}
	for _, m := range modules[len(rules):] {
		if err := checkOverlayModule(m); err != nil {
			return nil, err
		}
	}
	return compile(all, modules, tree, copts)
}

func readBase(opts Options) (files []file, trusted bool, err error) {
	if opts.Policy != "" {
		files, err = readPath(opts.Policy)
		return files, false, err
	}
	base, trusted := opts.base, false
	if base == nil {
		base, trusted = policy.FS, true
	}
	files, err = readFS(base, func(p string) string { return "policy/" + p })
	return files, trusted, err
}

func loadData(data, extra []file) (ast.Object, error) {
	docs := make([]*document, 0, len(data))
	for _, f := range data {
		doc, err := decodeData(f)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	tree, err := combine(docs)
	if err != nil {
		return nil, err
	}
	return overlayData(tree, extra)
}

func overlayData(tree ast.Object, extra []file) (ast.Object, error) {
	for _, f := range extra {
		doc, err := decodeData(f)
		if err != nil {
			return nil, err
		}
		if tree, err = applyOverlay(tree, doc); err != nil {
			return nil, err
		}
	}
	return tree, nil
}

func (b *Bundle) checkEntrypoint(entrypoint string) error {
	ref, err := ast.ParseRef(entrypoint)
	if err != nil {
		return &Error{Code: CodeEntrypoint, File: b.source, Message: fmt.Sprintf("entrypoint %q is not a reference", entrypoint), err: err}
	}
	defined := b.program != nil && b.program.Has(planned(entrypoint)) || b.compiler != nil && len(b.compiler.GetRulesExact(ref)) > 0
	if !defined {
		return &Error{Code: CodeEntrypoint, File: b.source, Message: fmt.Sprintf("the bundle does not define %s", entrypoint)}
	}
	return nil
}

func manifestRevision(manifest *file) (string, error) {
	if manifest == nil {
		return "", nil
	}
	var m struct {
		Revision    string `json:"revision"`
		RegoVersion *int   `json:"rego_version"`
	}
	if err := json.Unmarshal(manifest.data, &m); err != nil {
		return "", &Error{Code: CodeInvalid, File: manifest.name, Message: err.Error(), err: err}
	}
	if m.RegoVersion != nil && *m.RegoVersion != 1 {
		return "", &Error{Code: CodeInvalid, File: manifest.name, Message: fmt.Sprintf("rego_version %d is not supported, only 1", *m.RegoVersion)}
	}
	return m.Revision, nil
}

// digest covers every file that can change an answer, in path order, with names and lengths.
func digest(files []file) string {
	sum := sha256.New()
	for _, f := range files {
		fmt.Fprintf(sum, "%d %s %d\n", len(f.path), f.path, len(f.data))
		sum.Write(f.data)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Revision names the bundle: the manifest's revision and a digest of the content, overlay included.
func (b *Bundle) Revision() string {
	return strings.TrimPrefix(b.revision+"+"+b.digest[:16], "+")
}

// Rules counts the rules of the bundle.
func (b *Bundle) Rules() int {
	if b.known != nil {
		return b.known.rules
	}
	n := 0
	for _, m := range b.compiler.Modules {
		n += len(m.Rules)
	}
	return n
}

// Packages lists the packages of the bundle by name.
func (b *Bundle) Packages() []string {
	if b.known != nil {
		return slices.Clone(b.known.packages)
	}
	names := make([]string, 0, len(b.compiler.Modules))
	for _, m := range b.compiler.Modules {
		names = append(names, packageName(m))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// EmbeddedRevision names the bundle that the binary carries, without loading it.
func EmbeddedRevision() (string, error) {
	files, _, err := readBase(Options{})
	if err != nil {
		return "", err
	}
	_, _, manifest := split(files)
	revision, err := manifestRevision(manifest)
	if err != nil {
		return "", err
	}
	return (&Bundle{revision: revision, digest: digest(files)}).Revision(), nil
}

// Digest is the SHA-256 over the content of the bundle and its overlay.
func (b *Bundle) Digest() string { return b.digest }

// Settings gives data.loopx.settings: every number, list and text that the rules and the fact readers take from the
// bundle. The caller may not change it.
func (b *Bundle) Settings() (map[string]any, error) { return b.settings() }

// DecodeSettings fills out from one topic of the settings, by its JSON tags.
func (b *Bundle) DecodeSettings(topic string, out any) error {
	section := vm.Find(b.data, "loopx", "settings", topic)
	if section == nil {
		return &Error{Code: CodeInvalid, File: b.source, Message: fmt.Sprintf("the bundle has no settings for %s", topic)}
	}
	err := json.Unmarshal(vm.AppendJSON(nil, section), out)
	if err != nil {
		return &Error{Code: CodeInvalid, File: b.source, Message: fmt.Sprintf("settings %s: %v", topic, err), err: err}
	}
	return nil
}

func (b *Bundle) decodeSettings() (map[string]any, error) {
	value := vm.Find(b.data, "loopx", "settings")
	if value == nil {
		return map[string]any{}, nil // no settings at all
	}
	settings, ok := vm.ToGo(value).(map[string]any)
	if !ok {
		return nil, &Error{Code: CodeInvalid, File: b.source, Message: "data.loopx.settings is not an object"}
	}
	return settings, nil
}
