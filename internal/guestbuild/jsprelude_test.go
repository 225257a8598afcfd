package guestbuild_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

type object = map[string]any

// TestJavaScriptContributions is about what a contribution's function gets, may answer, and says.
func TestJavaScriptContributions(t *testing.T) {
	h := newJSHost(t)
	g := h.guest(t, map[string]string{
		"pintle.toml": `id = "t"
version = "1"
[[contributions]]
id = "all"
needs = ["provider", "activeTools", "sessionId", "prompt", "systemPromptOptions"]
[[contributions]]
id = "tools"
needs = ["activeTools"]
[[capabilities]]
name = "config"
keys = ["tone"]
reason = "r"
`,
		"index.ts": `import { config, log, registerDeveloperMessageContribution } from "pintle";
const say = (id: string, content: any) => registerDeveloperMessageContribution({ id, content });
say("all", (c: any) => JSON.stringify(c));
say("tools", (c: any) => [Object.keys(c).join(), JSON.stringify(c), c.prompt, c.prompt, c.sessionId, JSON.stringify({ ...c.systemPromptOptions })].join("|"));
say("literal", "as it is");
say("null", () => null);
say("blank", () => " \n ");
say("number", () => 42);
say("false", () => false);
say("list", () => ["x"]);
say("surrogate", () => "a\ud800b\udc00 \ud83d\udea2");
say("this", { toString: undefined }.toString === undefined ? function (this: any) { return this.id; } : "");
say("config", () => [config("tone"), config("other")].join());
say("log", () => {
  log("debug", "d"); log("warn", "w\ud800"); log("loud" as any, 7 as any);
  console.log("%s is %d%%, %i %f %j %o", "x", "4", 5.5, "1.5", { a: [1n, undefined] }, new Map([[1, 2]]), "and", null, undefined, -0, Symbol("s"), () => 1);
  console.debug("a"); console.trace("b"); console.info("c"); console.warn(new TypeError("t")); console.error("%s");
  console.assert(true, "no"); console.assert(false, "yes %s", "indeed"); console.assert(0 > 1);
  const self: any = {}; self.self = self; console.log(self, "100%");
  console.dir({ a: 1 }, { depth: 0 }); console.group("g"); console.time("t"); console.timeEnd("t"); console.groupEnd();
  return undefined;
});
say("late", async () => { await null; for (const x of [1, 2]) await x; log("info", "awaited"); return "late"; });
say("late number", async () => 4);
say("thenable", () => ({ then(done: (t: string) => void) { done("from a thenable"); } }));
say("late failure", async () => { await null; return fails(); });
say("never", () => new Promise(() => {}));
say("fails", () => { log("info", "before it fails"); return fails(); });
function fails(): never { throw new RangeError("no tide", { cause: new Error("moon") }); }
say("missing", () => (typeof fetch === "undefined" ? setTimeout(() => {}, 1) : "") as any);
`,
	}, runtime.GuestOptions{Config: map[string]string{"tone": "dry", "other": "withheld"}})
	h.logs.take()
	says := func(id string, context object) guesttest.Answer {
		if context == nil {
			context = object{}
		}
		return g.ask(t, object{"contribution": id, "context": context, "nothing": true})
	}
	text := func(id string, context object) string {
		a := says(id, context)
		require.NoError(t, a.Err, id)
		return a.Text
	}
	everything := object{"provider": "p", "activeTools": []string{"a", "b"}, "sessionId": "s", "prompt": "q", "systemPromptOptions": object{"cwd": "/x"}}

	assert.Regexp(t, `^\{"provider":"p","activeTools":\["a","b"\],"sessionId":"s","prompt":"q","systemPromptOptions":\{.*"cwd":"/x".*\}\}$`, text("all", everything))
	assert.Regexp(t, `^\{"activeTools":\[\],"sessionId":"","systemPromptOptions":\{.*\}\}$`, text("all", object{}), "what is not known has its kind")
	assert.Empty(t, h.logs.take())
	assert.Equal(t, `activeTools|{"activeTools":["a","b"]}|||||{}`, strings.Replace(text("tools", everything), "||", "|||", 1)[:len(`activeTools|{"activeTools":["a","b"]}|||||{}`)])
	assert.Equal(t, []string{
		`WARN contribution "tools" reads prompt, which pintle.toml does not list under its needs`,
		`WARN contribution "tools" reads sessionId, which pintle.toml does not list under its needs`,
		`WARN contribution "tools" reads systemPromptOptions, which pintle.toml does not list under its needs`,
	}, h.logs.take(), "once each")

	assert.Equal(t, "as it is", text("literal", nil))
	assert.Equal(t, guesttest.Nothing, says("null", nil).Kind)
	assert.Equal(t, guesttest.Nothing, says("blank", nil).Kind)
	assert.Equal(t, "a\ufffdb\ufffd 🚢", text("surrogate", nil))
	assert.Equal(t, "this", text("this", nil))
	assert.Equal(t, "dry,", text("config", nil))
	assert.Equal(t, []string{`WARN config reads "other", which pintle.toml does not list as a key of the capability config`}, h.logs.take())
	for id, what := range map[string]string{"number": "a number", "false": "a boolean", "list": "a list", "late number": "a number"} {
		err := says(id, nil).Err
		require.ErrorContains(t, err, `content of contribution "`+id+`" answered `+what+` instead of a text or undefined`)
		assert.Equal(t, runtime.KindFailed, kindOf(t, err))
	}

	assert.Equal(t, guesttest.Nothing, says("log", nil).Kind)
	assert.Equal(t, []string{
		"DEBUG d", "WARN w\ufffd", "INFO 7",
		`INFO x is 4%, 5 1.5 {"a":["1n",null]} [[1,2]] and null undefined 0 Symbol(s) [function without a name]`,
		"DEBUG a", "DEBUG b", "INFO c", "WARN TypeError: t\n    at <anonymous> (index.ts:17:79)", "ERROR %s", "ERROR assertion failed: yes indeed", "ERROR assertion failed",
		"INFO [object Object] 100%", `INFO {"a":1}`, "INFO g",
	}, h.logs.take())

	assert.Equal(t, "late", text("late", nil))
	assert.Equal(t, []string{"INFO awaited"}, h.logs.take())
	assert.Equal(t, "from a thenable", text("thenable", nil))
	require.ErrorContains(t, says("never", nil).Err, "never settled")
	for _, id := range []string{"fails", "late failure"} {
		h.logs.take()
		err := says(id, nil).Err
		require.ErrorContains(t, err, "no tide")
		var failed *runtime.Error
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, runtime.KindTrap, failed.Kind)
		assert.Contains(t, failed.Reason, "moon", "with causes")
		require.NotEmpty(t, failed.Trace)
		assert.Regexp(t, `^fails \(index\.ts:29:\d+\)$`, failed.Trace[0])
		for _, frame := range failed.Trace {
			assert.NotContains(t, frame, "guest.js", "frames of the SDK are left out")
		}
		if id == "fails" {
			assert.Equal(t, []string{"INFO before it fails"}, h.logs.take(), "what was said before is kept")
		}
	}
	require.ErrorContains(t, says("missing", nil).Err, "a guest has no timers")
	assert.Empty(t, h.logs.take())
	talks := h.guest(t, map[string]string{"index.js": `import { registerDeveloperMessageContribution } from "pintle";
console.log("loaded"); registerDeveloperMessageContribution({ id: "it", content: "text" });`}, runtime.GuestOptions{})
	require.NoError(t, talks.ask(t, object{"contribution": "it", "text": "text"}).Err)
	require.NoError(t, talks.ask(t, object{"contribution": "it", "text": "text"}).Err)
	assert.Equal(t, []string{"INFO loaded"}, h.logs.take(), "once, not with every call")
}

// An error is shown with its stack and its causes, in places of the author's.
func TestJavaScriptErrorsInTheLog(t *testing.T) {
	h := newJSHost(t)
	g := h.guest(t, map[string]string{"src/index.ts": `import { registerDeveloperMessageContribution } from "pintle";
function deep(n: number): Error { return n > 0 ? deep(n - 1) : new Error("no tide", { cause: new RangeError("no moon") }); }
registerDeveloperMessageContribution({ id: "it", content: () => {
  console.error("because of", deep(12));
  console.error("%s!", Object.assign(new Error("bare"), { stack: "" }));
  const round: any = new Error("round"); round.stack = ""; round.cause = round; console.error(round);
  return undefined;
} });`}, runtime.GuestOptions{})
	h.logs.take()
	require.NoError(t, g.ask(t, object{"contribution": "it", "nothing": true}).Err)
	const frames = "    at deep (src/index.ts:2:98)\n    at deep (src/index.ts:2:59) ×12\n    at content (src/index.ts:4:31)"
	assert.Equal(t, []string{
		"ERROR because of Error: no tide\n" + frames + "\ncaused by: RangeError: no moon\n" + frames,
		"ERROR Error: bare!",
		"ERROR Error: round" + strings.Repeat("\ncaused by: Error: round", 4),
	}, h.logs.take())
}

// What does not lead to the author's function names it.
func TestJavaScriptErrorsNameTheContribution(t *testing.T) {
	h := newJSHost(t)
	g := h.guest(t, map[string]string{"index.ts": `import { registerDeveloperMessageContribution } from "pintle";
const say = (id: string, content: any) => registerDeveloperMessageContribution({ id, content });
say("text", () => { throw "no tide"; });
say("never", () => new Promise(() => {}));
say("native", JSON.parse.bind(null, "{", undefined));
say("error", () => { throw new Error("no tide"); });
function dive(n: number): number { return 1 + dive(n + 1); }
say("dive", () => String(dive(0)));`}, runtime.GuestOptions{})
	for id, want := range map[string]string{
		"text":   `^no tide \(contribution "text"\)$`,
		"never":  `never settled: .* \(contribution "never"\)$`,
		"native": `^SyntaxError: .* \(contribution "native"\)$`,
		"error":  `^Error: no tide$`,
		"dive":   `^RangeError: Maximum call stack size exceeded \(contribution "dive"\)$`,
	} {
		var failed *runtime.Error
		require.ErrorAs(t, g.ask(t, object{"contribution": id, "nothing": true}).Err, &failed, id)
		assert.Regexp(t, want, failed.Reason)
		assert.NotContains(t, strings.Join(failed.Trace, "\n"), "guest.js")
		switch id {
		case "dive":
			assert.Equal(t, []string{"dive (index.ts:7:56) ×64 or more"}, failed.Trace)
		case "native":
			assert.Equal(t, []string{"parse (native)"}, failed.Trace)
		}
	}
}

func kindOf(t *testing.T, err error) runtime.Kind {
	t.Helper()
	var failed *runtime.Error
	require.True(t, errors.As(err, &failed), "%v", err)
	return failed.Kind
}

// A guest keeps texts for a session if it is granted the capability.
func TestJavaScriptKV(t *testing.T) {
	h := newJSHost(t)
	files := func() map[string]string {
		return map[string]string{
			"pintle.toml": "id = \"t\"\nversion = \"1\"\n[[contributions]]\nid = \"it\"\nneeds = [\"prompt\"]\n[[capabilities]]\nname = \"kv\"\nreason = \"r\"\n",
			"index.ts": `import { kv, registerDeveloperMessageContribution } from "pintle";
const early = [kv.get("a"), kv.set("a", "b"), kv.delete("a")].map(String).join();
registerDeveloperMessageContribution({ id: "it", content: ({ prompt }) => String((0, eval)(prompt!)) });
(globalThis as any).kv = kv; (globalThis as any).early = early;`,
		}
	}
	g := h.guest(t, files(), runtime.GuestOptions{Grants: []string{"kv"}})
	run := func(g *jsGuest, session, code string) string {
		a := g.ask(t, object{"contribution": "it", "context": object{"sessionId": session, "prompt": code}, "nothing": true})
		require.NoError(t, a.Err, code)
		return a.Text
	}
	// Each case is a session of its own, so what is kept has to be seen within one call.
	for code, want := range map[string]string{
		`early`:             "undefined,false,false",
		`kv.get("nothing")`: "undefined",
		`kv.set("a", "b") + kv.get("a") + kv.delete("a") + kv.delete("a") + kv.get("a")`:                                                      "truebtruefalseundefined",
		`kv.set("\ud800", "\udc00") + kv.get("\ufffd")`:                                                                                       "true\ufffd",
		`kv.set("__proto__", "p") + kv.get("__proto__")`:                                                                                      "truep",
		`kv.set("k".repeat(256), "") + "" + kv.set("k".repeat(257), "")`:                                                                      "truefalse",
		`kv.set("é".repeat(128), "") + "" + kv.set("é".repeat(129), "")`:                                                                      "truefalse",
		`kv.set("v", "x".repeat(16384)) + "" + kv.set("v", "x".repeat(16385))`:                                                                "truefalse",
		`kv.set("v", "🚢".repeat(4096)) + "" + kv.set("v", "🚢".repeat(4096) + "x")`:                                                            "truefalse",
		`for (let i = 0; i < 256; i++) kv.set("" + i, ""); kv.set("256", "") + "" + kv.set("0", "again")`:                                     "falsetrue",
		`for (let i = 0; i < 3; i++) kv.set("" + i, "x".repeat(16384)); kv.set("3", "x".repeat(16380)) + "" + kv.set("3", "x".repeat(16381))`: "truefalse",
		`try { kv.set("a", 5) } catch (e) { String(e) }`:                                                                                      `TypeError: kv.set("a"): the value is a number, not a text`,
	} {
		assert.Equal(t, want, run(g, "s", code), code)
	}
	assert.Empty(t, h.logs.take())
	unasked := files()
	unasked["pintle.toml"] = "id = \"t\"\nversion = \"1\"\n[[contributions]]\nid = \"it\"\nneeds = [\"prompt\"]\n"
	assert.Equal(t, "undefinedfalse", run(h.guest(t, unasked, runtime.GuestOptions{}), "s", `kv.get("a") + "" + kv.set("a", "b")`))
	assert.Equal(t, []string{"WARN kv is used, and pintle.toml does not ask for the capability kv"}, h.logs.take())
	denied := h.guest(t, files(), runtime.GuestOptions{})
	assert.Equal(t, "falseundefinedfalse", run(denied, "s", `kv.set("a", "b") + "" + kv.get("a") + kv.delete("a")`))
}

// What is registered by a call is told to come too late.
func TestJavaScriptLateRegistration(t *testing.T) {
	h := newJSHost(t)
	g := h.guest(t, map[string]string{"index.ts": `import { registerDeveloperMessageContribution as c } from "pintle";
await0();
async function await0() { await null; c({ id: "early", content: "x" }); }
c({ id: "it", content: () => { c({ id: "late", content: "x" }); return "it"; } });`}, runtime.GuestOptions{})
	assert.Len(t, g.manifest.Contributions, 2)
	assert.Empty(t, h.logs.take())
	require.NoError(t, g.ask(t, object{"contribution": "it", "nothing": true}).Err)
	assert.Equal(t, []string{`WARN "late" is registered too late: what a guest offers is what it registers while it is loaded`}, h.logs.take())
}

// Random numbers repeat without the grant and do not with it.
func TestJavaScriptRandom(t *testing.T) {
	h := newJSHost(t)
	files := func() map[string]string {
		return map[string]string{
			"pintle.toml": "id = \"t\"\nversion = \"1\"\n[[capabilities]]\nname = \"random\"\nreason = \"r\"\n",
			"index.ts": `import { registerDeveloperMessageContribution } from "pintle";
const { random } = Math; // taken before any seed
registerDeveloperMessageContribution({ id: "it", content: () => Array.from({ length: 50 }, () => random()).join() });`,
		}
	}
	numbers := func(g *jsGuest) string {
		a := g.ask(t, object{"contribution": "it", "nothing": true})
		require.NoError(t, a.Err)
		return a.Text
	}
	seeded := h.guest(t, files(), runtime.GuestOptions{})
	assert.Equal(t, numbers(seeded), numbers(seeded))
	real := h.guest(t, files(), runtime.GuestOptions{Grants: []string{"random"}})
	first := numbers(real)
	assert.NotEqual(t, first, numbers(real))
	seen := map[string]bool{}
	for _, n := range strings.Split(first, ",") {
		assert.Regexp(t, `^(0\.\d+|\d\.?\d*e-\d+)$`, n)
		seen[n] = true
	}
	assert.Len(t, seen, 50)
}

// What is registered when the code has run is what counts.
func TestJavaScriptRegistrations(t *testing.T) {
	h := newJSHost(t)
	for source, want := range map[string][]string{
		`const off = c({ id: "a", content: "1" }); off(); c({ id: "a", content: "3" }); off(); c({ id: "b", content: "2" });`:                                                                                               {"a", "b"},
		`const off = c({ id: "a", content: "1" }); c({ id: "b", content: "2" }); off(); off();`:                                                                                                                             {"b"},
		`export default (pi) => { c({ id: "a", content: "1" }); };`:                                                                                                                                                         {"a"},
		`export default async (pi) => { c({ id: "a", content: "1" }); await null; c({ id: "b", content: "1" }); };`:                                                                                                         {"a", "b"},
		`c({ id: "a", content: "1" }); export default function content(context) { return context.prompt.length; }`:                                                                                                          {"a"},
		`const slot = Symbol.for("pi-developer-messages/developer-messages/v1"); c({ id: "a", content: "1" }); globalThis[slot].set("any key", { id: "b", content: () => "2" });`:                                           {"a", "b"},
		`const key = "pi-developer-messages/developer-messages/v1"; globalThis[Symbol.for(key)] = Object.assign(new Map([["x", { id: "x", content: "x" }]]), { protocol: key, version: 1 }); c({ id: "a", content: "1" });`: {"x", "a"},
		`const key = "pi-developer-messages/developer-messages/v1"; globalThis[Symbol.for(key)] = { protocol: key, version: 2 }; c({ id: "a", content: "1" });`:                                                             {"a"},
	} {
		g := h.guest(t, map[string]string{"index.js": `import { registerDeveloperMessageContribution as c } from "pintle";` + "\n" + source}, runtime.GuestOptions{})
		var ids []string
		for _, c := range g.manifest.Contributions {
			ids = append(ids, c.ID)
			a := g.ask(t, object{"contribution": c.ID, "nothing": true})
			require.NoError(t, a.Err, source)
			assert.NotEmpty(t, a.Text, source)
		}
		assert.Equal(t, want, ids, source)
	}
}
