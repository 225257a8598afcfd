package runtime_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// newRuntime returns a runtime that remembers no answers unless the options ask for it: most tests want
// the guest to run.
func newRuntime(t testing.TB, opts runtime.Options) *runtime.Runtime {
	t.Helper()
	if opts.Remember == (runtime.Remember{}) {
		opts.Remember.SessionBytes = -1
	}
	if opts.Limits.Time == 0 {
		opts.Limits.Time = unhurried.Time
	}
	r := runtime.New(enginetest.New(), opts)
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	return r
}

func load(t testing.TB, r *runtime.Runtime, file []byte) *runtime.Guest {
	t.Helper()
	g, err := r.Load(t.Context(), "test.wasm", file, runtime.GuestOptions{})
	require.NoError(t, err)
	return g
}

func render(ctx context.Context, g *runtime.Guest) (string, error) {
	value, err := g.Call(ctx, runtime.Call{Op: abi.RenderV1, Session: "s", Request: []byte{0xa0}})
	if err != nil || value == nil {
		return "", err
	}
	return abi.Text(value)
}

func TestCall(t *testing.T) {
	g := load(t, newRuntime(t, runtime.Options{}), wasmtest.Says("hello"))
	for range 3 {
		text, err := render(t.Context(), g)
		require.NoError(t, err)
		assert.Equal(t, "hello", text)
	}
	assert.Equal(t, "test@1.0.0", g.Name())
}

// Guests that do one thing wrong, and how the host puts it.
func TestFailures(t *testing.T) {
	type guest struct {
		module wasmtest.Module
		render []byte
	}
	code := wasmtest.Code
	text := []wasmtest.Data{{Offset: 16, Bytes: []byte("out of cheese\xff")}}
	panics := []wasmtest.Import{{Module: abi.HostModule, Name: "panic", Type: wasmtest.SigPanic}}
	exits := []wasmtest.Import{{Module: "wasi_snapshot_preview1", Name: "proc_exit",
		Type: wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32}}}}
	at16 := func(data ...byte) wasmtest.Module {
		return wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: data}}}
	}
	failing, err := abi.EncodeAnswer(nil, &abi.Failure{Code: "no-style", Message: "nothing set"})
	require.NoError(t, err)
	tests := map[string]struct {
		guest  guest
		kind   runtime.Kind
		origin runtime.Origin
		reason string
	}{
		"trap":           {guest{render: code(wasmtest.Unreachable)}, runtime.KindTrap, runtime.OriginGuest, "unreachable"},
		"panic":          {guest{wasmtest.Module{Imports: panics, Data: text}, code(wasmtest.I32Const(16), wasmtest.I32Const(14), wasmtest.Call(0), wasmtest.Unreachable)}, runtime.KindTrap, runtime.OriginGuest, "panic: out of cheese\uFFFD"},
		"panic outside":  {guest{wasmtest.Module{Imports: panics}, code(wasmtest.I32Const(-1), wasmtest.I32Const(14), wasmtest.Call(0), wasmtest.Unreachable)}, runtime.KindTrap, runtime.OriginGuest, "outside memory"},
		"exit":           {guest{wasmtest.Module{Imports: exits}, code(wasmtest.I32Const(3), wasmtest.Call(0), wasmtest.Unreachable)}, runtime.KindTrap, runtime.OriginGuest, "exited with code 3"},
		"endless loop":   {guest{render: endless}, runtime.KindFuel, runtime.OriginGuest, "it used up its fuel of 10000000 units"},
		"packed zero":    {guest{render: code(wasmtest.I64Const(0))}, runtime.KindBadAnswer, runtime.OriginContract, "returned 0"},
		"answer outside": {guest{render: code(wasmtest.Answer(1<<16-1, 2))}, runtime.KindBadAnswer, runtime.OriginContract, "outside memory"},
		"answer wraps":   {guest{render: code(wasmtest.Answer(0xffffffff, 2))}, runtime.KindBadAnswer, runtime.OriginContract, "outside memory"},
		"too large":      {guest{render: code(wasmtest.Answer(16, 5000))}, runtime.KindAnswerTooLarge, runtime.OriginGuest, "5000 bytes, at most 4096"},
		"negative":       {guest{render: code(wasmtest.Answer(16, 0xffffffff))}, runtime.KindAnswerTooLarge, runtime.OriginGuest, "4294967295 bytes"},
		"not cbor":       {guest{at16(0xff), code(wasmtest.Answer(16, 1))}, runtime.KindBadAnswer, runtime.OriginContract, "cbor"},
		"not an answer":  {guest{at16(0x81, 0x07), code(wasmtest.Answer(16, 2))}, runtime.KindBadAnswer, runtime.OriginContract, "starts with 7"},
		"failed":         {guest{at16(failing...), code(wasmtest.Answer(16, uint32(len(failing))))}, runtime.KindFailed, runtime.OriginGuest, "no-style: nothing set"},
		"memory": {guest{render: code(wasmtest.I32Const(4096), wasmtest.MemoryGrow(), wasmtest.Drop, wasmtest.Unreachable)},
			runtime.KindMemory, runtime.OriginGuest, "1024 KiB"},
		"recursion": {guest{wasmtest.Module{Functions: []wasmtest.Function{{Code: code(wasmtest.Call(0))}}}, code(wasmtest.Call(0), wasmtest.Unreachable)},
			runtime.KindTrap, runtime.OriginGuest, "stack overflow"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRuntime(t, runtime.Options{Limits: runtime.Limits{
				Fuel: 10_000_000, AnswerBytes: 4096, MemoryBytes: 1 << 20}})
			render0 := test.guest.render
			g := load(t, r, wasmtest.Guest(test.guest.module, wasmtest.Manifest(), render0))
			for range 2 { // the second call shows that the guest is usable, or broken, in the same way
				_, err := render(t.Context(), g)
				var e *runtime.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, test.kind, e.Kind, e)
				assert.Equal(t, test.origin, e.Origin())
				assert.Contains(t, e.Reason, test.reason)
				assert.Equal(t, "test@1.0.0", e.Guest)
				assert.Equal(t, abi.RenderV1, e.Func)
			}
		})
	}
}

func TestFailedAnswerIsReachable(t *testing.T) {
	failing, err := abi.EncodeAnswer(nil, &abi.Failure{Code: "c", Message: "m"})
	require.NoError(t, err)
	g := load(t, newRuntime(t, runtime.Options{}), wasmtest.Guest(
		wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: failing}}}, wasmtest.Manifest(),
		wasmtest.Answer(16, uint32(len(failing)))))
	_, err = render(t.Context(), g)
	var failure *abi.Failure
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, abi.Failure{Code: "c", Message: "m"}, *failure)
}

// counting answers "1", "2", … from a byte in memory, so state that leaks shows. The byte stays ASCII
// however often it is counted up.
func counting(state abi.State) []byte {
	answer := wasmtest.Text("0")
	last := int32(16 + len(answer) - 1)
	m := wasmtest.Manifest()
	m.State = state
	return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Code(
		wasmtest.I32Const(last), wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const(1), wasmtest.I32Add,
		wasmtest.I32Const(0x7f), 0x71, wasmtest.I32Store8(), // i32.and
		wasmtest.Answer(16, uint32(len(answer)))))
}

func TestState(t *testing.T) {
	say := func(t *testing.T, g *runtime.Guest, session string) string {
		value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: session, Request: []byte{0xa0}})
		require.NoError(t, err)
		text, err := abi.Text(value)
		require.NoError(t, err)
		return text
	}
	t.Run("none", func(t *testing.T) {
		g := load(t, newRuntime(t, runtime.Options{}), counting(abi.StateNone))
		for range 3 {
			assert.Equal(t, "1", say(t, g, "a"))
		}
	})
	t.Run("session", func(t *testing.T) {
		g := load(t, newRuntime(t, runtime.Options{}), counting(abi.StateSession))
		assert.Equal(t, "1", say(t, g, "a"))
		assert.Equal(t, "2", say(t, g, "a"))
		assert.Equal(t, "1", say(t, g, "b"), "sessions do not see each other")
		assert.Equal(t, "3", say(t, g, "a"))
		g.EndSession(t.Context(), "a")
		assert.Equal(t, "1", say(t, g, "a"), "an ended session is forgotten")
	})
	t.Run("sessions are bounded", func(t *testing.T) {
		g := load(t, newRuntime(t, runtime.Options{}), counting(abi.StateSession))
		for i := range 70 {
			assert.Equal(t, "1", say(t, g, strings.Repeat("x", i+1)))
		}
		assert.Equal(t, "1", say(t, g, "x"), "the oldest gave way")
		assert.Equal(t, "2", say(t, g, strings.Repeat("x", 70)), "the newest stayed")
	})
}

// A session whose instance trapped starts over: a broken instance is never called again.
func TestBrokenSessionInstance(t *testing.T) {
	answer := wasmtest.Text("0")
	last := int32(16 + len(answer) - 1)
	m := wasmtest.Manifest()
	m.State = abi.StateSession
	increment := wasmtest.Code(wasmtest.I32Const(last), wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const(1), wasmtest.I32Add, wasmtest.I32Store8())
	file := wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Code(
		increment,
		// '0' + 3: trap on the third call
		wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const('3'), 0x46, wasmtest.If(wasmtest.Unreachable),
		wasmtest.Answer(16, uint32(len(answer)))))
	g := load(t, newRuntime(t, runtime.Options{}), file)
	var said []string
	for range 5 {
		text, err := render(t.Context(), g)
		if err != nil {
			text = "trap"
		}
		said = append(said, text)
	}
	assert.Equal(t, []string{"1", "2", "trap", "1", "2"}, said)
}

func TestInitialiser(t *testing.T) {
	r := newRuntime(t, runtime.Options{})
	_, err := r.Load(t.Context(), "bad", wasmtest.Guest(wasmtest.Module{Functions: []wasmtest.Function{
		{Export: abi.InitExport, Code: wasmtest.Code(wasmtest.Unreachable)}}}, wasmtest.Manifest(), wasmtest.Code(wasmtest.Unreachable)), runtime.GuestOptions{})
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindTrap, e.Kind)
	assert.Equal(t, abi.InitExport, e.Func)

	_, err = r.Load(t.Context(), "bad", wasmtest.Guest(wasmtest.Module{Start: 1, Functions: []wasmtest.Function{
		{Code: wasmtest.Code(wasmtest.Unreachable)}}}, wasmtest.Manifest(), wasmtest.Code(wasmtest.Unreachable)), runtime.GuestOptions{})
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "start", e.Func)
}

func TestCallerGivesUp(t *testing.T) {
	g := load(t, newRuntime(t, runtime.Options{Limits: patient}), wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), endless))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := render(ctx, g)
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindCanceled, e.Kind)
	assert.ErrorIs(t, err, context.Canceled)
}

// The host asks for a request buffer only when it needs a larger one than that of the image.
func TestRequestBufferIsKept(t *testing.T) {
	answer := wasmtest.Text("0")
	last := int32(16 + len(answer) - 1)
	m := wasmtest.Manifest()
	m.State = abi.StateSession
	section, err := abi.EncodeManifest(m)
	require.NoError(t, err)
	module := wasmtest.Module{
		Pages: 1, Custom: []wasmtest.Custom{{Name: abi.ManifestSection, Bytes: section}},
		Data: []wasmtest.Data{{Offset: 16, Bytes: answer}},
		Functions: []wasmtest.Function{
			{Export: abi.TransportExport},
			{Export: abi.AllocExport, Type: wasmtest.SigAlloc, Code: wasmtest.Code(
				wasmtest.I32Const(last), wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const(1), wasmtest.I32Add,
				wasmtest.I32Store8(), wasmtest.I32Const(wasmtest.RequestAt))},
			{Export: abi.RenderV1, Type: wasmtest.SigOp, Code: wasmtest.Answer(16, uint32(len(answer)))},
		},
	}
	g := load(t, newRuntime(t, runtime.Options{}), module.Encode())
	var counts []string
	for _, size := range []int{10, 5, 8 << 10, 8<<10 + 1, 3} {
		value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: "s", Request: make([]byte, size)})
		require.NoError(t, err)
		text, err := abi.Text(value)
		require.NoError(t, err)
		counts = append(counts, text)
	}
	assert.Equal(t, []string{"1", "1", "1", "2", "2"}, counts)
}

// A payload in the request raises the limits of its call.
func TestLimitsGrowWithThePayload(t *testing.T) {
	r := newRuntime(t, runtime.Options{Limits: runtime.Limits{AnswerBytes: 100, Time: 200 * time.Millisecond}})
	answer := wasmtest.Text(strings.Repeat("x", 300))
	call := func(g *runtime.Guest, payload int) error {
		_, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: []byte{0xa0}, PayloadBytes: payload})
		return err
	}
	g := load(t, r, wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, wasmtest.Manifest(),
		wasmtest.Answer(16, uint32(len(answer)))))
	assert.Equal(t, runtime.KindAnswerTooLarge, asError(t, call(g, len(answer)-101)).Kind)
	assert.NoError(t, call(g, len(answer)-100))

	spin := wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), endless)
	g = load(t, newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: 1_000_000, Time: time.Minute}}), spin)
	assert.Equal(t, "it used up its fuel of 1000000 units", asError(t, call(g, 0)).Reason)
	assert.Equal(t, "it used up its fuel of 101000000 units", asError(t, call(g, 512<<10)).Reason)
	assert.Equal(t, "it used up its fuel of 1000000 units", asError(t, call(g, -1)).Reason)

	g = load(t, newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: plenty, Time: 200 * time.Millisecond}}), spin)
	assert.Equal(t, "it did not return within 200ms", asError(t, call(g, 0)).Reason)
	assert.Equal(t, "it did not return within 300ms", asError(t, call(g, 512<<10)).Reason)
}

func TestConfig(t *testing.T) {
	m := wasmtest.Manifest()
	m.Capabilities = []abi.Capability{{Name: abi.CapabilityConfig, Reason: "tests", Keys: []string{"tone"}}}
	answer := wasmtest.Text("----")
	file := func(key string) []byte {
		return wasmtest.Guest(wasmtest.Module{
			Imports: []wasmtest.Import{{Module: abi.HostModule, Name: "config", Type: wasmbin.FuncType{
				Params: []wasmbin.ValueType{wasmbin.I32, wasmbin.I32, wasmbin.I32, wasmbin.I32}, Results: []wasmbin.ValueType{wasmbin.I32}}}},
			Data: []wasmtest.Data{{Offset: 16, Bytes: answer}, {Offset: 64, Bytes: []byte(key)}},
		}, m, wasmtest.Code(
			wasmtest.I32Const(64), wasmtest.I32Const(int32(len(key))), wasmtest.I32Const(int32(16+len(answer)-4)), wasmtest.I32Const(4), wasmtest.Call(0), wasmtest.Drop,
			wasmtest.Answer(16, uint32(len(answer)))))
	}
	r := newRuntime(t, runtime.Options{})
	for key, want := range map[string]string{"tone": "dry!", "secret": "----", "absent": "----"} {
		g, err := r.Load(t.Context(), "c", file(key), runtime.GuestOptions{Config: map[string]string{"tone": "dry!", "secret": "1234"}})
		require.NoError(t, err)
		text, err := render(t.Context(), g)
		require.NoError(t, err)
		assert.Equal(t, want, text, key)
	}
}

func TestLogs(t *testing.T) {
	var out strings.Builder
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	answer := wasmtest.Text("x")
	file := wasmtest.Guest(wasmtest.Module{
		Imports: []wasmtest.Import{{Module: abi.HostModule, Name: "log", Type: wasmtest.SigLog}},
		Data:    []wasmtest.Data{{Offset: 16, Bytes: answer}, {Offset: 64, Bytes: []byte("careful now")}},
	}, wasmtest.Manifest(), wasmtest.Code(
		wasmtest.I32Const(2), wasmtest.I32Const(64), wasmtest.I32Const(11), wasmtest.Call(0),
		wasmtest.I32Const(1), wasmtest.I32Const(0), wasmtest.I32Const(60000), wasmtest.Call(0),
		wasmtest.I32Const(1), wasmtest.I32Const(0), wasmtest.I32Const(60000), wasmtest.Call(0),
		wasmtest.Answer(16, uint32(len(answer)))))
	g := load(t, newRuntime(t, runtime.Options{Logger: logger}), file)
	_, err := render(t.Context(), g)
	require.NoError(t, err)
	assert.Contains(t, out.String(), `level=WARN msg="careful now" guest=test@1.0.0`)
	assert.Contains(t, out.String(), "guest log cut off")
	assert.Less(t, out.Len(), 400_000) // 64 KiB of NULs, each quoted as \x00
}

func TestTraceNamesFunctions(t *testing.T) {
	// A name section: function 0 is called boom.
	names := append([]byte{1, 7, 1, 0, 4}, "boom"...)
	file := wasmtest.Guest(wasmtest.Module{
		Functions: []wasmtest.Function{{Code: wasmtest.Code(wasmtest.Unreachable)}},
		Trailing:  []wasmtest.Custom{{Name: "name", Bytes: names}},
	}, wasmtest.Manifest(), wasmtest.Code(wasmtest.Call(0), wasmtest.Unreachable))
	g := load(t, newRuntime(t, runtime.Options{}), file)
	_, err := render(t.Context(), g)
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	require.NotEmpty(t, e.Trace)
	assert.Contains(t, e.Trace[0], "boom")
}

// C and Rust have a stack of their own at the start of memory. What goes beyond it traps, and is told as what it is.
func TestStackInMemoryIsFull(t *testing.T) {
	names := wasmtest.Custom{Name: "name", Bytes: append([]byte{7, 18, 1, 0, 15}, "__stack_pointer"...)}
	outside := wasmtest.Code(wasmtest.I32Const(-16), wasmtest.I32Load8(), wasmtest.Drop)
	for pointer, c := range map[int32]struct {
		code   []byte
		names  []wasmtest.Custom
		reason string
	}{
		-16: {outside, []wasmtest.Custom{names}, "stack overflow: the stack in its memory is full: out of bounds memory access"},
		127: {outside, []wasmtest.Custom{names}, "stack overflow: the stack in its memory is full: out of bounds memory access"},
		128: {outside, []wasmtest.Custom{names}, "out of bounds memory access"},
		-32: {outside, nil, "out of bounds memory access"},
		-64: {wasmtest.Code(wasmtest.Unreachable), []wasmtest.Custom{names}, "unreachable"},
	} {
		g := load(t, newRuntime(t, runtime.Options{}), wasmtest.Guest(wasmtest.Module{Globals: 1, Trailing: c.names},
			wasmtest.Manifest(), wasmtest.Code(wasmtest.I32Const(pointer), wasmtest.GlobalSet(0), c.code, wasmtest.Unreachable)))
		for range 2 {
			_, err := render(t.Context(), g)
			e := asError(t, err)
			assert.Equal(t, runtime.KindTrap, e.Kind)
			assert.Equal(t, c.reason, e.Reason, "%d", pointer)
		}
	}
}

func TestCloseWaitsForTheCallInFlight(t *testing.T) {
	r := newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: plenty, Time: 300 * time.Millisecond}})
	g := load(t, r, wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), endless))
	started, tried, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		assert.True(t, g.Hold())
		close(started)
		<-tried
		_, err := render(context.Background(), g)
		ended <- err
		g.Release()
	}()
	<-started
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, g.Close(short), context.DeadlineExceeded, "a call is in flight")
	require.False(t, g.Hold(), "no new holds")
	close(tried)
	require.NoError(t, g.Close(t.Context()))
	select {
	case err := <-ended:
		var e *runtime.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, runtime.KindTimeout, e.Kind, "a call of a holder runs to its own end")
	default:
		t.Fatal("close returned before the call did")
	}
	_, err := render(t.Context(), g)
	require.ErrorIs(t, err, runtime.ErrClosed)
	require.NoError(t, g.Close(t.Context()), "closing twice is harmless")
}

func TestConcurrentCallsAndClose(t *testing.T) {
	for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
		r := runtime.New(enginetest.New(), runtime.Options{Limits: unhurried})
		g := load(t, r, counting(state))
		var calls sync.WaitGroup
		for i := range 8 {
			calls.Go(func() {
				for range 50 {
					session := string(rune('a' + i%3))
					_, err := g.Call(context.Background(), runtime.Call{Op: abi.RenderV1, Session: session, Request: []byte{0xa0}})
					if err != nil && !errors.Is(err, runtime.ErrClosed) {
						t.Error(err)
						return
					}
					if i == 0 {
						g.EndSession(context.Background(), session)
					}
				}
			})
		}
		time.Sleep(5 * time.Millisecond)
		require.NoError(t, r.Close(t.Context()))
		calls.Wait()
		require.NoError(t, r.Close(t.Context()), "closing twice is harmless")
	}
}
