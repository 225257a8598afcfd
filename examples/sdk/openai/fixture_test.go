package openai_test

import (
	"bytes"
	"embed"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/examples/sdk/internal/ferry"
	"github.com/pintle-wasm/pintle/examples/sdk/loopback"
	"github.com/pintle-wasm/pintle/examples/sdk/openai"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/parts"
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

type provider func(sdk.Client, openai.Options) *parts.Provider

func newFixture(t *testing.T, api string, make provider, dir string, server *loopback.Server) *fixture {
	client := sdk.NewClient(
		option.WithAPIKey("secret"), option.WithBaseURL(server.URL+"/v1"),
		option.WithHTTPClient(&http.Client{Transport: harbour.Transport("openai", api, nil)}),
	)
	p := make(client, openai.Options{Effort: "low", MaxTokens: 512})
	return &fixture{ferry.New(t, harbour, p, message.Route{Provider: "openai", Model: "gpt-5.5"}, dir, server)}
}

func compact(t *testing.T, v any) string {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(v))
	return out.String()
}
