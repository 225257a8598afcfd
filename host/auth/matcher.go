package auth

import (
	"math"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// A matcher finds all of many texts in one pass over another, whose time does not grow with how many
// there are (Aho and Corasick, "Efficient string matching: an aid to bibliographic search", 1975).
type matcher struct {
	start [256]int32 // the longer nodes of the first node, by their byte
	nodes []node     // a node is the beginning of a text, the first one the empty beginning
}

type node struct {
	child, sibling int32 // the first node that is longer by one byte, the next of the same length; 0: none
	fail           int32 // the longest other node that this one ends with
	long           int32 // the length of the longest text that ends here, if it is no short one
	more           int32 // how many bytes that text has behind what is looked for of it
	short          uint8 // bit n: a text of n bytes ends here
	last           byte
}

// shortSecret is the length below which a secret may well be part of a word.
const shortSecret = 8

// lookedFor is how much of a text is looked for. What follows in its whole length is taken for the rest.
const lookedFor = 4 << 10

func newMatcher(texts []string) *matcher {
	size := 1
	for _, text := range texts {
		size += min(len(text), lookedFor)
	}
	m := &matcher{nodes: make([]node, 1, size)}
	for _, text := range texts {
		m.add(text)
	}
	queue := make([]int32, 1, len(m.nodes)) // shorter nodes first: a fail is shorter
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for next := m.nodes[at].child; next != 0; next = m.nodes[next].sibling {
			queue = append(queue, next)
			n := &m.nodes[next]
			if at != 0 {
				n.fail = m.step(m.nodes[at].fail, n.last)
			}
			fail := &m.nodes[n.fail]
			n.short |= fail.short
			if n.long == 0 {
				n.long = fail.long
			}
		}
	}
	return m
}

func (m *matcher) add(text string) {
	more := max(len(text)-lookedFor, 0)
	text = text[:len(text)-more]
	at := int32(0)
	for i := range len(text) {
		next := m.longer(at, text[i])
		if next == 0 {
			next = int32(len(m.nodes))
			m.nodes = append(m.nodes, node{sibling: m.nodes[at].child, last: text[i]})
			m.nodes[at].child = next
			if at == 0 {
				m.start[text[i]] = next
			}
		}
		at = next
	}
	if len(text) < shortSecret {
		m.nodes[at].short |= 1 << len(text)
	} else {
		m.nodes[at].long = int32(len(text))
		m.nodes[at].more = max(m.nodes[at].more, int32(min(more, math.MaxInt32)))
	}
}

// longer is the node with one more byte, 0 if there is none.
func (m *matcher) longer(at int32, c byte) int32 {
	if at == 0 {
		return m.start[c]
	}
	at = m.nodes[at].child
	for at != 0 && m.nodes[at].last != c {
		at = m.nodes[at].sibling
	}
	return at
}

// step is the longest node that the bytes read so far end with, when one more has been read.
func (m *matcher) step(at int32, c byte) int32 {
	for {
		next := m.longer(at, c)
		if next != 0 || at == 0 {
			return next
		}
		at = m.nodes[at].fail
	}
}

// search appends where texts are. Of several that end at the same place the longest counts.
func (m *matcher) search(found []jsonspan.Span, in []byte) []jsonspan.Span {
	at := int32(0)
	for i := range len(in) {
		if at = m.step(at, in[i]); at == 0 {
			continue
		}
		switch n := &m.nodes[at]; {
		case n.long > 0:
			to := min(i+1+int(n.more), len(in))
			for n.more > 0 && to < len(in) && !utf8.RuneStart(in[to]) {
				to++ // what follows may be other text
			}
			found = append(found, jsonspan.Span{From: i + 1 - int(n.long), To: to})
		case n.short > 0 && !inWord(in, i+1):
			for size := shortSecret - 1; size > 0; size-- {
				if n.short>>size&1 == 1 && !inWord(in, i-size) {
					found = append(found, jsonspan.Span{From: i + 1 - size, To: i + 1})
					break
				}
			}
		}
	}
	return found
}

// inWord says whether the byte at a place belongs to a word.
func inWord(text []byte, at int) bool {
	if at < 0 || at >= len(text) {
		return false
	}
	c := text[at]
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
