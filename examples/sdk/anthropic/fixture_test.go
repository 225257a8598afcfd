package anthropic_test

import (
	"context"
	"embed"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/examples/sdk/anthropic"
	"github.com/pintle-wasm/pintle/examples/sdk/loopback"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

//go:embed testdata
var testdata embed.FS

// stream is a recorded answer.
func stream(name string) loopback.Reply {
	body, err := testdata.ReadFile("testdata/" + name + ".sse")
	if err != nil {
		panic(err)
	}
	return loopback.Reply{Body: string(body)}
}

// harbour is the host of all tests, as a process has one.
var harbour *host.Host

func TestMain(m *testing.M) {
	ctx := context.Background()
	harbour = host.Open(host.Options{})
	adapters, err := stock.Adapters()
	if err == nil {
		_, err = harbour.Load(ctx, stock.AdaptersName, adapters, runtime.GuestOptions{})
	}
	if err == nil {
		_, err = harbour.Registry.Register(registry.Contribution{ID: "style", Render: registry.Text("Use British spelling.")})
	}
	if err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	_ = harbour.Close(ctx)
	os.Exit(code)
}

// A fixture is a session of the host with a model on loopback. Each one is as good as a process of its own: a
// client, a router and a loop, and the session's log opened anew.
type fixture struct {
	*turn.Loop
	t      *testing.T
	server *loopback.Server
	ran    []string
}

func newFixture(t *testing.T, dir string, server *loopback.Server) *fixture {
	client := sdk.NewClient(
		option.WithAPIKey("secret"), option.WithBaseURL(server.URL),
		option.WithHTTPClient(&http.Client{Transport: harbour.Transport("anthropic", anthropic.API, nil)}),
	)
	f := &fixture{t: t, server: server, Loop: &turn.Loop{
		Router: &turn.Router{}, Route: message.Route{Provider: "anthropic", Model: "claude-opus-5"}, System: "You are a coding agent.",
	}}
	require.NoError(t, f.Router.Register(anthropic.Messages(client, anthropic.Options{ThinkingBudget: 1024, MaxTokens: 2048}), "anthropic"))
	tide := turn.Tool{Run: func(_ context.Context, arguments json.RawMessage) ([]message.Block, error) {
		f.ran = append(f.ran, string(arguments))
		return []message.Block{{Type: message.Text, Text: "14:10"}}, nil
	}}
	tide.Name, tide.Description = "tide", "The next high water at a port."
	tide.Parameters = json.RawMessage(`{"type":"object","properties":{"port":{"type":"string"}}}`)
	f.Tools = []turn.Tool{tide}

	store := session.NewDir(dir)
	var err error
	f.Session, err = session.Create(t.Context(), store, session.Header{ID: "ferry"}, session.Options{})
	if err != nil {
		f.Session, _, err = session.Open(t.Context(), store, "ferry", session.Options{})
	}
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Session.Close() })
	return f
}

// ask runs a turn in the host's session.
func (f *fixture) ask(ctx context.Context, prompt string) host.Turn {
	f.t.Helper()
	done, err := harbour.Session(f.t.Name()).Turn(ctx, f.Loop, envelope.Request{
		Prompt: &prompt, CWD: "/srv/ferry",
		Options: registry.PromptOptions{ContextFiles: []registry.ContextFile{{Path: "/srv/ferry/AGENTS.md", Content: "Quay A is ours."}}},
	})
	require.NoError(f.t, err)
	return done
}

// body is that of a request, as JSON.
func (f *fixture) body(at int) map[string]any {
	f.t.Helper()
	requests := f.server.Requests()
	require.Less(f.t, at, len(requests))
	var body map[string]any
	require.NoError(f.t, json.Unmarshal([]byte(requests[at].Body), &body))
	return body
}

// last is the newest message of the session.
func (f *fixture) last() *message.Message {
	messages := f.Session.Messages()
	return &messages[len(messages)-1]
}
