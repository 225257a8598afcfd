package runtime_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/runtime"
)

// rejections are what promises are rejected with, and what is told of that.
var rejections = map[string]string{
	`"tide"`: "tide", `"ti" + "de".repeat(20)`: "ti" + strings.Repeat("de", 20), `"🌊"`: "🌊",
	`1`: "1", `0.1`: "0.1", `-1.5`: "-1.5", `NaN`: "NaN", `10n ** 30n`: "1" + strings.Repeat("0", 30), `undefined`: "undefined", `null`: "null", `false`: "false",
	`{a: "tide"}`: `{\"a\":\"tide\"}`, `[1, 2]`: "1,2", `new Error("tide")`: "Error: tide at answer (guest.js:",
	`new Error("a", {cause: new Error("b", {cause: "tide"})})`:    "Error: a: caused by: Error: b: caused by: tide at answer (guest.js:",
	`new Error("a", {cause: 1})`:                                  "Error: a at answer (guest.js:",
	`Object.defineProperty(new Error("a"), "stack", {value: {}})`: "Error: a\"",
	`Symbol("tide")`:                                                      "it threw a value that is no error and has no text",
	`{toString() { throw new Error("no") }}`:                              "it threw a value that is no error and has no text",
	`{get cause() { throw 1 }, a: {toJSON() { throw 1 }}}`:                "[object Object]",
	`Object.defineProperty(new Error("a"), "cause", {get() { throw 1 }})`: "Error: a at answer (guest.js:",
}

// Whatever a promise is rejected with is told, and does not touch what the program works with.
func TestScriptRejections(t *testing.T) {
	var lines strings.Builder
	r := newRuntime(t, runtime.Options{Logger: slog.New(slog.NewTextHandler(&lines, nil))})
	for value, want := range rejections {
		g := load(t, r, answering(t, `const kept = "tide"; function answer() { Promise.reject(`+value+`); return "+1" + kept }`, withSession))
		for range 3 {
			lines.Reset()
			text, err := askScript(t, g, "s", map[string]any{})
			require.NoError(t, err, value)
			assert.Equal(t, "tide", text, value)
			assert.Contains(t, lines.String(), "a promise was rejected and nobody handles it: "+want, value)
		}
	}
	lines.Reset()
	g := load(t, r, answering(t, `function answer() { for (let i = 0; i < 100; i++) Promise.reject(i); return "1well" }`))
	_, err := render(t.Context(), g)
	require.NoError(t, err)
	assert.Equal(t, 8, strings.Count(lines.String(), "a promise was rejected"))
	lines.Reset()
	load(t, r, answering(t, `Promise.reject("early"); const later = Promise.reject("handled"); later.catch(() => {}); const answer = () => "1well"`))
	assert.Contains(t, lines.String(), "nobody handles it: early")
	assert.NotContains(t, lines.String(), "handled\"")
}

// A session may have as many rejections as it likes.
func TestScriptRejectionsLeaveNothing(t *testing.T) {
	e := &watched{Engine: enginetest.New()}
	r := runtime.New(e, runtime.Options{Remember: runtime.Remember{SessionBytes: -1}, Limits: unhurried})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	for value := range rejections {
		g := load(t, r, answering(t, `function answer() { const value = `+value+`; Promise.reject(value); Promise.reject(value).catch(() => {});
			(async () => { await null; throw value })(); return "1well" }`, withSession))
		size := func(calls int) float64 {
			for range calls {
				_, err := askScript(t, g, "s", map[string]any{})
				require.NoError(t, err)
			}
			allocated, err := e.last.Function("qjs_get_allocated_size").Call()
			require.NoError(t, err)
			return float64(allocated)
		}
		before := size(50)
		assert.InDelta(t, before, size(200), 200, "%s: a byte for each call at most", value)
		require.NoError(t, g.Close(t.Context()))
	}
}

// What a program is asked on the way to a report belongs to its call as well.
func TestScriptIsStoppedOnTheWay(t *testing.T) {
	r := newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: 1 << 50, Time: 20 * time.Millisecond}})
	for _, code := range []string{
		`Promise.reject({toString() { for (;;); }}); return "1well"`,
		`new Promise(() => { for (;;); }); return 1`,
		`new Promise(() => { for (;;); }); return "no form"`,
		`new Promise(() => { for (;;); }); return "."`,
		`(async () => { for (;;); })(); return 1`,
		`(async () => { for (;;); })(); return "no form"`,
	} {
		file := answering(t, `function answer() { `+code+` }`)
		_, err := render(t.Context(), loadScript(t, file, runtime.GuestOptions{}))
		assert.Equal(t, runtime.KindFuel, asError(t, err).Kind, code)
		assert.Equal(t, "it used up its fuel of 50000000 units", asError(t, err).Reason, code)
		_, err = render(t.Context(), load(t, r, file))
		assert.Equal(t, runtime.KindTimeout, asError(t, err).Kind, code)
	}
}
