package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// parts are those of lines of JSON.
func parts(t testing.TB, lines ...string) iter.Seq2[*stream.Part, error] {
	t.Helper()
	list := make([]stream.Part, len(lines))
	for i, line := range lines {
		require.NoError(t, stream.ParsePart([]byte(line), &list[i]))
	}
	return func(yield func(*stream.Part, error) bool) {
		for i := range list {
			if !yield(&list[i], nil) {
				return
			}
		}
	}
}

// answering is a model with an answer.
func answering(answer iter.Seq2[*stream.Part, error]) *LanguageModel {
	return &LanguageModel{Version: history.V3, Stream: func(context.Context, *history.CallOptions) (iter.Seq2[*stream.Part, error], error) {
		return answer, nil
	}}
}

const finish = `{"type":"finish","finishReason":{"unified":"stop"},"usage":{}}`

// callOf is a call of a model by pi with one tool.
func callOf(t testing.TB, m *LanguageModel) *Call {
	t.Helper()
	return &Call{
		History: history.Config{Profile: hostProfile(t, "pi")}, Model: stream.Model{ID: "m", API: "a", Provider: "p"},
		Context:  &history.Context{SystemPrompt: []string{}, Tools: []profile.Tool{{Name: "ls"}}},
		NewModel: func(context.Context, auth.Secret) (*LanguageModel, error) { return m, nil },
		Now:      func() time.Time { return time.UnixMilli(7) },
	}
}

// run makes a call and returns the types of its events and the message.
func run(t testing.TB, ctx context.Context, c *Call) (types []string, m *stream.Message) {
	t.Helper()
	for e := range c.Events(ctx) {
		types = append(types, e.Type)
		m = e.Message
	}
	require.NotNil(t, m)
	return types, m
}

func TestCallOrder(t *testing.T) {
	var order []string
	c := callOf(t, nil)
	c.Key = func(context.Context) (auth.Secret, error) {
		order = append(order, "key")
		return auth.NewSecret("K"), nil
	}
	c.NewModel = func(_ context.Context, key auth.Secret) (*LanguageModel, error) {
		order = append(order, "model "+key.Reveal())
		return &LanguageModel{Version: history.V2, Stream: func(_ context.Context, o *history.CallOptions) (iter.Seq2[*stream.Part, error], error) {
			order = append(order, "stream")
			assert.Equal(t, history.V2, o.Version, "the prompt is in the model's version")
			assert.JSONEq(t, `{"x":1}`, string(o.ProviderOptions))
			return parts(t, `{"type":"text-delta","id":"1","delta":"hi"}`, finish, finish), nil
		}}, nil
	}
	c.Prepare = func(_ context.Context, o *history.CallOptions) error {
		order = append(order, "prepare")
		assert.Equal(t, []string{"ls"}, o.ToolNames())
		o.ProviderOptions = json.RawMessage(`{"x":1}`)
		return nil
	}
	assert.Empty(t, order, "nothing happens before the events are asked for")
	types, m := run(t, context.Background(), c)
	assert.Equal(t, []string{"key", "model K", "prepare", "stream"}, order)
	assert.Equal(t, []string{"start", "text_start", "text_delta", "done"}, types)
	assert.Equal(t, []any{"a", "p", "m", int64(7)}, []any{m.API, m.Provider, m.Model, m.Timestamp})
}

// Each step may fail, and those behind it are not taken.
func TestCallFailsBeforeStreaming(t *testing.T) {
	fault := errors.New("no luck")
	steps := []string{"key", "model", "prepare", "stream"}
	for i, failing := range steps {
		for _, aborted := range []bool{false, true} {
			var taken []string
			take := func(step string) error {
				taken = append(taken, step)
				if step == failing {
					return fault
				}
				return nil
			}
			c := callOf(t, nil)
			c.Key = func(context.Context) (auth.Secret, error) { return auth.Secret{}, take("key") }
			c.NewModel = func(context.Context, auth.Secret) (*LanguageModel, error) {
				return &LanguageModel{Stream: func(context.Context, *history.CallOptions) (iter.Seq2[*stream.Part, error], error) {
					return parts(t, finish), take("stream")
				}}, take("model")
			}
			c.Prepare = func(context.Context, *history.CallOptions) error { return take("prepare") }
			ctx, cancel := context.WithCancel(context.Background())
			if aborted {
				cancel()
			}
			types, m := run(t, ctx, c)
			cancel()
			assert.Equal(t, steps[:i+1], taken)
			assert.Equal(t, []string{"start", "error"}, types)
			assert.Empty(t, m.Content)
			assert.Zero(t, m.Usage)
			if aborted {
				assert.Equal(t, stream.StopAborted, m.StopReason)
				assert.Empty(t, m.ErrorMessage)
			} else {
				assert.Equal(t, stream.StopError, m.StopReason)
				assert.Equal(t, "no luck", m.ErrorMessage)
			}
		}
	}
}

func TestCallWithUnusableModel(t *testing.T) {
	for _, m := range []*LanguageModel{nil, {}} {
		_, message := run(t, context.Background(), callOf(t, m))
		assert.Contains(t, message.ErrorMessage, "no model")
	}
	_, message := run(t, context.Background(), callOf(t, answering(nil)))
	assert.Equal(t, stream.MissingFinish, message.Failure)
	c := callOf(t, answering(parts(t, finish)))
	c.Context.Messages = []json.RawMessage{json.RawMessage(`{`)}
	_, message = run(t, context.Background(), c)
	assert.Contains(t, message.ErrorMessage, "message 0")
	_, message = run(t, context.Background(), callOf(t, &LanguageModel{Version: "v9", Stream: answering(nil).Stream}))
	assert.Contains(t, message.ErrorMessage, "v9")
}

// A finish counts although the context is done; the end of the parts does not.
func TestAbortedCall(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	types, m := run(t, ctx, callOf(t, answering(parts(t, `{"type":"text-delta","id":"1","delta":"hi"}`, finish))))
	assert.Equal(t, []string{"start", "text_start", "text_delta", "done"}, types)
	assert.Equal(t, stream.StopStop, m.StopReason)
	types, m = run(t, ctx, callOf(t, answering(parts(t, `{"type":"text-delta","id":"1","delta":"hi"}`))))
	assert.Equal(t, []string{"start", "text_start", "text_delta", "error"}, types)
	assert.Equal(t, stream.StopAborted, m.StopReason)
	require.Len(t, m.Content, 1)
}

// What may be called is what the options have in the end.
func TestAllowedTools(t *testing.T) {
	call := func(tool string) string {
		return `{"type":"tool-call","toolCallId":"c","toolName":"` + tool + `","input":"{}"}`
	}
	for _, test := range []struct {
		prepare func(*history.CallOptions)
		tool    string
		ok      bool
	}{
		{func(*history.CallOptions) {}, "ls", true},
		{func(*history.CallOptions) {}, "more", false},
		{func(o *history.CallOptions) { o.Tools = append(o.Tools, profile.Declaration{Name: "more"}) }, "more", true},
		{func(o *history.CallOptions) { o.Tools = append(o.Tools, profile.Declaration{Name: "more"}) }, "ls", true},
		{func(o *history.CallOptions) { o.Tools = []profile.Declaration{{Name: "more"}} }, "ls", false},
		{func(o *history.CallOptions) { o.Tools = nil }, "ls", false},
		{func(o *history.CallOptions) { o.Tools = []profile.Declaration{} }, "ls", false},
	} {
		c := callOf(t, answering(parts(t, call(test.tool), finish)))
		c.Prepare = func(_ context.Context, o *history.CallOptions) error {
			test.prepare(o)
			return nil
		}
		_, m := run(t, context.Background(), c)
		if test.ok {
			assert.Equal(t, stream.StopStop, m.StopReason)
			continue
		}
		assert.Equal(t, stream.UnadvertisedTool, m.Failure)
		assert.Equal(t, test.tool, m.ErrorTool)
	}
}

// To stop taking events stops the parts, and the terminal event does too.
func TestCallStops(t *testing.T) {
	asked, ended := 0, false
	endless := func(yield func(*stream.Part, error) bool) {
		defer func() { ended = true }()
		for asked++; yield(&stream.Part{Type: stream.PartTextDelta, ID: "1", Delta: "x"}, nil); asked++ {
		}
	}
	events := 0
	for range callOf(t, answering(endless)).Events(context.Background()) {
		if events++; events == 4 { // start, text_start and two deltas
			break
		}
	}
	assert.True(t, ended)
	assert.Equal(t, 2, asked)

	asked, ended = 0, false
	finishing := func(yield func(*stream.Part, error) bool) {
		defer func() { ended = true }()
		for asked++; yield(&stream.Part{Type: stream.PartFinish}, nil); asked++ {
		}
	}
	types, _ := run(t, context.Background(), callOf(t, answering(finishing)))
	assert.Equal(t, []string{"start", "done"}, types)
	assert.True(t, ended)
	assert.Equal(t, 1, asked)
}

// Nothing is read behind a failure.
func TestPartsThatFail(t *testing.T) {
	asked := 0
	failing := func(yield func(*stream.Part, error) bool) {
		for asked = 1; asked < 5 && yield(nil, errors.New("broken")); asked++ {
		}
	}
	types, m := run(t, context.Background(), callOf(t, answering(failing)))
	assert.Equal(t, []string{"start", "error"}, types)
	assert.Equal(t, "broken", m.ErrorMessage)
	assert.Equal(t, 1, asked)
}

func TestScalarKey(t *testing.T) {
	for option, want := range map[string]string{
		`"k"`: "k", `""`: "", `42`: "42", `4.20`: "4.2", `1e21`: "1e+21", `true`: "true", `false`: "false", ` "a\u0062" `: "ab",
	} {
		key := ScalarKey(json.RawMessage(option))
		assert.True(t, key.IsSet(), option)
		assert.Equal(t, want, key.Reveal(), option)
	}
	for _, option := range []string{``, `null`, `{}`, `["k"]`, `{`} {
		assert.False(t, ScalarKey(json.RawMessage(option)).IsSet(), option)
	}
}

func TestCallTellsOfWhatIsIgnored(t *testing.T) {
	c := callOf(t, answering(parts(t, `{"type":"source","url":"https://quay.example"}`, finish)))
	var ignored []string
	c.OnIgnored = func(i stream.Ignored) { ignored = append(ignored, i.Part) }
	run(t, t.Context(), c)
	assert.Equal(t, []string{"source"}, ignored)
}
