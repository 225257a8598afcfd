package bridge

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A file is a configuration file that is read. It says where faults are, and reads no byte twice for
// that as long as each is behind the one before.
type file struct {
	path         string
	data         []byte
	at           int // the byte whose line and column, in characters, are known
	line, column int
}

// place moves on to a byte.
func (f *file) place(at int) (line, column int) {
	if at < f.at {
		f.at, f.line, f.column = 0, 1, 1
	}
	passed := wtf8.Repair(f.data[f.at:at])
	f.at = at
	if end := bytes.LastIndexByte(passed, '\n'); end >= 0 {
		f.line += bytes.Count(passed, []byte("\n"))
		f.column, passed = 1, passed[end+1:]
	}
	f.column += utf8.RuneCount(passed)
	return f.line, f.column
}

// fault says that the value at a byte does not have the form that is required.
func (f *file) fault(at int, text string) *Error {
	e := &Error{Kind: ConfigShape, File: f.path, Text: text}
	e.Line, e.Column = f.place(at)
	return e
}

// syntaxFault says what is not JSON, and what is often meant.
func (f *file) syntaxFault(err error) *Error {
	e := &Error{Kind: ConfigParse, File: f.path}
	var syntax *jsonspan.SyntaxError
	if !errors.As(err, &syntax) {
		e.Text = "the configuration is not JSON"
		return e
	}
	at, data := syntax.Offset, f.data
	e.Line, e.Column = f.place(at)
	before := bytes.TrimRight(data[:at], " \t\r\n")
	switch rest := data[at:]; {
	case bytes.HasPrefix(data, []byte("\uFEFF")):
		e.Text = "the file begins with a byte order mark: save it as UTF-8 without one"
	case bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")):
		e.Text = "the file is not UTF-8: save it as UTF-8"
	case len(before) == 0 && len(rest) == 0:
		e.Text = `the file is empty: it must have at least {"providers": []}`
	case len(rest) == 0:
		e.Text = "the file ends too early: a bracket or a quotation mark is missing"
	case rest[0] == '/' || rest[0] == '#':
		e.Text = "comments are not allowed: remove them"
	case (rest[0] == '}' || rest[0] == ']') && bytes.HasSuffix(before, []byte(",")):
		e.Text = "no comma is allowed behind the last member: remove it"
	case rest[0] == '\'':
		e.Text = `texts must be in double quotation marks`
	default:
		c, _ := utf8.DecodeRune(rest)
		e.Text = "unexpected " + strconv.QuoteRune(c) + ": the file must be strict JSON"
	}
	return e
}
