package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/runtime"
)

func withSession(m *abi.Manifest) { m.State = abi.StateSession }

func TestScriptSessions(t *testing.T) {
	g := loadScript(t, answering(t, `let n = 0; const answer = (op, request) => { if (request.bad) throw new Error("x"); return "1" + ++n }`, withSession), runtime.GuestOptions{})
	count := func(session, want string) {
		text, err := askScript(t, g, session, map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, want, text)
	}
	count("a", "1")
	count("a", "2")
	count("b", "1")
	count("", "1")
	count("", "1")
	_, err := askScript(t, g, "a", map[string]any{"bad": true})
	require.Error(t, err)
	count("a", "1") // nobody knows what an exception left undone
	count("b", "2")
	g.EndSession(t.Context(), "b")
	count("b", "1")
}

// An open instance of any engine, as the host of this test sees it.
type watched struct {
	runtime.Engine
	mu   sync.Mutex
	last runtime.Instance
}

type watchedCode struct {
	runtime.Code
	engine *watched
}

func (e *watched) Compile(ctx context.Context, module []byte, host []runtime.HostFunc) (runtime.Code, error) {
	code, err := e.Engine.Compile(ctx, module, host)
	return &watchedCode{code, e}, err
}

func (c *watchedCode) Instantiate(ctx context.Context, opts runtime.InstanceOptions) (runtime.Instance, error) {
	in, err := c.Code.Instantiate(ctx, opts)
	c.engine.mu.Lock()
	defer c.engine.mu.Unlock()
	c.engine.last = in
	return in, err
}

// A session may go on for as long as it likes: a call leaves nothing behind, neither handles nor texts.
func TestScriptSessionsDoNotGrow(t *testing.T) {
	e := &watched{Engine: enginetest.New()}
	r := runtime.New(e, runtime.Options{Remember: runtime.Remember{SessionBytes: -1}, Limits: unhurried})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	file := answering(t, `let state = "."; function settled() { return state }
function answer(op, request, payload, kv) {
	if (request.n % 4 == 3) { Promise.resolve().then(() => state = "+1late"); return "." }
	written = {a: "x", b: null};
	return ["+1text", "+0", '2{"code":"c"}'][request.n % 4] }`, withSession, asks("kv", "random"))
	g, err := r.Load(t.Context(), "test.wasm", file, runtime.GuestOptions{Grants: []string{"kv", "random"}})
	require.NoError(t, err)
	size := func() (allocated uint64, memory uint32) {
		allocated, err := e.last.Function("qjs_get_allocated_size").Call()
		require.NoError(t, err)
		return allocated, e.last.Memory().Size()
	}
	run := func(n int) {
		for i := range n {
			_, err := askScript(t, g, "s", map[string]any{"n": i, "prompt": strings.Repeat("x", i%20_000)})
			if err != nil {
				require.Equal(t, runtime.KindFailed, asError(t, err).Kind)
			}
		}
	}
	run(400)
	allocated, memory := size()
	run(2000)
	after, memoryAfter := size()
	assert.InDelta(t, float64(allocated), float64(after), 2000, "a byte for each call at most")
	assert.Equal(t, memory, memoryAfter)
}

func TestScriptKV(t *testing.T) {
	const code = `function answer(op, request, payload, kv) {
	if (kv === undefined) return "1denied";
	const had = kv;
	written = request.write ?? {};
	if (request.end === "throw") throw new Error("x");
	return (request.quiet ? "" : "+") + (request.end ?? "1") + (request.end ? "" : had) }`
	file := answering(t, code, asks("kv"))
	text, err := render(t.Context(), loadScript(t, file, runtime.GuestOptions{}))
	require.NoError(t, err)
	assert.Equal(t, "denied", text)

	g := loadScript(t, file, runtime.GuestOptions{Source: t.Name(), Grants: []string{"kv"}})
	session := 0
	steps := func(requests ...map[string]any) string {
		session++
		for _, request := range requests {
			_, _ = askScript(t, g, fmt.Sprint(session), request)
		}
		text, err := askScript(t, g, fmt.Sprint(session), map[string]any{})
		require.NoError(t, err)
		return text
	}
	write := func(key string, value any) map[string]any {
		return map[string]any{"write": map[string]any{key: value}}
	}
	with := func(m map[string]any, key string, value any) map[string]any {
		m[key] = value
		return m
	}
	assert.Equal(t, `{}`, steps())
	assert.Equal(t, `{"a":"1","b":"\"é"}`, steps(write("b", `"é`), write("a", "1")))
	assert.Equal(t, `{"a":"2"}`, steps(write("a", "1"), write("b", "x"), write("a", "2"), write("b", nil), write("c", nil)))
	assert.Equal(t, `{"":""}`, steps(write("", "")))
	assert.Equal(t, `{"a":"1"}`, steps(with(write("a", "1"), "end", "0")))
	for name, request := range map[string]map[string]any{
		"error": with(write("a", "1"), "end", `2{}`), "throw": with(write("a", "1"), "end", "throw"),
		"bad answer": with(write("a", "1"), "end", "x"), "quiet": with(write("a", "1"), "quiet", true),
		"long key": write(strings.Repeat("k", 257), "1"), "long value": write("k", strings.Repeat("v", 16<<10+1)),
	} {
		assert.Equal(t, `{}`, steps(request), name)
	}
	_, err = askScript(t, g, "large", write("k", strings.Repeat("v", 16<<10+1)))
	e := asError(t, err)
	assert.Equal(t, runtime.KindBadAnswer, e.Kind)
	assert.Contains(t, e.Reason, "what it writes to its kv does not fit: a key has at most 256 bytes, a value 16384")
	// What is replaced makes room first.
	full := map[string]any{}
	for i := range 4 {
		full[fmt.Sprint(i)] = strings.Repeat("v", 16<<10-2)
	}
	moved := map[string]any{"0": nil, "1": "", "x": full["0"], "y": full["1"]}
	_, err = askScript(t, g, "full", map[string]any{"write": full})
	require.NoError(t, err)
	_, err = askScript(t, g, "full", map[string]any{"write": moved})
	require.NoError(t, err)
	_, err = askScript(t, g, "full", write("z", "1234567890"))
	require.Error(t, err)
}

func TestScriptRandom(t *testing.T) {
	const code = `const answer = () => "1" + globalThis.seed + Math.random()`
	file := answering(t, code, asks("random"))
	g := loadScript(t, file, runtime.GuestOptions{})
	first, err := render(t.Context(), g)
	require.NoError(t, err)
	assert.Contains(t, first, "undefined0.")
	again, err := render(t.Context(), g)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	for _, change := range []func(*abi.Manifest){func(*abi.Manifest) {}, withSession} {
		g = loadScript(t, answering(t, code, asks("random"), change), runtime.GuestOptions{Grants: []string{"random"}})
		assert.True(t, g.Reset().Copied)
		seen := map[string]bool{}
		for i := range 4 {
			text, err := askScript(t, g, fmt.Sprint(i), map[string]any{})
			require.NoError(t, err)
			require.Regexp(t, `^[0-9a-f]{64}0\.`, text)
			seen[text[:64]] = true
		}
		assert.Len(t, seen, 4, "every call draws anew")
	}
}

func TestScriptClock(t *testing.T) {
	const code = `const answer = () => "1" + (new Date().getFullYear())`
	g := loadScript(t, answering(t, code, asks("clock")), runtime.GuestOptions{Grants: []string{"clock"}})
	text, err := render(t.Context(), g)
	require.NoError(t, err)
	assert.Greater(t, text, "2024")
}

// Many calls at the same time, of guests that come and go on one engine.
func TestScriptsInParallel(t *testing.T) {
	r := newRuntime(t, runtime.Options{})
	file := answering(t, `let n = 0; function answer(op, request) { if (request.bad) throw new Error(request.bad); return "1" + n++ + request.prompt }`)
	var guests sync.WaitGroup
	for guest := range 3 {
		guests.Go(func() {
			g, err := r.Load(t.Context(), "x", file, runtime.GuestOptions{})
			if !assert.NoError(t, err) {
				return
			}
			var calls sync.WaitGroup
			for i := range 4 {
				calls.Go(func() {
					for n := range 10 {
						prompt := fmt.Sprint(guest, i, n)
						if n == 7 && i == 0 { // three in a row would be quarantined
							_, err := askScript(t, g, "s", map[string]any{"bad": prompt})
							assert.ErrorContains(t, err, "Error: "+prompt)
							continue
						}
						text, err := askScript(t, g, "s", map[string]any{"prompt": prompt})
						assert.NoError(t, err)
						assert.Equal(t, "0"+prompt, text)
					}
				})
			}
			calls.Wait()
			assert.NoError(t, g.Close(context.Background()))
		})
	}
	guests.Wait()
}
