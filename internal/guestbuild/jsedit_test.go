package guestbuild_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

// editorOf is a guest with an adapter of version 2, whose edit is a function body, and one of version 1 behind
// it.
func editorOf(body string) map[string]string {
	return map[string]string{"index.js": `import { append, insert, isList, isObject, isText, registerPayloadAdapter, registerSystemPromptPayloadAdapter, remove, set, useV1 } from "pintle";
registerPayloadAdapter({
  id: "acme", providers: ["acme"], apis: ["chat"],
  view: [{ path: ["prompt"], clip: 4 }, { path: ["list"] }, { path: ["list", true], members: ["a", "b", "c"], clip: 4 }],
  write: [["prompt"], ["list"], ["seen"]],
  edit(request) { return edit(request); },
});
registerSystemPromptPayloadAdapter({
  id: "acme-v1", provider: "acme", api: "chat",
  readSystemPrompt: (payload) => payload.prompt,
  replaceSystemPrompt: (payload, prompt) => ({ ...payload, prompt, by: "v1" }),
});
function edit({ id, provider, api, systemPrompt, messages, view }) {
  ` + body + `
}`}
}

func (g *jsGuest) edit(t *testing.T, payload string) guesttest.Answer {
	t.Helper()
	return g.ask(t, object{"adapter": "acme", "base": "old", "systemPrompt": "new", "messages": []object{{"id": "i", "content": "c"}},
		"payload": json.RawMessage(payload), "unchanged": true})
}

func TestJavaScriptEdits(t *testing.T) {
	h := newJSHost(t)
	const payload = `{"prompt":"old","list":[{"a":"text","b":"longer text","c":[1,{}],"d":1},2.50,true,null]}`
	for body, want := range map[string]string{
		`return { messages: [set(["seen"], [id, provider, api, systemPrompt, messages, view])] };`: `{"prompt":"old","list":[{"a":"text","b":"longer text","c":[1,{}],"d":1},2.50,true,null],"seen":["acme","acme","chat","new",[{"id":"i","content":"c"}],` +
			`[{"at":["prompt"],"value":"old"},{"at":["list"],"value":{"list":4}},` +
			`{"at":["list",0],"value":{"object":{"a":"text","b":{"head":"lo","tail":"xt","bytes":11},"c":{"list":2}}},"clipped":true},` +
			`{"at":["list",1],"value":2.5},{"at":["list",2],"value":true},{"at":["list",3],"value":null}]]}`,
		`return { messages: [set(["seen"], view.map(({ value }) => [isText(value), isList(value), isObject(value)].map(Number).join("")))] };`:        `{"prompt":"old","list":[{"a":"text","b":"longer text","c":[1,{}],"d":1},2.50,true,null],"seen":["100","010","001","000","000","000"]}`,
		`const { b } = view[2].value.object; return { messages: [set(["seen"], [isText(b), isText(undefined), isList(null), isObject("object")])] };`: `{"prompt":"old","list":[{"a":"text","b":"longer text","c":[1,{}],"d":1},2.50,true,null],"seen":[true,false,false,false]}`,
		`const at = ["list"]; return { prompt: { at: ["prompt"], edits: [set(["prompt"], systemPrompt)] },
		   messages: [append(["prompt"], " and é"), insert([...at, 4], { u: undefined }), insert([...at, 0], "\ud800"), remove([...at, 1]), set([...at, 2], -0)] };`: `{"prompt":"new and é","list":["\ud800",{"a":"text","b":"longer text","c":[1,{}],"d":1},0,null,{}]}`,
		`return { prompt: { at: ["prompt"] }, messages: [remove(["list"])] };`: `{"prompt":"old"}`,
		`return Promise.resolve({ messages: [remove(["prompt"])] });`:          `{"list":[{"a":"text","b":"longer text","c":[1,{}],"d":1},2.50,true,null]}`,
	} {
		a := h.guest(t, editorOf(body), runtime.GuestOptions{}).edit(t, payload)
		require.NoError(t, a.Err, body)
		assert.Equal(t, want, string(a.Payload), body)
	}
	for _, body := range []string{`return undefined;`, `return null;`, `return {};`, `return { messages: [], prompt: undefined };`, `return;`} {
		a := h.guest(t, editorOf(body), runtime.GuestOptions{}).edit(t, payload)
		require.NoError(t, a.Err, body)
		assert.Equal(t, guesttest.Unchanged, a.Kind, body)
	}
	for _, body := range []string{`return useV1("it is one string");`, `throw useV1("it is one string");`, `return Promise.resolve(useV1("later"));`} {
		a := h.guest(t, editorOf(body), runtime.GuestOptions{}).edit(t, payload)
		require.NoError(t, a.Err, body)
		assert.Contains(t, string(a.Payload), `"by":"v1"`, body)
	}
}

func TestJavaScriptEditErrors(t *testing.T) {
	h := newJSHost(t)
	for body, want := range map[string]string{
		`return 5;`:                                 `adapter "acme": edit answered a number instead of { prompt, messages } or undefined`,
		`return { edits: [] };`:                     `adapter "acme": edit answered edits; an answer has prompt and messages`,
		`return { messages: remove(["a"]) };`:       `adapter "acme": messages is not a list of edits`,
		`return { messages: ["set"] };`:             `adapter "acme": messages[0] is not an edit; make one with set, insert, remove or append`,
		`return { prompt: { edits: [] } };`:         `adapter "acme": prompt.at is not an address; an address is a list of names and indices`,
		`return { messages: [set(["a", -1])] };`:    `adapter "acme": messages[0].at: -1 is neither a name nor an index`,
		`return { messages: [set(["a"])] };`:        `adapter "acme": messages[0].value is undefined, which JSON does not have`,
		`return { messages: [append(["a"], 1)] };`:  `adapter "acme": messages[0]: what is appended is not a text`,
		`return { messages: [set(["model"], 1)] };`: `model`, // the host's: not below write
		`throw new Error("no idea");`:               `no idea`,
	} {
		a := h.guest(t, editorOf(body), runtime.GuestOptions{}).edit(t, `{"prompt":"old","list":[]}`)
		require.ErrorContains(t, a.Err, want, body)
	}
}
