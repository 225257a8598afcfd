package host_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// TestCutStreams cuts every recorded answer behind each of its parts, and inside the lines around, and
// ends it in every way that an answer can end. Whatever comes of it, no call may be executed that the
// model has not given in full: neither one of the host's message nor one of the durable message.
func TestCutStreams(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings, "*.parts.ndjson"))
	require.NoError(t, err)
	calls := 0
	for _, path := range files {
		data := read(t, path)
		if !bytes.Contains(data, []byte(`"tool-`)) {
			continue // nothing to execute
		}
		lines := bytes.SplitAfter(data, []byte("\n"))
		for _, host := range profile.Names() {
			set, _ := bound(t, path, host)
			at := 0
			for i, line := range lines {
				if bytes.Contains(line, []byte(`"text-delta"`)) || bytes.Contains(line, []byte(`"source"`)) {
					at += len(line)
					continue // like any other part
				}
				for _, end := range []string{"", `"finish`, "throw", "stop", "length", "tool-calls", "other", "interrupted"} {
					calls += cut(t, fmt.Sprintf("%s: %s after %d, %q", path, host, i, end), set, data[:at], line, end)
				}
				at += len(line)
			}
		}
	}
	require.Greater(t, calls, 1000)
}

// cut translates what is left of an answer and returns the number of calls that can be executed.
func cut(t *testing.T, name string, set *profile.Toolset, kept, next []byte, end string) int {
	text := bytes.Clone(kept)
	switch end {
	case "":
	case `"finish`: // in the middle of a line
		text = append(text, next[:len(next)/2]...)
	case "throw":
		text = append(text, `{"$throw":{"name":"Error","message":"reset"}}`...)
	default:
		text = append(text, `{"type":"finish","finishReason":{"unified":"`+end+`"},"usage":{}}`...)
	}
	whole := map[string]string{}
	parts := func(yield func(*stream.Part, error) bool) {
		for p, err := range stream.ReadParts(bytes.NewReader(text)) {
			if p != nil && p.Type == stream.PartToolCall && json.Valid([]byte(p.Input)) {
				whole[p.ID] = strings.Clone(p.Input)
			}
			if !yield(p, err) {
				return
			}
		}
	}
	cfg := &stream.Config{Toolset: set, Model: stream.Model{ID: "m", API: "a", Provider: "p"}}
	var chunker stream.Chunker
	var chunks []message.Chunk
	var final *stream.Message
	for e := range stream.Translate(t.Context(), cfg, parts) {
		more, err := chunker.Event(&e)
		require.NoError(t, err, name)
		chunks, final = append(chunks, more...), e.Message
	}
	executable := 0
	for _, b := range final.Content {
		if b.Type == stream.BlockToolCall && !b.Incomplete {
			require.Contains(t, whole, b.ID, name)
			require.JSONEq(t, whole[b.ID], string(b.Arguments), name)
			executable++
		}
	}
	a := assemble(t, chunks)
	for _, b := range a.result.Blocks {
		if b.Type == message.ToolCall && (b.Arguments == "" || json.Valid([]byte(b.Arguments))) {
			require.JSONEq(t, whole[b.ID], b.Arguments, name)
		}
	}
	return executable
}
