package runtime

import (
	"bytes"
	"slices"
)

// Content is what a memory holds, without its long stretches of zeros. They are about half of the memory
// of a guest in Go, and to clear costs less than to copy.
type content struct {
	runs  []run
	size  uint32 // of the whole memory
	bytes int    // in runs
}

// A run is a stretch of memory that is not all zeros.
type run struct {
	at   uint32
	data []byte
}

// block is the unit in which content is cut into runs and zeros. No piece of memory is moved at once that
// is larger than maxRun: nothing can stop Go in the middle of one.
const (
	block  = 4 << 10
	maxRun = 256 << 10
)

// contentOf copies a memory.
func contentOf(memory []byte) content {
	c := content{size: uint32(len(memory))}
	zeros := make([]byte, block)
	for i := 0; i < len(memory); {
		start := i
		for i < len(memory) && i < start+maxRun && !bytes.Equal(memory[i:min(i+block, len(memory))], zeros[:min(block, len(memory)-i)]) {
			i += block
		}
		if i == start {
			i += block
			continue
		}
		data := bytes.Clone(memory[start:min(i, len(memory))])
		c.runs = append(c.runs, run{uint32(start), data})
		c.bytes += len(data)
	}
	return c
}

// write makes a part of a memory that of the content; from is where the part begins.
func (c *content) write(part []byte, from uint32) {
	start, end := uint64(from), uint64(from)+uint64(len(part))
	at := start // everything before it is written
	for _, r := range c.runs {
		first, last := max(uint64(r.at), at), min(uint64(r.at)+uint64(len(r.data)), end)
		if first >= last {
			continue
		}
		clearPieces(part[at-start : first-start])
		copy(part[first-start:last-start], r.data[first-uint64(r.at):])
		at = last
	}
	clearPieces(part[at-start:])
}

func clearPieces(part []byte) {
	for piece := range slices.Chunk(part, maxRun) {
		clear(piece)
	}
}
