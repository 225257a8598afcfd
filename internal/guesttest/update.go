package guesttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/runtime"
)

// Update returns the file with what the guest answered in the place of what it should have, and the results
// that it took over. Everything else stays byte for byte. That a call failed becomes what is expected only of
// a case that expects an error.
func (s *Suite) Update(results []Result) (text []byte, taken []Result, err error) {
	edit := s.doc.Edit()
	for _, r := range results {
		c := r.Case
		if r.Passed || r.Answer.Kind == Failure && c.Want.Kind != Failure {
			continue
		}
		taken = append(taken, r)
		if c.want.Kind() == jsonspan.Absent {
			s.add(edit, c, &r.Answer)
			continue
		}
		key, old := c.want.KeySpan(), c.want.Span()
		edit.Replace(jsonspan.Span{From: key.From, To: key.To}, quote(string(r.Answer.Kind)))
		edit.Replace(old, s.value(&r.Answer, old, bytes.ContainsRune(c.want.Raw(), '\n')))
	}
	text, err = edit.Bytes()
	return text, taken, err
}

// add puts an expectation behind the last member of a case, which does not have one.
func (s *Suite) add(edit *jsonspan.Edit, c *Case, a *Answer) {
	last := c.node.First()
	for n := last; n.Kind() != jsonspan.Absent; n = n.Next() {
		last = n
	}
	var member []byte
	at := last.KeySpan()
	if line := s.lineStart(at.From); len(bytes.TrimSpace(line)) == 0 {
		member = append(append(member, '\n'), line...)
	} else {
		member = append(member, ' ')
	}
	member = append(append(member, quote(string(a.Kind))...), ": "...)
	edit.After(last, append(member, s.value(a, at, true)...))
}

// value is the JSON of an answer. A payload gets lines of its own, indented like the place where it goes, if
// it is to have several.
func (s *Suite) value(a *Answer, at jsonspan.Span, lines bool) []byte {
	switch a.Kind {
	case Text:
		return quote(a.Text)
	case Failure:
		return quote(reason(a.Err))
	case Nothing, Unchanged:
		return []byte("true")
	}
	compacted := []byte(Compact(a.Payload))
	if !lines {
		return compacted
	}
	line := s.lineStart(at.From)
	prefix := string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
	var b bytes.Buffer
	if json.Indent(&b, compacted, prefix, "  ") != nil {
		return compacted
	}
	return b.Bytes()
}

// lineStart is what stands on a line in front of a place.
func (s *Suite) lineStart(at int) []byte {
	root := s.doc.Root()
	text := root.Raw()[:at-root.Span().From]
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

// reason is what the guest itself said of an error, in one line: the rest differs from build to build.
func reason(err error) string {
	words := err.Error()
	if e := (*runtime.Error)(nil); errors.As(err, &e) && strings.TrimSpace(e.Reason) != "" {
		words = e.Reason
	}
	return firstLine(words)
}

// quote writes a text as JSON without the escapes for markup.
func quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil { // a text can always be encoded
		return []byte(`""`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
