package runtime_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs"
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// describing renders a context as many contributions do: it looks at the tools and fills in a text.
const describing = `function answer(op, request) {
	const tools = request.activeTools.filter(t => t.startsWith("tool")).map(t => "- " + t).join("\n");
	return "1" + "You are in {cwd} with:\n{tools}".replace("{cwd}", request.systemPromptOptions.cwd).replace("{tools}", tools);
}`

func describe(tb testing.TB, tools int) []byte {
	names := make([]string, tools)
	for i := range names {
		names[i] = fmt.Sprintf("tool number %d", i)
	}
	in, err := abi.Encode(map[string]any{"id": "x", "features": 0, "provider": "anthropic", "activeTools": names,
		"sessionId": "s", "prompt": "fix it", "systemPromptOptions": map[string]any{"cwd": "/home/me"}})
	require.NoError(tb, err)
	return in
}

// BenchmarkScriptCall puts an instance back and calls it, in contexts of 10 and 100 tools, beside the same
// program on the engine as it was before it was rewritten, on one instance that is never put back.
func BenchmarkScriptCall(b *testing.B) {
	for _, tools := range []int{10, 100} {
		b.Run(fmt.Sprintf("tools=%d", tools), func(b *testing.B) {
			call := runtime.Call{Op: abi.RenderV1, Session: "s", Request: describe(b, tools)}
			for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
				b.Run("state="+string(state), func(b *testing.B) {
					g := loadScript(b, answering(b, describing, func(m *abi.Manifest) { m.State = state }), runtime.GuestOptions{})
					var used runtime.Usage
					_, err := g.Call(runtime.WithUsage(b.Context(), &used), call)
					require.NoError(b, err)
					var answer []byte
					b.ReportAllocs()
					for b.Loop() {
						if answer, err = g.AppendCall(b.Context(), answer[:0], call); err != nil {
							b.Fatal(err)
						}
					}
					report(b, scriptFloor(b, call.Request))
					b.ReportMetric(float64(used.Fuel), "fuel")
					b.ReportMetric(float64(g.Reset().ImageBytes)/1024, "KiB-image")
				})
			}
		})
	}
}

// BenchmarkScriptStart makes instances, from the image and by evaluating the program.
func BenchmarkScriptStart(b *testing.B) {
	g := loadScript(b, answering(b, describing, withSession), runtime.GuestOptions{})
	call := runtime.Call{Op: abi.RenderV1, Request: describe(b, 10)}
	b.Run("image", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			call.Session = strconv.Itoa(n)
			if _, err := g.Call(b.Context(), call); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("load", func(b *testing.B) { // the engine is compiled: examine, start, rehearse
		file := answering(b, describing)
		for b.Loop() {
			g, err := scripts().Load(b.Context(), "x", file, runtime.GuestOptions{})
			if err != nil {
				b.Fatal(err)
			}
			_ = g.Close(b.Context())
		}
	})
	b.Run("registered", func(b *testing.B) {
		file := answering(b, "__pintle.registered = () => '{}'")
		for b.Loop() {
			if _, err := scripts().Registered(b.Context(), "x", file); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// plainMachine is the engine as it comes, on plain wazero.
type plainMachine struct {
	ctx    context.Context
	module api.Module
	funcs  map[string]api.Function
	stack  [8]uint64
}

func (m *plainMachine) Call(export string, args ...uint64) (uint64, error) {
	f := m.funcs[export]
	if f == nil {
		f = m.module.ExportedFunction(export)
		m.funcs[export] = f
	}
	copy(m.stack[:], args)
	err := f.CallWithStack(m.ctx, m.stack[:])
	return m.stack[0], err
}

func (m *plainMachine) Read(offset, count uint32) ([]byte, bool) {
	return m.module.Memory().Read(offset, count)
}
func (m *plainMachine) Write(offset uint32, data []byte) bool {
	return m.module.Memory().Write(offset, data)
}
func (m *plainMachine) Charge(int) error  { return nil }
func (m *plainMachine) Stop() error       { return nil }
func (m *plainMachine) Watch(*quickjs.VM) {}

func scriptFloor(b *testing.B, request []byte) time.Duration {
	ctx := context.Background()
	rt := wazero.NewRuntime(ctx)
	defer func() { require.NoError(b, rt.Close(ctx)) }()
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	parsed, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	require.NoError(b, err)
	env := rt.NewHostModuleBuilder("env")
	for _, im := range parsed.Imports {
		types := func(all []wasmbin.ValueType) (out []api.ValueType) {
			for _, v := range all {
				out = append(out, api.ValueType(v))
			}
			return out
		}
		if im.Module == "env" {
			env.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
				if len(stack) > 0 {
					stack[0] = 0
				}
			}), types(im.Type.Params), types(im.Type.Results)).Export(im.Name)
		}
	}
	_, err = env.Instantiate(ctx)
	require.NoError(b, err)
	module, err := rt.InstantiateWithConfig(ctx, engine.Module(), wazero.NewModuleConfig().WithStartFunctions())
	require.NoError(b, err)
	vm, _, err := quickjs.Start(&plainMachine{ctx: ctx, module: module, funcs: map[string]api.Function{}},
		&abi.Bundle{Code: prelude + describing}, quickjs.Host{})
	require.NoError(b, err)
	n, start := 0, time.Now()
	for ; time.Since(start) < 200*time.Millisecond; n += 10 {
		for range 10 {
			if _, _, err := vm.Call(quickjs.Call{Op: abi.RenderV1, Request: request, AnswerBytes: 1 << 20}); err != nil {
				b.Fatal(err)
			}
		}
	}
	return time.Since(start) / time.Duration(n)
}
