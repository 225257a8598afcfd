//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
	"github.com/pintle-wasm/pintle/internal/testpayload"
)

// A conversation of 10 MB, with images and tool calls, goes on: the request has the envelope, and the rest of
// it is byte for byte what Pi sends without the extension.
func TestLargePayload(t *testing.T) {
	conversation := filepath.Join(t.TempDir(), "large.jsonl")
	require.NoError(t, os.WriteFile(conversation, largeSession(t), 0o600))
	for version, apis := range map[string][]string{"0.74.2": {mock.Responses}, "1.6.0": {mock.Responses, mock.Messages, mock.Google}} {
		for _, api := range apis {
			t.Run(version+" "+api, func(t *testing.T) {
				plain, _ := ask(t, version, api, conversation, false)
				body, p := ask(t, version, api, conversation, true)
				assert.Greater(t, len(plain), 10_000_000)
				assert.Equal(t, 2, bytes.Count(body, []byte("<pi_developer_prompt_message id=")))
				assert.True(t, bytes.Contains(body, []byte("Mode for: Which quay?")))

				before, after := history(t, api, plain), history(t, api, body)
				if strings.HasPrefix(api, "openai-") {
					before = before[1:] // Pi's system prompt, which the composed one replaces
				}
				require.Greater(t, len(after), len(before))
				front, rest := after[:len(after)-len(before)], after[len(after)-len(before):]
				for i := range before {
					require.True(t, bytes.Equal(before[i], rest[i]), "item %d of the conversation", i)
				}
				assert.Contains(t, string(front[len(front)-1]), "# AGENTS.md instructions for")
				if requests := with(p.happened(t), "request"); assert.Len(t, requests, 1) {
					assert.Equal(t, true, requests[0]["changed"])
				}
			})
		}
	}
}

// ask goes on with a session, and returns the request that arrives.
func ask(t *testing.T, version, api, session string, extension bool) ([]byte, *place) {
	t.Helper()
	p := newPlace(t, version, func(mock.Request) mock.Answer { return mock.Answer{Text: "Quay B."} })
	p.plain = !extension
	data, err := os.ReadFile(session)
	require.NoError(t, err)
	file := filepath.Join(p.Sessions, "large.jsonl")
	require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(data, []byte("/srv/ferry"), []byte(p.CWD)), 0o600))
	out := p.run(t, api, []string{"E2E_CONTRIBUTION=demo/mode"}, "--session", file, "-p", "--no-tools", "--system-prompt", "You are Harbour.", "Which quay?")
	require.Equal(t, "Quay B.\n", out.Stdout)
	requests := p.server.Requests()
	require.Len(t, requests, 1)
	return requests[0].Body, p
}

// history is the list in a request where the conversation is.
func history(t *testing.T, api string, body []byte) []json.RawMessage {
	t.Helper()
	var b struct{ Input, Messages, Contents []json.RawMessage }
	require.NoError(t, json.Unmarshal(numbered.ReplaceAll(body, []byte("msg_pi")), &b))
	list := map[string][]json.RawMessage{mock.Completions: b.Messages, mock.Messages: b.Messages, mock.Google: b.Contents}[api]
	if list == nil {
		list = b.Input
	}
	require.NotEmpty(t, list)
	return list
}

// numbered are ids that Pi makes of a message's place in the conversation.
var numbered = regexp.MustCompile(`\bmsg_(pi_)?\d+`)

// largeSession is the conversation of the recipe in testdata/vectors/payloads as a session of Pi's.
func largeSession(t *testing.T) []byte {
	t.Helper()
	var payload struct {
		Messages []struct {
			Role       string
			Content    json.RawMessage
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	require.NoError(t, json.Unmarshal(testpayload.Build(mock.Completions, 800), &payload))
	var b bytes.Buffer
	parent, entries := any(nil), 0
	write := func(entry object) {
		entries++
		entry["timestamp"] = "2026-11-30T12:00:00.000Z"
		if entry["type"] != "session" {
			id := fmt.Sprintf("%08x", entries)
			entry["id"], entry["parentId"] = id, parent
			parent = id
		}
		require.NoError(t, json.NewEncoder(&b).Encode(entry))
	}
	write(object{"type": "session", "version": 3, "id": "01a22afd-20ee-7275-9f53-d727391bd9d2", "cwd": "/srv/ferry"})
	for _, m := range payload.Messages[1:] { // the first is the system prompt
		message := object{"role": m.Role, "timestamp": 1796000000000}
		switch {
		case m.Role == "user":
			message["content"] = userParts(t, m.Content)
		case m.Role == "tool":
			var text string
			require.NoError(t, json.Unmarshal(m.Content, &text))
			message["role"], message["toolCallId"], message["toolName"] = "toolResult", m.ToolCallID, "bash"
			message["content"], message["isError"] = []any{object{"type": "text", "text": text}}, false
		case len(m.ToolCalls) > 0:
			c := m.ToolCalls[0]
			assistant(message, "toolUse", object{"type": "toolCall", "id": c.ID, "name": c.Function.Name, "arguments": json.RawMessage(c.Function.Arguments)})
		default:
			var text string
			require.NoError(t, json.Unmarshal(m.Content, &text))
			assistant(message, "stop", object{"type": "text", "text": text})
		}
		write(object{"type": "message", "message": message})
	}
	return b.Bytes()
}

type object = map[string]any

func userParts(t *testing.T, content json.RawMessage) []any {
	t.Helper()
	var parts []struct {
		Type, Text string
		ImageURL   struct{ URL string } `json:"image_url"`
	}
	require.NoError(t, json.Unmarshal(content, &parts))
	var all []any
	for _, part := range parts {
		if part.Type == "text" {
			all = append(all, object{"type": "text", "text": part.Text})
			continue
		}
		data := strings.TrimPrefix(part.ImageURL.URL, "data:image/png;base64,")
		all = append(all, object{"type": "image", "mimeType": "image/png", "data": data})
	}
	return all
}

func assistant(message object, reason string, part object) {
	none := object{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
	message["content"], message["stopReason"] = []any{part}, reason
	message["api"], message["provider"], message["model"] = "elsewhere", "elsewhere", "elsewhere"
	message["usage"] = object{"input": 10, "output": 3, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 13, "cost": none}
}
