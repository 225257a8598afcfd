package runtime

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kvState is the host's state of a call that may use its kv, which holds "tone": "dry!".
func kvState(t *testing.T, g *Guest) *HostState {
	state := newTestState(t, nil, g.granted, 0)
	state.kv = g.openKV("s")
	if state.kv != nil {
		t.Cleanup(state.kv.close)
	}
	return state
}

// call runs a function with dirty upper halves of its arguments, as an engine may hand them over.
func kvCallFunc(t *testing.T, state *HostState, mem Memory, name string, args ...uint32) int32 {
	t.Helper()
	for _, f := range kvFuncs() {
		if f.Name != name {
			continue
		}
		require.Len(t, args, len(f.Type.Params))
		stack := make([]uint64, len(args))
		for i, a := range args {
			stack[i] = 1<<40 | uint64(a)
		}
		require.NoError(t, f.Call(state, mem, stack))
		return int32(uint32(stack[0]))
	}
	require.Fail(t, "no function "+name)
	return 0
}

func TestKVFunctions(t *testing.T) {
	g := kvGuest(nil)
	write(t, g, "s", "tone", "dry!", true)
	state := kvState(t, g)
	mem := make(bytesMemory, 1<<16)
	copy(mem, "tone none mood")
	call := func(name string, args ...uint32) int32 { return kvCallFunc(t, state, mem, name, args...) }
	buffer := func() string { return string(mem[32:40]) }
	const key, none, mood, buf = 0, 5, 10, 32

	copy(mem[buf:], "--------")
	assert.EqualValues(t, -1, call("kv_get", none, 4, buf, 8))
	assert.EqualValues(t, -1, call("kv_get", key, 3, buf, 8), "a part of a key is another key")
	assert.EqualValues(t, 4, call("kv_get", key, 4, buf, 3))
	assert.Equal(t, "--------", buffer(), "what does not fit is not written")
	assert.EqualValues(t, 4, call("kv_get", key, 4, 0xffffffff, 0), "a guest may ask for the length")
	assert.EqualValues(t, 4, call("kv_get", key, 4, buf, 4))
	assert.Equal(t, "dry!----", buffer())

	assert.EqualValues(t, 0, call("kv_set", mood, 4, buf, 0))
	assert.EqualValues(t, 0, call("kv_get", mood, 4, buf, 8), "there, and empty")
	assert.EqualValues(t, 0, call("kv_set", mood, 0, buf, 2))
	assert.EqualValues(t, 2, call("kv_get", 0, 0, buf, 8), "the empty key is one")
	assert.EqualValues(t, 0, call("kv_delete", mood, 4))
	assert.EqualValues(t, -1, call("kv_delete", mood, 4))
	assert.EqualValues(t, -1, call("kv_get", mood, 4, buf, 8))

	assert.EqualValues(t, 0, call("kv_set", 0, maxKeyBytes, 0, maxKVValueBytes), "the largest")
	assert.EqualValues(t, maxKVValueBytes, call("kv_get", 0, maxKeyBytes, 0, 0))
	assert.EqualValues(t, -1, call("kv_set", 0, maxKeyBytes, 0, maxKVValueBytes+1))
	assert.EqualValues(t, -1, call("kv_set", 0, maxKeyBytes+1, buf, 1))
	assert.EqualValues(t, -1, call("kv_get", 0, maxKeyBytes+1, buf, 8))
	assert.EqualValues(t, -1, call("kv_delete", 0, maxKeyBytes+1))
	assert.EqualValues(t, -1, call("kv_set", key, 4, 0xffffffff, 0xffffffff), "too large to be looked at")
	assert.EqualValues(t, maxKVValueBytes, call("kv_get", 0, maxKeyBytes, 0, 0), "a refused write changes nothing")
	for i := range uint32(2) {
		assert.EqualValues(t, 0, call("kv_set", 100+i, 1, 100, maxKVValueBytes-i)) // keys must differ: fill memory
		mem[101+i] = 'x'
	}
	assert.EqualValues(t, -1, call("kv_set", 200, 2, 0, maxKVValueBytes), "full")
	assert.EqualValues(t, 0, call("kv_set", 200, 2, 0, 100))
}

func TestKVFunctionsOutsideMemory(t *testing.T) {
	g := kvGuest(nil)
	write(t, g, "s", "\x00", "value", true)
	state := kvState(t, g)
	mem := make(bytesMemory, 64)
	for name, args := range map[string][]uint64{
		"kv_get key":    {63, 2, 0, 8},
		"kv_get buffer": {0, 1, 60, 8},
		"kv_get wraps":  {0, 1, 0xfffffffe, 8},
		"kv_set key":    {0xffffffff, 1, 0, 1},
		"kv_set value":  {0, 1, 63, 2},
		"kv_delete key": {64, 1},
	} {
		function, _, _ := strings.Cut(name, " ")
		for _, f := range kvFuncs() {
			if f.Name == function {
				require.ErrorIs(t, f.Call(state, mem, args), errOutside, name)
			}
		}
	}
	assert.Equal(t, entries("\x00", "value"), state.kv.entries)
}

// Without the grant a guest goes on and learns why. Nothing that it names is looked at.
func TestKVFunctionsDenied(t *testing.T) {
	g := kvGuest(nil)
	g.granted = capabilities{}
	state := kvState(t, g)
	mem := make(bytesMemory, 64)
	assert.EqualValues(t, -2, kvCallFunc(t, state, mem, "kv_get", 0xffffffff, 0xffffffff, 0, 8))
	assert.EqualValues(t, -2, kvCallFunc(t, state, mem, "kv_set", 0, 1, 0xffffffff, 1))
	assert.EqualValues(t, -2, kvCallFunc(t, state, mem, "kv_delete", 0, 1))
	assert.Equal(t, make(bytesMemory, 64), mem)
}

// A store that fails looks like a missing grant: the guest goes on without.
func TestKVFunctionsOnABrokenStore(t *testing.T) {
	g := kvGuest(&brokenStore{Store: newMemoryStore(maxKVMemory), load: assert.AnError})
	state := kvState(t, g)
	for range 2 {
		assert.EqualValues(t, -2, kvCallFunc(t, state, make(bytesMemory, 64), "kv_get", 0, 1, 0, 8))
		assert.EqualValues(t, -2, kvCallFunc(t, state, make(bytesMemory, 64), "kv_set", 0, 1, 0, 8))
	}
	state.kv.commit(t.Context())
	assert.Equal(t, 1, g.runtime.opts.Store.(*brokenStore).loads, "a call does not try again and again")
}
