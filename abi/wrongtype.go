package abi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fxamacker/cbor/v2"
)

// cborTypes has the words of ABI.md for those of the decoder.
var cborTypes = map[string]string{
	"positive integer":  "a number from 0",
	"negative integer":  "a negative number",
	"byte string":       "a byte string",
	"UTF-8 text string": "a text",
	"array":             "a list",
	"map":               "a map",
	"primitives":        "a float, true, false or null",
}

// readable says what is wrong with the type of a value in words that are no types of Go: those who read it
// write guests in any language.
func readable(err error) error {
	wrong := (*cbor.UnmarshalTypeError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	found := cborTypes[wrong.CBORType]
	if found == "" {
		found = wrong.CBORType
	}
	if wrong.StructFieldName == "" {
		return fmt.Errorf("there is %s where another type is due", found)
	}
	key := wrong.StructFieldName[strings.LastIndexByte(wrong.StructFieldName, '.')+1:]
	return fmt.Errorf("at or in %q there is %s where another type is due", key, found)
}
