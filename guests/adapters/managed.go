package main

import (
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// blank is the blank line between a prompt and the text put behind it.
const blank = "\n\n"

// generation is the pair of tags around a developer message that marks it as ours. The older generation
// is only recognised.
type generation struct{ opening, closing string }

var generations = [...]generation{
	{`<pi_developer_prompt_message id="`, `</pi_developer_prompt_message>`},
	{`<pi_system_prompt_developer_message id="`, `</pi_system_prompt_developer_message>`},
}

// segment is one message in its tags, as the Pi prompt-envelope extension's Codex adapter writes it:
// only the id is escaped.
func segment(m Message) string {
	var b strings.Builder
	b.WriteString(generations[0].opening)
	for i := range len(m.ID) {
		switch c := m.ID[i]; c {
		case '&':
			b.WriteString("&amp;")
		case '"':
			b.WriteString("&quot;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		default:
			b.WriteByte(c)
		}
	}
	b.WriteString("\">\n")
	b.WriteString(m.Content)
	b.WriteString("\n")
	b.WriteString(generations[0].closing)
	return b.String()
}

// segments are the messages as JSON strings.
func segments(messages []Message) [][]byte {
	out := make([][]byte, len(messages))
	for i, m := range messages {
		out[i] = quote(segment(m))
	}
	return out
}

// opensAt returns where an opening stands at offset 0 or directly behind a blank line, the first such
// place; -1 if nowhere.
func (g generation) opensAt(s string) int {
	if strings.HasPrefix(s, g.opening) {
		return 0
	}
	if i := strings.Index(s, blank+g.opening); i >= 0 {
		return i + len(blank)
	}
	return -1
}

// split finds the tail of a text, which is what an earlier placement put behind it: s[:own] is the
// text's own part and s[tail:] the tail. Without a tail both are the length.
func split(s string) (own, tail int) {
	own, tail = len(s), len(s)
	for again := true; again; {
		again = false
		for _, g := range generations {
			if !strings.HasSuffix(s[:own], g.closing) {
				continue
			}
			if at := g.opensAt(s[:own]); at >= 0 {
				own, tail, again = max(at-len(blank), 0), at, true
			}
		}
	}
	return own, tail
}

// managed tells whether a text is nothing but messages placed earlier.
func managed(s string) bool {
	_, tail := split(s)
	return s != "" && tail == 0
}

// ambiguous tells whether a tail put behind the text could not be told from it any more.
func ambiguous(s string) bool { return generations[0].opensAt(s) >= 0 }

// content is a string of the payload together with how it is written there, so that its parts can be
// kept as they are: a lone surrogate, which the decoded text has lost, survives.
type content struct {
	raw       []byte
	text      string
	own, tail int
}

func contentOf(n jsonspan.Node) content {
	c := content{raw: n.Raw()}
	c.text, _ = n.Text()
	c.own, c.tail = split(c.text)
	return c
}

func (c content) ownText() string { return c.text[:c.own] }

func (c content) hasTail() bool { return c.tail < len(c.text) }

func (c content) managed() bool { return c.text != "" && c.tail == 0 }

// rawOwn is the own text as a JSON string.
func (c content) rawOwn() []byte {
	if !c.hasTail() {
		return c.raw
	}
	end := jsonspan.Offset(c.raw, c.own)
	return append(c.raw[:end:end], '"')
}

// rawTail is the tail as a JSON string.
func (c content) rawTail() []byte {
	return append([]byte{'"'}, c.raw[jsonspan.Offset(c.raw, c.tail):]...)
}

// withPrompt puts another text in the place of the own one and keeps the tail. If both cannot be kept
// apart in one string, parts holds them.
func (c content) withPrompt(text string) (whole []byte, parts [][]byte) {
	written := quote(text)
	switch {
	case !c.hasTail():
		return written, nil
	case text == "":
		return c.rawTail(), nil
	case ambiguous(text) || !splitsBehind(text, c.text[c.tail:]):
		return nil, [][]byte{written, c.rawTail()}
	}
	return joined(written, c.rawTail()), nil
}

// splitsBehind tells whether a tail put behind a text is found again as such. A text that has a tail of
// its own is no concern here: it is never read back whole.
func splitsBehind(text, tail string) bool {
	if own, _ := split(text); own != len(text) {
		return true
	}
	own, _ := split(text + blank + tail)
	return own == len(text)
}

// withSegments puts segments in the place of the tail. If they could not be told from the own text,
// parts holds both.
func (c content) withSegments(segs [][]byte) (whole []byte, parts [][]byte) {
	switch {
	case c.own == 0:
		return joined(segs...), nil
	case ambiguous(c.ownText()):
		return nil, append([][]byte{c.rawOwn()}, segs...)
	}
	return joined(append([][]byte{c.rawOwn()}, segs...)...), nil
}

// joined makes one JSON string of several, with blank lines between them.
func joined(raws ...[]byte) []byte {
	out := []byte{'"'}
	for i, raw := range raws {
		if i > 0 {
			out = ecma.AppendEscaped(out, blank)
		}
		out = append(out, raw[1:len(raw)-1]...)
	}
	return append(out, '"')
}
