package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/jsonkind"
)

func readInput(cmd *cobra.Command, path string) ([]byte, error) {
	if path == "-" {
		return readAll(cmd.Context(), cmd.InOrStdin())
	}
	text, err := readFile(cmd.Context(), path)
	if err != nil {
		return nil, &usageError{err: err}
	}
	return text, nil
}

// inputName names an input for messages.
func inputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// checkObject finds what is wrong with a file that holds one JSON object, and on which line: broken
// JSON, misspelt and repeated keys, which would otherwise have no effect and no message, and a value
// that decode, called with an object of one key, does not accept.
func checkObject(path string, text []byte, known []string, decode func(one []byte) error) error {
	if err := checkJSON(path, text); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	fail := func(format string, args ...any) error {
		return badLine(path, text, d.InputOffset(), fmt.Errorf(format, args...))
	}
	if start, _ := d.Token(); start != json.Delim('{') {
		return fail("want a JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return fail("%w", err)
		}
		key, _ := token.(string) // the syntax is good: a key is a text
		switch {
		case !slices.Contains(known, key):
			return fail("unknown key %q; known: %s", key, strings.Join(known, ", "))
		case seen[key]:
			return fail("the key %q is there twice", key)
		}
		seen[key] = true
		at := d.InputOffset()
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return fail("%w", err)
		}
		one := append(append(append([]byte(`{"`), key...), `":`...), value...) // known keys need no escapes
		if err := decode(append(one, '}')); err != nil {
			why := jsonkind.Readable(err).Error()
			if n := len(key); len(why) > n && strings.EqualFold(why[:n], key) { // it begins with the field, as Go spells it
				why = key + why[n:]
			} else {
				why = key + ": " + why
			}
			return badLine(path, text, at, errors.New(why))
		}
	}
	return nil
}

// checkJSON says where a file is not JSON.
func checkJSON(path string, text []byte) error {
	if json.Valid(text) {
		return nil
	}
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		return badLine(path, text, 0, errors.New("the file begins with a byte order mark: save it as UTF-8 without one"))
	}
	var v json.RawMessage
	err := json.Unmarshal(text, &v)
	at := int64(len(text))
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		at = syntax.Offset
	}
	return badLine(path, text, at, fmt.Errorf("not JSON: %w", err))
}

func badLine(path string, text []byte, at int64, err error) error {
	line := bytes.Count(text[:min(at, int64(len(text)))], []byte("\n")) + 1
	return &usageError{err: fmt.Errorf("%s:%d: %w", inputName(path), line, err)}
}
