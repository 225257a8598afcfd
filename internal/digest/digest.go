// Package digest hashes what may be large.
package digest

import (
	"crypto/sha256"
	"slices"
)

// piece is how much is hashed without a point at which Go can stop the goroutine: one call of the hash
// would keep every other one waiting for the garbage collector.
const piece = 256 << 10

// Sum returns the sha256 of data.
func Sum(data []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	for part := range slices.Chunk(data, piece) {
		h.Write(part)
	}
	h.Sum(sum[:0])
	return sum
}
