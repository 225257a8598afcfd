package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/parts"
	readback "github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/registry"
)

// A model is a provider behind a loopback server: what it is asked it posts as the Responses API has it, and
// the server answers with parts, one JSON a line.
type model struct {
	url    string
	client *http.Client

	mu      sync.Mutex
	answers []string
	bodies  []string
}

func newModel(t testing.TB, answers ...string) *model {
	m := &model{answers: answers}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m.mu.Lock()
		defer m.mu.Unlock()
		answer := m.answers[len(m.bodies)%len(m.answers)]
		m.bodies = append(m.bodies, string(body))
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *model) asked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.bodies...)
}

func (m *model) ask(ctx context.Context, call *parts.Call) iter.Seq2[*stream.Part, error] {
	type item = map[string]any
	input, instructions := []item{}, ""
	for i := range call.Prompt {
		p := &call.Prompt[i]
		if p.Role == "system" {
			instructions = p.Text
			continue
		}
		input = append(input, item{"role": p.Role, "content": json.RawMessage(p.AppendJSON(nil, call.Version))})
	}
	body, _ := json.Marshal(item{"instructions": instructions, "input": input})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
		var resp *http.Response
		if resp, err = m.client.Do(req); err == nil {
			return stream.ReadParts(resp.Body)
		}
	}
	return func(yield func(*stream.Part, error) bool) { yield(nil, err) }
}

// loop is a loop over the model for a session's log, with a client that has the host's transport.
func (m *model) loop(t testing.TB, h *host.Host) *turn.Loop {
	m.client = &http.Client{Transport: h.Transport("acme", "openai-responses", nil)}
	l := &turn.Loop{
		Session: newLog(t), Router: &turn.Router{}, System: "Built by the host.",
		Route: message.Route{Provider: "acme", Model: "harbour-2"},
	}
	require.NoError(t, l.Router.Register(&parts.Provider{API: "openai-responses", Ask: m.ask}, "acme"))
	return l
}

func newLog(t testing.TB) *session.Session {
	log, err := session.Create(t.Context(), &session.Memory{}, session.Header{ID: "s"}, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func said(text string) string {
	return `{"type":"text-start","id":"1"}
{"type":"text-delta","id":"1","delta":"` + text + `"}
{"type":"text-end","id":"1","providerMetadata":{"acme":{"itemId":"i1"}}}
{"type":"finish","finishReason":{"unified":"stop"},"usage":{"inputTokens":{"total":7},"outputTokens":{"total":3}}}
`
}

const called = `{"type":"tool-call","toolCallId":"c1","toolName":"tide","input":"{\"port\":\"Brest\"}"}
{"type":"finish","finishReason":{"unified":"tool-calls"},"usage":{"inputTokens":{"total":5},"outputTokens":{"total":2}}}
`

func text(s string) []message.Block { return []message.Block{{Type: message.Text, Text: s}} }

func tide() turn.Tool {
	tool := turn.Tool{Run: func(context.Context, json.RawMessage) ([]message.Block, error) { return text("14:10"), nil }}
	tool.Name, tool.Parameters = "tide", json.RawMessage(`{"type":"object"}`)
	return tool
}

func harbour() registry.PromptOptions {
	return registry.PromptOptions{
		CustomPrompt: "You are Harbour.", ContextFiles: []registry.ContextFile{{Path: "/srv/AGENTS.md", Content: "Quay A is ours."}},
	}
}

func TestAWholeTurn(t *testing.T) {
	h := withAdapters(t, newHost(t, host.Options{}))
	_, err := h.Registry.Register(registry.Contribution{ID: "tides", ActiveTools: []string{"tide"}, Render: registry.Text("Ask for tides.")})
	require.NoError(t, err)
	m := newModel(t, called, said("At 14:10."))
	loop := m.loop(t, h)
	loop.Tools = []turn.Tool{tide()}
	s := h.Session("s1")
	done, err := s.Turn(t.Context(), loop, envelope.Request{CWD: "/srv", Options: harbour()}, text("When is high water?")...)
	require.NoError(t, err)
	assert.Equal(t, turn.Completed, done.Kind)
	assert.Equal(t, int64(2), done.Steps)
	assert.Equal(t, message.Usage{Input: 12, Output: 5}, done.Usage)
	assert.Equal(t, []string{"tides: Ask for tides."}, texts(done.Composed.Envelope))

	asked := m.asked()
	require.Len(t, asked, 2)
	for _, body := range asked {
		var sent struct {
			Instructions string
			Input        []struct {
				Role    string
				Content json.RawMessage
			}
		}
		require.NoError(t, json.Unmarshal([]byte(body), &sent))
		assert.Equal(t, "You are Harbour.", sent.Instructions)
		assert.Equal(t, 1, strings.Count(body, "Ask for tides."), "the transport places the developer messages")
		assert.Equal(t, 1, strings.Count(body, "Quay A is ours."))
		var users []string
		for _, item := range sent.Input {
			if item.Role == "user" {
				users = append(users, string(item.Content))
			}
		}
		require.Len(t, users, 2)
		assert.Contains(t, users[0], "Quay A is ours.", "context files come first")
		assert.Contains(t, users[1], "When is high water?")
	}
	assert.Contains(t, asked[1], "14:10", "the second request has the tool's result")

	messages := loop.Session.Messages()
	require.Len(t, messages, 4)
	assert.Equal(t, "When is high water?", messages[0].Content[0].Text)
	assert.JSONEq(t, `{"acme":{"itemId":"i1"}}`, signature(t, &messages[3]))
	headers := 0
	for e, err := range loop.Session.Events(t.Context(), 0) {
		require.NoError(t, err)
		assert.NotContains(t, string(e.Data), "Quay A is ours.", "context files are never in the log")
		if e.Type == session.RequestHeader {
			headers++
			assert.Contains(t, string(e.Data), "You are Harbour.")
		}
	}
	assert.Equal(t, 1, headers)

	_, err = s.Turn(t.Context(), loop, envelope.Request{CWD: "/srv", Options: harbour()}, text("And then?")...)
	require.NoError(t, err)
	assert.Contains(t, m.asked()[2], `"providerOptions":{"acme":{"itemId":"i1"}}`, "what was kept goes back")
	assert.Equal(t, "Built by the host.", loop.System)
}

// signature is what the first block of a message keeps for its provider.
func signature(t *testing.T, m *message.Message) string {
	native, own, err := new(readback.Reader).Assistant(*m)
	require.NoError(t, err)
	require.True(t, own)
	require.NotNil(t, native.Content[0].Signature)
	return *native.Content[0].Signature
}

// A contribution that fails costs the turn nothing but the new prompt.
func TestATurnGoesOnWithoutANewEnvelope(t *testing.T) {
	var warnings bytes.Buffer
	h := withAdapters(t, newHost(t, host.Options{Policy: registry.Fail, Logger: slog.New(slog.NewTextHandler(&warnings, nil))}))
	fails := true
	_, err := h.Registry.Register(registry.Contribution{ID: "mode", Render: func(context.Context, *registry.RenderContext) (string, error) {
		if fails {
			return "", errors.New("no mode")
		}
		return "Plan first.", nil
	}})
	require.NoError(t, err)
	m := newModel(t, said("Fine."))
	loop := m.loop(t, h)
	ask := func() host.Turn {
		done, err := h.Session("s1").Turn(t.Context(), loop, envelope.Request{CWD: "/srv", Options: harbour()}, text("hi")...)
		require.NoError(t, err)
		require.Equal(t, turn.Completed, done.Kind)
		return done
	}
	first := ask()
	assert.ErrorContains(t, first.Composed.Err, "no mode")
	assert.Nil(t, first.Composed.Envelope)
	assert.Contains(t, m.asked()[0], "Built by the host.")
	assert.NotContains(t, m.asked()[0], "Quay A is ours.")
	assert.Contains(t, warnings.String(), "no mode")

	fails = false
	require.NoError(t, ask().Composed.Err)
	fails = true
	third := ask()
	assert.True(t, third.Composed.Fallback)
	for _, want := range []string{"You are Harbour.", "Plan first.", "Quay A is ours."} {
		assert.Contains(t, m.asked()[2], want, "what was good last stays in force")
	}

	other := newModel(t, said("Fine too."))
	other.client = &http.Client{Transport: h.Transport("other", "openai-responses", nil)}
	require.NoError(t, loop.Router.Register(&parts.Provider{API: "openai-responses", Ask: other.ask}, "other"))
	loop.Route.Provider = "other"
	fourth := ask()
	assert.False(t, fourth.Composed.Fallback, "what was good last is another provider's")
	assert.Contains(t, other.asked()[0], "Built by the host.")
	for _, not := range []string{"You are Harbour.", "Plan first.", "Quay A is ours."} {
		assert.NotContains(t, other.asked()[0], not)
	}
}

// What a request leaves out is known from the loop and the content.
func TestATurnFillsItsRequestIn(t *testing.T) {
	h := newHost(t, host.Options{})
	_, err := h.Registry.Register(registry.Contribution{ID: "echo", Render: func(_ context.Context, rc *registry.RenderContext) (string, error) {
		return fmt.Sprintf("%s %s %q %q", rc.SessionID, rc.Provider, rc.ActiveTools, *rc.Prompt), nil
	}})
	require.NoError(t, err)
	m := newModel(t, said("Fine."))
	loop := m.loop(t, h)
	loop.Tools = []turn.Tool{tide()}
	content := []message.Block{{Type: message.Text, Text: "one"}, {Type: message.Text, Text: "two"}}
	done, err := h.Session("s1").Turn(t.Context(), loop, envelope.Request{SessionID: "another"}, content...)
	require.NoError(t, err)
	assert.Equal(t, []string{`echo: s1 acme ["tide"] "one\ntwo"`}, texts(done.Composed.Envelope))
}

// One client serves all sessions, and each request has the envelope of its own.
func TestSessionsShareAClient(t *testing.T) {
	h := withAdapters(t, newHost(t, host.Options{}))
	_, err := h.Registry.Register(registry.Contribution{ID: "who", Render: func(_ context.Context, rc *registry.RenderContext) (string, error) {
		return "This is " + rc.SessionID + ".", nil
	}})
	require.NoError(t, err)
	m := newModel(t, said("Fine."))
	first := m.loop(t, h)
	const sessions = 16
	var all sync.WaitGroup
	for i := range sessions {
		loop := &turn.Loop{Session: newLog(t), Router: first.Router, Route: first.Route}
		all.Go(func() {
			for range 3 {
				prompt := fmt.Sprintf("I am s%d.", i)
				_, err := h.Session(fmt.Sprint("s", i)).Turn(t.Context(), loop, envelope.Request{Prompt: &prompt})
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	asked := m.asked()
	require.Len(t, asked, 3*sessions)
	for _, body := range asked {
		_, is, _ := strings.Cut(body, "This is s")
		is, _, _ = strings.Cut(is, ".")
		assert.Contains(t, body, "I am s"+is+".")
		assert.Equal(t, 1, strings.Count(body, "This is "))
	}
}

func TestRequestsOfNoSessionGoAsTheyAre(t *testing.T) {
	var warnings bytes.Buffer
	h := withAdapters(t, newHost(t, host.Options{Logger: slog.New(slog.NewTextHandler(&warnings, nil))}))
	m := newModel(t, "")
	client := &http.Client{Transport: h.Transport("acme", "openai-responses", nil)}
	base := "Built by the host."
	_, err := h.Session("s1").Capture(t.Context(), envelope.Request{Provider: "acme", SystemPrompt: &base})
	require.NoError(t, err)
	const body = `{"instructions":"Built by the host.","input":[]}`
	other := newHost(t, host.Options{})
	for _, ctx := range []context.Context{t.Context(), other.Session("s1").Context(t.Context()), h.Session("s1").Context(t.Context())} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
	}
	assert.Equal(t, body, m.asked()[0])
	assert.Equal(t, body, m.asked()[1])
	assert.NotEqual(t, body, m.asked()[2])
	assert.Empty(t, warnings.String())
}

func TestTurnsThatAreNone(t *testing.T) {
	var warnings bytes.Buffer
	h := newHost(t, host.Options{Logger: slog.New(slog.NewTextHandler(&warnings, nil))})
	m := newModel(t, said("Fine."))
	loop := m.loop(t, h)
	_, err := h.Session("s1").Turn(t.Context(), loop, envelope.Request{})
	assert.ErrorContains(t, err, "no prompt")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = h.Session("s1").Turn(ctx, loop, envelope.Request{}, text("hi")...)
	assert.ErrorIs(t, err, context.Canceled)
	ctx, cancel = context.WithCancel(t.Context())
	slow, err := h.Registry.Register(registry.Contribution{ID: "slow", Render: func(ctx context.Context, _ *registry.RenderContext) (string, error) {
		cancel()
		return "", ctx.Err()
	}})
	require.NoError(t, err)
	_, err = h.Session("s1").Turn(ctx, loop, envelope.Request{}, text("hi")...)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, loop.Session.Messages())
	assert.Empty(t, warnings.String(), "nobody wants to know")
	slow.Unregister()
	loop.OnMessage = func(*message.Message) {
		_, err := h.Session("s1").Turn(t.Context(), loop, envelope.Request{}, text("me too")...)
		assert.ErrorIs(t, err, turn.ErrBusy)
	}
	done, err := h.Session("s1").Turn(t.Context(), loop, envelope.Request{}, text("hi")...)
	require.NoError(t, err)
	assert.Equal(t, turn.Completed, done.Kind)
}

// A call that a listener sends elsewhere has the prompt and the context files, and not the developer messages,
// which were made for another provider.
func TestATurnThatGoesToAnotherProvider(t *testing.T) {
	var warnings bytes.Buffer
	h := withAdapters(t, newHost(t, host.Options{Logger: slog.New(slog.NewTextHandler(&warnings, nil))}))
	_, err := h.Registry.Register(registry.Contribution{ID: "tides", Render: registry.Text("Ask for tides.")})
	require.NoError(t, err)
	m := newModel(t, said("Fine."))
	loop := m.loop(t, h)
	other := newModel(t, said("Fine too."))
	other.client = &http.Client{Transport: h.Transport("other", "openai-responses", nil)}
	require.NoError(t, loop.Router.Register(&parts.Provider{API: "openai-responses", Ask: other.ask}, "other"))
	loop.Router.Listeners = append(loop.Router.Listeners, func(context.Context, *turn.Request) (message.Route, error) {
		return message.Route{Provider: "other", Model: "quay-1"}, nil
	})
	done, err := h.Session("s1").Turn(t.Context(), loop, envelope.Request{CWD: "/srv", Options: harbour()}, text("hi")...)
	require.NoError(t, err)
	assert.Equal(t, turn.Completed, done.Kind)
	assert.Empty(t, m.asked())
	require.Len(t, other.asked(), 1)
	assert.Contains(t, other.asked()[0], "You are Harbour.")
	assert.Contains(t, other.asked()[0], "Quay A is ours.")
	assert.NotContains(t, other.asked()[0], "Ask for tides.")
	assert.Contains(t, warnings.String(), "reason=provider-changed")
}
