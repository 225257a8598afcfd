package guesttest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// runner asks a guest's file; loads counts how often it is loaded.
func runner(t *testing.T, file []byte) (r *guesttest.Runner, loads *int) {
	t.Helper()
	run := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { require.NoError(t, run.Close(context.Background())) })
	loads = new(int)
	r = &guesttest.Runner{Load: func(ctx context.Context, config map[string]string) (*runtime.Guest, error) {
		*loads++
		return run.Load(ctx, "g.wasm", file, runtime.GuestOptions{Config: config, Grants: []string{abi.CapabilityKV}})
	}}
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	return r, loads
}

func suite(t *testing.T, text string) *guesttest.Suite {
	t.Helper()
	s, err := guesttest.Parse("cases.json", []byte(text))
	require.NoError(t, err)
	return s
}

func runAll(t *testing.T, r *guesttest.Runner, s *guesttest.Suite) []guesttest.Result {
	t.Helper()
	var results []guesttest.Result
	for _, c := range s.Cases {
		results = append(results, r.Run(t.Context(), c))
	}
	return results
}

func echo(t *testing.T) []byte {
	t.Helper()
	file, err := os.ReadFile("../../testdata/guests/c/c.wasm")
	require.NoError(t, err)
	return file
}

// The guest repeats the prompt, and answers an error without one.
func TestRunContributions(t *testing.T) {
	r, loads := runner(t, echo(t))
	s := suite(t, `[
		{"name": "passes", "contribution": "echo/c", "context": {"prompt": "a\nb"}, "text": "C heard: a\nb"},
		{"name": "trims", "contribution": "echo/c", "context": {"prompt": "a\n"}, "text": "C heard: a"},
		{"name": "fails", "contribution": "echo/c", "error": "nothing to echo"},
		{"name": "fails by its code", "contribution": "echo/c", "error": "no-prompt"},
		{"name": "fails once more", "contribution": "echo/c", "error": "nothing to echo"},
		{"name": "fails again", "contribution": "echo/c", "error": "nothing to echo"},
		{"name": "and is not held against it", "contribution": "echo/c", "error": "nothing to echo"},

		{"name": "another text", "contribution": "echo/c", "context": {"prompt": "1\n2\n3\n4\n5\n6\n7\n8\n9\nx"}, "text": "C heard: 1\n2\n3\n4\n5\n6\n7\n8\n9"},
		{"name": "a text", "contribution": "echo/c", "context": {"prompt": "T"}, "nothing": true},
		{"name": "no error", "contribution": "echo/c", "context": {"prompt": "T"}, "error": "E"},
		{"name": "an error", "contribution": "echo/c", "text": "T"},
		{"name": "another error", "contribution": "echo/c", "error": "no tide today"},
		{"name": "nothing is expected", "contribution": "echo/c", "context": {"prompt": "T"}},
		{"name": "another id", "contribution": "echo", "text": "T"},
		{"name": "an adapter", "adapter": "echo", "payload": {}, "unchanged": true}
	]`)
	results := runAll(t, r, s)
	for i, want := range []string{"", "", "", "", "", "", "",
		"another text than expected", "want nothing, got a text", "want an error, got a text",
		"guest testdata/c@1.0.0: developer_messages_v1_render: failed: no-prompt: nothing to echo",
		"another error than expected",
		"it does not say what it expects; the guest answered a text",
		`testdata/c@1.0.0 has no contribution "echo"; it has echo/c`, "testdata/c@1.0.0 has no adapters",
	} {
		got := results[i]
		assert.Equal(t, want == "", got.Passed, got.Case.Name)
		assert.Equal(t, want, got.Fault, got.Case.Name)
	}
	assert.Equal(t, []string{"…", "  7", "  8", "  9", "+ x"}, results[7].Diff)
	assert.Equal(t, []string{"+ C heard: T"}, results[8].Diff)
	assert.Equal(t, []string{"- no tide today", "+ guest testdata/c@1.0.0: developer_messages_v1_render: failed: no-prompt: nothing to echo"},
		results[11].Diff)
	assert.Less(t, 0, int(results[0].Answer.Fuel))
	assert.LessOrEqual(t, 7, *loads, "after a failure it is loaded anew")
}

// As in a turn a contribution is not asked if it is not for the provider, or its tools are not active.
func TestRunAsksAsATurnDoes(t *testing.T) {
	m := wasmtest.Manifest()
	m.Contributions[0].ID, m.Contributions[0].Providers, m.Contributions[0].ActiveTools = "c", &[]string{"p"}, []string{"a", "b"}
	answer := wasmtest.Text("said")
	file := wasmtest.Guest(wasmtest.Module{Pages: 1, Data: []wasmtest.Data{{Offset: 2048, Bytes: answer}}}, m,
		wasmtest.Answer(2048, uint32(len(answer))))
	r, loads := runner(t, file)
	results := runAll(t, r, suite(t, `[
		{"name": "1", "contribution": "c", "context": {"provider": "p", "activeTools": ["b", "a"]}, "text": "said"},
		{"name": "2", "contribution": "c", "context": {"activeTools": ["b", "a"]}, "nothing": true},
		{"name": "3", "contribution": "c", "context": {"provider": "q", "activeTools": ["b", "a"]}, "nothing": true},
		{"name": "4", "contribution": "c", "context": {"provider": "p", "activeTools": ["b"]}, "text": "said"}
	]`))
	assert.True(t, results[0].Passed)
	assert.True(t, results[1].Passed)
	assert.Equal(t, "it is not asked: c is for the provider p, and no provider is given", results[1].Answer.Why)
	assert.Equal(t, "it is not asked: c is for the provider p, and the turn is of q", results[2].Answer.Why)
	assert.Equal(t, "want a text, got nothing (it is not asked: c wants the tool a to be active)", results[3].Fault)
	assert.Equal(t, 1, *loads, "with the same configuration it is loaded once")
}

func TestRunAdapters(t *testing.T) {
	file, err := stock.Adapters()
	require.NoError(t, err)
	r, loads := runner(t, file)
	results := runAll(t, r, suite(t, `[
		{"name": "1", "adapter": "openai-codex-responses", "base": "B", "systemPrompt": "S", "messages": [{"id": "m", "content": "C"}],
		 "payload": { "instructions": "B", "input": [ ], "n": 1.0 },
		 "result": {"instructions":"S","input":[{"role":"developer","content":"<pi_developer_prompt_message id=\"m\">\nC\n</pi_developer_prompt_message>"}],"n": 1.0}},
		{"name": "2", "adapter": "openai-codex-responses-v1", "base": "B", "systemPrompt": "S", "payload": {"instructions": "B"}, "result": {"instructions": "S"}},
		{"name": "3", "adapter": "openai-codex-responses-v1", "systemPrompt": "S", "payload": {"instructions": ""}, "unchanged": true},
		{"name": "4", "adapter": "openai-codex-responses", "base": "", "systemPrompt": "S", "payload": {"instructions": ""}, "result": {"instructions": "S"}},
		{"name": "5", "adapter": "openai-codex-responses", "base": "B", "payload": {"instructions": "B"}, "unchanged": true},
		{"name": "6", "adapter": "openai-codex-responses", "api": "another", "payload": {}, "result": {}},
		{"name": "7", "adapter": "openai-codex-responses", "base": "B", "systemPrompt": "S", "payload": {"instructions": "B", "n": 1.0}, "result": {"instructions": "S", "n": 1}},
		{"name": "8", "adapter": "openai-codex-responses", "base": "B", "systemPrompt": "S", "payload": {"instructions": "B"}, "unchanged": true},
		{"name": "9", "adapter": "openai-codex-responses", "systemPrompt": "S", "messages": [{"id": "m", "content": "C"}],
		 "payload": {"instructions": "B", "input": []}, "result": {"instructions": "S", "input": []}}
	]`))
	for i, want := range []string{"", "", "", "", "", "want another payload, got the payload unchanged (it is not asked: openai-codex-responses is for the API openai-codex-responses, and the request is of another)",
		"another payload than expected", "want the payload unchanged, got another payload",
		"another payload than expected (without base, the prompt that the host had built, the prompt stays)"} {
		assert.Equal(t, want, results[i].Fault, results[i].Case.Name)
		assert.Equal(t, want == "", results[i].Passed)
	}
	assert.Equal(t, "without base, the prompt that the host had built, the prompt stays", results[2].Answer.Why)
	assert.Equal(t, []string{"  {", `    "instructions": "S",`, `-   "n": 1`, `+   "n": 1.0`, "  }"}, results[6].Diff)
	assert.Equal(t, []string{"  {", `-   "instructions": "B"`, `+   "instructions": "S"`, "  }"}, results[7].Diff)
	assert.Equal(t, 1, *loads)
}

// A guest that cannot be loaded is an answer like a call that fails, by its words and its functions.
func TestRunGuestsThatCannotBeLoaded(t *testing.T) {
	r := &guesttest.Runner{Load: func(context.Context, map[string]string) (*runtime.Guest, error) {
		return nil, fmt.Errorf("load: %w", &runtime.Error{Kind: runtime.KindTrap, Guest: "g@1", Reason: "no tide", Trace: []string{"sink (a.ts:1:2)"}})
	}}
	results := runAll(t, r, suite(t, `[
		{"name": "1", "contribution": "c", "config": {"k": "v"}, "error": "no tide"},
		{"name": "2", "contribution": "c", "error": "sink (a.ts"},
		{"name": "3", "contribution": "c", "text": "t"}
	]`))
	assert.True(t, results[0].Passed)
	assert.True(t, results[1].Passed)
	assert.True(t, strings.HasPrefix(results[2].Fault, "load: guest g@1"), results[2].Fault)
	e := (*runtime.Error)(nil)
	assert.True(t, errors.As(results[2].Answer.Err, &e))
	require.NoError(t, r.Close(t.Context()))
}

// What a guest keeps ends with the case, whatever the session; it has the configuration of the case.
func TestRunKeepsCasesApart(t *testing.T) {
	m := wasmtest.Manifest()
	m.State, m.Contributions[0].ID = abi.StateSession, "c"
	m.Capabilities = []abi.Capability{{Name: abi.CapabilityConfig, Reason: "r", Keys: []string{"k"}}}
	answer := wasmtest.Text("0")
	last := int32(2048 + len(answer) - 1)
	counts := wasmtest.Code(wasmtest.I32Const(last), wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const(1), wasmtest.I32Add,
		wasmtest.I32Store8(), wasmtest.Answer(2048, uint32(len(answer))))
	r, loads := runner(t, wasmtest.Guest(wasmtest.Module{Pages: 1, Data: []wasmtest.Data{{Offset: 2048, Bytes: answer}}}, m, counts))
	results := runAll(t, r, suite(t, `[
		{"name": "1", "contribution": "c", "context": {"sessionId": "s"}, "text": "1"},
		{"name": "2", "contribution": "c", "context": {"sessionId": "s"}, "text": "1"},
		{"name": "3", "contribution": "c", "text": "1"},
		{"name": "4", "contribution": "c", "config": {"k": "v"}, "text": "1"},
		{"name": "5", "contribution": "c", "config": {"k": "v"}, "text": "1"}
	]`))
	for _, got := range results {
		assert.True(t, got.Passed, "%s: %s", got.Case.Name, got.Fault)
	}
	assert.Equal(t, 2, *loads, "another configuration is another guest")
}

// A text of white space is none, as in a turn.
func TestRunBlankTexts(t *testing.T) {
	answer := wasmtest.Text(" \n\u00a0")
	r, _ := runner(t, wasmtest.Guest(wasmtest.Module{Pages: 1, Data: []wasmtest.Data{{Offset: 2048, Bytes: answer}}}, wasmtest.Manifest(),
		wasmtest.Answer(2048, uint32(len(answer)))))
	c := &guesttest.Case{Contribution: wasmtest.Manifest().Contributions[0].ID}
	assert.Equal(t, guesttest.Nothing, r.Ask(t.Context(), c).Kind)
}
