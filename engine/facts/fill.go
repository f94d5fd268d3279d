package facts

import (
	"reflect"
	"sync"
)

// Fill replaces every nil list and map that the schema requires by an empty one, so that the JSON form of the document
// has no null where the schema wants a list.
func (in *Input) Fill() { fillInput()(reflect.ValueOf(in).Elem()) }

var fillInput = sync.OnceValue(func() filler { return fillerOf(reflect.TypeFor[Input](), true) })

// filler fills a value of one type.
type filler func(v reflect.Value)

// fillerOf is nil for a type that holds nothing to fill, which spares looking at most of a document. A value that is not
// required is never given as a nil list or map.
func fillerOf(t reflect.Type, required bool) filler {
	switch t.Kind() {
	case reflect.Pointer:
		return fillPointer(fillerOf(t.Elem(), true))
	case reflect.Slice:
		var item filler
		if elem := t.Elem(); elem.Kind() == reflect.Struct || elem.Kind() == reflect.Pointer && elem.Elem().Kind() == reflect.Struct {
			item = fillerOf(elem, true)
		}
		return fillSlice(reflect.MakeSlice(t, 0, 0), item, required)
	case reflect.Map:
		return fillMap(t)
	case reflect.Struct:
		return fillStruct(t)
	}
	return nil
}

func fillPointer(inner filler) filler {
	if inner == nil {
		return nil
	}
	return func(v reflect.Value) {
		if !v.IsNil() {
			inner(v.Elem())
		}
	}
}

func fillSlice(empty reflect.Value, item filler, required bool) filler {
	if item == nil && !required {
		return nil
	}
	return func(v reflect.Value) {
		if v.IsNil() {
			v.Set(empty)
		}
		if item != nil {
			for i := range v.Len() {
				item(v.Index(i))
			}
		}
	}
}

func fillMap(t reflect.Type) filler {
	return func(v reflect.Value) {
		if v.IsNil() {
			v.Set(reflect.MakeMap(t))
		}
		if t.Elem().Kind() == reflect.Slice {
			for _, key := range v.MapKeys() {
				if v.MapIndex(key).IsNil() {
					v.SetMapIndex(key, reflect.MakeSlice(t.Elem(), 0, 0))
				}
			}
		}
	}
}

func fillStruct(t reflect.Type) filler {
	type part struct {
		index int
		omit  bool
		fill  filler
	}
	var parts []part
	for _, field := range planOf(t).fields {
		if fill := fillerOf(t.Field(field.index).Type, !field.omit); fill != nil {
			parts = append(parts, part{field.index, field.omit, fill})
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return func(v reflect.Value) {
		for i := range parts {
			field := v.Field(parts[i].index)
			if !parts[i].omit || !field.IsZero() {
				parts[i].fill(field)
			}
		}
	}
}

// Earliest is the earlier of two instants of which 0 stands for never.
func Earliest(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
