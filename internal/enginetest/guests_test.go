package enginetest_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// A form is a guest that runs, as it was compiled or rewritten.
type form struct {
	instance runtime.Instance
	fuel     runtime.Global // nil: not rewritten
	granted  int64
}

// start makes an instance with a world of its own, which is the same each time.
func start(t *testing.T, engine runtime.Engine, m *wasmbin.Module, module []byte) *form {
	f := &form{}
	system := wasi.NewSystem(wasi.Config{})
	var host []runtime.HostFunc
	for _, im := range m.Imports {
		host = append(host, runtime.HostFunc{Module: im.Module, Name: im.Name, Type: im.Type,
			Call: func(_ *runtime.HostState, _ runtime.Memory, stack []uint64) error {
				clear(stack)
				return nil
			}})
		for _, of := range wasi.Functions() {
			if im.Module == wasi.Module && im.Name == of.Name {
				host[len(host)-1].Call = func(_ *runtime.HostState, mem runtime.Memory, stack []uint64) error {
					return of.Call(system, mem, stack)
				}
			}
		}
	}
	host = append(host,
		runtime.HostFunc{Module: wasmbin.MeterModule, Name: wasmbin.TickImport,
			Type: signature(types(wasmbin.I32), nil), Call: f.tick},
		runtime.HostFunc{Module: wasmbin.MeterModule, Name: wasmbin.GrowImport, Type: i32s, Call: allow})
	c, err := engine.Compile(t.Context(), module, host)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	f.instance = instantiate(t, c, 64<<20)
	f.fuel = f.instance.Global(wasmbin.FuelExport)
	if initialize := f.instance.Function(abi.InitExport); initialize != nil {
		_, err := initialize.Call()
		require.NoError(t, err)
	}
	return f
}

func allow(_ *runtime.HostState, _ runtime.Memory, stack []uint64) error {
	stack[0] = 1
	return nil
}

func (f *form) tick(_ *runtime.HostState, _ runtime.Memory, stack []uint64) error {
	const slice = 100_000
	left := int64(f.fuel.Get())
	f.granted += slice - left
	f.fuel.Set(slice)
	return nil
}

func (f *form) used() int64 { return f.granted - int64(f.fuel.Get()) }

func (f *form) ask(t *testing.T, op string, request []byte) []byte {
	at := uint32(call(t, f.instance, abi.AllocExport, uint64(len(request)), 0))
	require.True(t, f.instance.Memory().Write(at, request))
	packed := call(t, f.instance, op, uint64(at), uint64(len(request)))
	answer, ok := f.instance.Memory().Read(uint32(packed>>32), uint32(packed))
	require.True(t, ok)
	return bytes.Clone(answer)
}

func (f *form) memory(t *testing.T) []byte {
	all, ok := f.instance.Memory().Read(0, f.instance.Memory().Size())
	require.True(t, ok)
	return all
}

// Guests of two compilers answer the same on every engine, rewritten or not, leave the same memory behind,
// and use the same fuel.
func TestGuests(t *testing.T) {
	c, err := os.ReadFile("../../testdata/guests/c/c.wasm")
	require.NoError(t, err)
	golang, err := stock.Adapters()
	require.NoError(t, err)
	request, err := abi.Encode(map[string]any{"id": "openai-responses-v1", "features": 0,
		"prompt": strings.Repeat("Line by line. ", 40), "provider": "openai", "api": "openai-responses",
		"payload": []byte(`{"model":"m","input":[{"role":"system","content":"old"}]}`)})
	require.NoError(t, err)
	for _, guest := range []struct {
		name, op string
		file     []byte
	}{{"C", abi.RenderV1, c}, {"Go", abi.ReadSystemPromptV1, golang}} {
		t.Run(guest.name, func(t *testing.T) {
			m, err := wasmbin.Parse(guest.file, wasmbin.DefaultLimits())
			require.NoError(t, err)
			rewritten, err := m.Instrument()
			require.NoError(t, err)
			var answer []byte
			var used int64
			enginetest.ForEach(t, func(t *testing.T, engine runtime.Engine) {
				plain, metered := start(t, engine, m, guest.file), start(t, engine, m, rewritten.Bytes)
				for range 3 {
					want := plain.ask(t, guest.op, request)
					require.Greater(t, len(want), 4)
					require.Equal(t, want, metered.ask(t, guest.op, request))
					if answer == nil {
						answer = want
					}
					require.Equal(t, answer, want, "as on the other engine")
				}
				require.True(t, bytes.Equal(plain.memory(t), metered.memory(t)))
				require.Positive(t, metered.used())
				if used == 0 {
					used = metered.used()
				}
				require.Equal(t, used, metered.used(), "as on the other engine")
			})
		})
	}
}
