package wasmbin_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/pintle-wasm/pintle/abi"
	messages "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	adapters "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// beside runs two functions in turn and reports the time of the first alone and the median of the ratios
// of their times. The figures of the testing package are those of both together.
func beside(b *testing.B, unit string, work, other func()) {
	work()
	other()
	var ratios, times []float64
	for b.Loop() {
		start := time.Now()
		work()
		took := float64(time.Since(start))
		start = time.Now()
		other()
		times, ratios = append(times, took), append(ratios, took/float64(time.Since(start)))
	}
	slices.Sort(ratios)
	slices.Sort(times)
	b.ReportMetric(ratios[len(ratios)/2], unit)
	b.ReportMetric(times[len(times)/2], "ns/alone")
}

// Rewriting beside compiling what comes out, once for a guest and once for ten times its code.
func BenchmarkInstrument(b *testing.B) {
	ctx := context.Background()
	for name, file := range map[string][]byte{"c": cGuest(b), "go": stockGuest(b), "loops": manyLoops(1_000), "10x-loops": manyLoops(10_000)} {
		b.Run(name, func(b *testing.B) {
			var out *wasmbin.Instrumented
			beside(b, "x-compile", func() {
				var err error
				out, err = instrument(file)
				require.NoError(b, err)
			}, func() {
				r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2))
				_, err := r.CompileModule(ctx, out.Bytes)
				require.NoError(b, err)
				require.NoError(b, r.Close(ctx))
			})
			b.ReportMetric(testing.AllocsPerRun(1, func() { _, _ = instrument(file) }), "allocs/alone")
		})
	}
}

// manyLoops has so many functions with a loop each.
func manyLoops(n int) []byte {
	m := wasmtest.Module{Pages: 1}
	for range n {
		m.Functions = append(m.Functions, wasmtest.Function{Type: sigCount, Code: countdown(pop0(10))})
	}
	return m.Encode()
}

// Code with meter beside the same without: x-plain is what the meter costs. The guests do what they are
// for; the others are loops and calls with nothing in them.
func BenchmarkMeter(b *testing.B) {
	function := func(f wasmtest.Function, n uint64) benchmark {
		m := one(f)
		return benchmark{m.Encode(), func(g *metered) { g.call("f", n) }}
	}
	fib := wasmtest.Code(wasmtest.LocalGet(0), wasmtest.I32Const(2), []byte{0x48, 0x04, 0x7f}, wasmtest.LocalGet(0), []byte{0x05},
		wasmtest.LocalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub, wasmtest.Call(0),
		wasmtest.LocalGet(0), wasmtest.I32Const(2), wasmtest.I32Sub, wasmtest.Call(0), wasmtest.I32Add, wasmtest.End)
	copies := wasmtest.Code([]byte{0x41, 0xc0, 0, 0x21, 1}, countdown(wasmtest.I32Const(0), wasmtest.I32Const(100), wasmtest.LocalGet(1), []byte{0xfc, 10, 0, 0}))
	for name, bench := range map[string]benchmark{
		"guest-go/read":    adapterBenchmark(b, 60),
		"guest-go/read10x": adapterBenchmark(b, 600),
		"guest-c/render":   renderBenchmark(b),
		"loop":             function(wasmtest.Function{Type: sigCount, Code: countdown()}, 200_000),
		"recursion":        function(wasmtest.Function{Type: sigCount, Code: fib}, 20),
		"copies-of-64":     function(wasmtest.Function{Type: sigCount, Locals: []wasmbin.ValueType{i32}, Code: copies}, 20_000),
	} {
		b.Run(name, func(b *testing.B) {
			out, err := instrument(bench.file)
			require.NoError(b, err)
			with, without := newMetered(b, out.Bytes), newMetered(b, bench.file)
			beside(b, "x-plain", func() { bench.run(with) }, func() { bench.run(without) })
		})
	}
}

type benchmark struct {
	file []byte
	run  func(g *metered)
}

func adapterBenchmark(b *testing.B, items int) benchmark {
	file, err := os.ReadFile("../../testdata/guests/adapters-v1/adapters.wasm.gz")
	require.NoError(b, err)
	r, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(b, err)
	wasm, err := io.ReadAll(r)
	require.NoError(b, err)
	item := `{"role":"user","content":[{"type":"input_text","text":"Please look at the file and say what it does."}]}`
	payload := `{"model":"m","instructions":"Be brief.","input":[` + strings.Repeat(item+",", items) + item + `]}`
	request, err := abi.Encode(adapters.ReadSystemPromptRequest{Payload: adapters.Payload{ID: "openai-codex-responses",
		Provider: "openai", API: "openai-codex-responses", Payload: []byte(payload)}})
	require.NoError(b, err)
	return benchmark{wasm, func(g *metered) { g.ask(abi.ReadSystemPromptV1, request) }}
}

func renderBenchmark(b *testing.B) benchmark {
	prompt := strings.Repeat("What does it do? ", 60)
	request, err := abi.Encode(messages.RenderRequest{ID: "echo/c", Prompt: &prompt})
	require.NoError(b, err)
	return benchmark{cGuest(b), func(g *metered) {
		for range 100 {
			g.ask(abi.RenderV1, request)
		}
	}}
}

// metered is a guest that runs, rewritten or not, with fuel without end.
type metered struct {
	b    *testing.B
	mod  api.Module
	fuel api.MutableGlobal
	args [2]uint64
	fns  map[string]api.Function
}

func newMetered(b *testing.B, bin []byte) *metered {
	ctx := context.Background()
	g := &metered{b: b, fns: map[string]api.Function{}}
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2))
	b.Cleanup(func() { require.NoError(b, r.Close(ctx)) })
	code, err := r.CompileModule(ctx, bin)
	require.NoError(b, err)
	wasi_snapshot_preview1.MustInstantiate(ctx, r)
	hosts := map[string]wazero.HostModuleBuilder{}
	for _, f := range code.ImportedFunctions() {
		module, name, _ := f.Import()
		if module == wasi_snapshot_preview1.ModuleName {
			continue
		}
		if hosts[module] == nil {
			hosts[module] = r.NewHostModuleBuilder(module)
		}
		do := func(_ context.Context, _ api.Module, stack []uint64) {}
		switch {
		case name == wasmbin.TickImport:
			do = func(context.Context, api.Module, []uint64) { g.fuel.Set(1 << 20) }
		case len(f.ResultTypes()) > 0:
			do = func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = 1 }
		}
		hosts[module].NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(do), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, host := range hosts {
		_, err := host.Instantiate(ctx)
		require.NoError(b, err)
	}
	g.mod, err = r.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	require.NoError(b, err)
	if fuel := g.mod.ExportedGlobal(wasmbin.FuelExport); fuel != nil {
		g.fuel = fuel.(api.MutableGlobal)
	}
	if g.mod.ExportedFunction(abi.InitExport) != nil {
		g.call(abi.InitExport)
	}
	return g
}

func (g *metered) call(name string, args ...uint64) uint64 {
	f := g.fns[name]
	if f == nil {
		f = g.mod.ExportedFunction(name)
		g.fns[name] = f
	}
	copy(g.args[:], args)
	if err := f.CallWithStack(context.Background(), g.args[:]); err != nil {
		g.b.Fatal(err)
	}
	return g.args[0]
}

// ask calls an operation of a guest.
func (g *metered) ask(op string, request []byte) {
	at := g.call(abi.AllocExport, uint64(len(request)))
	g.mod.Memory().Write(uint32(at), request)
	if g.call(op, at, uint64(len(request))) == 0 {
		g.b.Fatal("no answer")
	}
}
