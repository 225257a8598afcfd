package javascript_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// What a program says that it wrote into its kv is checked as what any guest writes; a change that does not fit
// changes nothing.
func TestChangesOfTheKV(t *testing.T) {
	r := newRuntime(t)
	m, err := wasmbin.Parse(bare(t), wasmbin.DefaultLimits())
	require.NoError(t, err)
	offers := manifest
	offers.Capabilities = []abi.Capability{{Name: abi.CapabilityKV, Reason: "to be tried"}}
	for i, c := range []struct{ name, kv, kept string }{
		{"nothing", `{}`, `{"a":"1"}`},
		{"a text", `{ b: "2" }`, `{"a":"1","b":"2"}`},
		{"gone", `{ a: null }`, `{}`},
		{"what is not there gone", `{ x: null }`, `{"a":"1"}`},
		{"a prototype", `JSON.parse('{"__proto__":"2"}')`, `{"__proto__":"2","a":"1"}`},
		{"a name of nothing", `{ "": "2" }`, `{"":"2","a":"1"}`},
		{"a number", `{ b: 2 }`, ``},
		{"a list", `[["b", "2"]]`, ``},
		{"half a surrogate pair", `{ "\ud800": "\udc00" }`, "{\"a\":\"1\",\"\ufffd\":\"\ufffd\"}"},
		{"a long key", `{ ["k".repeat(257)]: "" }`, ``},
		{"a long key in UTF-8", `{ ["é".repeat(129)]: "" }`, ``},
		{"a long value", `{ b: "v".repeat(16385) }`, ``},
		{"many", `Object.fromEntries(Array.from({ length: 257 }, (_, i) => [i, ""]))`, ``},
		{"much", `Object.fromEntries(Array.from({ length: 5 }, (_, i) => [i, "v".repeat(16000)]))`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			code := `let kv; globalThis.__pintle = { settled() { return "0" }, reseed() {},
				call(op, request, payload, entries) {
					const { prompt } = JSON.parse(request);
					kv = prompt === "set" ? { a: "1" } : prompt === "try" ? ` + c.kv + ` : {};
					return prompt === undefined ? "0" : "+1" + entries;
				},
				more() { return JSON.stringify({ kv }) } }`
			file, err := guestbuild.Attach(m.WithCustomFirst(abi.BundleSection, section(t, abi.Bundle{Code: code})), &offers)
			require.NoError(t, err)
			g, err := r.Load(t.Context(), "kv.wasm", file, runtime.GuestOptions{Source: fmt.Sprint("kv", i), Grants: []string{abi.CapabilityKV}})
			require.NoError(t, err)
			defer func() { assert.NoError(t, g.Close(t.Context())) }()
			said, err := askIn(t.Context(), g, "s", "set")
			require.NoError(t, err)
			assert.Equal(t, "{}", said)
			_, err = askIn(t.Context(), g, "s", "try")
			want := c.kept
			if want == "" {
				require.Error(t, err)
				t.Log(err)
				want = `{"a":"1"}`
			} else {
				require.NoError(t, err)
			}
			said, err = askIn(t.Context(), g, "s", "look")
			require.NoError(t, err)
			assert.JSONEq(t, want, said)
			said, err = askIn(t.Context(), g, "another session", "look")
			require.NoError(t, err)
			assert.Equal(t, "{}", said)
		})
	}
}
