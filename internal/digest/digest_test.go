package digest

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSum(t *testing.T) {
	data := make([]byte, 2*piece+1)
	for i := range data {
		data[i] = byte(i ^ i>>8)
	}
	for _, n := range []int{0, 1, piece - 1, piece, piece + 1, 2 * piece, 2*piece + 1} {
		assert.Equal(t, sha256.Sum256(data[:n]), Sum(data[:n]), n)
	}
}
