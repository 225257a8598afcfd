package wasmgen_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"github.com/pintle-wasm/pintle/internal/wasmgen"
)

func random(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Whatever the bytes are, the engine accepts the module.
func TestValid(t *testing.T) {
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	for seed := range uint64(1500) {
		bin := wasmgen.Module(random(seed, int(seed)))
		m, err := r.CompileModule(ctx, bin)
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, m.Close(ctx))
	}
}
