package stream_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

func call(id, tool, input string) string {
	return `{"type":"tool-call","toolCallId":"` + id + `","toolName":"` + tool + `","input":` + string(wtf8.AppendQuote(nil, input)) + `}`
}

func TestArguments(t *testing.T) {
	const bad, good = true, false
	for _, c := range []struct {
		input, want string
		incomplete  bool
		// onPi is what pi makes of it, "" for the same.
		onPi string
	}{
		{`{"a":1}`, `{"a":1}`, good, ""},
		{" {\"a\":1.0}\n", `{"a":1.0}`, good, ""},
		{"{\"a\":\n[ 1 ]}", `{"a":[ 1 ]}`, good, ""},
		{"{\"a\":\r[ 1 ]}", `{"a":[ 1 ]}`, good, ""},
		{`{}`, `{}`, good, ""},
		{``, `{}`, good, ""},
		{"\u00a0\n\ufeff", `{}`, good, ""},
		{`[1]`, `[1]`, good, `{}`},
		{`[]`, `[]`, good, `{}`},
		{`42`, `{}`, bad, ""},
		{`null`, `{}`, bad, ""},
		{`"{}"`, `{}`, bad, ""},
		{`{"a":`, `{}`, bad, ""},
		{`{"a":1}}`, `{}`, bad, ""},
		{`{"a":1} x`, `{}`, bad, ""},
		{"\u0085", `{}`, bad, ""}, // no white space in JavaScript
		{"\ufeff{}", `{}`, bad, ""},
		{"{\"a\":\"\xed\xa0\xbd\"}", `{"a":"\ud83d"}`, good, ""},
		{`{"a":"` + "\u2028" + `"}`, `{"a":"` + "\u2028" + `"}`, good, ""},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567890}`, good, ""},
		{strings.Repeat(`{"a":`, 20_000), `{}`, bad, ""},
	} {
		for _, host := range []string{"omp", "pi"} {
			for _, reference := range []bool{false, true} {
				cfg := configFor(t, host, "ls")
				cfg.Reference = reference
				r := translate(t, cfg, call("c", "ls", c.input), finishTools)
				b := r.final.Content[0]
				want, incomplete := c.want, c.incomplete
				if host == "pi" && !reference && c.onPi != "" {
					want, incomplete = c.onPi, bad
				}
				assert.Equal(t, want, string(appendBlock(b)), "%s %q", host, c.input)
				assert.Equal(t, incomplete, b.Incomplete, "%s %q", host, c.input)
				if incomplete {
					assert.Equal(t, c.input, b.Input)
				} else {
					assert.Empty(t, b.Input)
				}
				if incomplete && host == "pi" && !reference {
					assert.Contains(t, b.ArgumentsError, c.input)
					assert.Contains(t, string(b.AppendJSON(nil)), `"argumentsError":"`)
				} else {
					assert.Empty(t, b.ArgumentsError)
				}
			}
		}
	}
}

// appendBlock is the arguments as the block's JSON has them.
func appendBlock(b *stream.Block) string {
	s := string(b.AppendJSON(nil))
	s = s[strings.Index(s, `"arguments":`)+len(`"arguments":`):]
	if at := strings.Index(s, `,"argumentsError"`); at >= 0 {
		return s[:at]
	}
	return s[:len(s)-1]
}

func TestArgumentsAreNotCopied(t *testing.T) {
	input := `{"city":"` + strings.Repeat("Oslo ", 1000) + `"}`
	cfg := configFor(t, "pi", "ls")
	parts := []stream.Part{{Type: stream.PartToolCall, ID: "c", ToolName: "ls", Input: input}}
	var b *stream.Block
	for e := range stream.Translate(t.Context(), cfg, valuesOf(parts)) {
		if e.Block != nil {
			b = e.Block
		}
	}
	require.NotNil(t, b)
	assert.True(t, sameMemory(input, b.Arguments))
}

func TestRepeatedCall(t *testing.T) {
	r := translate(t, configFor(t, "pi", "ls"),
		`{"type":"tool-input-start","id":"c","toolName":"ls","providerMetadata":{"p":{"a":1}}}`, call("c", "ls", `{"n":1}`),
		`{"type":"tool-input-delta","id":"c","delta":"more","providerMetadata":{"p":{"b":2}}}`,
		call("c", "ls", `{"n":`), `{"type":"tool-input-end","id":"c","providerMetadata":{"p":{"a":3}}}`, finishTools)
	assert.Equal(t, []string{
		`{"type":"start"}`, `{"type":"toolcall_start","contentIndex":0}`,
		`{"type":"toolcall_end","contentIndex":0,"toolCall":{"type":"toolCall","id":"c","name":"ls","arguments":{"n":1},` +
			`"thoughtSignature":"{\"p\":{\"a\":1}}"}}`,
		`{"type":"toolcall_delta","contentIndex":0,"delta":"more"}`,
	}, r.events[:4])
	assert.Equal(t, `{"p":{"a":3,"b":2}}`, r.final.Content[0].Signature())
	assert.NotEmpty(t, r.final.Content[0].ArgumentsError)
	assert.Len(t, r.final.Content, 1)
	// The events still have what they had.
	for i, e := range r.raw {
		assert.Equal(t, r.events[i], string(e.AppendJSON(nil, false)))
	}
	assert.Equal(t, `{"p":{"a":1}}`, r.raw[2].Block.Signature())
	assert.Equal(t, `{"p":{"a":1,"b":2}}`, r.raw[4].Block.Signature())
}

func TestFanOut(t *testing.T) {
	r := translate(t, configFor(t, "omp", "read"),
		`{"type":"tool-input-start","id":"c","toolName":"read","providerMetadata":{"p":{"a":1}}}`,
		strings.Replace(call("c", "read", `{"filePath":"/a;/b"}`), "{", `{"providerMetadata":{"p":{"b":2}},`, 1),
		// The id is free again.
		`{"type":"tool-input-end","id":"c","providerMetadata":{"p":{"a":2}}}`, `{"type":"tool-input-delta","id":"c","delta":"x"}`,
		call("c", "read", `{"filePath":"/c;/d"}`), finishTools)
	assert.Equal(t, `{"type":"toolCall","id":"c#0","name":"read","arguments":{"path":"/a"},"thoughtSignature":"{\"p\":{\"a\":1,\"b\":2}}"},`+
		`{"type":"toolCall","id":"c#1","name":"read","arguments":{"path":"/b"}},`+
		`{"type":"toolCall","id":"c#0","name":"read","arguments":{"path":"/c"}},`+
		`{"type":"toolCall","id":"c#1","name":"read","arguments":{"path":"/d"}}`, content(r.final))
	assert.Equal(t, `{"type":"toolCall","id":"c","name":"","arguments":{},"thoughtSignature":"{\"p\":{\"a\":1}}"}`, content(r.snapshots[1]))
}

// The block of a call that fans out has the provider's id until the call is complete, and that id is free
// then, where no input was streamed as well.
func TestFanOutWithoutInput(t *testing.T) {
	r := translate(t, configFor(t, "omp", "read"), call("c", "read", `{"filePath":"/a;/b"}`),
		`{"type":"tool-input-delta","id":"c","delta":"x"}`, finishTools)
	assert.Equal(t, `{"type":"toolCall","id":"c","name":"","arguments":{}}`, content(r.snapshots[1]))
	assert.Equal(t, `{"type":"toolCall","id":"c#0","name":"read","arguments":{"path":"/a"}}`, content(r.snapshots[2]))
	assert.Equal(t, `{"type":"toolCall","id":"c#0","name":"read","arguments":{"path":"/a"}},`+
		`{"type":"toolCall","id":"c#1","name":"","arguments":{}}`, content(r.snapshots[3]))
	require.Len(t, r.final.Content, 3)
	assert.Equal(t, "c", r.final.Content[2].ID)
}

// What is known of the todo list is forgotten with the first call that changes it.
func TestTodosAreForgotten(t *testing.T) {
	cfg := configFor(t, "omp", "todo", "ls")
	cfg.Todos = []profile.Todo{{Content: "A", Status: "pending"}}
	list := `{"todos":[{"content":"A","status":"completed"}]}`
	for range 2 { // the configuration is not changed
		r := translate(t, cfg, call("l", "ls", `{}`), call("1", "todowrite", list), call("2", "todowrite", list), finishTools)
		assert.Equal(t, `{"type":"toolCall","id":"l","name":"ls","arguments":{}},`+
			`{"type":"toolCall","id":"1#0","name":"todo","arguments":{"op":"done","task":"A"}},`+
			`{"type":"toolCall","id":"2#0","name":"todo","arguments":{"op":"init","items":["A"]}},`+
			`{"type":"toolCall","id":"2#1","name":"todo","arguments":{"op":"done","task":"A"}}`, content(r.final))
	}
}

func TestAllow(t *testing.T) {
	cfg := configFor(t, "pi", "find", "ls")
	for _, c := range []struct {
		allow     []string
		unchecked bool
		tool      string
		ok        bool
	}{
		{nil, false, "glob", true}, {nil, false, "find", false}, {nil, false, "", false},
		{[]string{}, false, "ls", false}, {[]string{"other"}, false, "other", true}, {[]string{"other"}, false, "ls", false},
		{nil, true, "anything", true}, {[]string{}, true, "ls", true},
	} {
		cfg.Allow, cfg.Unchecked = c.allow, c.unchecked
		r := translate(t, cfg, call("c", c.tool, `{}`), finishTools)
		if c.ok {
			assert.Equal(t, stream.StopToolUse, r.final.StopReason, "%v", c)
			continue
		}
		assert.Equal(t, stream.UnadvertisedTool, r.final.Failure, "%v", c)
		assert.Equal(t, c.tool, r.final.ErrorTool)
		assert.Contains(t, r.final.ErrorMessage, `"`+c.tool+`"`)
		assert.Empty(t, r.final.Content)
	}
}

func TestDangling(t *testing.T) {
	parts := []string{
		`{"type":"tool-input-start","id":"1","toolName":"glob"}`, `{"type":"tool-input-delta","id":"1","delta":"{\"a\":"}`,
		`{"type":"tool-input-start","id":"2","toolName":"hidden"}`, `{"type":"tool-input-delta","id":"3","delta":"{}"}`,
		`{"type":"tool-input-start","id":"4","toolName":"ls"}`, call("4", "ls", `{"x":1}`),
	}
	name := map[string]string{"pi": "find", "omp": "glob"}
	for host, tool := range name {
		for _, end := range []string{finishStop, finishTools, `{"type":"error","error":"e"}`, `{"type":"finish","finishReason":"length"}`, call("9", "nope", "")} {
			cfg := configFor(t, host, "find", "glob", "ls")
			r := translate(t, cfg, append(parts, end)...)
			blocks := r.final.Content
			assert.Equal(t, []string{tool, "", "", "ls"}, []string{blocks[0].Name, blocks[1].Name, blocks[2].Name, blocks[3].Name}, host)
			assert.Equal(t, []bool{true, true, true, false},
				[]bool{blocks[0].Incomplete, blocks[1].Incomplete, blocks[2].Incomplete, blocks[3].Incomplete})
			assert.Equal(t, host == "pi", blocks[0].ArgumentsError != "")
			for _, b := range blocks[1:] {
				assert.Empty(t, b.ArgumentsError)
			}
			assert.Equal(t, "{}", string(blocks[0].Arguments))
			// Until the end nothing had a name.
			assert.Empty(t, r.snapshots[len(r.snapshots)-2].Content[0].Name)

			cfg.Reference = true
			r = translate(t, cfg, append(parts, end)...)
			assert.Empty(t, r.final.Content[0].Name)
			assert.True(t, r.final.Content[0].Incomplete)
			assert.Empty(t, r.final.Content[0].ArgumentsError)
		}
	}
	cfg := configFor(t, "pi", "ls")
	cfg.Unchecked = true
	r := translate(t, cfg, append(parts, finishStop)...)
	assert.Equal(t, "hidden", r.final.Content[1].Name)
	assert.NotEmpty(t, r.final.Content[1].ArgumentsError)
}

// Only what was not called is named as cut off, whatever else was.
func TestDanglingBesideCalls(t *testing.T) {
	begun := func(id string) string { return `{"type":"tool-input-start","id":"` + id + `","toolName":"glob"}` }
	r := translate(t, configFor(t, "pi", "find"), begun("a"), begun("b"), call("a", "glob", `{"pattern":"x"}`), finishTools)
	called, cut := r.final.Content[0], r.final.Content[1]
	assert.Equal(t, []any{"find", "", false}, []any{called.Name, called.ArgumentsError, called.Incomplete})
	assert.Equal(t, []any{"find", true}, []any{cut.Name, cut.Incomplete})
	assert.NotEmpty(t, cut.ArgumentsError)
}
