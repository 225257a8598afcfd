package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A Config is what a configuration file holds.
type Config struct {
	// Path is the file, "" if there is none.
	Path string
	// Providers are the entries in order.
	Providers []Entry
}

// Load reads the configuration file: the first of [SearchPaths] for which read does not return an error
// that is [fs.ErrNotExist]. read is [os.ReadFile] or works like it. Without a file the Config is empty.
// A file that cannot be read or has a fault is an *[Error] and no other is looked for.
func Load(env Environment, read func(path string) ([]byte, error)) (Config, error) {
	for _, path := range SearchPaths(env) {
		switch data, err := read(path); {
		case err == nil:
			return ParseConfig(path, data)
		case !errors.Is(err, fs.ErrNotExist):
			return Config{}, &Error{Kind: ConfigRead, File: path, Text: "read the configuration", Err: err}
		}
	}
	return Config{}, nil
}

// ParseConfig reads a configuration, strict JSON without comments, trailing commas or a byte order
// mark:
//
//	{"providers":[{"package":"…", …}, …]}
//
// Each provider needs a string package, or packageSpecifier, which is taken if package is missing or
// empty. The error is an *[Error] of kind ConfigParse or ConfigShape; path is for its message. What is
// wrong with another field of a provider is that [Entry]'s alone.
func ParseConfig(path string, data []byte) (Config, error) {
	doc, err := jsonspan.Scan(data, 4)
	if err != nil {
		return Config{}, syntaxFault(path, data, err)
	}
	fault := func(n jsonspan.Node, text string) (Config, error) {
		return Config{}, shapeFault(path, data, n, text)
	}
	root := doc.Root()
	if root.Kind() != jsonspan.Object {
		return fault(root, `the configuration must be an object: {"providers": [{"package": "…"}]}`)
	}
	list := jsonvalue.Member(root, "providers")
	switch list.Kind() {
	case jsonspan.Absent:
		return fault(root, `"providers" is missing: add "providers": [{"package": "…"}]`)
	case jsonspan.Array:
	default:
		return fault(list, `"providers" must be a list: [{"package": "…"}]`)
	}
	c := Config{Path: path, Providers: []Entry{}}
	for n := list.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		at := "providers[" + strconv.Itoa(len(c.Providers)) + "]"
		if n.Kind() != jsonspan.Object {
			return fault(n, at+` must be an object: {"package": "…"}`)
		}
		entry, ok := parseEntry(path, data, n)
		if !ok {
			return fault(n, at+` needs a "package": the name, path or URL of an npm package, as a string`)
		}
		c.Providers = append(c.Providers, entry)
	}
	return c, nil
}

// Reveal is the configuration as JSON with nothing but its providers, secrets included.
func (c *Config) Reveal() json.RawMessage {
	w := jsonvalue.Begin(nil)
	w.Key("providers")
	w.Out = append(w.Out, '[')
	for i := range c.Providers {
		if i > 0 {
			w.Out = append(w.Out, ',')
		}
		w.Out = append(w.Out, c.Providers[i].Reveal()...)
	}
	w.Out = append(w.Out, ']')
	return w.End()
}

func shapeFault(path string, data []byte, n jsonspan.Node, text string) *Error {
	e := &Error{Kind: ConfigShape, File: path, Text: text}
	e.Line, e.Column = position(data, n.Span().From)
	return e
}

// syntaxFault says what is not JSON, and what is often meant.
func syntaxFault(path string, data []byte, err error) *Error {
	e := &Error{Kind: ConfigParse, File: path}
	var syntax *jsonspan.SyntaxError
	if !errors.As(err, &syntax) {
		e.Text = "the configuration is not JSON"
		return e
	}
	at := syntax.Offset
	e.Line, e.Column = position(data, at)
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

// position is the line and the column, in characters, of a byte.
func position(data []byte, at int) (line, column int) {
	before := wtf8.Repair(data[:at])
	line = bytes.Count(before, []byte("\n")) + 1
	return line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}
