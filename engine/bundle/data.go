package bundle

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"go.yaml.in/yaml/v3"
)

// maxNodes bounds a data document, so that YAML aliases cannot multiply it.
const maxNodes = 200000

// document is one decoded data file at its place in the data tree, with the line of every key.
type document struct {
	file  file
	value ast.Object
	lines map[string]int // path below data, joined with "/", to line
}

// decodeData reads a data.yaml or data.json; JSON is read as the YAML that it is. The directory of the file is the path
// of its content.
func decodeData(f file) (*document, error) {
	doc := &document{file: f, lines: map[string]int{}}
	var root yaml.Node
	if err := yaml.Unmarshal(f.data, &root); err != nil {
		return nil, &Error{Code: CodeInvalid, File: f.name, Line: yamlLine(err), Message: err.Error(), err: err}
	}
	var dirs []string
	if dir := path.Dir(f.path); dir != "." {
		dirs = strings.Split(dir, "/")
	}
	if len(root.Content) == 0 {
		doc.value = ast.NewObject()
		return doc, nil
	}
	r := nodeReader{doc: doc}
	value, err := r.value(root.Content[0], strings.Join(dirs, "/"))
	if err != nil {
		return nil, err
	}
	object, ok := value.(ast.Object)
	if !ok {
		return nil, &Error{Code: CodeInvalid, File: f.name, Line: root.Content[0].Line, Message: "a data document must be an object"}
	}
	for i := len(dirs) - 1; i >= 0; i-- {
		object = ast.NewObject(ast.Item(ast.StringTerm(dirs[i]), ast.NewTerm(object)))
	}
	doc.value = object
	return doc, nil
}

func yamlLine(err error) int {
	var line int
	if _, rest, ok := strings.Cut(err.Error(), "line "); ok {
		fmt.Sscanf(rest, "%d", &line) //nolint:errcheck // zero means unknown
	}
	return line
}

type nodeReader struct {
	doc   *document
	nodes int
}

func (r *nodeReader) fail(n *yaml.Node, format string, args ...any) error {
	return &Error{Code: CodeInvalid, File: r.doc.file.name, Line: n.Line, Message: fmt.Sprintf(format, args...)}
}

func (r *nodeReader) value(n *yaml.Node, at string) (ast.Value, error) {
	if r.nodes++; r.nodes > maxNodes {
		return nil, r.fail(n, "more than %d values", maxNodes)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, at)
	case yaml.SequenceNode:
		terms := make([]*ast.Term, len(n.Content))
		for i, c := range n.Content {
			v, err := r.value(c, fmt.Sprintf("%s/%d", at, i))
			if err != nil {
				return nil, err
			}
			terms[i] = ast.NewTerm(v)
		}
		return ast.NewArray(terms...), nil
	case yaml.MappingNode:
		object := ast.NewObject()
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
				return nil, r.fail(key, "a key must be a plain value")
			}
			p := strings.TrimPrefix(at+"/"+key.Value, "/")
			v, err := r.value(n.Content[i+1], p)
			if err != nil {
				return nil, err
			}
			term := ast.StringTerm(key.Value)
			if object.Get(term) != nil {
				return nil, r.fail(key, "key %q is there twice", key.Value)
			}
			r.doc.lines[p] = key.Line
			object.Insert(term, ast.NewTerm(v))
		}
		return object, nil
	default:
		return r.scalar(n)
	}
}

func (r *nodeReader) scalar(n *yaml.Node) (ast.Value, error) {
	switch n.Tag {
	case "!!null":
		return ast.NullValue, nil
	case "!!bool":
		var b bool
		if err := n.Decode(&b); err != nil {
			return nil, r.fail(n, "%v", err)
		}
		return ast.Boolean(b), nil
	case "!!int":
		var i int64
		if err := n.Decode(&i); err != nil {
			return nil, r.fail(n, "%v", err)
		}
		return ast.Number(fmt.Sprint(i)), nil
	case "!!float":
		var f float64
		if err := n.Decode(&f); err != nil {
			return nil, r.fail(n, "%v", err)
		}
		text, err := json.Marshal(f)
		if err != nil {
			return nil, r.fail(n, "%q is not a finite number", n.Value)
		}
		return ast.Number(text), nil
	default: // strings, and dates, which stay text
		return ast.String(n.Value), nil
	}
}

// merge puts b into a. Objects merge; any other value that both hold is a conflict, which clash receives and decides.
func merge(a, b ast.Object, at string, clash func(at string, old, now ast.Value) (ast.Value, error)) (ast.Object, error) {
	out := ast.NewObject()
	a.Foreach(func(k, v *ast.Term) { out.Insert(k, v) })
	err := b.Iter(func(k, v *ast.Term) error {
		p := strings.TrimPrefix(at+"/"+string(k.Value.(ast.String)), "/")
		old := a.Get(k)
		if old == nil {
			now, err := clash(p, nil, v.Value)
			if err != nil {
				return err
			}
			out.Insert(k, ast.NewTerm(now))
			return nil
		}
		oldObject, ok1 := old.Value.(ast.Object)
		newObject, ok2 := v.Value.(ast.Object)
		if ok1 && ok2 {
			merged, err := merge(oldObject, newObject, p, clash)
			if err != nil {
				return err
			}
			out.Insert(k, ast.NewTerm(merged))
			return nil
		}
		now, err := clash(p, old.Value, v.Value)
		if err != nil {
			return err
		}
		out.Insert(k, ast.NewTerm(now))
		return nil
	})
	return out, err
}

// combine joins the data documents of one bundle. Two files may not give the same value.
func combine(docs []*document) (ast.Object, error) {
	all := ast.NewObject()
	for _, doc := range docs {
		merged, err := merge(all, doc.value, "", func(at string, old, now ast.Value) (ast.Value, error) {
			if old != nil {
				return nil, &Error{Code: CodeInvalid, File: doc.file.name, Line: doc.lines[at], Message: fmt.Sprintf("%s is also given by another data file", at)}
			}
			return now, nil
		})
		if err != nil {
			return nil, err
		}
		all = merged
	}
	return all, nil
}
