package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// encodeJSON writes a value as it is: <, > and & are text here, not markup. Only what is not UTF-8 in the
// texts of a log is written as programs read it, and what a terminal would obey is written as an escape.
func encodeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(harmless(asUTF8(b.Bytes())))
	return err
}

// harmless writes what printable would not print as escapes of JSON. Such characters stand only in
// strings there.
func harmless(b []byte) []byte {
	if !bytes.ContainsFunc(b, steers) {
		return b
	}
	var out []byte
	for _, r := range string(b) {
		if !steers(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// steers is true for what is no text to a terminal, line breaks and tabs aside.
func steers(r rune) bool {
	return r >= utf8.RuneSelf-1 && (unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || invisible(r))
}

// asUTF8 makes text of JSON with bytes that are none.
func asUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return []byte(wtf8.ToUTF8(string(b)))
}
