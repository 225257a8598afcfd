package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// greeting is a guest with two developer messages.
const greeting = "../../testdata/guests/example/c/example.wasm"

// A provider is a server that answers like one, with recorded streams of events.
type provider struct {
	mu      sync.Mutex
	answers []string
	bodies  []string
}

func startProvider(t *testing.T, answers ...string) (*provider, string) {
	p := &provider{answers: answers}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return p, s.URL
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bodies = append(p.bodies, string(body))
	if len(p.answers) == 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"authentication_error","message":"the key is not known"}}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, p.answers[0])
	p.answers = p.answers[1:]
}

// take returns the requests so far.
func (p *provider) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	bodies := p.bodies
	p.bodies = nil
	return bodies
}

// events makes a stream of server-sent events, each named by its type.
func events(list ...string) string {
	var out strings.Builder
	for _, data := range list {
		var e struct{ Type string }
		_ = json.Unmarshal([]byte(data), &e)
		fmt.Fprintf(&out, "event: %s\ndata: %s\n\n", e.Type, data)
	}
	return out.String()
}

// openaiSays and openaiCut are answers of the Responses API: a text, and a text with a call that was cut.
func openaiSays(text string) string {
	item := fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, text)
	return events(
		`{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"gpt-5.5","output":[]}}`,
		`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[]}}`,
		fmt.Sprintf(`{"type":"response.output_text.delta","sequence_number":2,"item_id":"msg_1","output_index":0,"content_index":0,"delta":%q}`, text),
		`{"type":"response.output_item.done","sequence_number":3,"output_index":0,"item":`+item+`}`,
		`{"type":"response.completed","sequence_number":4,"response":{"id":"resp_1","object":"response","status":"completed","model":"gpt-5.5","output":[`+item+`],"usage":{"input_tokens":9,"output_tokens":4,"total_tokens":13}}}`,
	)
}

func openaiCut(text string) string {
	item := fmt.Sprintf(`{"id":"msg_0","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":%q,"annotations":[]}]}`, text)
	return events(
		`{"type":"response.created","sequence_number":0,"response":{"id":"resp_0","object":"response","status":"in_progress","model":"gpt-5.5","output":[]}}`,
		`{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_0","type":"message","role":"assistant","status":"in_progress","content":[]}}`,
		fmt.Sprintf(`{"type":"response.output_text.delta","sequence_number":2,"item_id":"msg_0","output_index":0,"content_index":0,"delta":%q}`, text),
		`{"type":"response.output_item.done","sequence_number":3,"output_index":0,"item":`+item+`}`,
		`{"type":"response.output_item.added","sequence_number":4,"output_index":1,"item":{"id":"fc_0","type":"function_call","status":"in_progress","call_id":"call_0","name":"read_file","arguments":""}}`,
		`{"type":"response.function_call_arguments.delta","sequence_number":5,"item_id":"fc_0","output_index":1,"delta":"{\"path\":\"a."}`,
		`{"type":"response.incomplete","sequence_number":6,"response":{"id":"resp_0","object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"model":"gpt-5.5","output":[`+item+`],"usage":{"input_tokens":9,"output_tokens":4,"total_tokens":13}}}`,
	)
}

// anthropicSays and anthropicCut are the same of the Messages API.
func anthropicSays(text string) string {
	return events(
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-5","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, text),
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":4}}`,
		`{"type":"message_stop"}`,
	)
}

func anthropicCut(text string) string {
	return events(
		`{"type":"message_start","message":{"id":"msg_0","type":"message","role":"assistant","model":"claude-opus-4-5","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, text),
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_0","name":"read_file","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"a."}}`,
		`{"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":4}}`,
		`{"type":"message_stop"}`,
	)
}

// providers are the real ones, with what their answers look like.
func providers() map[string]struct {
	model, base, key string
	says, cut        func(string) string
} {
	return map[string]struct {
		model, base, key string
		says, cut        func(string) string
	}{
		"openai":    {"gpt-5.5", "OPENAI_BASE_URL", "OPENAI_API_KEY", openaiSays, openaiCut},
		"anthropic": {"claude-opus-4-5", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", anthropicSays, anthropicCut},
	}
}

// today is what a request says of the day.
var today = regexp.MustCompile(`<current_date>[^<]*`)

// The scenario with real clients: what was cut does not come back, guests and the project's notes reach the
// model, and after a restart the model is asked the same.
func TestProviders(t *testing.T) {
	guests := t.TempDir()
	wasm, err := os.ReadFile(greeting)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(guests, "greeting.wasm"), wasm, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(guests, "broken.wasm"), []byte("no"), 0o600))
	dir := project(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, notesName), []byte("Ferries leave on the hour."), 0o600))
	for name, p := range providers() {
		t.Run(name, func(t *testing.T) {
			server, url := startProvider(t, p.cut("Reading the ledger."), p.says("Done."), p.cut("Reading the ledger."), p.says("Done."))
			t.Setenv(p.base, url)
			t.Setenv(p.key, "a-key")
			args := []string{"--provider", name, "--model", p.model, "--guests", guests, "--load"}
			sessions := t.TempDir()
			e := startEditor(t, sessions, "", args...)
			id := e.newSession(dir)
			assert.Equal(t, "end_turn", e.prompt(id, "Post row 7.").stop())
			assert.Equal(t, []string{"Reading the ledger."}, e.texts("agent_message_chunk"))
			assert.Equal(t, "end_turn", e.prompt(id, "Go on.").stop())
			assert.Equal(t, []string{"Done."}, e.texts("agent_message_chunk"))
			assert.Zero(t, e.close())
			assert.Contains(t, e.said(), "broken.wasm")
			whole := server.take()
			require.Len(t, whole, 2)
			for _, want := range []string{"You are a coding assistant", "Ferries leave on the hour.", `greeting`, "read_file"} {
				assert.Contains(t, whole[0], want)
			}
			assert.Contains(t, whole[1], "Reading the ledger.")
			assert.NotContains(t, whole[1], "function_call", "the call that was cut")
			assert.NotContains(t, whole[1], "tool_use")

			e = startEditor(t, sessions, "", args...)
			id = e.newSession(dir)
			assert.Equal(t, "end_turn", e.prompt(id, "Post row 7.").stop())
			e.kill()
			e = startEditor(t, sessions, "", args...)
			require.Nil(t, e.loadSession(id, dir).Error)
			assert.Equal(t, "end_turn", e.prompt(id, "Go on.").stop())
			again := server.take()
			require.Len(t, again, 2)
			assert.Equal(t, today.ReplaceAllString(whole[1], ""), today.ReplaceAllString(again[1], ""))

			r := e.prompt(id, "And now?")
			require.NotNil(t, r.Error)
			assert.Equal(t, -32603, r.Error.Code)
			assert.Contains(t, r.Error.Message, "the key is not known")
			assert.Zero(t, e.close())
		})
	}
}
