package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// assemblerCases are assembler-core, assembler-random, assembler-surrogates, envelope and stream-grammar.
func assemblerCases() Suite {
	assemble := Operation{run: assembleChunks, bind: bindAssembled, bothModes: true}
	return Suite{
		"assembler-core":       assemble,
		"assembler-random":     assemble,
		"assembler-surrogates": assemble,
		"envelope":             assemble,
		"stream-grammar":       {run: checkGrammar, bind: bindAssembled, bothModes: true},
	}
}

// chunksOf reads the chunks of a case.
func chunksOf(v Value) ([]message.Chunk, error) {
	chunks := make([]message.Chunk, len(v.items))
	for i, item := range v.items {
		var err error
		if chunks[i], err = message.ParseChunk(item.raw); err != nil {
			return nil, fmt.Errorf("chunk %d: %w", i, err)
		}
	}
	return chunks, nil
}

func assembleChunks(_ context.Context, c *testCase) (any, error) {
	chunks, err := chunksOf(c.input.Get("chunks"))
	if err != nil {
		return nil, err
	}
	a := assembler.Assembler{Reference: c.reference}
	for i := range chunks {
		if err := a.Push(&chunks[i]); err != nil {
			return pushFailed(i, err)
		}
	}
	var out fields
	result, err := a.Result()
	var failure *assembler.Error
	switch {
	case errors.As(err, &failure):
		out = fields{"error", fields{"stage", "assemble", "code", string(failure.Code), "message", failure.Error()}}
	case err != nil:
		return nil, err
	default:
		if err := agrees(&a, result); err != nil {
			return nil, err
		}
		out = fields{"blocks", list(result.Blocks)}
		if result.ReplayState != nil {
			out = append(out, "replayState", result.ReplayState)
		}
		if result.Discarded != nil {
			out = append(out, "discarded", result.Discarded)
		}
	}
	out = append(out, "finish", a.Finish(), "interrupted", list(a.Interrupted()))
	if usage := a.Usage(); usage != nil {
		out = append(out, "usage", *usage)
	}
	return out, nil
}

func pushFailed(at int, err error) (any, error) {
	var failure *assembler.Error
	if !errors.As(err, &failure) {
		return nil, err
	}
	return fields{"error", fields{"stage", "push", "at", at, "code", string(failure.Code), "message", failure.Error()}}, nil
}

// agrees checks what holds for every result: as many entries as blocks, or none; and the same again.
func agrees(a *assembler.Assembler, result assembler.Result) error {
	if state, err := ParseValue(result.ReplayState); err == nil && state.Has("blocks") {
		if entries := state.Get("blocks"); entries.kind != jsonspan.Array || len(entries.items) != len(result.Blocks) {
			return fmt.Errorf("the replay state has entries %s for %d blocks", entries.raw, len(result.Blocks))
		}
	}
	again, err := a.Result()
	if err != nil || !bytes.Equal(result.AppendJSON(nil), again.AppendJSON(nil)) {
		return fmt.Errorf("a second read gives another result: %s, %w", again.AppendJSON(nil), err)
	}
	return nil
}

func checkGrammar(_ context.Context, c *testCase) (any, error) {
	chunks, err := chunksOf(c.input.Get("chunks"))
	if err != nil {
		return nil, err
	}
	g := assembler.Grammar{Reference: c.reference}
	for i := range chunks {
		if err = g.Check(&chunks[i]); err != nil {
			break
		}
	}
	if err == nil {
		err = g.End()
	}
	var violation *assembler.Violation
	if errors.As(err, &violation) {
		return fields{"violation", violation}, nil
	}
	return fields{"ok", true}, err
}

// bindAssembled takes away the texts of messages, which must be there, and why a state was discarded.
func bindAssembled(_ *testCase, expected, got Value) (Value, Value) {
	got = got.without(func(key string, _ Value) bool { return key == "discarded" })
	for _, key := range []string{"error", "violation"} {
		if text := got.Get(key).Get("message"); text.str("") == "" {
			continue
		}
		message := func(key string, _ Value) bool { return key == "message" }
		got = got.with(key, got.Get(key).without(message))
		if expected.Has(key) {
			expected = expected.with(key, expected.Get(key).without(message))
		}
	}
	return expected, got
}
