package runtime_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// What the functions of a program answer is not trusted: everything that is no answer is a clear error.
func TestScriptBadAnswers(t *testing.T) {
	const another = "answered something else than a string"
	for code, want := range map[string]struct {
		reason string
		kind   runtime.Kind
	}{
		`() => 1`:                                  {"__pintle.call " + another, runtime.KindBadAnswer},
		`() => undefined`:                          {another, runtime.KindBadAnswer},
		`() => null`:                               {another, runtime.KindBadAnswer},
		`() => ["1x"]`:                             {another, runtime.KindBadAnswer},
		`() => new String("1x")`:                   {another, runtime.KindBadAnswer},
		`() => Symbol("1x")`:                       {another, runtime.KindBadAnswer},
		`() => ({toString() { for (;;); }})`:       {another, runtime.KindBadAnswer},
		`() => new Proxy({}, {get() { throw 1 }})`: {another, runtime.KindBadAnswer},
		`async () => "1x"`:                         {another, runtime.KindBadAnswer},
		`() => ""`:                                 {"answered an empty string", runtime.KindBadAnswer},
		`() => "+"`:                                {"answered an empty string", runtime.KindBadAnswer},
		`() => "++1x"`:                             {`begins with "+1x", which has no meaning`, runtime.KindBadAnswer},
		`() => "hello, world, how are you today"`:  {`begins with "hello, world, how are", which has no meaning`, runtime.KindBadAnswer},
		`() => "\ud800"`:                           {"which has no meaning", runtime.KindBadAnswer},
		`() => "0x"`:                               {`begins with "0x"`, runtime.KindBadAnswer},
		`() => ".x"`:                               {`begins with ".x"`, runtime.KindBadAnswer},
		`() => "2"`:                                {"the JSON of the program's answer cannot be read", runtime.KindBadAnswer},
		`() => "2[]"`:                              {"cannot be read", runtime.KindBadAnswer},
		`() => "2{\"code\":1}"`:                    {"cannot be read", runtime.KindBadAnswer},
		`() => "3{"`:                               {"cannot be read", runtime.KindBadAnswer},
		`() => "3" + "[".repeat(200000)`:           {"cannot be read", runtime.KindBadAnswer},
		`() => "3{\"x\":" + "[".repeat(9000) + "]".repeat(9000) + "}"`: {"", ""}, // an unknown key
		`() => "4[]"`:                     {"edits to developer_messages_v1_render, which has no payload", runtime.KindBadAnswer},
		`() => "1" + "x".repeat(2000000)`: {"the answer has 2000001 bytes, at most", runtime.KindAnswerTooLarge},
		`() => "1" + "é".repeat(600000)`:  {"the answer has 1200001 bytes, at most", runtime.KindAnswerTooLarge},
		`() => "3{\"messages\":{\"edits\":[" + "{},".repeat(200000) + "{}]}}"`:                                                          {"at most 131072 are allowed", runtime.KindBadAnswer},
		`() => { more = () => 1; return "+1x" }`:                                                                                        {"__pintle.more " + another, runtime.KindBadAnswer},
		`() => { more = () => "x".repeat(3000000); return "+1x" }`:                                                                      {"the answer has 3000000 bytes, at most 2097152", runtime.KindAnswerTooLarge},
		`() => { more = () => "{\"logs\":[" + "[0,\"\"],".repeat(9999) + "[]]}"; return "+1x" }`:                                        {"", ""},
		`() => { more = () => "{\"logs\":[[]]}"; return "+1x" }`:                                                                        {"[level, text]", runtime.KindBadAnswer},
		`() => { more = () => "{\"kv\":{\"a\":1}}"; return "+1x" }`:                                                                     {"has another type (number)", runtime.KindBadAnswer},
		`() => { more = () => { throw new Error("mine") }; return "+1x" }`:                                                              {"Error: mine", runtime.KindTrap},
		`() => { throw Symbol("x") }`:                                                                                                   {"it threw a value that is no error and has no text", runtime.KindTrap},
		`() => { throw {toString() { throw this }} }`:                                                                                   {"it threw a value that is no error and has no text", runtime.KindTrap},
		`() => { throw {toString() { for (;;); }} }`:                                                                                    {"it threw a value that is no error and has no text", runtime.KindTrap},
		`() => { throw null }`:                                                                                                          {"it threw null", runtime.KindTrap},
		`() => { const e = new Error("x"); Object.defineProperty(e, "stack", {get() { for (;;); }}); throw e }`:                         {"", runtime.KindTrap},
		`() => { const e = new Error("x"); e.stack = "at " + "x".repeat(1e6) + " (a:1:1)\n" + "at y (native)\n".repeat(1e4); throw e }`: {"Error: x", runtime.KindTrap},
		`() => { throw new Error("x".repeat(100000)) }`:                                                                                 {"Error: xxx", runtime.KindTrap},
		`() => { Error.prepareStackTrace = () => { for (;;); }; throw new Error("x") }`:                                                 {"", ""},
	} {
		// The prelude's own functions look the author's up, as a careless bundle would.
		file := answering(t, "let more; const said = __pintle.more; __pintle.more = () => more ? more() : said();\nconst answer = "+code)
		_, err := render(t.Context(), loadScript(t, file, runtime.GuestOptions{}))
		if want.kind == "" { // any end will do
			continue
		}
		e := asError(t, err)
		assert.Equal(t, want.kind, e.Kind, code)
		assert.Contains(t, e.Reason, want.reason, code)
		assert.LessOrEqual(t, len(e.Reason), 5<<10)
		assert.LessOrEqual(t, len(strings.Join(e.Trace, "\n")), 64*512)
	}
}

// What a program does to its globals after it has started changes nothing about what the host calls.
func TestScriptCannotTakeTheHostsFunctions(t *testing.T) {
	for _, code := range []string{
		`__pintle.call = () => "1stolen"; globalThis.__pintle = {call() { return "1stolen" }}`,
		`delete globalThis.__pintle`,
		`Object.defineProperty(globalThis, "__pintle", {get() { throw 1 }})`,
		`Object.prototype.call = () => "1stolen"; Function.prototype.call = Function.prototype.apply = () => "1stolen"`,
		`for (const name of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[name] } catch {}`,
		`Promise.prototype.then = () => { throw 1 }; JSON.parse = () => ({})`,
	} {
		g := loadScript(t, answering(t, `function answer(op, request) { `+code+`; return "1mine" }`, func(m *abi.Manifest) { m.State = abi.StateSession }), runtime.GuestOptions{})
		for range 3 {
			text, err := render(t.Context(), g)
			if err == nil {
				assert.Equal(t, "mine", text, code)
			} else { // the prelude of this test uses JSON.parse itself
				assert.Equal(t, runtime.KindTrap, asError(t, err).Kind, code)
			}
		}
	}
}

// A request that no registry makes is the host's fault, and none of the program's.
func TestScriptBadRequests(t *testing.T) {
	g := loadScript(t, answering(t, `const answer = () => "1well"`), runtime.GuestOptions{})
	for _, c := range []runtime.Call{
		{Op: abi.RenderV1, Request: []byte{0x80}}, {Op: abi.RenderV1}, {Op: "shout", Request: []byte{0xa0}},
		{Op: abi.RenderV1, Request: []byte{0xa1, 0x61, 'a', 0x41, 'b'}},
	} {
		_, err := g.Call(t.Context(), c)
		assert.Equal(t, runtime.KindRefused, asError(t, err).Kind)
		text, err := render(t.Context(), g)
		require.NoError(t, err)
		assert.Equal(t, "well", text)
	}
}
