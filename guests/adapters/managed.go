package main

import "strings"

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
func segments[M ~struct{ ID, Content string }](messages []M) [][]byte {
	out := make([][]byte, len(messages))
	for i, m := range messages {
		out[i] = quote(segment(Message(m)))
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
