package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// What does not fit into the log is counted, whether the host or the guest's engine had no room for it.
func TestScriptLogsThatAreLost(t *testing.T) {
	for _, test := range []struct {
		limit   int
		code    string
		dropped int
	}{
		{300, `log("x".repeat(1000))`, 1000 - (300 - 16)},
		{300, `log("x".repeat(284))`, 0},
		{1 << 20, `for (let i = 0; i < 4096 + 10; i++) log("x")`, 10 * len(`[1,"x"]`)},
	} {
		var lines strings.Builder
		r := newRuntime(t, runtime.Options{Logger: slog.New(slog.NewTextHandler(&lines, nil)), Limits: runtime.Limits{LogBytes: test.limit}})
		_, err := render(t.Context(), load(t, r, answering(t, `function answer() { `+test.code+`; return "+1x" }`)))
		require.NoError(t, err)
		if test.dropped == 0 {
			assert.NotContains(t, lines.String(), "cut off")
		} else {
			assert.Contains(t, lines.String(), fmt.Sprintf(`msg="guest log cut off" guest=test@1.0.0 dropped="%d bytes"`, test.dropped))
		}
	}
}

// The caller's bytes stay as they are, whatever room there is behind them.
func TestScriptRequestStaysTheCallers(t *testing.T) {
	g := loadScript(t, answering(t, `var answer = (op, request) => "1" + request.a + request.b`), runtime.GuestOptions{})
	buffer := append([]byte{0xa2, 0x61, 'a', 1}, "untouched"...)
	_, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: buffer[:4], Shared: runtime.Share([]byte{0x61, 'b', 2})})
	require.NoError(t, err)
	assert.Equal(t, "untouched", string(buffer[4:]))
}

// Frames of another file than the bundle have no place in the sources, whatever their line is.
func TestScriptTraceOfAnotherFile(t *testing.T) {
	mapped, err := json.Marshal(map[string]any{"version": 3, "sources": []string{"src/index.ts"}, "mappings": "AAAA" + strings.Repeat(";AACA", 30)})
	require.NoError(t, err)
	code := prelude + `function answer() { throw Object.defineProperty(new Error("x"), "stack", {value: "    at f (other.js:2:1)\n    at g (guest.js:2:1)\n"}) }`
	_, err = render(t.Context(), loadScript(t, withSections(t, abi.ManifestSection, manifestOf(t, wasmtest.Manifest()),
		abi.BundleSection, bundleOf(t, &abi.Bundle{Code: code, Map: string(mapped)})), runtime.GuestOptions{}))
	assert.Equal(t, []string{"f (other.js:2:1)", "g (src/index.ts:2:1)"}, asError(t, err).Trace)
}

// A brokenStore has nothing and keeps nothing.
type brokenStore struct{}

func (brokenStore) Load(context.Context, runtime.StoreKey) (map[string][]byte, error) {
	return nil, errors.New("no disk")
}
func (brokenStore) Save(context.Context, runtime.StoreKey, map[string][]byte) error {
	return errors.New("no disk")
}
func (brokenStore) EndSession(context.Context, string) error { return nil }

// Without its store a guest runs as if it had no kv.
func TestScriptWithoutAStore(t *testing.T) {
	r := newRuntime(t, runtime.Options{Store: brokenStore{}})
	g, err := r.Load(t.Context(), "x", answering(t, `function answer(op, request, payload, kv) { return "1" + typeof kv }`, asks("kv")),
		runtime.GuestOptions{Grants: []string{"kv"}})
	require.NoError(t, err)
	text, err := askScript(t, g, "s", map[string]any{})
	require.NoError(t, err)
	assert.Equal(t, "undefined", text)
}

// What is kept of memory for last words is 4 MiB at most.
func TestScriptUsesItsMemory(t *testing.T) {
	g := loadScript(t, answering(t, `function answer(op, request) { return "1" + new Uint8Array(request.bytes).length }`), runtime.GuestOptions{})
	_, err := askScript(t, g, "s", map[string]any{"bytes": 57 << 20})
	require.NoError(t, err)
	_, err = askScript(t, g, "s", map[string]any{"bytes": 60 << 20})
	assert.Equal(t, runtime.KindMemory, asError(t, err).Kind)
}

// Where the engine itself is stopped, its own functions say nothing to an author.
func TestScriptEngineIsStopped(t *testing.T) {
	_, err := saying(t, `const long = "a".repeat(1 << 20), short = "a".repeat(1 << 19) + "b"; function answer() { return "1" + long.indexOf(short) }`)
	e := asError(t, err)
	assert.Equal(t, runtime.KindFuel, e.Kind)
	assert.Empty(t, e.Trace)
}

func TestScriptTooLittleMemory(t *testing.T) {
	for kib, want := range map[uint64]string{
		1152: "the JavaScript engine does not start: it needs more memory", 1408: "it wanted more than its 1408 KiB of memory",
	} {
		_, err := scripts().Load(t.Context(), "x", answering(t, `var answer = () => "1x"`, func(m *abi.Manifest) { m.Limits.MemoryBytes = kib << 10 }), runtime.GuestOptions{})
		e := asError(t, err)
		assert.Equal(t, runtime.KindMemory, e.Kind)
		assert.Equal(t, want, e.Reason)
	}
}

// Nothing is left of a guest that was only asked what it registers, but what it logged.
func TestRegisteredLeavesNothing(t *testing.T) {
	var lines strings.Builder
	e := newTally()
	r := runtime.New(e, runtime.Options{Logger: slog.New(slog.NewTextHandler(&lines, nil)), Limits: runtime.Limits{AnswerBytes: 1000, Time: unhurried.Time}})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	for code, want := range map[string]string{
		`log("asked"); __pintle.registered = () => "x".repeat(1000)`: "",
		`log("asked"); __pintle.registered = () => "x".repeat(1001)`: "the answer has 1001 bytes, at most 1000 are allowed",
	} {
		lines.Reset()
		text, err := r.Registered(t.Context(), "mine", withSections(t, abi.BundleSection, bundleOf(t, &abi.Bundle{Code: prelude + code})))
		assert.Equal(t, int64(1), e.made.Swap(0))
		assert.Zero(t, e.open.Load())
		assert.Contains(t, lines.String(), "msg=asked")
		if want == "" {
			require.NoError(t, err)
			assert.Len(t, text, 1000)
			continue
		}
		assert.Equal(t, runtime.KindAnswerTooLarge, asError(t, err).Kind)
		assert.ErrorContains(t, err, want)
	}
}

// Guests that are loaded at the same time wait for one compilation, and its code is closed with the runtime.
func TestScriptsLoadedTogetherShareTheirCode(t *testing.T) {
	e := &slowCompiling{Engine: enginetest.New(), began: make(chan struct{}, 10), goOn: make(chan struct{})}
	r := runtime.New(e, runtime.Options{Limits: unhurried})
	var loads sync.WaitGroup
	for i := range 4 {
		loads.Go(func() {
			_, err := r.Load(context.Background(), "x", answering(t, fmt.Sprintf(`const answer = () => "1%d"`, i)), runtime.GuestOptions{})
			assert.NoError(t, err)
		})
	}
	<-e.began
	close(e.goOn)
	loads.Wait()
	_, err := r.Registered(t.Context(), "x", answering(t, `__pintle.registered = () => "{}"`))
	require.NoError(t, err)
	assert.Equal(t, int64(1), e.compiled.Load())
	require.NoError(t, r.Close(t.Context()))
	assert.Equal(t, int64(1), e.closed.Load())
}

// A slowCompiling engine counts codes, the first of which it does not make before it is told to go on.
type slowCompiling struct {
	runtime.Engine
	began, goOn      chan struct{}
	compiled, closed atomic.Int64
}

type countedCode struct {
	runtime.Code
	engine *slowCompiling
}

func (e *slowCompiling) Compile(ctx context.Context, module []byte, host []runtime.HostFunc) (runtime.Code, error) {
	e.compiled.Add(1)
	e.began <- struct{}{}
	<-e.goOn
	code, err := e.Engine.Compile(ctx, module, host)
	return &countedCode{code, e}, err
}

func (c *countedCode) Close(ctx context.Context) error {
	c.engine.closed.Add(1)
	return c.Code.Close(ctx)
}
