package history

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/profile"
)

// A conversation is drawn message by message, with what is expected of its prompt beside it.
type conversation struct {
	t        *rapid.T
	messages []json.RawMessage
	// texts are those of the user and of answers, results those of each call by the id that the provider knows:
	// the texts that are not empty, in order.
	texts   []string
	calls   []string
	results map[string][]string
	folded  map[string]bool
	ids     int
}

func (c *conversation) add(message any) {
	raw, err := json.Marshal(message)
	require.NoError(c.t, err)
	c.messages = append(c.messages, raw)
}

type object = map[string]any

func (c *conversation) user() {
	text := rapid.String().Draw(c.t, "text")
	c.add(object{"role": "user", "content": text})
	if text != "" {
		c.texts = append(c.texts, text)
	}
}

// answer draws blocks and, for some of the calls among them, results in any order.
func (c *conversation) answer() {
	var blocks []any
	type pending struct{ id, tool, head string }
	var asked []pending
	for range rapid.IntRange(0, 5).Draw(c.t, "blocks") {
		switch rapid.IntRange(0, 4).Draw(c.t, "block") {
		case 0:
			text := rapid.String().Draw(c.t, "text")
			blocks = append(blocks, object{"type": "text", "text": text})
			c.texts = append(c.texts, text)
		case 1:
			blocks = append(blocks, object{"type": "thinking", "thinking": "t", "thinkingSignature": rapid.String().Draw(c.t, "signature")})
		case 2:
			blocks = append(blocks, object{"type": rapid.SampledFrom([]string{"redactedThinking", "x", "tool-call"}).Draw(c.t, "kind")})
		case 3:
			c.ids++
			id := fmt.Sprintf("call%d", c.ids)
			name := rapid.SampledFrom([]string{"ls", "read", "ask", "task", "plan", "todo"}).Draw(c.t, "tool")
			if rapid.Bool().Draw(c.t, "numbered") && name != "todo" {
				id += "#0" // of one call alone: it stays
			}
			blocks = append(blocks, object{"type": "toolCall", "id": id, "name": name, "arguments": object{"path": "a", "op": "view"}})
			asked = append(asked, pending{id, name, id})
			if name != "plan" {
				c.calls = append(c.calls, id)
			}
		case 4:
			c.ids++
			head := fmt.Sprintf("call%d", c.ids)
			c.calls, c.folded[head] = append(c.calls, head), true
			for n := range rapid.IntRange(1, 3).Draw(c.t, "operations") {
				id := fmt.Sprintf("%s#%d", head, n)
				arguments := object{"op": rapid.SampledFrom([]string{"init", "done", "rm", "start", "view", "?"}).Draw(c.t, "op"), "task": "A", "items": []string{"A"}}
				blocks = append(blocks, object{"type": "toolCall", "id": id, "name": "todo", "arguments": arguments})
				asked = append(asked, pending{id, "todo", head})
			}
		}
	}
	c.add(object{"role": "assistant", "content": blocks, "api": "acme-api", "provider": "acme"})
	for _, call := range rapid.Permutation(asked).Draw(c.t, "order") {
		if rapid.IntRange(0, 3).Draw(c.t, "answered") == 0 {
			continue
		}
		text := rapid.SampledFrom([]string{"", "x", "y\n"}).Draw(c.t, "result")
		message := object{"role": "toolResult", "toolCallId": call.id, "toolName": call.tool, "content": text}
		if call.tool == "todo" && rapid.Bool().Draw(c.t, "rows") {
			message["details"] = object{"phases": []any{object{"tasks": []any{object{"content": "A", "status": "pending"}}}}}
		}
		c.add(message)
		if call.tool != "plan" {
			if c.results[call.head] == nil {
				c.results[call.head] = []string{}
			}
			if text != "" || !c.folded[call.head] {
				c.results[call.head] = append(c.results[call.head], text)
			}
		}
	}
}

func drawConversation(t *rapid.T) *conversation {
	c := &conversation{t: t, results: map[string][]string{}, folded: map[string]bool{}}
	for range rapid.IntRange(0, 8).Draw(t, "turns") {
		if rapid.Bool().Draw(t, "user") {
			c.user()
		} else {
			c.answer()
		}
	}
	return c
}

// Every call that stays has exactly the results that the history has for it, and texts stay as they are.
func TestPromptKeepsCallsResultsAndTexts(t *testing.T) {
	p, err := profile.Named("omp")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		c := drawConversation(t)
		config := Config{Profile: p, API: "acme-api", Provider: "acme", Exclude: []string{"plan"}, Reference: rapid.Bool().Draw(t, "reference")}
		o, err := config.CallOptions(&Context{
			SystemPrompt: []string{}, Tools: toolsOf("ls", "read", "ask", "task", "plan", "todo"), Messages: c.messages,
		}, Call{})
		require.NoError(t, err)
		var texts, calls []string
		results := map[string][]string{}
		for _, m := range o.Prompt {
			for _, part := range m.Content {
				switch part.Type {
				case Text:
					texts = append(texts, part.Text)
				case ToolCall:
					require.Equal(t, RoleAssistant, m.Role)
					require.True(t, json.Valid(part.Input), "%s", part.Input)
					calls = append(calls, part.ToolCallID)
				case ToolResult:
					require.Equal(t, RoleTool, m.Role)
					require.Contains(t, calls, part.ToolCallID, "a result before its call")
					results[part.ToolCallID] = append(results[part.ToolCallID], part.Output.Text)
				}
			}
		}
		assert.Equal(t, c.texts, texts)
		assert.Equal(t, c.calls, calls)
		assert.Equal(t, slices.Sorted(maps.Keys(c.results)), slices.Sorted(maps.Keys(results)))
		for id, want := range c.results {
			if c.folded[id] {
				joined := strings.Join(want, "\n")
				if len(want) == 0 {
					joined = silence(false)
				}
				want = []string{joined}
			}
			assert.Equal(t, want, results[id], id)
		}
	})
}

// It does not matter whether a context was read or made of Go values, and nothing depends on the run.
func TestParsedAndMadeContextsAgree(t *testing.T) {
	p, err := profile.Named("omp")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		c := drawConversation(t)
		config := Config{Profile: p, API: "acme-api", Provider: "acme", Version: rapid.SampledFrom([]Version{V2, V3, V4}).Draw(t, "version")}
		made := &Context{SystemPrompt: []string{"Use `ask`."}, Tools: []profile.Tool{{Name: "ask"}, {Name: "todo"}}, Messages: c.messages}
		raw, err := json.Marshal(object{"systemPrompt": "Use `ask`.", "tools": []any{object{"name": "ask"}, object{"name": "todo"}}, "messages": c.messages})
		require.NoError(t, err)
		parsed, err := ParseContext(raw)
		require.NoError(t, err)
		first, err := config.CallOptions(made, Call{})
		require.NoError(t, err)
		second, err := config.CallOptions(parsed, Call{})
		require.NoError(t, err)
		require.Equal(t, string(first.AppendJSON(nil)), string(second.AppendJSON(nil)))
	})
}
