package wasmbin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
	"github.com/pintle-wasm/pintle/runtime/quickjs/engine"
)

// The frames of an interpreter's loop are counted by what they hold, and the proof accepts that.
func TestInstrumentKnown(t *testing.T) {
	m, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	require.NoError(t, err)
	known, err := m.InstrumentKnown()
	require.NoError(t, err)
	require.NoError(t, proof.Check(known.Bytes))
	plain, err := m.Instrument()
	require.NoError(t, err)
	assert.Less(t, known.MaxFrame, uint32(1<<10))
	assert.Greater(t, plain.MaxFrame, 100*known.MaxFrame)
	assert.Equal(t, plain.Fresh, known.Fresh)
}

// The sum is that of what runs: custom sections do not count, wherever they are.
func TestSum(t *testing.T) {
	m, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	require.NoError(t, err)
	more, err := wasmbin.Parse(append(m.WithCustomFirst("a", []byte("b")), 0, 2, 1, 'c'), wasmbin.DefaultLimits())
	require.NoError(t, err)
	assert.Equal(t, m.Sum(), more.Sum())
	empty, err := wasmbin.Parse([]byte("\x00asm\x01\x00\x00\x00"), wasmbin.DefaultLimits())
	require.NoError(t, err)
	named, err := wasmbin.Parse([]byte("\x00asm\x01\x00\x00\x00\x00\x02\x01a"), wasmbin.DefaultLimits())
	require.NoError(t, err)
	assert.Equal(t, empty.Sum(), named.Sum())
	assert.NotEqual(t, empty.Sum(), m.Sum())
}
