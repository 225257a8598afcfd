package auth

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A Redactor takes the secrets that it knows out of texts: as they are, as they are written inside of
// JSON strings, and escaped as in URLs. A secret of less than 8 bytes is taken out only where it is not
// part of a longer word. It knows the newest 256 secrets; blank ones are none.
//
// The zero Redactor knows none. All methods may be called at the same time.
type Redactor struct {
	mu      sync.RWMutex
	secrets []knownSecret // the newest last; replaced, never changed
}

// A knownSecret is a secret in all its forms, the first of them the text itself.
type knownSecret []Secret

const (
	mostSecrets = 256
	// shortSecret is the length below which a secret may well be part of a word.
	shortSecret = 8
)

// Add makes secrets known.
func (r *Redactor) Add(secrets ...Secret) {
	texts := make([]string, len(secrets))
	for i, s := range secrets {
		texts[i] = s.Reveal()
	}
	r.add(texts)
}

// AddCredential makes known what a credential holds: every text and every number of four digits or
// more, at any depth, but for its type and when it expires.
func (r *Redactor) AddCredential(c *Credential) {
	if c == nil {
		return
	}
	doc, err := jsonspan.Scan(c.Reveal(), everyLevel)
	if err != nil {
		return
	}
	var texts []string
	for member := doc.Root().First(); member.Kind() != jsonspan.Absent; member = member.Next() {
		if key := member.Key(); key == "type" || key == "expires" {
			continue
		}
		visit(member, func(n jsonspan.Node) {
			switch n.Kind() {
			case jsonspan.String:
				text, _ := wtf8.Unquote(n.Raw())
				texts = append(texts, text)
			case jsonspan.Number:
				if len(n.Raw()) >= 4 {
					texts = append(texts, string(n.Raw()))
				}
			}
		})
	}
	r.add(texts)
}

func (r *Redactor) add(texts []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	secrets := slices.Clone(r.secrets)
	for _, text := range texts {
		if ecma.IsBlank(text) {
			continue
		}
		secrets = slices.DeleteFunc(secrets, func(s knownSecret) bool { return s[0].Reveal() == text })
		secrets = append(secrets, formsOf(text))
	}
	r.secrets = secrets[max(0, len(secrets)-mostSecrets):]
}

func formsOf(text string) knownSecret {
	quoted := string(wtf8.AppendQuote(nil, text))
	texts := []string{text}
	for _, form := range []string{quoted[1 : len(quoted)-1], url.QueryEscape(text), url.PathEscape(text)} {
		if !slices.Contains(texts, form) {
			texts = append(texts, form)
		}
	}
	forms := make(knownSecret, len(texts))
	for i, form := range texts {
		forms[i] = NewSecret(form)
	}
	return forms
}

func (r *Redactor) known() []knownSecret {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.secrets
}

// Text returns a text with Redacted in the place of secrets.
func (r *Redactor) Text(text string) string {
	var found []jsonspan.Span
	for _, secret := range r.known() {
		for _, form := range secret {
			found = appendMatches(found, text, form.Reveal())
		}
	}
	if len(found) == 0 {
		return text
	}
	slices.SortFunc(found, func(a, b jsonspan.Span) int { return cmp.Compare(a.From, b.From) })
	var b strings.Builder
	at := 0
	for i := 0; i < len(found); {
		from, to := found[i].From, found[i].To
		for i++; i < len(found) && found[i].From < to; i++ {
			to = max(to, found[i].To) // secrets that overlap go as one
		}
		b.WriteString(text[at:from])
		b.WriteString(Redacted)
		at = to
	}
	b.WriteString(text[at:])
	return b.String()
}

func appendMatches(found []jsonspan.Span, text, form string) []jsonspan.Span {
	for at := 0; ; {
		next := strings.Index(text[at:], form)
		if next < 0 {
			return found
		}
		from, to := at+next, at+next+len(form)
		if len(form) >= shortSecret || !inWord(text, from-1) && !inWord(text, to) {
			found = append(found, jsonspan.Span{From: from, To: to})
		}
		at = to
	}
}

// inWord says whether the byte at a place belongs to a word.
func inWord(text string, at int) bool {
	if at < 0 || at >= len(text) {
		return false
	}
	c := text[at]
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// JSON returns a JSON value without secrets in its texts, keys and numbers. What is not JSON is
// returned as a JSON string of its redacted text, nothing as nothing.
func (r *Redactor) JSON(value json.RawMessage) json.RawMessage {
	if len(value) == 0 || len(r.known()) == 0 {
		return value
	}
	doc, err := jsonspan.Scan(value, everyLevel)
	if err != nil {
		return wtf8.AppendQuote(nil, r.Text(string(value)))
	}
	var out []byte
	at := 0
	replace := func(span jsonspan.Span, text string) {
		if redacted := r.Text(text); redacted != text {
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

// Error returns an error with the redacted text of err, and nil for nil. Nothing of err can be got out
// of it but what [errors.Is] finds, since errors hold more than their text says.
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
