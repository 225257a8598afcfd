package turn_test

import (
	"bytes"
	"context"
	"errors"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

// converse is the program of the README, to the letter.
func converse(ctx context.Context, provider turn.Provider, prompt string) error {
	store := session.NewDir("sessions")
	s, recovery, err := session.Open(ctx, store, "ferry", session.Options{})
	if errors.Is(err, session.ErrNotFound) {
		s, err = session.Create(ctx, store, session.Header{ID: "ferry"}, session.Options{})
	}
	if err != nil {
		return err
	}
	defer s.Close()
	for _, lost := range recovery.Uncommitted { // what an answer had said when the process died
		log.Printf("turn %d was not finished, %d blocks are lost", lost.Turn, len(lost.Blocks))
	}
	router := &turn.Router{}
	if err := router.Register(provider, "openai"); err != nil {
		return err
	}
	loop := turn.Loop{Session: s, Router: router, Route: message.Route{Provider: "openai", Model: "gpt-5.5"}}
	outcome, err := loop.Prompt(ctx, []message.Block{{Type: message.Text, Text: prompt}})
	if err != nil {
		return err
	}
	if outcome.Failure != nil { // the turn is in the log, and the session can go on
		return outcome.Failure
	}
	log.Printf("turn %d has ended: %s", outcome.Turn, outcome.Kind)
	return nil
}

func TestReadmeProgram(t *testing.T) {
	source, err := os.ReadFile("readme_test.go")
	require.NoError(t, err)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, body, ok := strings.Cut(string(source), "prompt string) error {\n")
	require.True(t, ok)
	body, _, ok = strings.Cut(body, "\n}\n")
	require.True(t, ok)
	var shown strings.Builder
	for line := range strings.Lines(body + "\n") {
		shown.WriteString(strings.TrimPrefix(line, "\t"))
	}
	require.Contains(t, string(readme), shown.String())

	t.Chdir(t.TempDir())
	var said bytes.Buffer
	log.SetOutput(&said)
	defer log.SetOutput(os.Stderr)
	answer := turn.Answer{Chunks: []message.Chunk{
		{Type: message.TextDelta, Text: "Done."}, {Type: message.FinishChunk, Reason: &message.Finish{Kind: message.Stop}},
	}}
	provider := &turn.Scripted{Answers: []turn.Answer{answer, answer}}
	require.NoError(t, converse(t.Context(), provider, "Move the 07:40."))
	require.NoError(t, converse(t.Context(), provider, "And the 08:10."))
	assert.Contains(t, said.String(), "turn 2 has ended: completed")
	assert.Len(t, provider.Requests()[1].Messages, 3)
}
