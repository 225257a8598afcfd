package history_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// What a provider has said comes back to it in its own words, with what it has signed and run itself, and
// without that to another provider.
func TestAnswersComeBack(t *testing.T) {
	const answer = `{"type":"reasoning-start","id":"r","providerMetadata":{"acme":{"itemId":"rs_1"}}}
{"type":"reasoning-delta","id":"r","delta":"Look for it."}
{"type":"reasoning-end","id":"r","providerMetadata":{"acme":{"signature":"c2ln"}}}
{"type":"tool-call","toolCallId":"w1","toolName":"web_search","input":"{\"q\":\"ledger\"}","providerExecuted":true}
{"type":"tool-result","toolCallId":"w1","toolName":"web_search","result":[{"url":"x"}],"providerExecuted":true}
{"type":"text-start","id":"t"}
{"type":"text-delta","id":"t","delta":"Here \"it\" is:\n"}
{"type":"text-end","id":"t","providerMetadata":{"acme":{"itemId":"msg_1"}}}
{"type":"tool-call","toolCallId":"c1","toolName":"glob","input":"{\"pattern\":\"*.tsv\",\"path\":\"books\"}","providerMetadata":{"acme":{"thought":"dG8="}}}
{"type":"tool-call","toolCallId":"c2","toolName":"todowrite","input":"{\"todos\":[{\"content\":\"A\",\"status\":\"completed\"},{\"content\":\"B\",\"status\":\"in_progress\"}]}","providerMetadata":{"acme":{"thought":"dG9v"}}}
{"type":"finish","finishReason":{"unified":"tool-calls"},"usage":{"inputTokens":{"total":1},"outputTokens":{"total":1}}}
`
	omp, err := profile.Named("omp")
	require.NoError(t, err)
	tools := []profile.Tool{{Name: "glob"}, {Name: "todo"}}
	config := &stream.Config{Toolset: omp.Bind(tools, profile.Options{}), Model: stream.Model{ID: "m-1", API: "acme-api", Provider: "acme"}}
	var message json.RawMessage
	for event := range stream.Translate(t.Context(), config, stream.ReadParts(strings.NewReader(answer))) {
		if event.Type == stream.EventDone {
			message = event.Message.AppendJSON(nil)
		}
	}
	require.NotNil(t, message)
	hostContext := &history.Context{SystemPrompt: []string{}, Tools: tools, Messages: []json.RawMessage{message}}

	same := history.Config{Profile: omp, API: "acme-api", Provider: "acme"}
	options, err := same.CallOptions(hostContext, history.Call{})
	require.NoError(t, err)
	require.Len(t, options.Prompt, 1)
	assert.JSONEq(t, `{"role":"assistant","content":[
		{"type":"reasoning","text":"Look for it.","providerOptions":{"acme":{"itemId":"rs_1","signature":"c2ln"}}},
		{"type":"tool-call","toolCallId":"w1","toolName":"web_search","input":{"q":"ledger"},"providerExecuted":true},
		{"type":"tool-result","toolCallId":"w1","toolName":"web_search","output":{"type":"json","value":[{"url":"x"}]},"providerExecuted":true},
		{"type":"text","text":"Here \"it\" is:\n","providerOptions":{"acme":{"itemId":"msg_1"}}},
		{"type":"tool-call","toolCallId":"c1","toolName":"glob","input":{"pattern":"*.tsv","path":"books"},"providerOptions":{"acme":{"thought":"dG8="}}},
		{"type":"tool-call","toolCallId":"c2","toolName":"todowrite","input":{"todos":[{"content":"A","status":"completed"},{"content":"B","status":"in_progress"}]},
			"providerOptions":{"acme":{"thought":"dG9v"}}}]}`, string(options.Prompt[0].AppendJSON(nil, history.V3)))

	other := history.Config{Profile: omp, API: "acme-api", Provider: "harbor"}
	options, err = other.CallOptions(hostContext, history.Call{})
	require.NoError(t, err)
	var types []string
	for _, part := range options.Prompt[0].Content {
		types = append(types, part.Type)
		assert.Nil(t, part.ProviderOptions)
	}
	assert.Equal(t, []string{"reasoning", "text", "tool-call", "tool-call"}, types)
}
