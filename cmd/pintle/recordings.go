package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
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
	text, err := io.ReadAll(in)
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
	for chunk, err := range turn.ParseChunks(bytes.NewReader(text)) {
		if err != nil {
			return a, &usageError{err: fmt.Errorf("%s: %w", name, err), hint: "every line is one chunk, a JSON object with a type"}
		}
		a.chunks = append(a.chunks, chunk)
	}
	return a, nil
}

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

// The kinds of lines in recorded answers.
const (
	anyLine = iota
	chunkLine
	partLine
)

// lineKind tells parts and chunks apart. Some have one type and different members.
func lineKind(line []byte) int {
	o, ok := ordered.ParseObject(bytes.TrimSpace(line))
	if !ok {
		return anyLine
	}
	has := func(keys ...string) bool {
		for _, key := range keys {
			if o.Has(key) {
				return true
			}
		}
		return false
	}
	kind, ok := o.Text("type")
	switch {
	case !ok && has("$throw", "$reject"):
		return partLine
	case kind == message.BlockStart, kind == message.BlockEnd, kind == message.ToolCallDelta, kind == message.UsageChunk:
		return chunkLine
	case kind == stream.TextDelta, kind == stream.ReasoningDelta, kind == stream.Finish:
		switch {
		case has("text", "index", "reason"):
			return chunkLine
		case has("delta", "id", "finishReason", "usage"):
			return partLine
		}
		return anyLine
	case hasEffect(kind) || silentKinds[kind]:
		return partLine
	}
	return anyLine
}

// translate makes chunks of the parts of an answer, as `pintle translate` does. Nothing is known of the
// host's tools but their names, and calls of others pass: the turn itself says that there is no such tool.
func (a *recorded) translate(cmd *cobra.Command, t *turnFile, name string, text []byte) error {
	a.translation = newTranslation(t.Host)
	c := stream.Config{
		Toolset: t.profile.Bind(t.hostTools(), profile.Options{}), Unchecked: true, Files: a.translation.keepIn(""),
		Model: stream.Model{ID: t.Model, API: orDefault(t.API, t.Provider+"-bridge"), Provider: t.Provider},
	}
	view := &chunkList{}
	_, bad, err := translate(cmd.Context(), &c, bytes.NewReader(text), a.translation, view)
	switch {
	case err != nil:
		return err
	case cmd.Context().Err() != nil:
		return cmd.Context().Err()
	case bad != nil:
		return notAPart(name, bad)
	}
	a.chunks = view.chunks
	return nil
}

// hostTools are the tools that a turn file names.
func (t *turnFile) hostTools() []profile.Tool {
	names := slices.Concat(t.ActiveTools, slices.Collect(maps.Keys(t.Tools)))
	slices.Sort(names)
	var tools []profile.Tool
	for _, name := range slices.Compact(names) {
		tools = append(tools, profile.Tool{Name: name})
	}
	return tools
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
