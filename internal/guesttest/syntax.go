package guesttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// position is line and column of a place, from 1, in characters.
func position(text []byte, at int) string {
	before := text[:min(at, len(text))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf("%d:%d", lineOf(text, at), utf8.RuneCount(line)+1)
}

// scan reads JSON, or says where and why it is none.
func scan(name string, text []byte, levels int) (*jsonspan.Doc, error) {
	doc, err := jsonspan.Scan(text, levels)
	if syntax := (*jsonspan.SyntaxError)(nil); errors.As(err, &syntax) {
		at, why := notJSON(text, syntax.Offset)
		return nil, fmt.Errorf("%s:%s: %s", name, position(text, at), why)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if at := notUTF8(text); at >= 0 {
		return nil, fmt.Errorf("%s:%s: a character that is not UTF-8: save the file as UTF-8", name, position(text, at))
	}
	return doc, nil
}

func notUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// syntaxWords are what encoding/json says, and what that means.
var syntaxWords = [][2]string{
	{"after array element", "a comma or ] is missing"},
	{"after object key:value pair", "a comma or } is missing"},
	{"after object key", "a colon is missing behind the key"},
	{"looking for beginning of object key string", `a key in "quotes" is missing`},
	{"looking for beginning of value", "a value is missing"},
	{"after top-level value", "there is more behind the end of the list"},
	{"in string escape code", `after a \ there can be only " \ / b f n r t or u`},
	{"in \\u hexadecimal character escape", `after \u there are four digits or letters a to f`},
	{"in string literal", `a line break, or a control character, inside of a text: write it as \n, or as \u and four digits`},
	{"numeric literal", "this is no number"},
	{"in literal", "this is none of true, false and null"},
	{"max depth", "lists and objects are nested too deeply"},
}

// notJSON is where a text stops being JSON and why; at is where that was noticed.
func notJSON(text []byte, at int) (int, string) {
	switch {
	case bytes.HasPrefix(text, []byte("\ufeff")):
		return 0, "the file begins with a byte order mark: save it as UTF-8 without one"
	case len(bytes.TrimSpace(text)) == 0:
		return at, "the file is empty: it must have at least []"
	}
	var v json.RawMessage
	syntax := (*json.SyntaxError)(nil)
	if !errors.As(json.Unmarshal(text, &v), &syntax) {
		return at, "this is not JSON"
	}
	said := syntax.Error()
	if strings.Contains(said, "unexpected end") {
		return len(text), "the file ends too early: something is not closed"
	}
	at = max(int(syntax.Offset)-1, 0)
	switch c := text[at]; {
	case strings.Contains(said, " in "): // a text or a word
	case (c == ']' || c == '}') && bytes.HasSuffix(bytes.TrimRight(text[:at], " \t\r\n"), []byte(",")):
		return at, fmt.Sprintf("a comma before %c", c)
	case c == '/', c == '#':
		return at, "JSON has no comments"
	case c == '\'' && strings.Contains(said, "looking for"):
		return at, `a text is put into "quotes", not into 'these'`
	}
	for _, words := range syntaxWords {
		if strings.Contains(said, words[0]) {
			return at, words[1]
		}
	}
	return at, "this is not JSON"
}
