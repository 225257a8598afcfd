package assembler

import (
	"math"

	"github.com/pintle-wasm/pintle/internal/ecma"
)

// A table finds the place of a block by its index. Indexes are JavaScript numbers used as keys of a map:
// 0 and -0 are one key, and so are all that are no number. The zero table is empty.
type table struct {
	// low has the places of the indexes that streams really use, counted from 1.
	low  [16]int
	rest map[uint64]int
}

// find returns a place, counted from 1, or 0.
func (t *table) find(index float64) int {
	if at, ok := lowIndex(index); ok {
		return t.low[at]
	}
	return t.rest[key(index)]
}

func (t *table) set(index float64, place int) {
	if at, ok := lowIndex(index); ok {
		t.low[at] = place
		return
	}
	if t.rest == nil {
		t.rest = map[uint64]int{}
	}
	t.rest[key(index)] = place
}

func (t *table) reset() {
	t.low = [16]int{}
	clear(t.rest)
}

func lowIndex(index float64) (int, bool) {
	if index >= 0 && index < 16 {
		at := int(index)
		return at, float64(at) == index
	}
	return 0, false
}

func key(index float64) uint64 {
	if math.IsNaN(index) {
		index = math.NaN()
	}
	return math.Float64bits(index)
}

// appendIndex writes an index as JavaScript writes it; one that is no number stands for none at all.
func appendIndex(dst []byte, index float64) []byte {
	if math.IsNaN(index) {
		return append(dst, "undefined"...)
	}
	return ecma.AppendNumber(dst, index)
}
