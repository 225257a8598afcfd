package auth

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// deepest is how many kinds of escapes may be inside of each other.
const deepest = 3

const (
	// longestText is how much of a text is kept, because a search needs many times the memory of the text.
	longestText = 256 << 10
	// lookAhead is how much of the rest is searched as well, so that no beginning of a secret is left at the
	// end: room for what is looked for of the longest, with 16 bytes for each of its own.
	lookAhead = 16 * lookedFor
)

// Text returns a text with Redacted in the place of secrets. A text of more than 256 KiB, of which such
// a search would take much memory, is cut behind them, and says so at its end. If no secrets are known it
// is returned as it is.
func (r *Redactor) Text(text string) string { return redactText(r.matcher(), text) }

func redactText(m *matcher, text string) string {
	if m == nil {
		return text
	}
	end, cut := len(text), ""
	if end > longestText {
		for end = longestText; end > longestText-utf8.UTFMax && !utf8.RuneStart(text[end]); {
			end--
		}
		cut = fmt.Sprintf("… [%d more bytes are left out]", len(text)-end)
		text = text[:min(longestText+lookAhead, len(text))]
	}
	s := search{matcher: m}
	s.in([]byte(text), 0)
	found := s.found
	if len(found) == 0 {
		return text[:end] + cut
	}
	slices.SortFunc(found, func(a, b jsonspan.Span) int { return cmp.Compare(a.From, b.From) })
	var b strings.Builder
	at := 0
	for i := 0; i < len(found) && found[i].From < end; {
		from, to := found[i].From, found[i].To
		for i++; i < len(found) && found[i].From < to; i++ {
			to = max(to, found[i].To) // secrets that overlap go as one
		}
		b.WriteString(text[at:from])
		b.WriteString(Redacted)
		at = to
	}
	b.WriteString(text[min(at, end):end])
	b.WriteString(cut)
	return b.String()
}

// A search is for secrets in a text, as they are or escaped.
type search struct {
	*matcher
	found []jsonspan.Span
	views [deepest]view // at each depth the one that is searched
}

// in searches a text that is a view at a depth.
func (s *search) in(text []byte, depth int) {
	s.found = s.search(s.found, text)
	if depth == deepest {
		return
	}
	v := &s.views[depth]
	for _, undo := range undo {
		if !v.of(text, undo) {
			continue
		}
		from := len(s.found)
		s.in(v.text, depth+1)
		for i := from; i < len(s.found); i++ {
			s.found[i] = v.origin(s.found[i])
		}
	}
}

// JSON returns a JSON value without secrets in its texts, keys and numbers, each as Text returns it. What is
// not JSON is returned as a JSON string of its redacted text, nothing as nothing.
func (r *Redactor) JSON(value json.RawMessage) json.RawMessage {
	m := r.matcher()
	if len(value) == 0 || m == nil {
		return value
	}
	doc, err := jsonspan.Scan(value, everyLevel)
	if err != nil {
		return wtf8.AppendQuote(nil, redactText(m, string(value)))
	}
	var out []byte
	at := 0
	replace := func(span jsonspan.Span, text string) {
		if redacted := redactText(m, text); redacted != text {
			out = wtf8.AppendQuote(append(out, value[at:span.From]...), redacted)
			at = span.To
		}
	}
	visit(doc.Root(), func(n jsonspan.Node) {
		if key := n.KeySpan(); key.From < key.To {
			text, _ := wtf8.Unquote(value[key.From:key.To])
			replace(key, text)
		}
		switch n.Kind() {
		case jsonspan.String:
			text, _ := wtf8.Unquote(n.Raw())
			replace(n.Span(), text)
		case jsonspan.Number:
			replace(n.Span(), string(n.Raw()))
		}
	})
	if at == 0 {
		return value
	}
	return append(out, value[at:]...)
}

// Error returns an error with the text of err as Text returns it, and nil for nil. Nothing of err can be
// got out of it but what [errors.Is] finds, since errors hold more than their text says.
func (r *Redactor) Error(err error) error {
	if err == nil {
		return nil
	}
	return &redactedError{
		text: r.Text(err.Error()),
		is:   func(target error) bool { return errors.Is(err, target) },
	}
}

type redactedError struct {
	text string
	// is asks the error itself, which only a closure keeps away from fmt.
	is func(target error) bool
}

func (e *redactedError) Error() string        { return e.text }
func (e *redactedError) Is(target error) bool { return e.is(target) }
