package main

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// encodeJSON writes a value as it is: <, > and & are text here, not markup. Only what is not UTF-8 in the
// texts of a log is written as programs read it.
func encodeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(asUTF8(b.Bytes()))
	return err
}

// asUTF8 makes text of JSON with bytes that are none.
func asUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return []byte(wtf8.ToUTF8(string(b)))
}
