package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/examples/sdk/loopback"
)

func TestAsk(t *testing.T) {
	for api, c := range map[string]struct{ recorded, want string }{
		"openai-responses":   {"openai/testdata/responses-done.sse", "High water is at 14:10.\ncompleted, 40 tokens\n"},
		"openai-completions": {"openai/testdata/chat-done.sse", "At 14:10.\ncompleted, 20 tokens\n"},
		"anthropic-messages": {"anthropic/testdata/done.sse", "High water is at 14:10.\ncompleted, 9 tokens\n"},
	} {
		t.Run(api, func(t *testing.T) {
			answer, err := os.ReadFile("../" + c.recorded)
			require.NoError(t, err)
			server := loopback.Serve(t, loopback.Reply{Body: string(answer)})
			t.Setenv("OPENAI_API_KEY", "secret")
			t.Setenv("ANTHROPIC_API_KEY", "secret")
			t.Setenv("OPENAI_BASE_URL", server.URL)
			t.Setenv("ANTHROPIC_BASE_URL", server.URL)
			var out strings.Builder
			require.NoError(t, ask(t.Context(), &out, api, "m-1", "When is high water?"))
			assert.Equal(t, c.want, out.String())
			assert.Contains(t, server.Requests()[0].Body, "Answer in one sentence.")
			assert.Contains(t, server.Requests()[0].Body, "/examples/sdk/ask", "the folder that it is asked in")
		})
	}
	assert.ErrorContains(t, ask(t.Context(), new(strings.Builder), "gopher", "m-1", "?"), "unknown api")
}
