package sidecar

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// misfit says why a value cannot be read, in words of JSON and not of Go. The path of what does not fit, if
// that is known, comes first and goes on from at, "" for the value itself.
func misfit(at string, err error) string {
	text := strings.TrimPrefix(err.Error(), "json: ")
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		text = "want " + kindOf(wrong.Type) + ", got " + start(wrong.Value)
		if at != "" {
			at += "."
		}
		at += start(wrong.Field)
	}
	if at == "" {
		return start(text)
	}
	return at + ": " + start(text)
}

// kindOf is the kind of JSON value that a type is read from.
func kindOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[policy]():
		return fmt.Sprintf("one of %q", policies)
	case reflect.TypeFor[lookup]():
		return fmt.Sprintf("one of %q", lookups)
	}
	switch t.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number" // nothing else is in params
}
