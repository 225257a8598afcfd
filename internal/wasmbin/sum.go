package wasmbin

import (
	"crypto/sha256"
	"slices"
)

// Sum returns the sha256 of the file without its custom sections, which is that of what runs: the header,
// and every other section as it is written.
func (m *Module) Sum() (sum [sha256.Size]byte) {
	const piece = 256 << 10 // nothing can stop Go while it hashes one
	h := sha256.New()
	h.Write(m.file[:headerSize])
	for _, s := range m.Sections {
		if s.Custom() {
			continue
		}
		for part := range slices.Chunk(m.file[s.Start:s.End], piece) {
			h.Write(part)
		}
	}
	h.Sum(sum[:0])
	return sum
}
