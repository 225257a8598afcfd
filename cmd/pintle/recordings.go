package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/host/turn"
)

// A recorded answer is one file of chunks, or of parts that were translated into chunks.
type recorded struct {
	file        string
	chunks      []message.Chunk
	translation *translation // nil for chunks
}

// readRecorded reads a recorded answer.
func (t *turnFile) readRecorded(cmd *cobra.Command, path string) (recorded, error) {
	a := recorded{file: path}
	in, name, err := openInput(cmd, path)
	if err != nil {
		hint := "paths in a turn file are relative to that file"
		if cmd.Flags().Changed("response") {
			hint = "check the path"
		}
		return a, &usageError{err: fmt.Errorf("response: %w", errors.Unwrap(err)), hint: hint}
	}
	defer in.Close()
	text, err := readAll(cmd.Context(), in)
	if err != nil {
		return a, &usageError{err: fmt.Errorf("response: %w", err)}
	}
	parts, err := isParts(text)
	if err != nil {
		return a, &usageError{err: fmt.Errorf("%s: %w", name, err), hint: "a recorded answer is the one or the other, from its first line to its last"}
	}
	if parts {
		return a, a.translate(cmd, t, name, text)
	}
	if first, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n")); isEvent(first) {
		return a, &usageError{err: fmt.Errorf("%s: neither chunks nor stream parts", name), hint: notEvents}
	}
	for chunk, err := range turn.ParseChunks(bytes.NewReader(text)) {
		if err != nil {
			hint := "every line is one chunk or one stream part of the AI SDK, a JSON object with a type"
			if seems := foreign(text, intoFile); seems != "" {
				hint += "; " + seems
			}
			return a, &usageError{err: fmt.Errorf("%s: %w", name, err), hint: hint}
		}
		a.chunks = append(a.chunks, chunk)
	}
	return a, nil
}

// intoFile is where the lines of an answer that cannot be used as it is should go.
const intoFile = "> answer.ndjson"

// isParts tells whether a recorded answer is parts of the AI SDK rather than chunks. A file of which
// nothing can be told is chunks.
func isParts(text []byte) (bool, error) {
	var first [3]int // the line that is the first of its kind
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if kind := lineKind(line); first[kind] == 0 {
			first[kind] = n
		}
	}
	if first[partLine] > 0 && first[chunkLine] > 0 {
		return false, fmt.Errorf("line %d is a chunk and line %d a part of the AI SDK", first[chunkLine], first[partLine])
	}
	return first[partLine] > 0, nil
}

// translate makes chunks of the parts of an answer, as `pintle translate` does. Nothing is known of the
// host's tools but what the turn file says, and calls of others pass: the turn itself says that there is no
// such tool.
func (a *recorded) translate(cmd *cobra.Command, t *turnFile, name string, text []byte) error {
	a.translation = newTranslation(t.profile.Name)
	c := stream.Config{
		Toolset: t.profile.Bind(t.hostTools(), profile.Options{}), Unchecked: true, Files: a.translation.keepIn(""),
		Model: stream.Model{ID: t.Model, API: orDefault(t.API, t.Provider+"-bridge"), Provider: t.Provider},
	}
	view := &chunkList{}
	last, bad, err := translate(cmd.Context(), &c, bytes.NewReader(text), a.translation, view)
	switch {
	case err != nil:
		return err
	case cmd.Context().Err() != nil:
		return cmd.Context().Err()
	case bad != nil:
		return notAPart(name, bad, a.translation.first.text, intoFile)
	}
	if last.Type == stream.EventError && a.translation.textLost(last.Message) {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s: %s\n", oneLine(name, 200), lostText)
	}
	a.chunks = view.chunks
	return nil
}

// chunkList keeps chunks.
type chunkList struct {
	chunker stream.Chunker
	chunks  []message.Chunk
}

func (l *chunkList) event(e *stream.Event) error {
	chunks, err := l.chunker.Event(e)
	l.chunks = append(l.chunks, chunks...)
	return err
}

func (l *chunkList) idle() error                     { return nil }
func (l *chunkList) result(*translation, bool) error { return nil }
