// Package jsonkind says in words of JSON that a value is of another kind than was wanted.
package jsonkind

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Readable takes the names of Go types out of an error of [json.Unmarshal], and names the field that is wrong
// first: "path.to.field: want a text, found number". Other errors stay as they are.
func Readable(err error) error {
	wrong := (*json.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	want := map[reflect.Kind]string{reflect.String: "a text", reflect.Slice: "a list", reflect.Struct: "an object",
		reflect.Map: "an object", reflect.Bool: "true or false"}[wrong.Type.Kind()]
	if want == "" {
		want = "another type"
	}
	text := fmt.Sprintf("want %s, found %s", want, wrong.Value)
	if wrong.Field != "" {
		text = wrong.Field + ": " + text
	}
	return errors.New(text)
}
