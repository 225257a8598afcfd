package assembler

import (
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// smallest is the size of a first buffer; others double.
const smallest = 256

// write appends a fragment to a part's text. Halves of a surrogate pair that meet become one character.
func (a *Assembler) write(p *part, fragment string) {
	if r, ok := wtf8.Meet(p.text, fragment); ok {
		p.text = utf8.AppendRune(p.text[:len(p.text)-3], r)
		fragment = fragment[3:]
	}
	if len(fragment) > cap(p.text)-len(p.text) {
		a.grow(p, len(fragment))
	}
	p.text = append(p.text, fragment...)
}

// grow makes room for n more bytes.
func (a *Assembler) grow(p *part, n int) {
	if last := len(a.free) - 1; p.text == nil && last >= 0 {
		p.text, a.free = a.free[last], a.free[:last]
		if n <= cap(p.text) {
			return
		}
	}
	larger := make([]byte, len(p.text), max(smallest, 2*cap(p.text), len(p.text)+n))
	copy(larger, p.text)
	p.text = larger
}

// recycle takes a part's buffer away.
func (a *Assembler) recycle(p *part) {
	if p.text != nil {
		a.free = append(a.free, p.text[:0])
		p.text = nil
	}
}
