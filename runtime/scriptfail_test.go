package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// Whatever ends a program, the error has the right kind and names the author's function.
func TestScriptStops(t *testing.T) {
	const kib = "it wanted more than its 4096 KiB of memory"
	for name, test := range map[string]struct {
		code, reason, trace string
		kind                runtime.Kind
	}{
		"throws":                      {`function sink() { throw new TypeError("no tide today") }`, "TypeError: no tide today", "sink", runtime.KindTrap},
		"throws a text":               {`function sink() { throw "no tide today" }`, "no tide today", "", runtime.KindTrap},
		"throws an object":            {`function sink() { throw {code: 7, text: "no tide"} }`, `{"code":7,"text":"no tide"}`, "", runtime.KindTrap},
		"throws an object in circles": {`function sink() { const o = {}; o.o = o; throw o }`, "[object Object]", "", runtime.KindTrap},
		"throws nothing":              {`function sink() { throw undefined }`, "undefined", "", runtime.KindTrap},
		"throws with causes": {`function sink() { throw new Error("a", {cause: new RangeError("b", {cause: "c"})}) }`,
			"Error: a: caused by: RangeError: b: caused by: c", "sink", runtime.KindTrap},
		"throws in circles":  {`function sink() { const e = new Error("a"); e.cause = e; throw e }`, "Error: a: caused by: Error: a", "sink", runtime.KindTrap},
		"spins":              {`function sink() { for (;;); }`, "it used up its fuel of 50000000 units", "sink", runtime.KindFuel},
		"spins and catches":  {`function sink() { for (;;) try { for (;;); } catch { } finally { continue } }`, "it used up its fuel", "sink", runtime.KindFuel},
		"spins in promises":  {`function sink() { new Promise(() => { for (;;); }); return "1well" }`, "it used up its fuel", "", runtime.KindFuel},
		"spins in a sort":    {`function sink() { [3, 2, 1].sort(() => { for (;;); }) }`, "it used up its fuel", "sink", runtime.KindFuel},
		"spins in regexps":   {`function sink() { /^(a+)+$/.test("a".repeat(40) + "b") }`, "it used up its fuel", "sink", runtime.KindFuel},
		"dives":              {`function sink(n) { return sink(n + 1) + 1 }`, "RangeError: Maximum call stack size exceeded", "sink", runtime.KindTrap},
		"dives by map":       {`function sink(n) { return [1].map(sink) }`, "RangeError: Maximum call stack size exceeded", "sink", runtime.KindTrap},
		"dives by getter":    {`const o = {get sink() { return o.sink }}; function sink() { return o.sink }`, "RangeError: Maximum call stack size exceeded", "sink", runtime.KindTrap},
		"dives by toJSON":    {`function sink() { return JSON.stringify({toJSON: sink}) }`, "RangeError: Maximum call stack size exceeded", "sink", runtime.KindTrap},
		"hoards objects":     {`function sink() { let all = null; for (;;) all = {all, x: [1, 2, 3]} }`, kib, "sink", runtime.KindMemory},
		"hoards in a list":   {`function sink() { const all = []; for (;;) all.push([1, 2, 3]) }`, kib, "sink", runtime.KindMemory},
		"hoards bytes":       {`function sink() { const all = []; for (;;) all.push(new Uint8Array(65536)) }`, kib, "sink", runtime.KindMemory},
		"hoards and catches": {`function sink() { const all = []; for (;;) try { for (;;) all.push(new Uint8Array(9999)) } catch {} }`, kib, "sink", runtime.KindMemory},
		"hoards at once":     {`function sink() { return new Uint8Array(1e9) }`, kib + ": InternalError: out of memory", "sink", runtime.KindMemory},
		"misses a function":  {`function sink() { const x = "x"; return globalThis.fetch(x) }`, "TypeError: not a function: globalThis.fetch is undefined: a guest has no network", "sink", runtime.KindTrap},
		"misses a name":      {`function sink() { return process.env }`, "ReferenceError: process is not defined: a guest has no process", "sink", runtime.KindTrap},
	} {
		t.Run(name, func(t *testing.T) {
			code := test.code + "\nfunction answer(op, request) { return request.bad ? sink(0) : '1well' }"
			g := loadScript(t, answering(t, code, func(m *abi.Manifest) { m.Limits.MemoryBytes = 4 << 20 }), runtime.GuestOptions{})
			var first *runtime.Error
			for range 2 {
				_, err := askScript(t, g, "s", map[string]any{"bad": true})
				e := asError(t, err)
				assert.Equal(t, test.kind, e.Kind)
				assert.True(t, strings.HasPrefix(e.Reason, test.reason), e.Reason)
				if test.trace != "" {
					assert.Contains(t, strings.Join(e.Trace, "\n"), fmt.Sprintf("%s (guest.js:%d:", test.trace, preludeLines+1))
				}
				assert.LessOrEqual(t, len(e.Trace), 64)
				if first == nil {
					first = e
				}
				assert.Equal(t, first.Fuel, e.Fuel, "a stop is at the same place every time")
				text, err := askScript(t, g, "s", map[string]any{})
				require.NoError(t, err)
				assert.Equal(t, "well", text, "the next call knows nothing of it")
			}
		})
	}
}

func TestScriptStopsInTime(t *testing.T) {
	// Its last words are said, however busy the machine is: they have a quarter of the host's limit.
	r := newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: 1 << 50, Time: 4 * time.Minute}})
	g := load(t, r, answering(t, `function spin() { for (;;); }; var answer = () => spin()`,
		func(m *abi.Manifest) { m.Limits.Fuel, m.Limits.Milliseconds = 1<<50, 20 }))
	_, err := render(t.Context(), g)
	e := asError(t, err)
	assert.Equal(t, runtime.KindTimeout, e.Kind)
	assert.Equal(t, "it did not return within 20ms", e.Reason)
	assert.Contains(t, e.Trace[0], "spin (guest.js:")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err = render(ctx, g)
	assert.Equal(t, runtime.KindCanceled, asError(t, err).Kind)
}

// What the guest may use ends where it says, not where the reserve ends.
func TestScriptReserveIsNotForUse(t *testing.T) {
	const code = `var answer = (op, request) => { for (let i = 0; i < request.n; i++); return "1" + request.n }`
	g := loadScript(t, answering(t, code, func(m *abi.Manifest) { m.Limits.Fuel = 1_000_000 }), runtime.GuestOptions{})
	n := 0
	count := func(n int) (uint64, error) {
		usage := &runtime.Usage{}
		in, err := abi.Encode(map[string]any{"n": n})
		require.NoError(t, err)
		// Failures are counted for each offer.
		_, err = g.Call(runtime.WithUsage(t.Context(), usage), runtime.Call{Op: abi.RenderV1, Offer: fmt.Sprint(n), Request: in})
		return usage.Fuel, err
	}
	for step := 1 << 16; step > 0; step /= 2 {
		if _, err := count(n + step); err == nil {
			n += step
		}
	}
	fuel, err := count(n)
	require.NoError(t, err)
	assert.LessOrEqual(t, fuel, uint64(1_000_000))
	assert.Greater(t, fuel, uint64(990_000))
}

func TestScriptFailsToStart(t *testing.T) {
	for code, want := range map[string]struct {
		reason string
		kind   runtime.Kind
	}{
		`throw new Error("not today")`: {"Error: not today", runtime.KindTrap},
		`let a = ;`:                    {"SyntaxError: unexpected token", runtime.KindTrap},
		"1;\x00 2":                     {"SyntaxError", runtime.KindTrap},
		`for (;;);`:                    {"it used up its fuel of 1000000000 units while it started", runtime.KindFuel},
		`const a = []; for (;;) a.push(new Uint8Array(65536))`: {"it wanted more than its 65536 KiB of memory", runtime.KindMemory},
		`delete globalThis.__pintle`:                           {"the bundle leaves no object __pintle in its globals; build it with `pintle build`", runtime.KindContract},
		`globalThis.__pintle = "x"`:                            {"the bundle leaves no object __pintle in its globals", runtime.KindContract},
		`__pintle.call = 1`:                                    {"__pintle.call is no function", runtime.KindContract},
		`delete __pintle.reseed`:                               {"__pintle.reseed is no function", runtime.KindContract},
		`Object.defineProperty(globalThis, "__pintle", {get() { throw new Error("mine") }})`: {"Error: mine", runtime.KindTrap},
		`globalThis.__pintle = new Proxy({}, {get() { throw new Error("mine") }})`:           {"Error: mine", runtime.KindTrap},
		`__pintle.more = () => { throw new Error("mine") }`:                                  {"Error: mine", runtime.KindTrap},
		`__pintle.more = () => 1`:    {"__pintle.more answered something else than a string", runtime.KindBadAnswer},
		`__pintle.more = () => "[]"`: {"__pintle.more answered something else than logs and kv", runtime.KindBadAnswer},
		`import x from "y"`:          {"SyntaxError", runtime.KindTrap},
		`fetch("x")`:                 {"ReferenceError: fetch is not defined: a guest has no network", runtime.KindTrap},
	} {
		_, err := scripts().Load(t.Context(), "test.wasm", answering(t, code), runtime.GuestOptions{})
		e := asError(t, err)
		assert.Equal(t, want.kind, e.Kind, code)
		assert.Contains(t, e.Reason, want.reason, code)
		assert.Equal(t, "start", e.Func)
	}
}

// Traces are those of the author's files.
func TestScriptTraceThroughAMap(t *testing.T) {
	mappings := strings.Repeat(";", preludeLines) + "AAAA;ACAA;ACEE"
	text, err := json.Marshal(map[string]any{"version": 3, "sources": []string{"src/sink.ts", "src/index.ts", "src/other.ts"}, "mappings": mappings})
	require.NoError(t, err)
	code := prelude + "function sink() { throw new Error('no tide today') }\nfunction render() { [1].map(sink) }\nvar answer = () => render()"
	file := func(m string) []byte {
		return withSections(t, abi.ManifestSection, manifestOf(t, wasmtest.Manifest()),
			abi.BundleSection, bundleOf(t, &abi.Bundle{Code: code, Map: m, File: "x.js"}))
	}
	_, err = render(t.Context(), loadScript(t, file(string(text)), runtime.GuestOptions{}))
	assert.Equal(t, []string{"sink (src/sink.ts:1:1)", "map (native)", "render (src/index.ts:1:1)", "answer (src/other.ts:3:3)"}, asError(t, err).Trace)
	_, err = render(t.Context(), loadScript(t, file(`{"version":3,"sources":[],"mappings":""}`), runtime.GuestOptions{}))
	assert.Contains(t, asError(t, err).Trace[0], "sink (x.js:", "a map of no use")
	_, err = scripts().Load(t.Context(), "x", file(`{"version":2}`), runtime.GuestOptions{})
	assert.ErrorContains(t, err, "the section pintle.bundle: source map: its version is 2 instead of 3")
}

// Logs that were made before an end are what an author looks at.
func TestScriptLogs(t *testing.T) {
	var lines strings.Builder
	logger := slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "guest" {
				return slog.Attr{}
			}
			return a
		}}))
	r := newRuntime(t, runtime.Options{Logger: logger, Limits: runtime.Limits{LogBytes: 300}})
	g := load(t, r, answering(t, `log("start"); function answer(op, request) {
		logs = [[0, "a"], [3, "b\ud800"], [9, "c"]];
		if (request.end === "throw") throw new Error("x");
		if (request.end === "spin") for (;;);
		if (request.end === "reject") { Promise.reject(new TypeError("no tide")); const p = Promise.reject(1); p.catch(() => {}); (async function later() { await 1; throw {a: 1} })() }
		if (request.end === "flood") for (let i = 0; i < 10000; i++) log("x".repeat(50));
		return request.end === "silent" ? "1x" : "+1x" }`))
	assert.Equal(t, "level=INFO msg=start\n", lines.String())
	const three = "level=DEBUG msg=a\nlevel=ERROR msg=\"b\uFFFD\"\nlevel=INFO msg=c\n"
	for end, want := range map[string]string{"": three, "throw": three, "reject": three + "level=WARN msg=\"a promise was rejected and nobody handles it: TypeError: no tide at answer (guest.js:13:54)\"\n" +
		"level=WARN msg=\"a promise was rejected and nobody handles it: {\\\"a\\\":1}\"\n", "spin": three, "silent": "",
		"flood": three + "level=INFO msg=" + strings.Repeat("x", 50) + "\n" + "level=INFO msg=" + strings.Repeat("x", 50) + "\n"} {
		lines.Reset()
		_, _ = askScript(t, g, "s", map[string]any{"end": end})
		assert.True(t, strings.HasPrefix(lines.String(), want), "%s: %s", end, lines.String())
		assert.Equal(t, end == "flood", strings.Contains(lines.String(), "guest log cut off"), end)
	}
}
