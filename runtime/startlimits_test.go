package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A guest whose instances cannot be put back has its start in each call, so it is refused if that takes much
// more than a call may.
func TestStartOfEveryCallIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		pages  uint32
		grants []string
		rounds int32
		reason string // why it starts anew, if it is refused
	}{
		"put back, long":        {1, nil, 3_000_000, ""},
		"random, short":         {1, []string{"random"}, 1_000, ""},
		"random, long":          {1, []string{"random"}, 3_000_000, "real random numbers"},
		"no image, short":       {300, nil, 1_000, ""},
		"no image, long":        {300, nil, 3_000_000, "too large for an image"},
		"random, much too long": {1, []string{"random"}, 2_000_000_000, "real random numbers"},
	} {
		t.Run(name, func(t *testing.T) {
			m := wasmtest.Manifest()
			random(m)
			loop := wasmtest.Code(wasmtest.I32Const(0), wasmtest.GlobalSet(0), wasmtest.Loop(
				wasmtest.GlobalGet(0), wasmtest.I32Const(1), wasmtest.I32Add, wasmtest.GlobalSet(0),
				wasmtest.GlobalGet(0), wasmtest.I32Const(c.rounds), 0x49, 0x0d, 0)) // i32.lt_u, br_if 0
			text := wasmtest.Text("hi")
			file := wasmtest.Guest(wasmtest.Module{Pages: c.pages, Globals: 1, Data: []wasmtest.Data{{Offset: 16, Bytes: text}},
				Functions: []wasmtest.Function{{Export: abi.InitExport, Type: wasmtest.SigNone, Code: loop}}},
				m, wasmtest.Answer(16, uint32(len(text))))
			r := newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: 100_000}})
			g, err := r.Load(t.Context(), "test.wasm", file, runtime.GuestOptions{Grants: c.grants})
			if c.reason != "" {
				var e *runtime.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, runtime.KindFuel, e.Kind)
				assert.Contains(t, e.Reason, c.reason)
				assert.Contains(t, e.Reason, "at most 10 times what a call may")
				return
			}
			require.NoError(t, err)
			for range 3 {
				answer, err := render(t.Context(), g)
				require.NoError(t, err)
				assert.Equal(t, "hi", answer)
			}
		})
	}
}
