package runtime

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
)

// bytesMemory is the linear memory of an instance.
type bytesMemory []byte

func (m bytesMemory) Size() uint32 { return uint32(len(m)) }

func (m bytesMemory) Read(offset, count uint32) ([]byte, bool) {
	if uint64(offset)+uint64(count) > uint64(len(m)) {
		return nil, false
	}
	return m[offset:][:count], true
}

func (m bytesMemory) Write(offset uint32, data []byte) bool {
	view, ok := m.Read(offset, uint32(len(data)))
	copy(view, data)
	return ok
}

func TestConfigCall(t *testing.T) {
	manifest := &abi.Manifest{Capabilities: []abi.Capability{
		{Name: abi.CapabilityConfig, Keys: []string{"tone", "unset", ""}}, {Name: "other", Keys: []string{"secret"}}}}
	state := newTestState(t, declared(manifest, map[string]string{"tone": "dry!", "secret": "1234", "": "blank"}), capabilities{}, 0)
	const none = ^uint32(0)
	ask := func(key, keyLen, room uint32) (uint32, string) {
		mem := make(bytesMemory, 64)
		copy(mem, "tone unset secret")
		copy(mem[32:], "--------")
		// The upper halves of 32-bit arguments are dirty, since an engine does not promise that they
		// are clean.
		stack := []uint64{1<<40 | uint64(key), 1<<40 | uint64(keyLen), 1<<40 | 32, 1<<40 | uint64(room)}
		require.NoError(t, configCall(state, mem, stack))
		return uint32(stack[0]), string(mem[32:40])
	}
	for name, test := range map[string]struct {
		key, keyLen, room, n uint32
		buffer               string
	}{
		"fits":                {0, 4, 4, 4, "dry!----"},
		"more room":           {0, 4, 8, 4, "dry!----"},
		"one byte short":      {0, 4, 3, 4, "--------"},
		"no room":             {0, 4, 0, 4, "--------"},
		"declared, not set":   {5, 5, 8, none, "--------"},
		"set, not declared":   {11, 6, 8, none, "--------"},
		"empty":               {0, 0, 8, 5, "blank---"},
		"longer than any key": {0, 257, 8, none, "--------"}, // and beyond memory: it is not even read
	} {
		n, buffer := ask(test.key, test.keyLen, test.room)
		assert.Equal(t, test.n, n, name)
		assert.Equal(t, test.buffer, buffer, name)
	}
}

// What a guest logs beyond its quota is not read: the range need not even be there.
func TestLogCallReadsNoMoreThanTheQuota(t *testing.T) {
	state := newTestState(t, nil, capabilities{}, 40)
	mem := bytesMemory(strings.Repeat("x", 64))
	require.NoError(t, logCall(state, mem, []uint64{1, 0, 1 << 31}))
	require.Len(t, state.logs.records, 1)
	assert.Equal(t, strings.Repeat("x", 40-recordCost), state.logs.records[0].text)
	assert.EqualValues(t, 1<<31-(40-recordCost), state.logs.dropped)
}
