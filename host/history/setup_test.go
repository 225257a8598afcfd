package history

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

// configOf is a configuration for the model "m" of the protocol "acme-api" and the provider "acme".
func configOf(t testing.TB, host string) *Config {
	p, err := profile.Named(host)
	require.NoError(t, err)
	return &Config{Profile: p, API: "acme-api", Provider: "acme"}
}

// toolsOf are tools without schemas.
func toolsOf(names ...string) []profile.Tool {
	tools := []profile.Tool{}
	for _, name := range names {
		tools = append(tools, profile.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object","properties":{}}`)})
	}
	return tools
}

// optionsFor builds options for messages that are a JSON list, with the system prompt "s" unless it is empty.
func optionsFor(t testing.TB, c *Config, tools []profile.Tool, messages string) *CallOptions {
	ctx := &Context{SystemPrompt: []string{}, Tools: tools}
	require.NoError(t, json.Unmarshal([]byte(messages), &ctx.Messages))
	o, err := c.CallOptions(ctx, Call{})
	require.NoError(t, err)
	return o
}

// promptOf is the prompt that an omp host's messages give, as JSON.
func promptOf(t testing.TB, c *Config, tools []profile.Tool, messages string) string {
	return asJSON(t, optionsFor(t, c, tools, messages))
}

// asJSON is the prompt of options.
func asJSON(t testing.TB, o *CallOptions) string {
	whole := o.AppendJSON(nil)
	var parsed struct{ Prompt json.RawMessage }
	require.NoError(t, json.Unmarshal(whole, &parsed), "%s", whole)
	return string(parsed.Prompt)
}

type promptCase struct{ name, messages, want string }

func runPromptCases(t *testing.T, c *Config, tools []profile.Tool, cases []promptCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			assert.JSONEq(t, tc.want, promptOf(t, c, tools, tc.messages))
		})
	}
}
