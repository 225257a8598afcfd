package anthropic_test

import (
	"embed"
	"net/http"
	"os"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/pintle-wasm/pintle/examples/sdk/anthropic"
	"github.com/pintle-wasm/pintle/examples/sdk/internal/ferry"
	"github.com/pintle-wasm/pintle/examples/sdk/loopback"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/message"
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

// harbour is the host of all tests.
var harbour *host.Host

func TestMain(m *testing.M) { os.Exit(ferry.Run(m, &harbour)) }

type fixture struct{ *ferry.Conversation }

func newFixture(t *testing.T, dir string, server *loopback.Server) *fixture {
	client := sdk.NewClient(
		option.WithAPIKey("secret"), option.WithBaseURL(server.URL),
		option.WithHTTPClient(&http.Client{Transport: harbour.Transport("anthropic", anthropic.API, nil)}),
	)
	p := anthropic.Messages(client, anthropic.Options{ThinkingBudget: 1024, MaxTokens: 2048})
	return &fixture{ferry.New(t, harbour, p, message.Route{Provider: "anthropic", Model: "claude-opus-5"}, dir, server)}
}
