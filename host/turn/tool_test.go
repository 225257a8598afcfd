package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

// callOf is a chunk with a call of a tool.
func callOf(id, name, arguments string) string {
	quoted, _ := json.Marshal(arguments)
	return `{"type":"block-end","index":1,"block":{"type":"tool-call","id":"` + id + `","name":"` + name +
		`","arguments":` + string(quoted) + `}}`
}

func TestToolCalls(t *testing.T) {
	var odd message.Block
	require.NoError(t, json.Unmarshal([]byte(`{"type":"text","text":"x","n":-0}`), &odd))
	for name, c := range map[string]struct {
		tool, arguments string
		result          []message.Block
		err             error
		panics          any
		// got is what the tool gets, "" if it does not run.
		got, text, code string
	}{
		"object":              {tool: "look", arguments: `{"a":1}`, result: textBlocks("ok"), got: `{"a":1}`, text: "ok"},
		"no arguments":        {tool: "look", result: textBlocks("ok"), got: `{}`, text: "ok"},
		"not an object":       {tool: "look", arguments: ` [1] `, result: textBlocks("ok"), got: ` [1] `, text: "ok"},
		"nothing to say":      {tool: "look", arguments: `{}`, got: `{}`},
		"not JSON":            {tool: "look", arguments: `{"a":`, text: "The arguments of this call are not valid JSON.", code: turn.InvalidArguments},
		"blank":               {tool: "look", arguments: ` `, text: "The arguments of this call are not valid JSON.", code: turn.InvalidArguments},
		"more than one value": {tool: "look", arguments: `{} {}`, text: "The arguments of this call are not valid JSON.", code: turn.InvalidArguments},
		"unknown tool":        {tool: "leap", arguments: `{}`, text: `There is no tool "leap".`, code: turn.UnknownTool},
		"no tool":             {arguments: `{}`, text: `There is no tool "".`, code: turn.UnknownTool},
		"error":               {tool: "look", arguments: `{}`, err: errors.New("too dark"), got: `{}`, text: "too dark", code: turn.ToolFailed},
		"panic":               {tool: "look", arguments: `{}`, panics: "oh", got: `{}`, text: "the tool panicked: oh", code: turn.ToolFailed},
		"result that the log refuses": {tool: "look", arguments: `{}`, result: []message.Block{odd}, got: `{}`,
			text: "The tool has run, but its result cannot be kept: ", code: turn.ResultRefused},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, answer(callOf("c1", c.tool, c.arguments), stop), answer(hello, stop))
			got := ""
			tool := lookTool()
			tool.Run = func(_ context.Context, arguments json.RawMessage) ([]message.Block, error) {
				got = string(arguments)
				if c.panics != nil {
					panic(c.panics)
				}
				return c.result, c.err
			}
			f.Tools = []turn.Tool{tool}
			assert.Equal(t, turn.Completed, f.prompt("hi").Kind)
			assert.Equal(t, c.got, got)

			call := []byte(f.data(session.ToolCall)[0])
			assert.Equal(t, [3]string{"c1", c.tool, c.arguments},
				[3]string{get(t, call, "callId"), get(t, call, "name"), get(t, call, "arguments")}, "as the model wrote it")
			results := f.data(session.ToolResult)
			require.Len(t, results, 1)
			assert.Equal(t, c.code, get(t, []byte(results[0]), "error", "code"))
			var blocks []message.Block
			require.NoError(t, json.Unmarshal([]byte(get(t, []byte(results[0]), "message", "content")), &blocks))
			assert.Equal(t, c.code != "", blocks[0].IsError)
			text := ""
			for _, b := range blocks[0].Content {
				text += b.Text
			}
			assert.Contains(t, text, c.text)
			if c.text == "" {
				assert.Empty(t, blocks[0].Content)
			}
			assert.Len(t, f.model.Requests()[1].Messages, 3, "the model reads the result")
		})
	}
}

func TestCallsOfOddIdentity(t *testing.T) {
	f := newFixture(t,
		answer(callOf("", "look", "{}"), stop),
		answer(callOf("c", "look", "1"), `{"type":"block-end","index":2,"block":{"type":"tool-call","id":"c","name":"look","arguments":"2"}}`, stop),
		answer(`{"type":"block-end","index":0,"block":{"type":"tool-call","id":5,"arguments":7}}`, stop),
		answer(hello, stop))
	f.Tools = []turn.Tool{lookTool()}
	assert.Equal(t, turn.Completed, f.prompt("hi").Kind)
	assert.Len(t, f.data(session.ToolResult), 4, "every call has a result")
	f.reload()
}

func TestCancelInATool(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFixture(t, answer(look, lookAgain, toolCalls), answer(hello, stop))
	tool := lookTool()
	tool.Run = func(ctx context.Context, _ json.RawMessage) ([]message.Block, error) {
		cancel()
		<-ctx.Done()
		return textBlocks("done nevertheless"), nil
	}
	f.Tools = []turn.Tool{tool}
	assert.Equal(t, turn.Aborted, f.promptIn(ctx, "hi").Kind)
	results := f.data(session.ToolResult)
	require.Len(t, results, 2, "every call has a result")
	assert.Contains(t, results[0], "done nevertheless", "what the tool has done is kept")
	assert.Equal(t, session.ToolNotStarted, get(t, []byte(results[1]), "error", "code"))
	assert.Len(t, f.data(session.ToolCall), 1)
	assert.Len(t, f.model.Requests(), 1)
	assert.JSONEq(t, `{"turn":1,"reason":{"kind":"aborted","reason":{"kind":"user"}}}`, f.data(session.TurnEnd)[0])

	assert.Equal(t, turn.Completed, f.prompt("go on").Kind)
	assert.Len(t, f.model.Requests()[1].Messages, 5)
}

func TestCancelInTheLastTool(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFixture(t, answer(look, toolCalls), answer(hello, stop))
	tool := lookTool()
	tool.Run = func(context.Context, json.RawMessage) ([]message.Block, error) {
		cancel()
		return nil, ctx.Err()
	}
	f.Tools = []turn.Tool{tool}
	assert.Equal(t, turn.Aborted, f.promptIn(ctx, "hi").Kind)
	assert.Len(t, f.data(session.StepStart), 1)
	assert.Len(t, f.model.Requests(), 1)
}
