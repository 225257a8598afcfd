package hashline

import (
	"slices"
	"sort"
)

// spans are ranges that are apart from each other, sorted. They are kept in short blocks, so that one more
// range moves few of the others, however many there are.
type spans struct{ blocks [][]Range }

const blockSize = 512

// place finds the last range that begins at a line or in front of it. at is -1 if there is none.
func (s *spans) place(line int64) (block, at int) {
	block = sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i][0].Start > line }) - 1
	if block < 0 {
		return 0, -1
	}
	ranges := s.blocks[block]
	return block, sort.Search(len(ranges), func(i int) bool { return ranges[i].Start > line }) - 1
}

// meets says whether a line of a range is in one of those that there are.
func (s *spans) meets(r Range) bool {
	block, at := s.place(r.End)
	return at >= 0 && s.blocks[block][at].End >= r.Start
}

// add adds a range that meets none.
func (s *spans) add(r Range) {
	if len(s.blocks) == 0 {
		s.blocks = [][]Range{{r}}
		return
	}
	block, at := s.place(r.Start)
	all := slices.Insert(s.blocks[block], at+1, r)
	s.blocks[block] = all
	if len(all) > blockSize {
		half := len(all) / 2
		s.blocks[block] = all[:half:half]
		s.blocks = slices.Insert(s.blocks, block+1, slices.Clone(all[half:]))
	}
}

// remove removes a range that was added.
func (s *spans) remove(r Range) {
	block, at := s.place(r.Start)
	s.blocks[block] = slices.Delete(s.blocks[block], at, at+1)
	if len(s.blocks[block]) == 0 {
		s.blocks = slices.Delete(s.blocks, block, block+1)
	}
}
