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
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// prelude is a program's side of pintle-js/1 without comfort: a test says what the function answer is.
const prelude = `let logs = [], written = {};
function log(text) { logs.push([1, text]) }
globalThis.__pintle = {
	call(op, request, payload, kv) { logs = []; written = {}; return answer(op, JSON.parse(request), payload, kv) },
	settled() { return typeof settled === "function" ? settled() : "." },
	more() { const said = JSON.stringify({logs, kv: written}); logs = []; return said },
	reseed(seed) { globalThis.seed = seed },
};
`

// preludeLines is what the line numbers of a test's own code begin behind.
var preludeLines = strings.Count(prelude, "\n")

// withSections puts custom sections in front of the engine.
func withSections(t testing.TB, sections ...any) []byte {
	t.Helper()
	file := engine.Module()
	for i := len(sections) - 2; i >= 0; i -= 2 {
		module, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
		require.NoError(t, err)
		file = module.WithCustomFirst(sections[i].(string), sections[i+1].([]byte))
	}
	return file
}

func manifestOf(t testing.TB, m *abi.Manifest) []byte {
	t.Helper()
	section, err := abi.EncodeManifest(m)
	require.NoError(t, err)
	return section
}

func bundleOf(t testing.TB, b *abi.Bundle) []byte {
	t.Helper()
	section, err := abi.EncodeBundle(b)
	require.NoError(t, err)
	return section
}

// answering makes a guest in JavaScript with the prelude and the code.
func answering(t testing.TB, code string, change ...func(*abi.Manifest)) []byte {
	t.Helper()
	m := wasmtest.Manifest()
	for _, f := range change {
		f(m)
	}
	return withSections(t, abi.ManifestSection, manifestOf(t, m), abi.BundleSection, bundleOf(t, &abi.Bundle{Code: prelude + code}))
}

func asks(names ...string) func(*abi.Manifest) {
	return func(m *abi.Manifest) { m.Capabilities = append(m.Capabilities, asking(names...).Capabilities...) }
}

// scripts is a runtime that tests share, since compiling the engine takes its time.
var scripts = sync.OnceValue(func() *runtime.Runtime {
	return runtime.New(enginetest.New(), runtime.Options{Remember: runtime.Remember{SessionBytes: -1}, Limits: unhurried})
})

func loadScript(t testing.TB, file []byte, opts runtime.GuestOptions) *runtime.Guest {
	t.Helper()
	g, err := scripts().Load(t.Context(), "test.wasm", file, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close(context.Background())) })
	return g
}

// saying loads a guest and renders once.
func saying(t testing.TB, code string) (string, error) {
	t.Helper()
	return render(t.Context(), loadScript(t, answering(t, code), runtime.GuestOptions{}))
}

// askScript renders with a request.
func askScript(t testing.TB, g *runtime.Guest, session string, request map[string]any) (string, error) {
	t.Helper()
	in, err := abi.Encode(request)
	require.NoError(t, err)
	value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: session, Request: in})
	if err != nil || value == nil {
		return "", err
	}
	return abi.Text(value)
}

func TestScriptAnswers(t *testing.T) {
	for code, want := range map[string]string{
		`const answer = () => "1hello"`:                                                                              "hello",
		`const answer = () => "0"`:                                                                                   "",
		`const answer = () => "1Grüße 🧾"`:                                                                            "Grüße 🧾",
		`const answer = () => "1a\ud800b\udc00\u0000"`:                                                               "a\uFFFDb\uFFFD\x00",
		`const answer = () => "1" + "x".repeat(100000)`:                                                              strings.Repeat("x", 100000),
		`const answer = (op, request) => "1" + op + JSON.stringify(request)`:                                         abi.RenderV1 + "{}",
		`const answer = (op, request, payload, kv) => "1" + typeof payload + typeof kv`:                              "undefinedundefined",
		`let n = 0; const answer = () => "1" + n++`:                                                                  "0",
		`var answer = () => "1" + [typeof fetch, typeof process, typeof setTimeout, typeof require, typeof console]`: "undefined,undefined,undefined,undefined,undefined",
		`var answer = () => "1" + Object.keys(__pintle) + (this === globalThis)`:                                     "call,settled,more,reseedtrue",
		`var answer = () => "1" + new Date().toISOString() + new Date().getTimezoneOffset()`:                         "2020-01-01T00:00:00.000Z0",
	} {
		g := loadScript(t, answering(t, code), runtime.GuestOptions{})
		for range 3 {
			text, err := render(t.Context(), g)
			require.NoError(t, err, code)
			assert.Equal(t, want, text)
		}
		assert.True(t, g.Reset().Copied)
		assert.Equal(t, "pintle-js/1", g.Artifact().Transport())
	}
}

func TestScriptRequest(t *testing.T) {
	g := loadScript(t, answering(t, `var answer = (op, request) => "1" + request.prompt.length + request.activeTools.join()`), runtime.GuestOptions{})
	for _, n := range []int{0, 1, 8 << 10, 100 << 10, 1} { // from short to longer than the buffer and back
		text, err := askScript(t, g, "s", map[string]any{"prompt": strings.Repeat("é", n), "activeTools": []string{"read", "\"'\n"}})
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("%dread,\"'\n", n), text)
	}
}

func TestScriptFailsOfItsOwn(t *testing.T) {
	g := loadScript(t, answering(t, `var answer = () => "2" + JSON.stringify({code: "no-prompt", message: "nothing\ud800"})`), runtime.GuestOptions{})
	for range 2 {
		_, err := render(t.Context(), g)
		var failure *abi.Failure
		require.ErrorAs(t, err, &failure)
		assert.Equal(t, abi.Failure{Code: "no-prompt", Message: "nothing\uFFFD"}, *failure)
		assert.Equal(t, runtime.KindFailed, asError(t, err).Kind)
	}
}

func TestScriptSharedRequest(t *testing.T) {
	g := loadScript(t, answering(t, `var answer = (op, request) => "1" + request.a + request.b`), runtime.GuestOptions{})
	shared := runtime.Share([]byte{0x61, 'b', 2})
	value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: []byte{0xa2, 0x61, 'a', 1}, Shared: shared})
	require.NoError(t, err)
	text, err := abi.Text(value)
	require.NoError(t, err)
	assert.Equal(t, "12", text)
}

const rewriter = `function answer(op, request, payload) {
	const body = JSON.parse(payload);
	if (op.endsWith("read_system_prompt")) return body.system === undefined ? "0" : "1" + body.system;
	if (op.endsWith("replace_system_prompt"))
		return "4" + JSON.stringify([{op: "set", at: ["system"], value: JSON.stringify(request.systemPrompt)}]);
	return "4" + JSON.stringify(request.messages.map((m, i) => ({op: "insert", at: ["input", 0], value: JSON.stringify(m.content)})));
}`

func adapterManifest(m *abi.Manifest) {
	m.Contributions = nil
	m.Adapters = []abi.Adapter{{Interface: abi.ProviderPayloadAdaptersV1, ID: "a", APIs: []string{"x"}, Operations: []string{abi.ReplaceDeveloperMessagesV1}}}
}

func TestScriptRewritesPayloads(t *testing.T) {
	g := loadScript(t, answering(t, rewriter, adapterManifest), runtime.GuestOptions{})
	payload := []byte(`{"n":1.0,"input":[1e400, {}],"system":"Be kind.","id":12345678901234567890}`)
	call := func(op string, more map[string]any) []byte {
		more["payload"] = payload
		in, err := abi.Encode(more)
		require.NoError(t, err)
		value, err := g.Call(t.Context(), runtime.Call{Op: op, Request: in, PayloadBytes: len(payload)})
		require.NoError(t, err)
		return value
	}
	text, err := abi.Text(call(abi.ReadSystemPromptV1, map[string]any{}))
	require.NoError(t, err)
	assert.Equal(t, "Be kind.", text)
	body, err := abi.Bytes(call(abi.ReplaceSystemPromptV1, map[string]any{"systemPrompt": "Be brief."}))
	require.NoError(t, err)
	assert.Equal(t, `{"n":1.0,"input":[1e400, {}],"system":"Be brief.","id":12345678901234567890}`, string(body))
	body, err = abi.Bytes(call(abi.ReplaceDeveloperMessagesV1, map[string]any{"messages": []map[string]any{{"id": "1", "content": "a"}, {"id": "2", "content": "b"}}}))
	require.NoError(t, err)
	assert.Equal(t, `{"n":1.0,"input":["a","b",1e400, {}],"system":"Be kind.","id":12345678901234567890}`, string(body))
	assert.Nil(t, call(abi.ReplaceDeveloperMessagesV1, map[string]any{"messages": []any{}}))
}

// A payload may be as large as the host takes them.
func TestScriptLargePayload(t *testing.T) {
	g := loadScript(t, answering(t, rewriter, adapterManifest), runtime.GuestOptions{})
	payload := []byte(`{"system":"a","input":["` + strings.Repeat("é", 2<<20) + `"]}`)
	in, err := abi.Encode(map[string]any{"payload": payload, "systemPrompt": "b"})
	require.NoError(t, err)
	value, err := g.Call(t.Context(), runtime.Call{Op: abi.ReplaceSystemPromptV1, Request: in, PayloadBytes: len(payload)})
	require.NoError(t, err)
	body, err := abi.Bytes(value)
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(string(payload), `"a"`, `"b"`, 1), string(body))
}

func TestScriptPromises(t *testing.T) {
	const waiting = `let state = ".", failed;
function later(f) { f().then(v => state = "1" + v, e => failed = e); return "." }
function settled() { if (failed) throw failed; return state }
`
	for code, want := range map[string]string{
		`var answer = () => later(async () => { await null; for (let i = 0; i < 100; i++) await i; return "late" })`: "late",
		`var answer = () => later(() => Promise.all([1, Promise.resolve(2)]).then(String))`:                          "1,2",
		`let n; (async () => { await 1; n = "start" })(); var answer = () => "1" + n`:                                "start",
	} {
		text, err := saying(t, waiting+code)
		require.NoError(t, err, code)
		assert.Equal(t, want, text)
	}
	_, err := saying(t, waiting+`var answer = () => later(async function slow() { await null; throw new RangeError("too late") })`)
	e := asError(t, err)
	assert.Equal(t, runtime.KindTrap, e.Kind)
	assert.Equal(t, "RangeError: too late", e.Reason)
	assert.Contains(t, e.Trace[0], "slow (guest.js:")
	_, err = saying(t, waiting+`var answer = () => later(() => new Promise(() => {}))`)
	assert.Contains(t, asError(t, err).Reason, "is never settled: a guest has no timers, network or files")
	_, err = saying(t, waiting+`var answer = () => later(async function spin() { await null; for (;;); })`)
	e = asError(t, err)
	assert.Equal(t, runtime.KindFuel, e.Kind)
	assert.Contains(t, strings.Join(e.Trace, " "), "spin (guest.js:")
	_, err = saying(t, waiting+`const again = () => Promise.resolve().then(again); var answer = () => later(again)`)
	assert.Equal(t, runtime.KindFuel, asError(t, err).Kind, "jobs without end")
	_, err = saying(t, waiting+`var answer = () => { Promise.resolve().then(() => { for (;;); }); return "1early" }`)
	assert.Equal(t, runtime.KindFuel, asError(t, err).Kind, "what it left behind belongs to the call")
}

func TestScriptConfig(t *testing.T) {
	file := answering(t, `const host = JSON.parse(__pintleHost); var answer = () => "1" + JSON.stringify(host)`, func(m *abi.Manifest) {
		m.Capabilities = []abi.Capability{{Name: abi.CapabilityConfig, Reason: "to test it", Keys: []string{"tone", "empty"}}}
	}, asks("random", "kv", "clock"))
	g := loadScript(t, file, runtime.GuestOptions{Config: map[string]string{"tone": "\"dry\"\xff", "secret": "x"}, Grants: []string{"kv", "clock"}})
	text, err := render(t.Context(), g)
	require.NoError(t, err)
	assert.Equal(t, `{"config":{"tone":"\"dry\"`+"\uFFFD"+`"},"granted":["clock","kv"],"features":0}`, text)
}
