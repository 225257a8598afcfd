package guesttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/jsonkind"
	"github.com/pintle-wasm/pintle/internal/spelling"
	"github.com/pintle-wasm/pintle/registry"
)

// Parse reads a file of cases. The name is that of the file in errors, which also name the line, the case
// and the key. The text must not change afterwards.
func Parse(name string, text []byte) (*Suite, error) {
	doc, err := scan(name, text, 2)
	if err != nil {
		return nil, err
	}
	s := &Suite{Name: name, doc: doc}
	root := doc.Root()
	if root.Kind() != jsonspan.Array {
		return nil, fmt.Errorf("%s:%d: want a list of cases, found %s", name, lineOf(text, root.Span().From), kindName(root.Kind()))
	}
	names := map[string]int{}
	for n := root.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		c := &Case{node: n, Line: lineOf(text, n.Span().From)}
		r := &caseReader{c: c}
		r.read(n)
		at := len(s.Cases) + 1
		if first, ok := names[c.Name]; ok && r.err == nil {
			r.fail(n, "the name is that of case %d already", first)
		}
		if r.err != nil {
			title := fmt.Sprintf("case %d", at)
			if c.Name != "" {
				title += fmt.Sprintf(" (%q)", c.Name)
			}
			return nil, fmt.Errorf("%s:%d: %s: %w", name, lineOf(text, r.at), title, r.err)
		}
		names[c.Name] = at
		s.Cases = append(s.Cases, c)
	}
	return s, nil
}

// ParseContext reads a file with one context. The name is that of the file in errors.
func ParseContext(name string, text []byte) (Context, error) {
	doc, err := scan(name, text, 1)
	if err != nil {
		return Context{}, err
	}
	r := &caseReader{c: &Case{}}
	r.object(doc.Root(), ofContexts, "a context")
	if r.err != nil {
		return Context{}, fmt.Errorf("%s:%d: %w", name, lineOf(text, r.at), r.err)
	}
	return r.c.Context, nil
}

func lineOf(text []byte, at int) int { return bytes.Count(text[:min(at, len(text))], []byte("\n")) + 1 }

func kindName(k jsonspan.Kind) string {
	return [...]string{"nothing", "null", "true or false", "a number", "a text", "a list", "an object"}[k]
}

// A caseReader fills in one case and keeps the first error and where it is.
type caseReader struct {
	c   *Case
	err error
	at  int
}

func (r *caseReader) fail(n jsonspan.Node, format string, args ...any) {
	if r.err != nil {
		return
	}
	r.err, r.at = fmt.Errorf(format, args...), n.Span().From
	if key := n.KeySpan(); key.To > key.From {
		r.at = key.From
	}
}

// A field reads the value of one key.
type field struct {
	name string
	read func(r *caseReader, n jsonspan.Node)
}

var shared = []field{
	{"name", func(r *caseReader, n jsonspan.Node) { r.text(n, &r.c.Name) }},
	{"config", (*caseReader).config},
	{"error", func(r *caseReader, n jsonspan.Node) { r.expect(n, Failure); r.text(n, &r.c.Want.Text) }},
}

var ofContributions = slices.Concat(shared, []field{
	{"contribution", func(r *caseReader, n jsonspan.Node) { r.text(n, &r.c.Contribution) }},
	{"context", (*caseReader).context},
	{"text", func(r *caseReader, n jsonspan.Node) { r.expect(n, Text); r.text(n, &r.c.Want.Text) }},
	{"nothing", func(r *caseReader, n jsonspan.Node) { r.expect(n, Nothing); r.yes(n) }},
})

var ofAdapters = slices.Concat(shared, []field{
	{"adapter", func(r *caseReader, n jsonspan.Node) { r.text(n, &r.c.Adapter) }},
	{"provider", func(r *caseReader, n jsonspan.Node) { r.text(n, &r.c.Request.Provider) }},
	{"api", func(r *caseReader, n jsonspan.Node) { r.text(n, &r.c.Request.API) }},
	{"base", func(r *caseReader, n jsonspan.Node) { r.optional(n, &r.c.Request.Base) }},
	{"systemPrompt", func(r *caseReader, n jsonspan.Node) { r.optional(n, &r.c.Request.SystemPrompt) }},
	{"messages", (*caseReader).messages},
	{"payload", func(r *caseReader, n jsonspan.Node) { r.c.Request.Payload = n.Raw() }},
	{"result", func(r *caseReader, n jsonspan.Node) { r.expect(n, Payload); r.c.Want.Payload = n.Raw() }},
	{"unchanged", func(r *caseReader, n jsonspan.Node) { r.expect(n, Unchanged); r.yes(n) }},
})

var ofContexts = []field{
	{"provider", func(r *caseReader, n jsonspan.Node) { r.text(n, &r.c.Context.Provider) }},
	{"activeTools", func(r *caseReader, n jsonspan.Node) { r.texts(n, &r.c.Context.ActiveTools) }},
	{"sessionId", func(r *caseReader, n jsonspan.Node) { r.text(n, &r.c.Context.SessionID) }},
	{"prompt", func(r *caseReader, n jsonspan.Node) { r.optional(n, &r.c.Context.Prompt) }},
	{"systemPromptOptions", func(r *caseReader, n jsonspan.Node) { r.value(n, &r.c.Context.Options) }},
}

func (r *caseReader) read(n jsonspan.Node) {
	if n.Kind() != jsonspan.Object {
		r.fail(n, "want an object, found %s", kindName(n.Kind()))
		return
	}
	contribution, _ := n.Member("contribution")
	adapter, _ := n.Member("adapter")
	isContribution, isAdapter := contribution.Kind() != jsonspan.Absent, adapter.Kind() != jsonspan.Absent
	if name, _ := n.Member("name"); name.Kind() == jsonspan.String {
		r.text(name, &r.c.Name) // for the errors about what stands in front of it
	}
	switch {
	case isContribution && isAdapter:
		r.fail(adapter, "it has both contribution and adapter; want one of them")
	case isContribution:
		r.object(n, ofContributions, "a case of a contribution")
		r.required(n, "contribution", r.c.Contribution)
	case isAdapter:
		r.object(n, ofAdapters, "a case of an adapter")
		r.required(n, "adapter", r.c.Adapter)
		if r.c.Request.Payload == nil {
			r.fail(n, "payload is missing")
		}
	default:
		r.object(n, slices.Concat(ofContributions, ofAdapters), "a case")
		r.fail(n, "it names neither a contribution nor an adapter")
	}
	r.required(n, "name", r.c.Name)
}

func (r *caseReader) required(n jsonspan.Node, key, value string) {
	if ecma.IsBlank(value) {
		r.fail(n, "%s is missing", key)
	}
}

// object reads the members of an object by fields.
func (r *caseReader) object(n jsonspan.Node, fields []field, what string) {
	if n.Kind() != jsonspan.Object {
		r.fail(n, "%s: want an object, found %s", what, kindName(n.Kind()))
		return
	}
	seen := map[string]bool{}
	for m := n.First(); m.Kind() != jsonspan.Absent && r.err == nil; m = m.Next() {
		key := m.Key()
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == key })
		switch {
		case at < 0:
			r.unknown(m, key, fields, what)
		case seen[key]:
			r.fail(m, "the key %q is there twice", key)
		default:
			seen[key] = true
			fields[at].read(r, m)
		}
	}
}

func (r *caseReader) unknown(n jsonspan.Node, key string, fields []field, what string) {
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.name
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if near := spelling.Nearest(key, known); near != "" {
		r.fail(n, "unknown key %q: did you mean %s?", key, near)
		return
	}
	r.fail(n, "unknown key %q; %s has %s", key, what, strings.Join(known, ", "))
}

func (r *caseReader) expect(n jsonspan.Node, kind Kind) {
	if r.c.Want.Kind != "" {
		r.fail(n, "it has both %s and %s; a case expects one thing", r.c.Want.Kind, kind)
		return
	}
	r.c.Want.Kind, r.c.want = kind, n
}

func (r *caseReader) text(n jsonspan.Node, to *string) {
	s, ok := n.Text()
	if !ok {
		r.fail(n, "%s: want a text, found %s", n.Key(), kindName(n.Kind()))
	}
	*to = s
}

// optional reads a text; null is like none.
func (r *caseReader) optional(n jsonspan.Node, to **string) {
	if n.Kind() == jsonspan.Null {
		return
	}
	var s string
	r.text(n, &s)
	*to = &s
}

func (r *caseReader) yes(n jsonspan.Node) {
	if string(n.Raw()) != "true" {
		r.fail(n, "%s: want true, found %s", n.Key(), found(n))
	}
}

// found says what a value is, itself if it is short.
func found(n jsonspan.Node) string {
	if k := n.Kind(); k == jsonspan.Bool || k == jsonspan.Null {
		return string(n.Raw())
	}
	return kindName(n.Kind())
}

func (r *caseReader) texts(n jsonspan.Node, to *[]string) {
	r.each(n, jsonspan.Array, func(e jsonspan.Node) {
		s, ok := e.Text()
		if !ok {
			r.fail(n, "%s: want a list of texts, found %s in it", n.Key(), kindName(e.Kind()))
		}
		*to = append(*to, s)
	})
}

// each goes through a list or an object.
func (r *caseReader) each(n jsonspan.Node, kind jsonspan.Kind, each func(jsonspan.Node)) {
	if n.Kind() != kind {
		r.fail(n, "%s: want %s, found %s", n.Key(), kindName(kind), kindName(n.Kind()))
		return
	}
	for e := n.First(); e.Kind() != jsonspan.Absent; e = e.Next() {
		each(e)
	}
}

// config reads values as a host's configuration has them: what is no text is its JSON, null is no value.
func (r *caseReader) config(n jsonspan.Node) {
	r.c.Config = map[string]string{}
	r.each(n, jsonspan.Object, func(e jsonspan.Node) {
		if s, ok := e.Text(); ok {
			r.c.Config[e.Key()] = s
		} else if e.Kind() != jsonspan.Null {
			r.c.Config[e.Key()] = string(e.Raw())
		}
	})
}

func (r *caseReader) context(n jsonspan.Node) { r.object(n, ofContexts, "context") }

func (r *caseReader) messages(n jsonspan.Node) {
	r.each(n, jsonspan.Array, func(e jsonspan.Node) {
		m := registry.Message{}
		id, _ := e.Member("id")
		content, _ := e.Member("content")
		var ok, okToo bool
		m.ID, ok = id.Text()
		m.Content, okToo = content.Text()
		if !ok || !okToo {
			r.fail(n, "messages: want objects with the texts id and content")
		}
		r.c.Request.Messages = append(r.c.Request.Messages, m)
	})
}

func (r *caseReader) value(n jsonspan.Node, to json.Unmarshaler) {
	if err := to.UnmarshalJSON(n.Raw()); err != nil {
		r.fail(n, "%s: %w", n.Key(), jsonkind.Readable(err))
	}
}
