package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// Data that does not fit into memory ends the making of an instance, of which nothing is there yet to be asked.
func TestDataOutsideMemory(t *testing.T) {
	names := wasmtest.Custom{Name: "name", Bytes: append([]byte{7, 18, 1, 0, 15}, "__stack_pointer"...)}
	file := wasmtest.Guest(wasmtest.Module{Globals: 1, Trailing: []wasmtest.Custom{names},
		Data: []wasmtest.Data{{Offset: 1<<31 - 1, Bytes: []byte("x")}}}, wasmtest.Manifest(), wasmtest.Answer(16, 1))
	_, err := newRuntime(t, runtime.Options{}).Load(t.Context(), "test.wasm", file, runtime.GuestOptions{})
	e := asError(t, err)
	assert.Equal(t, runtime.KindTrap, e.Kind)
	assert.Equal(t, "start", e.Func)
	assert.Contains(t, e.Reason, "out of bounds memory access")
}
