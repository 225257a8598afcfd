package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each event is there before the next part.
func TestTranslateIsLive(t *testing.T) {
	var stderr strings.Builder
	r := runLive(t.Context(), t, &stderr, "translate", "--host", "omp")
	assert.Equal(t, `{"type":"start"}`, r.next(), "it is there before the first part")
	r.send(`{"type":"text-start","id":"t"}`)
	assert.Equal(t, `{"type":"text_start","contentIndex":0}`, r.next())
	r.send(`{"type":"text-delta","id":"t","delta":"Quay "}`)
	assert.Equal(t, `{"type":"text_delta","contentIndex":0,"delta":"Quay "}`, r.next())
	r.send(`{"type":"x-new"}`)
	r.send(`{"type":"tool-call","toolCallId":"c","toolName":"move","input":"{\"to\":\"A\"}"}`)
	assert.Equal(t, `{"type":"toolcall_start","contentIndex":1}`, r.next())
	assert.Equal(t, `{"type":"toolcall_end","contentIndex":1,"toolCall":{"type":"toolCall","id":"c","name":"move","arguments":{"to":"A"}}}`, r.next())
	r.send(`{"type":"finish","finishReason":"tool-calls"}`)
	assert.Contains(t, r.next(), `{"type":"done","reason":"toolUse","message":{"role":"assistant","content":[{"type":"text","text":"Quay "},`)
	assert.Equal(t, exitOK, <-r.code, "the answer has ended, the input has not")
	assert.Empty(t, stderr.String())
}

func TestTranslateIsLiveInChunks(t *testing.T) {
	r := runLive(t.Context(), t, io.Discard, "translate", "--chunks")
	r.send(`{"type":"text-delta","id":"t","delta":"a"}`)
	assert.Equal(t, `{"type":"block-start","index":0,"blockType":"text"}`, r.next())
	assert.Equal(t, `{"type":"text-delta","index":0,"text":"a"}`, r.next())
	require.NoError(t, r.input.Close())
	assert.Contains(t, r.rest(), `{"type":"finish","reason":{"kind":"error",`)
	assert.Equal(t, exitFailed, <-r.code)
}

// An interrupt ends the answer while its input is silent, and its last event is written.
func TestTranslateInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	var stderr strings.Builder
	r := runLive(ctx, t, &stderr, "translate")
	assert.Equal(t, `{"type":"start"}`, r.next())
	r.send(`{"type":"text-delta","id":"t","delta":"said"}`)
	r.next()
	r.next()
	interrupt()
	assert.Contains(t, r.next(), `{"type":"error","reason":"aborted","error":{"role":"assistant","content":[{"type":"text","text":"said"}],`)
	assert.Empty(t, r.rest())
	assert.Equal(t, exitFailed, <-r.code)
	assert.Equal(t, "pintle: error: interrupted\n", stderr.String())
}

// An answer that is there at once is written in few pieces, and whole.
func TestTranslateWritesManyEventsAtATime(t *testing.T) {
	parts := strings.Repeat(`{"type":"text-delta","id":"t","delta":"x"}`+"\n", 20_000) + `{"type":"finish","finishReason":"stop"}`
	out := &countingWriter{}
	code := run(t.Context(), []string{"translate"}, strings.NewReader(parts), out, io.Discard)
	assert.Equal(t, exitOK, code)
	assert.Equal(t, 20_003, strings.Count(out.String(), "\n"))
	assert.Less(t, out.writes, 200)
}

type countingWriter struct {
	strings.Builder
	writes int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	return w.Builder.Write(p)
}

// What cannot be written ends the command, wherever it is noticed.
func TestTranslateIntoAClosedPipe(t *testing.T) {
	gone := errors.New("nobody reads")
	for _, input := range []string{
		"", `{"type":"finish","finishReason":"stop"}`,
		strings.Repeat(`{"type":"text-delta","id":"t","delta":"x"}`+"\n", 20_000),
	} {
		for _, flags := range [][]string{{}, {"--chunks"}} {
			var stderr strings.Builder
			out := &failingWriter{room: 10, err: gone}
			code := run(t.Context(), append([]string{"translate"}, flags...), strings.NewReader(input), out, &stderr)
			assert.Equal(t, exitFailed, code)
			assert.Equal(t, "pintle: error: nobody reads\n", stderr.String())
		}
	}
}

// The view of a terminal, which is none here.
func TestTranslatedView(t *testing.T) {
	cmd := newTranslate()
	var out strings.Builder
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SetContext(t.Context())
	tools := filepath.Join(t.TempDir(), "tools.json")
	require.NoError(t, os.WriteFile(tools, []byte(`[{"name":"read"},{"name":"grep"},{"name":"ls"}]`), 0o600))
	f := translateFlags{host: "pi", tools: tools, provider: "p", model: "m"}
	c, err := f.config(cmd)
	require.NoError(t, err)
	translation := newTranslation("pi")
	c.Files = translation.keepIn("")
	last, bad, err := translate(t.Context(), c, strings.NewReader(strings.Join([]string{
		`{"type":"stream-start","warnings":[]}`,
		`{"type":"reasoning-delta","id":"r","delta":"Hm\u001b[2J"}`,
		`{"type":"tool-input-start","id":"c1","toolName":"read"}`,
		`{"type":"tool-input-delta","id":"c1","delta":"{\"filePath\":\"a\"}"}`,
		`{"type":"tool-call","toolCallId":"c1","toolName":"read","input":"{\"filePath\":\"a\"}"}`,
		`{"type":"tool-input-start","id":"c2","toolName":"ls"}`,
		`{"type":"tool-input-delta","id":"c2","delta":"{\"path\": \"b\"}"}`,
		`{"type":"tool-call","toolCallId":"c2","toolName":"ls","input":"{\"path\":\"b\"}"}`,
		`{"type":"tool-input-start","id":"c3","toolName":"grep"}`,
		`{"type":"tool-input-delta","id":"c3","delta":"{\"pat"}`,
		`{"type":"tool-call","toolCallId":"c3","toolName":"grep","input":"{\"pat"}`,
		`{"type":"file","mediaType":"image/png","data":"AA=="}`,
		`{"type":"tool-call","toolCallId":"s1","toolName":"web_search","input":"{}","providerExecuted":true}`,
		`{"type":"finish","finishReason":"tool-calls","usage":{"inputTokens":5,"outputTokens":6}}`,
	}, "\n")), translation, newTranslatedView(cmd, translation))
	require.NoError(t, err)
	require.NoError(t, bad)
	assert.Equal(t, "toolUse", last.Reason)
	assert.Equal(t, `1 reasoning
  Hm\u{1b}[2J
2 tool call read
  {"filePath":"a"}
2 tool call read, as the host gets it
  {"path":"a"}
3 tool call ls
  {"path": "b"}
4 tool call grep
  {"pat
5 text
  A file (image/png, 1 bytes) was generated. It was not kept: there is no place for it

answer
  kept          5 blocks: 1 reasoning, 3 tool calls, 1 text
  finish        tool-calls
  usage         5 tokens in, 6 out
  replay state  kept, with 5 entries

translation for pi
  14 parts, without effect: 1 stream-start
  call c1: read, its arguments reshaped
  call c3: grep, its arguments are no JSON object: {"pat
  file image/png, 1 B: not kept: there is no place for it
  run by the provider: web_search s1, without a result
`, out.String())
}
