package wasmbin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
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

// Names of functions are part of what is rewritten, but for a known module, which has none that count.
func TestFunctionNames(t *testing.T) {
	parsed := func(file []byte) *wasmbin.Module {
		m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
		require.NoError(t, err)
		return m
	}
	bare := parsed(module(section(1, 1, 0x60, 0, 0), section(3, 1, 0), section(10, 1, 2, 0, 0x0b)))
	assert.Nil(t, bare.FunctionNames())
	custom := func(names ...byte) []byte { return section(0, append([]byte("\x04name"), names...)...) }
	empty := bare.WithCustomFirst("name", []byte{0, 2, 1, 'm'})
	first := parsed(append(empty, custom(1, 4, 1, 0, 1, 'a')...))
	both := parsed(append(first.WithCustomFirst("x", nil), custom(1, 4, 1, 0, 1, 'b')...))
	assert.Equal(t, []byte{1, 4, 1, 2, 1, 'a'}, first.FunctionNames())
	assert.Equal(t, first.FunctionNames(), both.FunctionNames())
	assert.Equal(t, first.Sum(), both.Sum())
	one, err := first.Instrument()
	require.NoError(t, err)
	other, err := both.Instrument()
	require.NoError(t, err)
	assert.Equal(t, one.Bytes, other.Bytes)
	plain, err := bare.InstrumentKnown()
	require.NoError(t, err)
	named, err := both.InstrumentKnown()
	require.NoError(t, err)
	assert.Equal(t, plain.Bytes, named.Bytes)
}
