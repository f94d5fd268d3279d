package facts

import (
	"fmt"
	"reflect"
	"strings"
)

// KeyOf is the JSON name of a field of a type of the input document. A reader takes from it the key of a file that is also a
// word of the rules, so that Go spells no such word.
func KeyOf[T any](field string) string {
	f, ok := reflect.TypeFor[T]().FieldByName(field)
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !ok || name == "" {
		panic(fmt.Sprintf("%s has no field %s with a JSON name", reflect.TypeFor[T](), field))
	}
	return name
}
