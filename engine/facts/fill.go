package facts

import "reflect"

// Fill replaces every nil list and map that the schema requires by an empty one, so that the JSON form of the document
// has no null where the schema wants a list.
func (in *Input) Fill() { fill(reflect.ValueOf(in).Elem()) }

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem())
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		if holdsLists(v.Type().Elem()) {
			for i := range v.Len() {
				fill(v.Index(i))
			}
		}
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		if v.Type().Elem().Kind() == reflect.Slice {
			for _, key := range v.MapKeys() {
				if v.MapIndex(key).IsNil() {
					v.SetMapIndex(key, reflect.MakeSlice(v.Type().Elem(), 0, 0))
				}
			}
		}
	case reflect.Struct:
		plan := planOf(v.Type())
		for i := range plan.fields {
			field := v.Field(plan.fields[i].index)
			if !plan.fields[i].omit || !field.IsZero() {
				fill(field)
			}
		}
	}
}

// holdsLists tells whether values of a list's element type can hold lists themselves.
func holdsLists(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

// Earliest is the earlier of two instants of which 0 stands for never.
func Earliest(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
