package facts

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Schema returns the JSON Schema of Input, the document that `opa check --schema` holds the rules against.
// schemas/facts/input.json is this text; a test fails when they differ, `go generate ./engine/facts` rewrites it.
// A field without omitempty is required; no field may be unknown.
func Schema() ([]byte, error) {
	doc := schemaOf(reflect.TypeFor[Input]())
	doc["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	doc["title"] = "Input document of a LoopX policy evaluation"
	doc["description"] = "Generated from engine/facts/input*.go, where each field is explained."
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(out, '\n'), nil
}

func schemaOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Struct:
		properties := map[string]any{}
		required := []string{}
		for i := range t.NumField() {
			name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			properties[name] = schemaOf(t.Field(i).Type)
			if options != "omitempty" {
				required = append(required, name)
			}
		}
		return map[string]any{
			"type": "object", "additionalProperties": false, "properties": properties, "required": required,
		}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	default: // any
		return map[string]any{}
	}
}
