package main

import (
	"strings"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A textFlow shows text that arrives in pieces, indented, as soon as it arrives.
type textFlow struct {
	p      *printer
	indent string
	inLine bool // something stands on the current line
}

func (f *textFlow) write(s string) {
	var out strings.Builder
	for line := range strings.Lines(safeText(s)) {
		if !f.inLine && line != "\n" {
			out.WriteString(f.indent)
		}
		out.WriteString(line)
		f.inLine = !strings.HasSuffix(line, "\n")
	}
	f.p.printf("%s", out.String())
}

// end finishes the line.
func (f *textFlow) end() {
	if f.inLine {
		f.p.printf("\n")
		f.inLine = false
	}
}

// splitHalf cuts the first half of a surrogate pair off the end of a text: the next piece may bring the
// other half.
func splitHalf(s string) (whole, half string) {
	if n := len(s); n >= 3 && s[n-3] == 0xED && s[n-2]&0xF0 == 0xA0 {
		return s[:n-3], s[n-3:]
	}
	return s, ""
}

// safeText is printable for texts that may hold halves of surrogate pairs.
func safeText(s string) string { return printable(wtf8.ToUTF8(joined(s))) }

// joined makes one character of two halves that stand side by side.
func joined(s string) string {
	if !utf8.ValidString(s) {
		s, _ = wtf8.Unquote(wtf8.AppendQuote(nil, s))
	}
	return s
}
