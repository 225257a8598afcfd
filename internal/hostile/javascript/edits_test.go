package javascript_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// adapters makes a guest with an adapter of each version, whose answers are what the function edits returns.
func adapters(t *testing.T, r *runtime.Runtime, edits string) *runtime.Guest {
	t.Helper()
	code := `globalThis.__pintle = { settled() { return "0" }, more() { return "{}" }, reseed() {}, call(op, request, payload) {
		if (op.endsWith("read_system_prompt")) return "1Base.";
		if (op.endsWith("replace_system_prompt")) return "0";
		const edits = ` + edits + `;
		return op.endsWith("edit") ? "3" + JSON.stringify({ messages: { edits } }) : "4" + JSON.stringify(edits);
	} }`
	m, err := wasmbin.Parse(bare(t), wasmbin.DefaultLimits())
	require.NoError(t, err)
	offers := manifest
	offers.Contributions = nil
	offers.Limits.MemoryBytes = 64 << 20
	write := abi.Path{{Member: "input"}}
	offers.Adapters = []abi.Adapter{
		{Interface: abi.ProviderPayloadAdaptersV2, ID: "v2", APIs: []string{"x"}, Write: []abi.Path{write}, View: []abi.Selector{{Path: write}}},
		{Interface: abi.ProviderPayloadAdaptersV1, ID: "v1", APIs: []string{"x"}, Operations: []string{abi.ReplaceDeveloperMessagesV1}},
	}
	file, err := guestbuild.Attach(m.WithCustomFirst(abi.BundleSection, section(t, abi.Bundle{Code: code})), &offers)
	require.NoError(t, err)
	g, err := r.Load(t.Context(), "hostile.wasm", file, runtime.GuestOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.Background())) })
	return g
}

func apply(t *testing.T, g *runtime.Guest, id, body string) (string, error) {
	t.Helper()
	a, ok := registry.AdapterOf(g, id)
	require.True(t, ok)
	var reg registry.Registry
	_, err := reg.RegisterDefaultAdapter("x", a)
	require.NoError(t, err)
	base := "Base."
	state := envelope.State{Base: &base, Prompt: &base, Provider: "p", Messages: []registry.Message{{ID: "a", Content: "A"}}}
	result, err := payload.ApplyState(t.Context(), &reg, state, registry.PayloadRequest{SessionID: "s", Provider: "p", API: "x", Payload: []byte(body)}, payload.Options{})
	return string(result.Body.Bytes()), err
}

// Edits that mean nothing change nothing, and those that the interface allows do what they say.
func TestEdits(t *testing.T) {
	r := newRuntime(t)
	const body = `{"input":[1.0,{"a":[2]},"x"],"n":1e2}`
	for _, c := range []struct{ name, edits, v1, v2 string }{
		{"none", `[]`, body, body},
		{"no list", `5`, "", ""},
		{"no edits", `[5,null,"x"]`, "", ""},
		{"no operation", `[{"at":["input",0]}]`, "", ""},
		{"unknown operation", `[{"op":"move","at":["input",0],"value":"1"}]`, "", ""},
		{"negative index", `[{"op":"remove","at":["input",-1]}]`, "", ""},
		{"fraction", `[{"op":"remove","at":["input",0.5]}]`, "", ""},
		{"huge index", `[{"op":"remove","at":["input",1e99]}]`, "", ""},
		{"index beyond", `[{"op":"remove","at":["input",3]}]`, "", ""},
		{"index of 64 bits", `[{"op":"remove","at":["input",18446744073709551615]}]`, "", ""},
		{"index as text", `[{"op":"remove","at":["input","0"]}]`, "", ""},
		{"steps that are lists", `[{"op":"remove","at":["input",[0]]}]`, "", ""},
		{"many steps", `[{"op":"set","at":["input",...Array(1e5).fill(0)],"value":"1"}]`, "", ""},
		{"the document", `[{"op":"set","at":[],"value":"[1]"}]`, `[1]`, ""},
		{"the document, as no JSON", `[{"op":"set","at":[],"value":"[1"}]`, "", ""},
		{"the document, and more", `[{"op":"set","at":[],"value":"[1]"},{"op":"remove","at":["n"]}]`, "", ""},
		{"removing the document", `[{"op":"remove","at":[]}]`, "", ""},
		{"no value", `[{"op":"set","at":["input",0]}]`, "", ""},
		{"an empty value", `[{"op":"set","at":["input",0],"value":""}]`, "", ""},
		{"a value that is no text", `[{"op":"set","at":["input",0],"value":{}}]`, "", ""},
		{"two values", `[{"op":"set","at":["input",0],"value":"1,2"}]`, "", ""},
		{"a value that breaks out", `[{"op":"set","at":["input",0],"value":"1],\"n\":[2"}]`, "", ""},
		{"a value that is deep", `[{"op":"set","at":["input",0],"value":"[".repeat(2e5)+"]".repeat(2e5)}]`, "", ""},
		{"half a surrogate pair", `[{"op":"set","at":["input",0],"value":'"\ud800"'}]`, `{"input":["` + "\ufffd" + `",{"a":[2]},"x"],"n":1e2}`, `{"input":["` + "\ufffd" + `",{"a":[2]},"x"],"n":1e2}`},
		{"twice", `[{"op":"remove","at":["input",0]},{"op":"remove","at":["input",0]}]`, "", ""},
		{"one in the other", `[{"op":"remove","at":["input",1]},{"op":"set","at":["input",1,"a"],"value":"1"}]`, "", ""},
		{"where it may not", `[{"op":"remove","at":["n"]}]`, `{"input":[1.0,{"a":[2]},"x"]}`, ""},
		{"where it may", `[{"op":"remove","at":["input",0]}]`, `{"input":[{"a":[2]},"x"],"n":1e2}`, `{"input":[{"a":[2]},"x"],"n":1e2}`},
		{"a value with white space", `[{"op":"set","at":["input",0],"value":" \n7 "}]`, `{"input":[ ` + "\n" + `7 ,{"a":[2]},"x"],"n":1e2}`, `{"input":[ ` + "\n" + `7 ,{"a":[2]},"x"],"n":1e2}`},
		{"a name of NUL", `[{"op":"set","at":["input",1,"\0"],"value":"1"}]`, `{"input":[1.0,{"a":[2],"\u0000":1},"x"],"n":1e2}`, `{"input":[1.0,{"a":[2],"\u0000":1},"x"],"n":1e2}`},
		{"a name of prototypes", `[{"op":"set","at":["input",1,"__proto__"],"value":"1"}]`, `{"input":[1.0,{"a":[2],"__proto__":1},"x"],"n":1e2}`, `{"input":[1.0,{"a":[2],"__proto__":1},"x"],"n":1e2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := adapters(t, r, c.edits)
			for id, want := range map[string]string{"v1": c.v1, "v2": c.v2} {
				got, err := apply(t, g, id, body)
				if want == "" {
					require.Error(t, err, id)
					t.Logf("%s: %.200s", id, err)
					want = body // is sent as it was
				} else {
					require.NoError(t, err, id)
				}
				assert.True(t, jsonspan.Equal([]byte(want), []byte(got)), "%s: want %s, got %s", id, want, got)
			}
		})
	}
}

// Very many edits are carried out, or refused, in no time.
func TestManyEdits(t *testing.T) {
	r := newRuntime(t)
	const items = 2_000
	body := `{"input":[` + strings.Repeat("0,", items-1) + `0]}`
	every := func(op string) string {
		return fmt.Sprintf(`Array.from({length: %d}, (_, i) => ({op: "%s", at: ["input", i], value: "%s" === "remove" ? undefined : "1"}))`, items, op, op)
	}
	for _, c := range []struct{ name, edits, v1 string }{
		{"removes", every("remove"), `{"input":[]}`},
		{"sets", every("set"), `{"input":[` + strings.Repeat("1,", items-1) + `1]}`},
		{"inserts", every("insert"), `{"input":[` + strings.Repeat("1,0,", items-1) + `1,0]}`},
		{"inserts at one place", fmt.Sprintf(`Array(%d).fill({op: "insert", at: ["input", 0], value: "1"})`, items),
			`{"input":[` + strings.Repeat("1,", items) + strings.Repeat("0,", items-1) + `0]}`},
		{"members", fmt.Sprintf(`Array.from({length: %d}, (_, i) => ({op: "set", at: ["m" + i], value: "1"}))`, items), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := adapters(t, r, c.edits)
			start := time.Now()
			got, err := apply(t, g, "v1", body)
			t.Logf("%v, %v", time.Since(start), err)
			assert.Less(t, time.Since(start), soon)
			require.NoError(t, err)
			if c.v1 != "" {
				assert.Equal(t, c.v1, got)
			}
			_, err = apply(t, g, "v2", body)
			require.Error(t, err, "there are more than the interface allows")
		})
	}
}
