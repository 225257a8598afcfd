package differential_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// bundle returns the program of a guest in JavaScript, nil if it is none.
func bundle(t *testing.T, bin []byte) *abi.Bundle {
	m, err := wasmbin.Parse(bin, wasmbin.DefaultLimits())
	if err != nil {
		return nil // a hostile one
	}
	sections, _ := m.CustomSection(abi.BundleSection)
	if len(sections) != 1 {
		return nil
	}
	b, err := abi.DecodeBundle(sections[0])
	require.NoError(t, err)
	return b
}

// rewriteKnown rewrites a module as a host does that knows it.
func rewriteKnown(t *testing.T, bin []byte) *wasmbin.Instrumented {
	m, err := wasmbin.Parse(bin, wasmbin.DefaultLimits())
	require.NoError(t, err)
	rewritten, err := m.InstrumentKnown()
	require.NoError(t, err)
	return rewritten
}

// A machine drives an instance of the JavaScript engine.
type machine struct{ *instance }

func (m machine) Call(export string, args ...uint64) (uint64, error) {
	results, err := m.call(export, args[:min(len(args), len(m.functions[export].Params))]...)
	if err != nil || len(results) == 0 {
		return 0, err
	}
	return results[0], nil
}

func (m machine) Read(offset, count uint32) ([]byte, bool) {
	memory := m.module.memory()
	if uint64(offset)+uint64(count) > uint64(len(memory)) {
		return nil, false
	}
	return memory[offset : offset+count], true
}

func (m machine) Write(offset uint32, data []byte) bool {
	to, ok := m.Read(offset, uint32(len(data)))
	copy(to, data)
	return ok
}

func (machine) Charge(int) error  { return nil }
func (machine) Stop() error       { return nil }
func (machine) Watch(*quickjs.VM) {}

// sameScript lets a program run on the engine as it is, and rewritten: every request has the same answer, and
// the engine is in the same state afterwards.
func sameScript(t *testing.T, bin []byte, program *abi.Bundle, rewritten *wasmbin.Instrumented) {
	m, err := wasmbin.Parse(bin, wasmbin.DefaultLimits())
	require.NoError(t, err)
	sections, _ := m.CustomSection(abi.ManifestSection)
	manifest, err := abi.DecodeManifest(sections[0])
	require.NoError(t, err)
	var (
		twins [2]*instance
		vms   [2]*quickjs.VM
	)
	for i := range twins {
		e := newWazero()
		defer e.close()
		require.NoError(t, e.wasi())
		w, err := newWorld(e, 10_000)
		require.NoError(t, err)
		require.NoError(t, w.engineHost(m))
		if i == 0 {
			twins[i], err = w.instantiate(bin, "", nil)
		} else {
			twins[i], err = w.instantiate(bin, "", rewritten)
		}
		require.NoError(t, err)
		vms[i], _, err = quickjs.Start(machine{twins[i]}, program, quickjs.Host{})
		require.NoError(t, err)
	}
	assert.Empty(t, differences(twins[0], twins[1], true), "started")
	answers := 0
	for _, of := range abi.Interfaces() {
		for _, op := range of.Operations {
			for _, id := range offered(manifest) {
				request, err := requestTo(id)
				require.NoError(t, err)
				call := quickjs.Call{Op: op.Export, Request: request, AnswerBytes: 1 << 20}
				want, _, wantErr := vms[0].Call(call)
				got, _, gotErr := vms[1].Call(call)
				assert.Equal(t, wantErr, gotErr, "%s %s", op.Export, id)
				assert.Equal(t, want, got, "%s %s", op.Export, id)
				assert.Empty(t, differences(twins[0], twins[1], true), "%s %s", op.Export, id)
				if len(got) > 2 {
					answers++
				}
			}
		}
	}
	assert.Positive(t, answers, "the guest answers something")
	assert.Positive(t, twins[1].world.used())
}

// engineHost makes the functions that the engine imports beside those of WASI. They answer 0.
func (w *world) engineHost(m *wasmbin.Module) error {
	var list []hostFunction
	for _, im := range m.Imports {
		if im.Module != "env" {
			continue
		}
		list = append(list, hostFunction{name: im.Name, params: binaryTypes(im.Type.Params), results: binaryTypes(im.Type.Results),
			call: func(_ module, stack []uint64) error {
				clear(stack)
				return nil
			}})
	}
	return w.engine.host("env", list)
}
