package guestbuild

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
)

// decodeRegistrations reads what the SDK says that the code registers. What is wrong there comes from the author's
// code, so errors name the entry and say what belongs there.
func decodeRegistrations(said []byte) (*registrations, error) {
	var raw struct {
		Contributions []json.RawMessage `json:"contributions"`
		Adapters      []json.RawMessage `json:"adapters"`
		Replaced      []string          `json:"replaced"`
		Keys          [][]string        `json:"keys"`
	}
	if err := strictly(said, &raw); err != nil {
		return nil, fmt.Errorf("what the code registers: %w", err)
	}
	contributions, err := entriesOf[registered]("contribution", raw.Contributions)
	if err != nil {
		return nil, err
	}
	adapters, err := entriesOf[abi.Adapter]("adapter", raw.Adapters)
	if err != nil {
		return nil, err
	}
	return &registrations{Contributions: contributions, Adapters: adapters, Replaced: raw.Replaced, Keys: raw.Keys}, nil
}

func entriesOf[T any](what string, list []json.RawMessage) ([]T, error) {
	entries := make([]T, len(list))
	for i, text := range list {
		if err := strictly(text, &entries[i]); err != nil {
			var named struct{ ID any }
			_ = json.Unmarshal(text, &named) // there may be none
			return nil, fmt.Errorf("what the code registers: %s %s: %w", what, shown(named.ID), err)
		}
	}
	return entries, nil
}

// strictly decodes JSON without keys that nobody knows. Its errors are for people who know nothing of Go.
func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	case wrong.Field == "":
		return fmt.Errorf("it is %s, and has to be %s", jsonKind(wrong.Value), kindOfType(wrong.Type))
	}
	return fmt.Errorf("%s is %s, and has to be %s", wrong.Field, jsonKind(wrong.Value), kindOfType(wrong.Type))
}

func jsonKind(value string) string {
	kind, _, _ := strings.Cut(value, " ") // "number 5"
	switch kind {
	case "string":
		return "a text"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "the " + value
}

func kindOfType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOfType(t.Elem())
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "a text"
	case reflect.Uint64:
		return "a whole number from 0"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	}
	return "an object"
}
