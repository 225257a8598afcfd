package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
)

func newAssemble() *cobra.Command {
	var strict, reference bool
	cmd := &cobra.Command{
		Use:   "assemble [FILE]",
		Short: "Assemble the chunks of a model's answer into blocks and a replay envelope",
		Long: `Assemble the chunks of a model's answer: one JSON chunk per line, from a file or from standard input.
Every line is dealt with as it arrives, so a stream can be piped in while the model is still speaking.

Blocks are shown as they grow; at the end comes what is kept and what is dropped, why the answer ended,
its usage, and what became of the replay envelope. What the adapter that made the stream did wrong first
goes to standard error; what it did wrong behind that is not looked for. With --json every closed block, the
violation and the result are one object per line. A line that is no chunk ends the answer.

  pintle assemble answer.ndjson
  adapter | pintle assemble --strict --json

Exit status: 0 the answer is assembled; 1 it cannot be or, with --strict, the stream breaks the grammar;
2 the command line or an input file cannot be used, be it a single line of it. An answer that has failed
is assembled like any other: its finish says so and the status does not, with --strict neither, since an
error is a proper end of a stream. In "pintle translate --chunks | pintle assemble" the first of the two
fails with such an answer, which a shell tells after "set -o pipefail".`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: filesOf("ndjson", "jsonl", "json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "-"
			if len(args) == 1 {
				path = args[0]
			}
			var view assembleView = newLiveView(cmd)
			if asJSON(cmd) {
				view = &jsonView{cmd: cmd}
			}
			return assemble(cmd, path, view, strict, reference)
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "fail, after all output, if the stream breaks the grammar; an error as its finish does not")
	cmd.Flags().BoolVar(&reference, "reference", false, "behave as the reference does, its weak spots included")
	return cmd
}

// notAChunk is what is wrong with a line.
func notAChunk(input string, line int, text []byte, err error) error {
	hint := foreign(text, "| pintle assemble")
	switch {
	case lineKind(text) == partLine:
		hint = "this is a stream part of the AI SDK: `pintle translate --chunks` makes chunks of those"
	case isEvent(text):
		hint = notEvents
	case hint == "":
		hint = "every line is one chunk, a JSON object with a type"
	}
	return &usageError{err: fmt.Errorf("%s:%d: %w", input, line, err), hint: hint}
}

// filesOf completes the names of files with these extensions.
func filesOf(extensions ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

// An assembleView shows an answer while it arrives. It returns what keeps it from writing.
type assembleView interface {
	// chunk shows a chunk of a block, which is nil if the chunk is of none or comes too late.
	chunk(c *message.Chunk, block *liveBlock) error
	violation(input string, line int, v *assembler.Violation) error
	result(r *assembled) error
}

// assemble reads chunks until the input ends, shows them, and then what they come to.
func assemble(cmd *cobra.Command, path string, view assembleView, strict, reference bool) error {
	in, name, err := openInput(cmd, path)
	if err != nil {
		return err
	}
	defer in.Close()
	var (
		a       = assembler.Assembler{Reference: reference}
		g       = assembler.Grammar{Reference: reference}
		blocks  liveBlocks
		r       = assembled{Type: "result"}
		v       *assembler.Violation
		failure error
		line    int
	)
	report := func(err error) error {
		if v != nil || !errors.As(err, &v) {
			return nil // the first one is the cause of what follows
		}
		return view.violation(name, line, v)
	}
	for text, err := range lines(cmd.Context(), in) {
		line++
		if errors.Is(err, errLongLine) {
			failure = notAChunk(name, line, nil, err)
			break
		}
		if failure = err; err != nil {
			break
		}
		whole := bytes.HasSuffix(text, []byte("\n"))
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		c, err := message.ParseChunk(text)
		if err != nil {
			if !whole && !json.Valid(text) {
				err = fmt.Errorf("the line is not complete: the input ends in it: %w", err)
			}
			failure = notAChunk(name, line, text, err)
			break
		}
		if err := report(g.Check(&c)); err != nil {
			return err
		}
		if err := a.Push(&c); err != nil {
			failure = fmt.Errorf("%s:%d: %w", name, line, err)
			if lineKind(text) == partLine || isEvent(text) {
				failure = notAChunk(name, line, text, err)
			}
			break
		}
		if err := view.chunk(&c, blocks.see(&c)); err != nil {
			return err
		}
		if c.Type == message.FinishChunk {
			r.offered, r.finished = c.ReplayState, true // the last one counts
		}
	}
	r.cut = cmd.Context().Err() != nil
	if failure == nil {
		if err := report(g.End()); err != nil {
			return err
		}
	}
	r.read(&a, &blocks, failure)
	if err := view.result(&r); err != nil {
		return err
	}
	if failure == nil {
		failure = r.failure
	}
	if failure == nil && strict && v != nil {
		return errQuiet
	}
	return failure
}
