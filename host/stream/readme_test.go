package stream_test

import (
	"context"
	"io"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// bridge is the program of the README, to the letter.
func bridge(ctx context.Context, answer io.Reader, tools []profile.Tool) (iter.Seq2[message.Chunk, error], error) {
	pi, err := profile.Named("pi")
	if err != nil {
		return nil, err
	}
	cfg := &stream.Config{
		Toolset: pi.Bind(tools, profile.Options{}), // the host's tools that are live in this call
		Model:   stream.Model{ID: "harbour-2", API: "acme-bridge", Provider: "acme"},
	}
	events := stream.Translate(ctx, cfg, stream.ReadParts(answer))
	return new(stream.Chunker).Chunks(events), nil // what a turn.Provider yields; without it, range over events
}

func TestReadmeProgram(t *testing.T) {
	source, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(source), "Chunk, error], error) {\n")
	require.True(t, ok)
	body, _, ok = strings.Cut(body, "\n}\n")
	require.True(t, ok)
	var shown strings.Builder
	for line := range strings.Lines(body + "\n") {
		shown.WriteString(strings.TrimPrefix(line, "\t"))
	}
	require.Contains(t, string(readme), shown.String())

	answer, err := os.Open("../../examples/bridge/answer.ndjson")
	require.NoError(t, err)
	defer answer.Close()
	chunks, err := bridge(t.Context(), answer, []profile.Tool{{Name: "read"}})
	require.NoError(t, err)
	var last message.Chunk
	for c, err := range chunks {
		require.NoError(t, err)
		last = c
	}
	assert.Equal(t, message.ToolCalls, last.Reason.Kind)
}
