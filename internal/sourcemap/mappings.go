package sourcemap

import (
	"math"
	"sort"
)

// A segment of the mappings says where a stretch of the script, up to the next segment, comes from. A line
// begins with one of which nothing is known.
type segment struct {
	at           int // index behind it in the mappings
	line, column int // of the script; lines from 1, columns from 0
	known        bool
	// The place of the source that the next numbers are relative to, from 0.
	source, sourceLine, sourceColumn int
}

// between is how many bytes of mappings there are between marks, about.
const between = 4 << 10

// index goes through the mappings up to the first fault, which is where they end from then on.
func (m *Map) index() {
	s := segment{line: 1}
	m.marks = append(m.marks, s)
	last := s
	for m.step(&s) {
		m.useful = m.useful || s.known && m.place(&s) != (Place{})
		if last = s; s.at-m.marks[len(m.marks)-1].at >= between {
			m.marks = append(m.marks, s)
		}
	}
	m.mappings = m.mappings[:last.at]
}

// before returns the last mark that is not behind a position.
func (m *Map) before(p Position) segment {
	i := sort.Search(len(m.marks), func(i int) bool { return m.marks[i].behind(p) })
	return m.marks[max(0, i-1)]
}

// behind tells whether a segment begins behind a position.
func (s *segment) behind(p Position) bool {
	return s.line > p.Line || s.line == p.Line && s.column > p.Column-1
}

// step goes on to the next segment; false at the end and at a fault.
func (m *Map) step(s *segment) bool {
	for s.at < len(m.mappings) && m.mappings[s.at] == ',' {
		s.at++
	}
	if s.at == len(m.mappings) {
		return false
	}
	if m.mappings[s.at] == ';' {
		s.at, s.line, s.column, s.known = s.at+1, s.line+1, 0, false
		return true
	}
	var fields [5]int
	n, ok := m.fields(s, &fields)
	if !ok || !add(&s.column, fields[0]) {
		return false
	}
	if s.known = n > 1; !s.known {
		return true
	}
	return add(&s.source, fields[1]) && add(&s.sourceLine, fields[2]) && add(&s.sourceColumn, fields[3])
}

// fields reads the one, four or five numbers of a segment.
func (m *Map) fields(s *segment, fields *[5]int) (n int, ok bool) {
	value, shift := uint64(0), 0
	for ; s.at < len(m.mappings) && m.mappings[s.at] != ',' && m.mappings[s.at] != ';'; s.at++ {
		digit := digits[m.mappings[s.at]]
		if digit < 0 || n == len(fields) || shift > 30 {
			return 0, false
		}
		value |= uint64(digit&31) << shift
		if digit&32 != 0 {
			shift += 5
			continue
		}
		if fields[n] = int(value >> 1); value&1 != 0 {
			fields[n] = -fields[n]
		}
		n++
		value, shift = 0, 0
	}
	return n, shift == 0 && (n == 1 || n == 4 || n == 5)
}

// add adds a difference; false if the sum cannot be right.
func add(to *int, difference int) bool {
	*to += difference
	return *to >= 0 && *to <= math.MaxInt32
}

// maxSource bounds the name of a source.
const maxSource = 256

func (m *Map) place(s *segment) Place {
	if s.source >= len(m.sources) || m.sources[s.source] == nil {
		return Place{}
	}
	name := *m.sources[s.source]
	if name == "" || len(m.root)+len(name) > maxSource {
		return Place{}
	}
	return Place{m.root + name, s.sourceLine + 1, s.sourceColumn + 1}
}

// digits are the values of the characters of base 64, -1 for others.
var digits = func() (d [256]int8) {
	for i := range d {
		d[i] = -1
	}
	for i, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		d[c] = int8(i)
	}
	return d
}()
