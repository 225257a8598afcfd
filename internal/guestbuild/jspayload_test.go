package guestbuild_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

// adapterOf is a guest with one adapter of the reference's shape, whose replacement is a JavaScript function
// body with payload and text.
func adapterOf(body string) map[string]string {
	return map[string]string{"index.js": `import { registerSystemPromptPayloadAdapter } from "pintle";
registerSystemPromptPayloadAdapter({
  provider: "acme",
  readSystemPrompt: (payload) => payload.prompt,
  replaceSystemPrompt: (payload, text) => replace(payload, text),
});
function replace(payload, text) {
  ` + body + `
}`}
}

func replaced(t *testing.T, g *jsGuest, payload string) guesttest.Answer {
	t.Helper()
	return g.ask(t, object{"adapter": "acme", "provider": "acme", "base": "old", "systemPrompt": "new", "payload": json.RawMessage(payload), "unchanged": true})
}

func TestJavaScriptPayloadsKeepWhatIsNotTouched(t *testing.T) {
	h := newJSHost(t)
	const payload = `{ "n": 1.0, "big": 12345678901234567890, "s": "caf\u00e9 \/ \ud83d", "prompt": "old",
  "list": [ {"k": 1e2, "v": [0.10]}, 5.50, {"k": -0} ], "last": {"b": 2.0, "a": 1.0} }`
	for body, want := range map[string]string{
		`return { ...payload, prompt: text };`: `{ "n": 1.0, "big": 12345678901234567890, "s": "caf\u00e9 \/ \ud83d", "prompt": "new",
  "list": [ {"k": 1e2, "v": [0.10]}, 5.50, {"k": -0} ], "last": {"b": 2.0, "a": 1.0} }`,
		`const { prompt, ...rest } = payload; return { ...rest, added: [1.50, "é"], a: undefined, f() {} };`: `{ "n": 1.0, "big": 12345678901234567890, "s": "caf\u00e9 \/ \ud83d",
  "list": [ {"k": 1e2, "v": [0.10]}, 5.50, {"k": -0} ], "last": {"b": 2.0, "a": 1.0} ,"added":[1.5,"é"]}`,
		`const copy = JSON.parse(JSON.stringify(payload)); copy.list[0].v.push("x"); copy.list.splice(1, 1); return copy;`: `{ "n": 1.0, "big": 12345678901234567890, "s": "caf\u00e9 \/ \ud83d", "prompt": "old",
  "list": [ {"k": 1e2, "v": [0.10,"x"]}, {"k": -0} ], "last": {"b": 2.0, "a": 1.0} }`,
		// What moved keeps its numbers.
		`return { ...payload, list: [payload.list[2], { wrapped: payload.list[0] }], prompt: null };`: `{ "n": 1.0, "big": 12345678901234567890, "s": "caf\u00e9 \/ \ud83d", "prompt": null,
  "list": [{"k": -0},{"wrapped":{"k":1e2,"v":[0.10]}}], "last": {"b": 2.0, "a": 1.0} }`,
		`return { outer: payload.last, ...payload };`: `{ "n": 1.0, "big": 12345678901234567890, "s": "caf\u00e9 \/ \ud83d", "prompt": "old",
  "list": [ {"k": 1e2, "v": [0.10]}, 5.50, {"k": -0} ], "last": {"b": 2.0, "a": 1.0} ,"outer":{"b":2.0,"a":1.0}}`,
		// Elements that have changed all through, each in its place.
		`return { ...payload, list: [{ k: 1, v: [-1, ...payload.list[0].v] }, ...payload.list.slice(1)] };`: `{ "n": 1.0, "big": 12345678901234567890, "s": "caf\u00e9 \/ \ud83d", "prompt": "old",
  "list": [ {"k": 1, "v": [-1,0.10]}, 5.50, {"k": -0} ], "last": {"b": 2.0, "a": 1.0} }`,
		`return payload.list;`:    `[{"k":1e2,"v":[0.10]},5.50,{"k":-0}]`,
		`return "not a payload";`: `"not a payload"`,
		`return { ...payload, last: new Date(0), list: [new String("s"), NaN, undefined, Symbol.iterator] };`: `{ "n": 1.0, "big": 12345678901234567890, "s": "caf\u00e9 \/ \ud83d", "prompt": "old",
  "list": ["s",null,null,null], "last": "1970-01-01T00:00:00.000Z" }`,
	} {
		a := replaced(t, h.guest(t, adapterOf(body), runtime.GuestOptions{}), payload)
		require.NoError(t, a.Err, body)
		assert.Equal(t, compacted(t, want), compacted(t, string(a.Payload)), body)
	}
	for _, body := range []string{
		`return payload;`, `return undefined;`, `return { ...payload };`, `return JSON.parse(JSON.stringify(payload));`,
		`const { n, ...rest } = payload; return { ...rest, n };`, // members have no order of their own
		`return Promise.resolve({ ...payload, list: payload.list.map((v) => v) });`,
	} {
		a := replaced(t, h.guest(t, adapterOf(body), runtime.GuestOptions{}), payload)
		require.NoError(t, a.Err, body)
		assert.Equal(t, guesttest.Unchanged, a.Kind, body)
		assert.JSONEq(t, payload, string(a.Payload), body)
	}
}

func compacted(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(json.RawMessage(text)) // it compacts, and escapes what HTML does not like
	require.NoError(t, err, text)
	return string(raw)
}

// Whoever changes what he was given learns it at his own line.
func TestJavaScriptPayloadsAreFrozen(t *testing.T) {
	h := newJSHost(t)
	for body, reason := range map[string]string{
		`payload.prompt = text; return payload;`:       "read-only",
		`payload.added = text; return payload;`:        "extensible",
		`delete payload.prompt; return payload;`:       "",
		`payload.list.push(1); return payload;`:        "",
		`payload.list[0].deep.er = 2; return payload;`: "read-only",
		`payload.list.sort(); return payload;`:         "",
	} {
		a := replaced(t, h.guest(t, adapterOf(body), runtime.GuestOptions{}), `{"prompt":"old","list":[{"deep":{"er":1}},2,1]}`)
		var failed *runtime.Error
		require.ErrorAs(t, a.Err, &failed, body)
		assert.Contains(t, failed.Reason, "TypeError", body)
		assert.Contains(t, failed.Reason, reason, body)
		assert.Contains(t, strings.Join(failed.Trace, "\n"), "replace (index.js:8:", body)
	}
}

// Of a large payload only the top is frozen, which is where adapters work.
func TestJavaScriptLargePayloads(t *testing.T) {
	h := newJSHost(t)
	payload := `{"prompt":"old","list":[{"deep":{"er":[1.0]}}],"pad":"` + strings.Repeat("x", 256<<10) + `"}`
	for _, body := range []string{
		`payload.list = 1; return payload;`, `payload.list.push(1); return payload;`, `payload.list[0].new = 1; return payload;`,
	} {
		require.ErrorContains(t, replaced(t, h.guest(t, adapterOf(body), runtime.GuestOptions{}), payload).Err, "TypeError", body)
	}
	a := replaced(t, h.guest(t, adapterOf(`const { pad, ...rest } = payload; return { ...rest, moved: [[payload.list[0].deep.er]] };`),
		runtime.GuestOptions{}), payload)
	require.NoError(t, a.Err)
	assert.Equal(t, `{"prompt":"old","list":[{"deep":{"er":[1.0]}}],"moved":[[[1.0]]]}`, string(a.Payload))
}

func TestJavaScriptPayloadErrors(t *testing.T) {
	h := newJSHost(t)
	for body, want := range map[string]string{
		`return () => 1;`:                  `what replaceSystemPrompt of adapter "acme" answered is a function, which JSON does not have`,
		`return { ...payload, n: 1n };`:    `what replaceSystemPrompt of adapter "acme" answered is not JSON: `,
		`const a = {}; a.a = a; return a;`: `what replaceSystemPrompt of adapter "acme" answered is not JSON: circular reference`,
		`throw "a plain text";`:            "a plain text",
	} {
		a := replaced(t, h.guest(t, adapterOf(body), runtime.GuestOptions{}), `{"prompt":"old"}`)
		require.ErrorContains(t, a.Err, want, body)
	}
	// What a getter or a toJSON throws is the author's, with its place.
	for _, body := range []string{"return { a: { toJSON() { throw new Error('no tide'); } } };", "return { get a() { throw new TypeError('no tide'); } };"} {
		a := replaced(t, h.guest(t, adapterOf(body), runtime.GuestOptions{}), `{"prompt":"old"}`)
		var failed *runtime.Error
		require.ErrorAs(t, a.Err, &failed)
		assert.Equal(t, runtime.KindTrap, failed.Kind)
		assert.Contains(t, failed.Reason, "no tide")
		require.NotEmpty(t, failed.Trace)
		assert.Contains(t, failed.Trace[0], "(index.js:")
	}
	files := adapterOf("return payload;")
	files["index.js"] = `import { registerSystemPromptPayloadAdapter } from "pintle";
registerSystemPromptPayloadAdapter({ provider: "acme", readSystemPrompt: () => 5, replaceSystemPrompt: (p) => p });`
	a := replaced(t, h.guest(t, files, runtime.GuestOptions{}), `{"prompt":"old"}`)
	require.ErrorContains(t, a.Err, `readSystemPrompt of adapter "acme" answered a number instead of a text or undefined`)
}

// An adapter may switch itself off, and may have no developer messages.
func TestJavaScriptAdapterThatIsNotEnabled(t *testing.T) {
	h := newJSHost(t)
	g := h.guest(t, map[string]string{"index.js": `import { registerSystemPromptPayloadAdapter } from "pintle";
registerSystemPromptPayloadAdapter({
  id: "acme", provider: "acme", api: ["a", "b"],
  enabled: (provider, api) => api === "a",
  readSystemPrompt: (payload) => payload.prompt,
  replaceSystemPrompt: (payload, prompt) => ({ ...payload, prompt }),
  replaceDeveloperMessages: (payload, messages) => ({ ...payload, messages }),
});`}, runtime.GuestOptions{})
	for api, want := range map[string]string{
		"a": `{"prompt":"new","messages":[{"id":"i","content":"c"}]}`,
		"b": `{"prompt":"old"}`,
	} {
		a := g.ask(t, object{"adapter": "acme", "provider": "acme", "api": api, "base": "old", "systemPrompt": "new",
			"messages": []object{{"id": "i", "content": "c"}}, "payload": json.RawMessage(`{"prompt":"old"}`), "unchanged": true})
		require.NoError(t, a.Err)
		assert.Equal(t, want, string(a.Payload))
	}
}
