package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

func TestAnswer(t *testing.T) {
	f := newFixture(t, answer(hello, usage, finishWith("stop", "stop", large, `{"type":"text"}`)))
	f.System = "be brief"
	var seen []string
	f.OnChunk = func(c *message.Chunk) {
		assert.Equal(t, session.AssistantChunk, f.Session.State().Last(), "a chunk is in the log before it is shown")
		seen = append(seen, c.Type)
	}
	assert.Equal(t, turn.Outcome{
		Kind: turn.Completed, Turn: 1, Steps: 1, Usage: message.Usage{Input: 7, Output: 3},
	}, f.prompt("hi"))
	assert.Equal(t, []string{
		"turn/start", "step/start", "user/message", "request/header", "request/context",
		":text-delta", ":usage", ":finish", "assistant/message", "step/end", "turn/end",
	}, f.kinds())
	assert.Equal(t, []string{"text-delta", "usage", "finish"}, seen)

	stored := f.log()[8]
	assert.Equal(t, []int64{5, 6, 7}, stored.Sources)
	assert.JSONEq(t, `"append"`, string(stored.SurfaceOp))
	assert.JSONEq(t, `{"inputTokens":7,"outputTokens":3}`, get(t, stored.Data, "usage"))
	assert.JSONEq(t, `{"kind":"model","provider":"northwind","model":"nw-large","replayState":{"response":{"kind":"pi-ai",`+
		`"version":2,"api":"openai-completions","provider":"northwind","model":"nw-large","stopReason":"stop"},`+
		`"blocks":[{"type":"text"}]}}`, get(t, stored.Data, "message", "source"))
	assert.JSONEq(t, `{"turn":1,"reason":{"kind":"completed"}}`, f.data(session.TurnEnd)[0])
	assert.JSONEq(t, `{"header":{"config":{"provider":"northwind","model":"nw-large"},"system":"be brief"},"reason":"initial"}`,
		f.data(session.RequestHeader)[0])
	assert.Equal(t, "be brief", f.model.Requests()[0].System)
	assert.Empty(t, f.reports)
}

func TestHeaderIsLoggedWhenItChanges(t *testing.T) {
	f := newFixture(t, answer(stop), answer(stop), answer(stop), answer(stop))
	f.Tools = []turn.Tool{lookTool()}
	f.prompt("one")
	f.prompt("two")
	f.reload()
	f.prompt("three")
	assert.Len(t, f.data(session.RequestHeader), 1)
	f.System = "be brief"
	f.Tools[0].Parameters = []byte(`{"type":"object"}`)
	f.prompt("four")
	assert.JSONEq(t, `{"header":{"config":{"provider":"northwind","model":"nw-large"},"system":"be brief","tools":`+
		`[{"name":"look","description":"","parameters":{"type":"object"}}]},"reason":"change"}`, f.data(session.RequestHeader)[1])
	assert.Len(t, f.data(session.RequestContext), 1)
	require.NoError(t, f.Router.Register(&turn.Scripted{Answers: []turn.Answer{answer(stop)}}, mini.Provider))
	f.Route = mini
	f.prompt("five")
	assert.Len(t, f.data(session.RequestContext), 2)
	assert.Len(t, f.model.Requests()[0].Tools, 1)
}

func TestMaxTokens(t *testing.T) {
	envelope := finishWith("max-tokens", "length", large, `{"type":"text","textSignature":"s"},{"type":"tool-call"}`)
	f := newFixture(t, answer(look, toolCalls), answer(hello, look, usage, envelope), answer(hello, stop))
	ran := 0
	tool := lookTool()
	tool.Run = func(context.Context, json.RawMessage) ([]message.Block, error) { ran++; return nil, nil }
	f.Tools = []turn.Tool{tool}
	outcome := f.prompt("hi")
	assert.Equal(t, turn.MaxTokens, outcome.Kind)
	assert.Equal(t, int64(2), outcome.Steps)
	assert.Equal(t, 1, ran, "a call of a cut answer does not run, complete or not")
	cut := f.data(session.AssistantMessage)[1]
	assert.JSONEq(t, `[{"type":"text","text":"Hello"}]`, get(t, []byte(cut), "message", "content"))
	assert.JSONEq(t, `[{"type":"text","textSignature":"s"}]`, get(t, []byte(cut), "message", "source", "replayState", "blocks"))
	assert.JSONEq(t, `{"turn":1,"reason":{"kind":"max-tokens"}}`, f.data(session.TurnEnd)[0])

	assert.Equal(t, turn.Completed, f.prompt("go on").Kind, "it does not leak into the next turn")
}

func TestToolRounds(t *testing.T) {
	f := newFixture(t, answer(hello, look, lookAgain, usage, stop), answer(hello, usage, stop))
	f.Tools = []turn.Tool{lookTool()}
	assert.Equal(t, turn.Outcome{
		Kind: turn.Completed, Turn: 1, Steps: 2, Usage: message.Usage{Input: 14, Output: 6},
	}, f.prompt("hi"))
	assert.Equal(t, []string{
		"assistant/message", "tool/call", "tool/result", "tool/call", "tool/result", "step/end",
		"step/start", ":text-delta", ":usage", ":finish", "assistant/message", "step/end", "turn/end",
	}, f.kinds()[10:])
	assert.Equal(t, []string{
		`user [{"type":"text","text":"hi"}]`,
		`assistant [{"type":"text","text":"Hello"},` +
			`{"type":"tool-call","id":"c1","name":"look","arguments":"{\"at\":1}"},` +
			`{"type":"tool-call","id":"c2","name":"look","arguments":"{\"at\":2}"}]`,
		`user [{"type":"tool-result","toolCallId":"c1","content":[{"type":"text","text":"saw {\"at\":1}"}],"isError":false}]`,
		`user [{"type":"tool-result","toolCallId":"c2","content":[{"type":"text","text":"saw {\"at\":2}"}],"isError":false}]`,
		`assistant [{"type":"text","text":"Hello"}]`,
	}, f.history())
	assert.Len(t, f.model.Requests()[1].Messages, 4)
	result := f.log()[12]
	assert.Equal(t, []int64{11}, result.Sources)
}

func TestFailures(t *testing.T) {
	failed := `{"type":"finish","reason":{"kind":"error","failure":{"message":"bad gateway","code":"SERVER","status":502}}}`
	for name, c := range map[string]struct {
		answer turn.Answer
		want   message.Failure
		chunks int
	}{
		"error finish":  {answer(hello, usage, failed), message.Failure{Message: "bad gateway", Code: "SERVER", Status: 502}, 3},
		"returned":      {failing(answer(hello), &message.Failure{Message: "gone", Code: "TRANSPORT"}), message.Failure{Message: "gone", Code: "TRANSPORT"}, 2},
		"plain error":   {failing(answer(), errors.New("odd")), message.Failure{Message: "odd", Code: "UNKNOWN"}, 1},
		"aborted alone": {answer(`{"type":"finish","reason":{"kind":"aborted"}}`), message.Failure{Message: "the provider aborted the request", Code: "ABORTED"}, 1},
		"without facts": {answer(`{"type":"finish","reason":{"kind":"error"}}`), message.Failure{Message: "the failure gives no reason", Code: "UNKNOWN"}, 1},
		"wrong facts": {answer(`{"type":"finish","reason":{"kind":"error","failure":{"message":"m","code":"C","status":7}}}`),
			message.Failure{Message: "m", Code: "UNKNOWN"}, 1},
		"unknown chunk": {answer(hello, `{"type":"audio-delta","index":1}`, stop),
			message.Failure{Message: `chunk of the unknown type "audio-delta"`, Code: "UNKNOWN"}, 2},
		"chunk that is not lossless": {answer(hello, `{"type":"text-delta","index":0,"text":"x","n":-0}`, stop), message.Failure{Code: "UNKNOWN"}, 1},
		"unassemblable block":        {answer(hello, `{"type":"block-start","index":1,"blockType":"chart"}`, stop), message.Failure{Code: "UNKNOWN"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, c.answer, answer(hello, stop))
			outcome := f.prompt("hi")
			assert.Equal(t, turn.Failed, outcome.Kind)
			require.NotNil(t, outcome.Failure)
			if c.want.Message == "" {
				assert.NotEmpty(t, outcome.Failure.Message)
				c.want.Message = outcome.Failure.Message
			}
			assert.Equal(t, c.want, *outcome.Failure)
			assert.Len(t, f.data(session.AssistantChunk), c.chunks, "the chunks stay in the log")
			assert.Empty(t, f.data(session.AssistantMessage))
			end := f.data(session.TurnEnd)[0]
			var kept message.Failure
			require.NoError(t, json.Unmarshal([]byte(get(t, []byte(end), "reason", "error")), &kept))
			assert.Equal(t, [2]string{c.want.Code, c.want.Message}, [2]string{kept.Code, kept.Message})

			assert.Equal(t, turn.Completed, f.prompt("again").Kind, "the session goes on")
			assert.Equal(t, []string{
				`user [{"type":"text","text":"hi"}]`, `user [{"type":"text","text":"again"}]`,
				`assistant [{"type":"text","text":"Hello"}]`,
			}, f.history())
		})
	}
}

func TestRetry(t *testing.T) {
	lost := &message.Failure{Message: "gone", Code: "TRANSPORT"}
	f := newFixture(t,
		failing(answer(hello, usage), lost), failing(answer(hello), lost), answer(hello, look, usage, toolCalls),
		failing(answer(), lost), answer(hello, stop))
	f.Tools = []turn.Tool{lookTool()}
	var attempts []int
	f.Recover = func(_ context.Context, failure message.Failure, attempt int) bool {
		assert.Equal(t, *lost, failure)
		attempts = append(attempts, attempt)
		return true
	}
	outcome := f.prompt("hi")
	assert.Equal(t, turn.Completed, outcome.Kind)
	assert.Equal(t, int64(2), outcome.Steps)
	assert.Equal(t, message.Usage{Input: 14, Output: 6}, outcome.Usage, "failed attempts count")
	assert.Equal(t, []int{1, 2, 1}, attempts)
	assert.Len(t, f.data(session.StepStart), 2)
	var cited [][]int64
	for _, e := range f.log() {
		if e.Type == session.AssistantMessage {
			cited = append(cited, e.Sources)
		}
	}
	assert.Equal(t, [][]int64{{10, 11, 12, 13}, {20, 21}}, cited, "only the chunks of the attempt that worked")
}

func TestRecoverThatGivesUp(t *testing.T) {
	f := newFixture(t, failing(answer(), errors.New("odd")), answer(stop))
	f.Recover = func(context.Context, message.Failure, int) bool { return false }
	assert.Equal(t, turn.Failed, f.prompt("hi").Kind)
	assert.Len(t, f.model.Requests(), 1)

	for _, again := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		f = newFixture(t, failing(answer(hello), errors.New("odd")), answer(stop))
		asked := 0
		f.Router.Listeners = []turn.Listener{func(_ context.Context, req *turn.Request) (message.Route, error) {
			asked++
			return req.Route, nil
		}}
		f.Recover = func(context.Context, message.Failure, int) bool { cancel(); return again }
		assert.Equal(t, turn.Aborted, f.promptIn(ctx, "hi").Kind)
		assert.Equal(t, 1, asked, "nothing is dispatched any more")
		assert.Empty(t, f.data(session.AssistantMessage), "a failed attempt commits nothing")
	}
}

func TestEmptyAnswers(t *testing.T) {
	f := newFixture(t, answer(), answer(usage, finishWith("stop", "stop", large, "")), answer(hello))
	for range 3 {
		assert.Equal(t, turn.Completed, f.prompt("hi").Kind)
	}
	var sources [][]int64
	for _, e := range f.log() {
		if e.Type == session.AssistantMessage {
			sources = append(sources, e.Sources)
		}
	}
	assert.Equal(t, []int64{}, sources[0], "present and empty")
	assert.Equal(t, `[]`, get(t, []byte(f.data(session.AssistantMessage)[1]), "message", "source", "replayState", "blocks"))
	assert.Len(t, f.history(), 4, "the history has the last one only")
}

func TestMisalignedStateIsReported(t *testing.T) {
	two := finishWith("stop", "stop", large, `{"type":"text"},{"type":"text"}`)
	f := newFixture(t, answer(hello, two), answer(hello, stop))
	f.prompt("hi")
	stored := []byte(f.data(session.AssistantMessage)[0])
	assert.Empty(t, get(t, stored, "message", "source", "replayState"))
	assert.Equal(t, []replay.Report{{
		Code: replay.StateMisaligned, MessageID: get(t, stored, "message", "id"), Route: large,
		Blocks: 1, Entries: 2, Cause: "entry-count",
	}}, f.reports)
	f.prompt("again")
	assert.Len(t, f.reports, 1, "it is not repeated")

	f = newFixture(t, answer(hello, two))
	f.Reference = true
	f.prompt("hi")
	assert.Empty(t, f.reports)
}

func TestStepLimit(t *testing.T) {
	f := newFixture(t, answer(look, stop), answer(look, stop), answer(hello, stop))
	f.Tools = []turn.Tool{lookTool()}
	f.MaxSteps = 2
	outcome := f.prompt("hi")
	assert.Equal(t, turn.StepLimit, outcome.Failure.Code)
	assert.Len(t, f.model.Requests(), 2)
	assert.Len(t, f.data(session.ToolResult), 2, "every call has its result")
	assert.Equal(t, turn.Completed, f.prompt("go on").Kind)
}

func TestListenerErrorEndsTheTurn(t *testing.T) {
	f := newFixture(t, answer(stop))
	retried := false
	f.Recover = func(context.Context, message.Failure, int) bool { retried = true; return true }
	f.Router.Listeners = []turn.Listener{func(context.Context, *turn.Request) (message.Route, error) {
		return message.Route{}, errors.New("over budget")
	}}
	outcome := f.prompt("hi")
	assert.Equal(t, message.Unknown, outcome.Failure.Code)
	assert.Contains(t, outcome.Failure.Message, "over budget")
	assert.False(t, retried, "it is no failure of the provider")
	assert.Empty(t, f.data(session.AssistantChunk))
}

func TestPromptsThatAreNoTurn(t *testing.T) {
	f := newFixture(t)
	fails := func(want string, change func(*turn.Loop)) {
		t.Helper()
		loop := &turn.Loop{Session: f.Session, Router: f.Router, Route: f.Route}
		change(loop)
		_, err := loop.Prompt(t.Context(), nil)
		assert.ErrorContains(t, err, want)
	}
	fails("no session", func(l *turn.Loop) { l.Session = nil })
	fails("no router", func(l *turn.Loop) { l.Router = nil })
	fails("a provider and a model", func(l *turn.Loop) { l.Route.Provider = "" })
	fails("a provider and a model", func(l *turn.Loop) { l.Route.Model = "" })
	fails("cannot be run", func(l *turn.Loop) { l.Tools = []turn.Tool{{}} })
	fails("two tools", func(l *turn.Loop) { l.Tools = []turn.Tool{lookTool(), lookTool()} })
	fails("not JSON", func(l *turn.Loop) {
		l.Tools = []turn.Tool{lookTool()}
		l.Tools[0].Parameters = []byte("{")
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("too late"))
	_, err := f.Prompt(ctx, textBlocks("hi"))
	assert.ErrorContains(t, err, "too late")
	var odd message.Block
	require.NoError(t, json.Unmarshal([]byte(`{"type":"text","text":"x","n":-0}`), &odd))
	_, err = f.Prompt(t.Context(), []message.Block{odd})
	var refused *session.Error
	assert.ErrorAs(t, err, &refused)
	assert.Zero(t, f.Session.State().Next(), "nothing is logged")
}

func TestOneTurnAtATime(t *testing.T) {
	f := newFixture(t, answer(hello, stop))
	f.OnChunk = func(*message.Chunk) {
		_, err := f.Prompt(t.Context(), nil)
		assert.ErrorIs(t, err, turn.ErrBusy)
	}
	assert.Equal(t, turn.Completed, f.prompt("hi").Kind)
}
