// Package ferry is what the tests of the providers share: a host, and conversations with a model on loopback.
package ferry

import (
	"context"
	"encoding/json"
	"log"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/examples/sdk/loopback"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// Run runs a package's tests with a host, as a process has one: the stock adapters and one contribution.
func Run(m *testing.M, to **host.Host) int {
	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	adapters, err := stock.Adapters()
	if err == nil {
		_, err = h.Load(ctx, stock.AdaptersName, adapters, runtime.GuestOptions{})
	}
	if err == nil {
		_, err = h.Registry.Register(registry.Contribution{ID: "style", Render: registry.Text("Use British spelling.")})
	}
	if err != nil {
		log.Print(err)
		return 1
	}
	*to = h
	return m.Run()
}

// A Conversation is a session of the host with a model on loopback. Each one is as good as a process of its
// own: a router and a loop, and the session's log opened anew.
type Conversation struct {
	*turn.Loop
	// Ran has the arguments of the calls of its tool.
	Ran []string
	// T is the test, and Server has the model's answers.
	T      *testing.T
	Server *loopback.Server

	host *host.Host
}

// New begins a conversation, or takes up the one whose log is in the folder.
func New(t *testing.T, h *host.Host, p turn.Provider, route message.Route, dir string, server *loopback.Server) *Conversation {
	c := &Conversation{T: t, Server: server, host: h, Loop: &turn.Loop{
		Router: &turn.Router{}, Route: route, System: "You are a coding agent.",
	}}
	require.NoError(t, c.Router.Register(p, route.Provider))
	tide := turn.Tool{Run: func(_ context.Context, arguments json.RawMessage) ([]message.Block, error) {
		c.Ran = append(c.Ran, string(arguments))
		return []message.Block{{Type: message.Text, Text: "14:10"}}, nil
	}}
	tide.Name, tide.Description = "tide", "The next high water at a port."
	tide.Parameters = json.RawMessage(`{"type":"object","properties":{"port":{"type":"string"}}}`)
	c.Tools = []turn.Tool{tide}

	store := session.NewDir(dir)
	var err error
	c.Session, err = session.Create(t.Context(), store, session.Header{ID: "ferry"}, session.Options{})
	if err != nil {
		c.Session, _, err = session.Open(t.Context(), store, "ferry", session.Options{})
	}
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Session.Close() })
	return c
}

// Ask runs a turn in the host's session.
func (c *Conversation) Ask(ctx context.Context, prompt string) host.Turn {
	c.T.Helper()
	done, err := c.host.Session(c.T.Name()).Turn(ctx, c.Loop, envelope.Request{
		Prompt: &prompt, CWD: "/srv/ferry",
		Options: registry.PromptOptions{ContextFiles: []registry.ContextFile{{Path: "/srv/ferry/AGENTS.md", Content: "Quay A is ours."}}},
	})
	require.NoError(c.T, err)
	return done
}

// Body is that of a request, as JSON.
func (c *Conversation) Body(at int) map[string]any {
	c.T.Helper()
	requests := c.Server.Requests()
	require.Less(c.T, at, len(requests))
	var body map[string]any
	require.NoError(c.T, json.Unmarshal([]byte(requests[at].Body), &body))
	return body
}

// Last is the newest message of the session.
func (c *Conversation) Last() *message.Message {
	messages := c.Session.Messages()
	return &messages[len(messages)-1]
}
