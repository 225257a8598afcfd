package stream_test

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// A long id and many calls would be repeated as often as there are calls.
func TestFanOutOfLongIDs(t *testing.T) {
	paths := strings.Repeat("/a;", 50_000)
	r := translate(t, configFor(t, "omp", "read"),
		`{"type":"tool-call","toolCallId":"`+strings.Repeat("i", 100_000)+`","toolName":"read","input":"{\"filePath\":\"`+paths+`\"}"}`)
	assert.Equal(t, stream.StopError, r.final.StopReason)
	assert.Contains(t, r.final.ErrorMessage, "its id is too long for that: 100000 bytes")
	assert.Empty(t, r.final.Content)
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestLinesHaveAnEnd(t *testing.T) {
	for _, err := range stream.ReadParts(io.MultiReader(strings.NewReader(`{"type":"`), endless{})) {
		assert.ErrorContains(t, err, "parts: line 1: longer than 67108864 bytes")
	}
}

// A call whose input has been streamed and then is not there has not been understood.
func TestCallWithoutItsInput(t *testing.T) {
	for input, want := range map[string]bool{``: true, `,"input":null`: true, `,"input":" "`: true, `,"input":"{}"`: false} {
		r := translate(t, configFor(t, "omp", "ls"), `{"type":"tool-input-start","id":"c","toolName":"ls"}`,
			`{"type":"tool-input-delta","id":"c","delta":"{\"path\":"}`,
			`{"type":"tool-call","toolCallId":"c","toolName":"ls"`+input+`}`, finishTools)
		assert.Equal(t, want, r.final.Content[0].Incomplete, input)
		assert.JSONEq(t, "{}", string(r.final.Content[0].Arguments))
	}
	r := translate(t, configFor(t, "omp", "ls"), `{"type":"tool-call","toolCallId":"c","toolName":"ls","input":""}`, finishTools)
	assert.False(t, r.final.Content[0].Incomplete, "a call without arguments")
}

// One call that is made again and again shows all that is known of it each time, and that is merged once
// in a while, not each time from the beginning.
func TestMetadataOfManyCalls(t *testing.T) {
	var parts []string
	for i := range 3000 {
		parts = append(parts, `{"type":"tool-call","toolCallId":"c","toolName":"ls","input":"{}","providerMetadata":{"p":{"a":`+strconv.Itoa(i)+`}}}`)
	}
	cfg := configFor(t, "pi", "ls")
	values := parse(t, append(parts, finishTools)...)
	size := 0
	allocated := testing.AllocsPerRun(1, func() {
		for e := range stream.Translate(t.Context(), cfg, valuesOf(values)) {
			if e.Block != nil {
				size += len(e.Block.Signature())
			}
		}
	})
	assert.Less(t, allocated, 3000*40.0)
	assert.Positive(t, size)
}

// The tool that ends delegated work is whole in its first event: hosts look at the message then.
func TestGivenResultIsWholeAtItsStart(t *testing.T) {
	cfg := configFor(t, "omp")
	cfg.Toolset = cfg.Toolset.Profile().Bind([]profile.Tool{
		{Name: "yield", Parameters: json.RawMessage(`{"properties":{"type":{},"data":{}}}`)},
	}, profile.Options{})
	r := translate(t, cfg, `{"type":"text-delta","id":"1","delta":"Done."}`, finishStop)
	for i, e := range r.raw {
		if e.Type == stream.EventToolCallStart {
			assert.JSONEq(t, `{"type":"result"}`, string(r.snapshots[i].Content[1].Arguments))
			assert.Equal(t, "yield", r.snapshots[i].Content[1].Name)
			return
		}
	}
	assert.Fail(t, "no call")
}

// Nobody knows which tool was meant.
func TestDanglingWithoutAName(t *testing.T) {
	cfg := configFor(t, "pi")
	cfg.Unchecked = true
	r := translate(t, cfg, `{"type":"tool-input-start","id":"c"}`, finishStop)
	assert.Equal(t, `{"type":"toolCall","id":"c","name":"","arguments":{}}`, content(r.final))
}
