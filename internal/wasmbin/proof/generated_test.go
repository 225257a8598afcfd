package proof

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmgen"
)

// Rewritten modules of the generator are proved, and between them they have every instruction there is:
// what is decoded wrong here, or was left out, would show.
func TestGenerated(t *testing.T) {
	seen := map[uint16]bool{}
	b := &body{}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		data := make([]byte, r.IntN(6_000))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		bin := wasmgen.Module(data)
		require.NoError(t, Check(rewritten(t, bin)), "seed %d", seed)
		m, err := parse(bin)
		if err != nil {
			assert.ErrorContains(t, err, "start section")
			continue
		}
		for _, r := range m.bodies {
			b.read(&r)
			require.NoError(t, r.err, "seed %d", seed)
			for _, in := range b.list {
				seen[in.op] = true
			}
		}
	}
	for prefix, known := range map[uint16]*operations{0: plain, 0xfc00: misc, 0xfd00: vector} {
		for code, op := range known {
			if op.known {
				assert.True(t, seen[prefix|uint16(code)], "%#x is never generated", prefix|uint16(code))
			}
		}
	}
}
