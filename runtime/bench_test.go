package runtime_test

import (
	"compress/gzip"
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/pintle-wasm/pintle/abi"
	v1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	adaptersv1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	engine "github.com/pintle-wasm/pintle/runtime/wazero"
)

// Beside every figure a floor is measured in the same run: the same operation of the same module, as it
// was before it was rewritten, called on plain wazero, on one instance that is never put back. The ratio
// is the metric x-floor.

// A benchGuest is a module and a call of it.
type benchGuest struct {
	file []byte
	call runtime.Call
}

// echoing answers its request as a byte string of as many bytes: a head and a memory.copy.
func echoing(tb testing.TB, size int) benchGuest {
	request, err := abi.Encode(map[string]string{"prompt": strings.Repeat("x", size)})
	require.NoError(tb, err)
	answer := []byte{0x82, 1, 0x59, byte(len(request) >> 8), byte(len(request))}
	const at = 40 << 10
	file := wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: at, Bytes: answer}}}, wasmtest.Manifest(), wasmtest.Code(
		wasmtest.I32Const(at+int32(len(answer))), wasmtest.LocalGet(0), wasmtest.LocalGet(1), []byte{0xfc, 10, 0, 0},
		wasmtest.Answer(at, uint32(len(answer)+len(request)))))
	return benchGuest{file, runtime.Call{Op: abi.RenderV1, Request: request}}
}

func cEcho(tb testing.TB, size int) benchGuest {
	file, err := os.ReadFile(cGuest + "/c.wasm")
	require.NoError(tb, err)
	prompt := strings.Repeat("x", size)
	request, err := abi.Encode(v1.RenderRequest{ID: "echo/c", Prompt: &prompt})
	require.NoError(tb, err)
	return benchGuest{file, runtime.Call{Op: abi.RenderV1, Request: request}}
}

// goReader is the adapter guest of version 1, written in Go, reading the prompt out of a payload.
func goReader(tb testing.TB, size int) benchGuest {
	packed, err := os.Open("../testdata/guests/adapters-v1/adapters.wasm.gz")
	require.NoError(tb, err)
	defer func() { require.NoError(tb, packed.Close()) }()
	unpacked, err := gzip.NewReader(packed)
	require.NoError(tb, err)
	file, err := io.ReadAll(unpacked)
	require.NoError(tb, err)
	payload := []byte(`{"model":"m","system":"` + strings.Repeat("s", size/2) + `","messages":[{"role":"user","content":"` + strings.Repeat("u", size/2) + `"}]}`)
	request, err := abi.Encode(adaptersv1.ReadSystemPromptRequest{Payload: adaptersv1.Payload{ID: "anthropic-messages", Provider: "anthropic", API: "anthropic-messages", Payload: payload}})
	require.NoError(tb, err)
	return benchGuest{file, runtime.Call{Op: abi.ReadSystemPromptV1, Request: request, PayloadBytes: len(payload)}}
}

var benchGuests = []struct {
	name string
	make func(testing.TB, int) benchGuest
}{{"small", echoing}, {"c", cEcho}, {"go", goReader}}

func BenchmarkCall(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"1KB", 1000}, {"10KB", 10_000}} {
		for _, guest := range benchGuests {
			b.Run(guest.name+"/"+size.name, func(b *testing.B) {
				bench := guest.make(b, size.bytes)
				g := load(b, newRuntime(b, runtime.Options{}), bench.file)
				require.True(b, g.Reset().Copied, g.Reset())
				var used runtime.Usage
				_, err := g.Call(runtime.WithUsage(context.Background(), &used), bench.call)
				require.NoError(b, err)
				ctx := context.Background()
				var answer []byte
				call := func() {
					var err error
					if answer, err = g.AppendCall(ctx, answer[:0], bench.call); err != nil {
						b.Fatal(err)
					}
				}
				call()
				require.NotEmpty(b, answer)
				b.ReportAllocs()
				for b.Loop() {
					call()
				}
				report(b, floor(b, bench))
				b.ReportMetric(float64(g.Reset().MemoryBytes)/1024, "KiB-memory")
				b.ReportMetric(float64(used.Fuel), "fuel")
			})
		}
	}
}

// BenchmarkStart is the first call of a session, with an instance that is made for it: from the image, and
// by running the initialiser where there is no image.
func BenchmarkStart(b *testing.B) {
	for _, guest := range benchGuests {
		for _, how := range []string{"image", "anew"} {
			b.Run(guest.name+"/"+how, func(b *testing.B) {
				bench := guest.make(b, 1000)
				file, opts := changed(b, bench.file, func(m *abi.Manifest) {
					m.State = abi.StateSession
					m.Capabilities = append(m.Capabilities, abi.Capability{Name: abi.CapabilityRandom, Reason: "has no image with it"})
				}), runtime.GuestOptions{}
				if how == "anew" {
					opts.Grants = []string{abi.CapabilityRandom}
				}
				g, err := newRuntime(b, runtime.Options{}).Load(b.Context(), "b", file, opts)
				require.NoError(b, err)
				require.Equal(b, how == "image", g.Reset().Copied)
				n := 0
				b.ReportAllocs()
				for b.Loop() {
					n++
					bench.call.Session = strconv.Itoa(n)
					if _, err := g.Call(b.Context(), bench.call); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkLoad loads and closes a guest whose code is in the cache, or is compiled.
func BenchmarkLoad(b *testing.B) {
	for _, cached := range []bool{true, false} {
		for _, guest := range benchGuests {
			name := guest.name + "/compiled"
			dir := ""
			if cached {
				name, dir = guest.name+"/cached", b.TempDir()
			}
			b.Run(name, func(b *testing.B) {
				file := guest.make(b, 1000).file
				r := runtime.New(engine.New(engine.Config{CacheDir: dir}), runtime.Options{})
				defer func() { require.NoError(b, r.Close(context.Background())) }()
				once := func() {
					g := load(b, r, file)
					require.NoError(b, g.Close(context.Background()))
				}
				once()
				for b.Loop() {
					once()
				}
			})
		}
	}
}

// changed returns a guest's file with another manifest.
func changed(tb testing.TB, file []byte, change func(*abi.Manifest)) []byte {
	a, err := runtime.Examine("x", file)
	require.NoError(tb, err)
	change(a.Manifest)
	section, err := abi.EncodeManifest(a.Manifest)
	require.NoError(tb, err)
	return a.Module().WithCustomFirst(abi.ManifestSection, section)
}

func BenchmarkParallelCall(b *testing.B) {
	bench := echoing(b, 1000)
	g := load(b, newRuntime(b, runtime.Options{}), bench.file)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var answer []byte
		for pb.Next() {
			var err error
			if answer, err = g.AppendCall(context.Background(), answer[:0], bench.call); err != nil {
				b.Error(err)
			}
		}
	})
}

func report(b *testing.B, floor time.Duration) {
	perOp := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(perOp/float64(floor.Nanoseconds()), "x-floor")
	b.ReportMetric(float64(floor.Nanoseconds()), "ns-floor")
}

// floor measures the call on plain wazero: request in, operation, answer out.
func floor(b *testing.B, bench benchGuest) time.Duration {
	ctx := context.Background()
	rt := wazero.NewRuntime(ctx)
	defer func() { require.NoError(b, rt.Close(ctx)) }()
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	_, err := rt.NewHostModuleBuilder(abi.HostModule).
		NewFunctionBuilder().WithFunc(func(context.Context, api.Module, uint32, uint32) {}).Export("panic").
		NewFunctionBuilder().WithFunc(func(context.Context, api.Module, uint32, uint32, uint32) {}).Export("log").
		NewFunctionBuilder().WithFunc(func(context.Context, api.Module, uint32, uint32, uint32, uint32) uint32 { return ^uint32(0) }).Export("config").
		Instantiate(ctx)
	require.NoError(b, err)
	compiled, err := rt.CompileModule(ctx, bench.file)
	require.NoError(b, err)
	mod, err := rt.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithStartFunctions(abi.InitExport))
	require.NoError(b, err)
	at, err := mod.ExportedFunction(abi.AllocExport).Call(ctx, uint64(len(bench.call.Request)))
	require.NoError(b, err)
	op, mem, stack := mod.ExportedFunction(bench.call.Op), mod.Memory(), make([]uint64, 2)
	var answer []byte
	once := func() {
		mem.Write(uint32(at[0]), bench.call.Request)
		stack[0], stack[1] = at[0], uint64(len(bench.call.Request))
		if err := op.CallWithStack(ctx, stack); err != nil {
			b.Fatal(err)
		}
		view, _ := mem.Read(uint32(stack[0]>>32), uint32(stack[0]))
		answer = append(answer[:0], view...)
	}
	for range 100 {
		once()
	}
	require.NotEmpty(b, answer)
	n, start := 0, time.Now()
	for ; time.Since(start) < 200*time.Millisecond; n += 100 {
		for range 100 {
			once()
		}
	}
	return time.Since(start) / time.Duration(n)
}
