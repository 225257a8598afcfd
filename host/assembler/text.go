package assembler

// smallest is the size of a first buffer; others double.
const smallest = 256

// write appends a fragment to a part's text. Halves of a surrogate pair that meet become one character.
func (a *Assembler) write(p *part, fragment string) {
	if startsLow(fragment) && endsHigh(p.text) {
		p.text = joinHalves(p.text, fragment)
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

// Half a surrogate pair is written as the three bytes that UTF-8 would give it: ED A0..AF xx for the
// first half, ED B0..BF xx for the second. ED is never a byte inside another character.

func startsLow(s string) bool {
	return len(s) >= 3 && s[0] == 0xED && s[1]&0xF0 == 0xB0 && s[2]&0xC0 == 0x80
}

func endsHigh(b []byte) bool {
	n := len(b)
	return n >= 3 && b[n-3] == 0xED && b[n-2]&0xF0 == 0xA0 && b[n-1]&0xC0 == 0x80
}

// joinHalves puts one character, which takes four bytes, in the place of the half at the end of b and
// the half at the beginning of s.
func joinHalves(b []byte, s string) []byte {
	n := len(b)
	high := rune(b[n-2]&0x0F)<<6 | rune(b[n-1]&0x3F)
	low := rune(s[1]&0x0F)<<6 | rune(s[2]&0x3F)
	r := 0x10000 + high<<10 + low
	return append(b[:n-3], 0xF0|byte(r>>18), 0x80|byte(r>>12&0x3F), 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
}
