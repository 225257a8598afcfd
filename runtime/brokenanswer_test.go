package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// An instance that answered what is no answer is not called again in the state that it was in; an error of
// the guest's own breaks nothing.
func TestInstanceOfABadAnswerIsGivenUp(t *testing.T) {
	failure, err := abi.EncodeAnswer(nil, &abi.Failure{Message: "not today"})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		first []byte
		kind  runtime.Kind
		kept  bool
	}{
		"bad answer": {[]byte{0x81, 1}, runtime.KindBadAnswer, false},
		"failure":    {failure, runtime.KindFailed, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := wasmtest.Manifest()
			m.State = abi.StateSession
			kept := wasmtest.Text("kept")
			// The first call of an instance answers the bytes at 16, all others the text at 512.
			g := load(t, newRuntime(t, runtime.Options{}), wasmtest.Guest(wasmtest.Module{Globals: 1,
				Data: []wasmtest.Data{{Offset: 16, Bytes: c.first}, {Offset: 512, Bytes: kept}}}, m,
				wasmtest.Code(wasmtest.GlobalGet(0), wasmtest.If(wasmtest.Answer(512, uint32(len(kept))), wasmtest.Return),
					wasmtest.I32Const(1), wasmtest.GlobalSet(0), wasmtest.Answer(16, uint32(len(c.first))))))
			var e *runtime.Error
			_, err := render(t.Context(), g)
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.kind, e.Kind)
			text, err := render(t.Context(), g)
			if c.kept {
				require.NoError(t, err)
				assert.Equal(t, "kept", text)
			} else {
				assert.ErrorAs(t, err, &e, "it starts anew")
			}
		})
	}
}
