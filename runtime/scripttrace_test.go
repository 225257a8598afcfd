package runtime_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A recursion takes one line, and what it began with is in sight as far as the engine tells.
func TestScriptTraceOfARecursion(t *testing.T) {
	for code, want := range map[string]string{
		`function sink(n) { if (n === 20) throw new Error("x"); sink(n + 1) } function answer() { sink(0) }`: `^sink (P)\nsink (P) ×20\nanswer (P)\ncall (P)$`,
		`function sink(n) { return sink(n + 1) + 1 } function answer() { sink(0) }`:                          `^sink (P) ×64 or more$`,
		`function even(n) { return odd(n + 1) + 1 } function odd(n) { return even(n + 1) + 1 }; function answer() { even(0) }`: `^(even|odd) (P)\n(even|odd) ` +
			`(P) (these 2 ×32 or more)$`,
	} {
		_, err := saying(t, "Error.stackTraceLimit = 64; "+code)
		assert.Regexp(t, strings.NewReplacer("(P)", `\(guest\.js:\d+:\d+\)`, "(these", `\(these`, "more)", `more\)`).Replace(want),
			strings.Join(asError(t, err).Trace, "\n"))
	}
}

// An error without a place of the author's says at least which contribution or adapter it is of.
func TestScriptErrorsNameWhatFailed(t *testing.T) {
	file := mapped(t, 1, `function answer(op, request) { const how = request.how;
	if (how === "text") throw "no tide";
	if (how === "native") { const e = new Error("no tide"); e.stack = "    at parse (native)\n"; throw e }
	if (how === "placed") throw new Error("no tide");
	if (how === "never") return ".";
	return how }`)
	for how, want := range map[string]string{
		"text":   `no tide (contribution "a \"b\"")`,
		"native": `Error: no tide (contribution "a \"b\"")`,
		"placed": `Error: no tide`,
		"never": `the promise that it answered is never settled: a guest has no timers, network or files, so nothing can settle it later` +
			` (contribution "a \"b\"")`,
		"junk": `the program's answer begins with "junk", which has no meaning (contribution "a \"b\"")`,
	} {
		g := loadScript(t, file, runtime.GuestOptions{})
		_, err := askScript(t, g, "s", map[string]any{"id": `a "b"`, "how": how})
		assert.Equal(t, want, asError(t, err).Reason)
		_, err = askScript(t, g, "s", map[string]any{"how": how})
		assert.Equal(t, strings.TrimSuffix(want, ` (contribution "a \"b\"")`), asError(t, err).Reason, "no id")
	}
	a := loadScript(t, answering(t, `function answer() { throw 1 }`, adapterManifest), runtime.GuestOptions{})
	in, err := abi.Encode(map[string]any{"id": "acme-chat", "payload": []byte("{}")})
	require.NoError(t, err)
	_, err = a.Call(t.Context(), runtime.Call{Op: abi.ReadSystemPromptV1, Request: in})
	assert.Equal(t, `1 (adapter "acme-chat")`, asError(t, err).Reason)
}

// What programs log of errors are places of the bundle; the log shows those of the author's files.
func TestScriptStacksInLogs(t *testing.T) {
	var lines bytes.Buffer
	r := newRuntime(t, runtime.Options{Logger: slog.New(slog.NewJSONHandler(&lines, nil))})
	file := mapped(t, 2, `function sink() { return new Error('no tide').stack }
function answer(op, request) { const s = sink();
	for (let i = 0; i < (request.times ?? 1); i++) log(eval(request.what));
	return "+0" }`)
	g := load(t, r, file)
	logged := func(request map[string]any) (texts []string) {
		lines.Reset()
		_, err := askScript(t, g, "s", request)
		require.NoError(t, err)
		for d := json.NewDecoder(&lines); d.More(); {
			var record struct{ Msg string }
			require.NoError(t, d.Decode(&record))
			texts = append(texts, record.Msg)
		}
		return texts
	}
	const stack = "    at sink (src/1.ts:1:1)\n    at answer (src/2.ts:1:1)"
	for what, want := range map[string]string{
		`s`:                                  stack + "\n",
		`"Error: no tide\n" + s.trimEnd()`:   "Error: no tide\n" + stack,
		`"a\n" + s + "b\nat noon\n" + s`:     "a\n" + stack + "\nb\nat noon\n" + stack + "\n",
		`"see guest.js:1 and at guest.js"`:   "see guest.js:1 and at guest.js",
		`"x\n    at call (guest.js:4:9)"`:    "x",
		`"    at noon\nguest.js:\n  at two"`: "    at noon\nguest.js:\n  at two",
		`"    at f (other.js:1:1)"`:          "    at f (other.js:1:1)",
	} {
		assert.Equal(t, []string{want}, logged(map[string]any{"what": what}), what)
	}
	many := logged(map[string]any{"what": "s", "times": 20})
	require.Len(t, many, 20)
	assert.Equal(t, stack+"\n", many[15])
	assert.Contains(t, many[16], "guest.js", "more stacks than anybody reads are not looked up")
}

// mapped makes a guest whose lines come from src/1.ts, src/2.ts and so on, and all that follow from the last of
// these files.
func mapped(t *testing.T, files int, code string) []byte {
	t.Helper()
	mappings, sources := strings.Repeat(";", preludeLines)+"AAAA", []string{"src/1.ts"}
	for i := 2; i <= files; i++ {
		mappings, sources = mappings+";ACAA", append(sources, fmt.Sprintf("src/%d.ts", i))
	}
	text, err := json.Marshal(map[string]any{"version": 3, "sources": sources,
		"mappings": mappings + strings.Repeat(";AAAA", strings.Count(code, "\n"))})
	require.NoError(t, err)
	return withSections(t, abi.ManifestSection, manifestOf(t, wasmtest.Manifest()),
		abi.BundleSection, bundleOf(t, &abi.Bundle{Code: prelude + code, Map: string(text)}))
}

// Wherever the limit falls: many of the engine's questions come while no function runs, on the way to the next
// round of an async one.
func TestScriptTraceOfALoopThatAwaits(t *testing.T) {
	for fuel := range uint64(8) {
		file := answering(t, `let failed; var settled = () => { if (failed) throw failed; return "." };
			async function poll() { for (;;) await null }
			var answer = () => { poll().catch(e => failed = e); return "." }`, func(m *abi.Manifest) {
			m.Limits.Fuel = 3_000_000 + 1000*fuel
		})
		_, err := render(t.Context(), loadScript(t, file, runtime.GuestOptions{}))
		e := asError(t, err)
		assert.Equal(t, runtime.KindFuel, e.Kind)
		assert.Contains(t, strings.Join(e.Trace, " "), "poll (guest.js:")
	}
}
