package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

// The numbers of the replay-state family are IEEE doubles, those of the prompt envelope exact values.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		expected, got  string
		doubles, exact bool // whether they are equal
	}{
		{"1", "1.0", true, true},
		{"100", "1e2", true, true},
		{"123456789012345660", "123456789012345671", true, false},
		{"123456789012345660", "1.2345678901234566e17", true, true},
		{"0.1", "0.1000000000000000055511151231257827", true, false},
		{"0", "-0", true, true},
		{"9007199254740992", "9007199254740994", false, false},
		{"1", "1.0000000000000002", false, false},
		{"1", `"1"`, false, false},
	} {
		assert.Equal(t, c.doubles, passes(t, nil, "replay/assembler-core.json",
			`[{"name":"x","input":{"chunks":[{"type":"finish","reason":{"kind":"stop"},"replayState":{"response":`+c.got+`}}]},`+
				`"expect":{"blocks":[],"interrupted":[],"finish":{"kind":"stop"},"replayState":{"response":`+c.expected+`}}}]`),
			"as doubles: %s, %s", c.expected, c.got)
		answering := func(string, string, string) (registry.Adapter, error) {
			return registry.Adapter{
				ReadSystemPrompt: func(context.Context, *registry.PayloadRequest) (string, bool, error) { return "", false, nil },
				ReplaceSystemPrompt: func(context.Context, *registry.PayloadRequest, string) ([]byte, error) {
					return []byte(c.got), nil
				},
			}, nil
		}
		assert.Equal(t, c.exact, passes(t, answering, "developer-messages/openai-adapters-v039.json",
			`[{"name":"x","input":{"api":"a","payload":{},"systemPrompt":"p"},"expect":{"replacedSystem":`+c.expected+`}}]`),
			"as exact values: %s, %s", c.expected, c.got)
	}
}

// passes runs one case.
func passes(t *testing.T, adapters AdapterSource, file, cases string) bool {
	t.Helper()
	sum, err := Run(context.Background(), []string{vectorDir(t, map[string]string{file: cases})}, adapters, nil)
	require.NoError(t, err)
	require.Equal(t, 1, sum.Passed+sum.Failed)
	if sum.Failed > 0 {
		require.Empty(t, sum.Files[0].Failures[0].Error)
	}
	return sum.Passed == 1
}
