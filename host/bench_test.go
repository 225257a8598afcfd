package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/pintle-wasm/pintle/abi"
	messagesv1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	adaptersv1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/testpayload"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
	engine "github.com/pintle-wasm/pintle/runtime/wazero"
)

// The benchmarks put every figure beside a floor that is measured in the same run: the same exported
// function of the same module called on plain wazero, without deadline, checks or a fresh instance. The
// ratio is the metric x-floor; it says more than nanoseconds of a shared machine.

// A raw is a module on plain wazero.
type raw struct {
	mod    api.Module
	buffer uint32
	op     api.Function
	size   int
	stack  [2]uint64
}

func newRaw(b *testing.B, file []byte, op string, request []byte) *raw {
	b.Helper()
	ctx := context.Background()
	rt := wazero.NewRuntime(ctx)
	b.Cleanup(func() { require.NoError(b, rt.Close(ctx)) })
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	// The host functions of the benchmarked guests may do nothing: no log, no configuration.
	none := func(context.Context, api.Module, uint32, uint32, uint32, uint32) uint32 { return ^uint32(0) }
	_, err := rt.NewHostModuleBuilder(abi.HostModule).
		NewFunctionBuilder().WithFunc(func(context.Context, api.Module, uint32, uint32) {}).Export("panic").
		NewFunctionBuilder().WithFunc(func(context.Context, api.Module, uint32, uint32, uint32) {}).Export("log").
		NewFunctionBuilder().WithFunc(none).Export("config").
		Instantiate(ctx)
	require.NoError(b, err)
	compiled, err := rt.CompileModule(ctx, file)
	require.NoError(b, err)
	mod, err := rt.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithStartFunctions("_initialize"))
	require.NoError(b, err)
	r := &raw{mod: mod, op: mod.ExportedFunction(op), size: len(request)}
	at, err := mod.ExportedFunction(abi.AllocExport).Call(ctx, uint64(len(request)))
	require.NoError(b, err)
	r.buffer = uint32(at[0])
	require.True(b, mod.Memory().Write(r.buffer, request))
	return r
}

// call writes the request, runs the operation and copies the answer, as a host has to.
func (r *raw) call(b *testing.B, request []byte) []byte {
	r.mod.Memory().Write(r.buffer, request)
	r.stack = [2]uint64{uint64(r.buffer), uint64(r.size)}
	if err := r.op.CallWithStack(context.Background(), r.stack[:]); err != nil {
		b.Fatal(err)
	}
	view, ok := r.mod.Memory().Read(uint32(r.stack[0]>>32), uint32(r.stack[0]))
	if !ok {
		b.Fatal("answer outside memory")
	}
	return append([]byte(nil), view...)
}

// against runs op b.N times and the floor beside it, and reports the ratio of their times. The floor
// does not count into the benchmark's own figures.
func against(b *testing.B, floor, op func()) {
	b.Helper()
	op()
	floor()
	b.ReportAllocs()
	b.ResetTimer()
	var floors time.Duration
	runs := 0
	for b.Loop() {
		op()
		if runs++; runs%8 == 0 || runs == 1 {
			b.StopTimer()
			start := time.Now()
			floor()
			floors += time.Since(start)
			b.StartTimer()
		}
	}
	b.StopTimer()
	perFloor := float64(floors) / float64((runs/8)+1)
	if runs == 1 {
		perFloor = float64(floors)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(runs)/perFloor, "x-floor")
	b.ReportMetric(perFloor, "floor-ns")
}

func open(b *testing.B) *host.Host {
	h := host.Open(host.Options{})
	b.Cleanup(func() { require.NoError(b, h.Close(context.Background())) })
	return h
}

func loadGuest(b *testing.B, file []byte) *runtime.Guest {
	r := runtime.New(engine.New(engine.Config{}), runtime.Options{Remember: runtime.Remember{SessionBytes: -1}})
	b.Cleanup(func() { require.NoError(b, r.Close(context.Background())) })
	g, err := r.Load(b.Context(), "bench.wasm", file, runtime.GuestOptions{})
	require.NoError(b, err)
	return g
}

// answering returns a small guest with the given contributions that always answers one text.
func answering(text string, state abi.State, ids ...string) []byte {
	m := wasmtest.Manifest()
	m.State = state
	m.Contributions = nil
	for _, id := range ids {
		m.Contributions = append(m.Contributions, abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: id,
			Needs: []abi.ContextField{abi.FieldPrompt}})
	}
	answer := wasmtest.Text(text)
	return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 4 << 10, Bytes: answer}}}, m,
		wasmtest.Answer(4<<10, uint32(len(answer))))
}

// One call: of a guest without state, which gets an instance of its own, and of one with session state.
func BenchmarkCall(b *testing.B) {
	request, err := abi.Encode(messagesv1.RenderRequest{ID: "a"})
	require.NoError(b, err)
	for _, size := range []int{0, 1 << 10} {
		for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
			b.Run(fmt.Sprintf("answer=%dB/state=%s", size, state), func(b *testing.B) {
				file := answering(strings.Repeat("x", size), state, "a")
				g := loadGuest(b, file)
				floor := newRaw(b, file, abi.RenderV1, request)
				call := runtime.Call{Op: abi.RenderV1, Session: "s", Request: request}
				against(b, func() { floor.call(b, request) }, func() {
					if _, err := g.Call(context.Background(), call); err != nil {
						b.Fatal(err)
					}
				})
			})
		}
	}
}

// The stock adapter of version 1 places developer messages in a payload of 1 MB and of 10 MB. The floor is
// the same operation on plain wazero.
func BenchmarkAdapter(b *testing.B) {
	file, err := stock.Adapters()
	require.NoError(b, err)
	messages := []registry.Message{{ID: "a", Content: strings.Repeat("x", 1<<10)}}
	for _, size := range []string{"1MB", "10MB"} {
		b.Run("payload="+size, func(b *testing.B) {
			const api = "openai-responses"
			body := testpayload.Large(api, size)
			h := open(b)
			_, err := h.Load(b.Context(), stock.AdaptersName, file, runtime.GuestOptions{})
			require.NoError(b, err)
			adapter, _, ok := h.Registry.FindAdapter("p", api, "")
			require.True(b, ok)
			request, err := abi.Encode(adaptersv1.ReplaceDeveloperMessagesRequest{
				Payload:  adaptersv1.Payload{ID: api + "-v1", Provider: "p", API: api, Payload: body},
				Messages: []adaptersv1.Message{{ID: messages[0].ID, Content: messages[0].Content}},
			})
			require.NoError(b, err)
			floor := newRaw(b, file, abi.ReplaceDeveloperMessagesV1, request)
			require.Equal(b, byte(1), floor.call(b, request)[1], "an answer with a value")
			b.SetBytes(int64(len(body)))
			req := &registry.PayloadRequest{SessionID: "s", Provider: "p", API: api, Payload: body}
			against(b, func() { floor.call(b, request) }, func() {
				out, err := adapter.ReplaceDeveloperMessages(context.Background(), req, messages)
				if err != nil || len(out) <= len(body) {
					b.Fatal(len(out), err)
				}
			})
		})
	}
}
