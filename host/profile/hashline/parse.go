package hashline

import (
	"iter"
	"math"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A Patch is what the bridge reads of the text of a patch.
type Patch struct {
	// Headed says that the text has a header, [path] or [path#TAG]. Path and Tag are those of the first one.
	Headed bool
	// Path is without space around it.
	Path string
	// Tag is four hexadecimal digits in upper case, or "".
	Tag string
	// Ranges are the lines that the whole text changes, under whatever header: first those with an end, then
	// those that are open.
	Ranges []Range
}

// A Range is a range of lines, the first and the last one included. Lines are counted from 1, but a text
// may say what it likes, up to 2^53 - 1. The last one is not in front of the first.
type Range struct{ Start, End int64 }

// Open is the end of a range that has none.
const Open = math.MaxInt64

// Parse reads a patch. Any text is one. The cost is linear in its length.
func Parse(text string) Patch {
	var p Patch
	if h, _, ok := nextHeader(text); ok {
		p.Headed, p.Path, p.Tag = true, h.path, h.tag
	}
	p.Ranges = ranges(text)
	return p
}

// key names the snapshot that the patch is for, "" if it names none.
func (p *Patch) key() string {
	if p.Path == "" || p.Tag == "" {
		return ""
	}
	return p.Path + "#" + p.Tag // a path has no #
}

type header struct{ path, tag string }

// nextHeader finds the first header, and returns what is behind it too. What ends the path of one opening
// bracket would end that of those behind it as well, so that no part of the text is looked at twice.
func nextHeader(text string) (h header, rest string, ok bool) {
	for {
		at := strings.IndexByte(text, '[')
		if at < 0 {
			return header{}, "", false
		}
		text = text[at+1:]
		end := strings.IndexAny(text, "]#")
		if end < 0 {
			return header{}, "", false
		}
		path, tag := text[:end], ""
		if text[end] == '#' {
			tag = hexTag(text[end+1:])
			end += len(tag)
			if tag == "" || end+1 >= len(text) || text[end+1] != ']' {
				path = ""
			} else {
				end++
			}
		}
		text = text[end+1:]
		if path != "" {
			return header{ecma.Trim(path), strings.ToUpper(tag)}, text, true
		}
	}
}

// hexTag returns the four hexadecimal digits at the beginning of a text, "" if there are not four.
func hexTag(text string) string {
	if len(text) < 4 {
		return ""
	}
	for i := range 4 {
		c := text[i]
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return ""
		}
	}
	return text[:4]
}

// tagged goes through all headers of a text that have a tag.
func tagged(text string) iter.Seq[header] {
	return func(yield func(header) bool) {
		for {
			h, rest, ok := nextHeader(text)
			if !ok || h.tag != "" && !yield(h) {
				return
			}
			text = rest
		}
	}
}

// ranges finds what PUT and CUT, in any case, are said to change: "PUT 3.=5" and "CUT 3*".
func ranges(text string) []Range {
	var closed, open []Range
	word := false // the byte in front belongs to a word
	for i := 0; i+3 <= len(text); {
		c := text[i]
		if word || c|0x20 != 'p' && c|0x20 != 'c' || text[i+1]|0x20 != 'u' || text[i+2]|0x20 != 't' {
			word = isWord(c)
			i++
			continue
		}
		i += 3
		word = true
		rest := strings.TrimLeftFunc(text[i:], ecma.IsSpace)
		if len(rest) == len(text)-i {
			continue
		}
		i, word = len(text)-len(rest), false
		start, rest, ok := number(rest)
		if !ok {
			continue
		}
		i, word = len(text)-len(rest), true
		if strings.HasPrefix(rest, "*") {
			open = append(open, Range{start, Open})
		} else if rest, found := strings.CutPrefix(rest, ".="); found {
			if end, rest, ok := number(rest); ok {
				closed = append(closed, Range{start, max(start, end)})
				i = len(text) - len(rest)
			}
		}
	}
	return append(closed, open...)
}

// isWord says that a byte is a letter, a digit or an underscore of ASCII.
func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// number reads the digits at the beginning of a text. Those beyond 2^53 - 1 are it.
func number(text string) (n int64, rest string, ok bool) {
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		n = min(n*10+int64(text[i]-'0'), jsonvalue.MaxSafe)
		i++
	}
	return n, text[i:], i > 0
}
