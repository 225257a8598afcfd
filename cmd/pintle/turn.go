package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/payload"
)

func newTurn() *cobra.Command {
	var f turnFlags
	cmd := &cobra.Command{
		Use:   "turn FILE",
		Short: "Run one turn: compose it, adapt its payload, and take the model's answer into the session",
		Long: `Compose one turn: load the guests that the file names, render the developer messages, build the
prompt envelope, and put it into the provider's request payload. With a recorded response it goes the
whole way: the answer is assembled, tools that it calls give what the file says, and all of it is added to
the session's log, from which the next turn reads it back.

The file is a JSON object. Its keys are sessionId, provider, api, model, activeTools, prompt, cwd,
piSystemPrompt (the prompt that the host built) and systemPromptOptions; then guests (paths of files or
folders, or {file, config}), adapters (configuration of the stock adapters, or false), payload (a path),
session (a path), responses (paths), tools (by name: what the tool gives back, or {result, description,
parameters}) and host (its name, or the path of its table). Paths are relative to the file. "-" reads
standard input. A guest that fails costs its own place, which the report says; it does not make the turn
fail.

Each --response is the model's answer to one call: one JSON chunk per line, or one stream part of the AI
SDK, which is translated for the host first, by the parameters of the tools if they have them. A call of a
tool that the file does not name is answered with an error and the turn goes on; pintle translate --tools
ends the answer. The session is made when it is not there. Without a response it is only read, and nothing
is written; without a session the answer is shown and not kept.

With --watch the command goes on until it is interrupted: whenever a guest, the turn file, its payload or its
session changes, the turn is composed and printed again. Guests are loaded anew without losing a turn; a build
that cannot be loaded, or wants more than was granted, leaves the one before in use. With --json there is one
line for each turn.

  pintle turn turn.json --session ferry.jsonl --response answer.ndjson
  pintle turn turn.json --watch

` + exitHelp,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: filesOf("json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.watch {
				return watchTurn(cmd, args[0], f)
			}
			return runTurn(cmd, args[0], f)
		},
	}
	kindFlag(cmd)
	cmd.Flags().StringVar(&f.session, "session", "", "log of the session")
	cmd.Flags().StringArrayVar(&f.responses, "response", nil, "recorded answer of the model; may be repeated, one for each call of the model")
	hostFlag(cmd, &f.host, "", "the host for which parts of the AI SDK are translated (default: the key host, or "+defaultHost+")")
	cmd.Flags().BoolVar(&f.salvage, "salvage", false, "if the log is damaged, go on in a new one made of what can be read")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "compose again when a guest or the turn file changes")
	_ = cmd.MarkFlagFilename("session", "jsonl", "zstd", "zst")
	_ = cmd.MarkFlagFilename("response", "ndjson", "jsonl", "json")
	return cmd
}

// A turnReport is the outcome of `pintle turn` as data.
type turnReport struct {
	Guests   []loadedGuest      `json:"guests"`
	Envelope *envelope.Envelope `json:"envelope"`
	Report   envelope.Report    `json:"report"`
	Payload  *payloadReport     `json:"payload,omitempty"`
	History  *ahead             `json:"history,omitempty"`
	Response *responseReport    `json:"response,omitempty"`
	Duration time.Duration      `json:"durationNs"`
	// Fuel is what the guests used for envelope and payload.
	Fuel uint64 `json:"fuel,omitempty"`
}

type payloadReport struct {
	File   string          `json:"file"`
	Result payload.Result  `json:"result"`
	Error  string          `json:"error,omitempty"`
	After  json.RawMessage `json:"after"`

	before  []byte
	failure error // that Error is the text of
}

// A preparedTurn is everything that a turn needs beside its guests.
type preparedTurn struct {
	*turnFile
	flags turnFlags
	talk  *conversation // nil if the turn is only composed
	body  []byte        // of the payload; nil if there is none
}

// prepareTurn reads what a turn file names, after the flags took the place of keys.
func prepareTurn(cmd *cobra.Command, t *turnFile, f turnFlags) (*preparedTurn, error) {
	if err := f.over(t); err != nil {
		return nil, err
	}
	if f.watch && len(t.Responses) > 0 {
		return nil, misused(cmd, errors.New("--watch composes the turn again and again, and takes no response"))
	}
	p := &preparedTurn{turnFile: t, flags: f}
	var err error
	if p.talk, err = t.conversation(cmd, f.salvage); err != nil {
		return nil, err
	}
	p.body, err = t.readPayload(cmd.Context())
	return p, err
}

func runTurn(cmd *cobra.Command, path string, f turnFlags) (err error) {
	file, err := readTurn(cmd, path)
	if err != nil {
		return err
	}
	t, err := prepareTurn(cmd, file, f)
	if err != nil {
		return err
	}
	h := openHost(cmd)
	defer func() { err = errors.Join(err, h.Close(cmd.Context())) }()
	guests, err := t.load(cmd, loading(h), t.body != nil)
	if err != nil {
		return err
	}
	r, err := t.run(cmd, h, guests)
	if err != nil {
		return err
	}
	if asJSON(cmd) {
		err = printJSON(cmd, r)
	} else {
		p := newPrinter(cmd.OutOrStdout())
		printTurn(p, t.turnFile, r)
		err = p.err
	}
	if err == nil && r.Response != nil {
		err = r.Response.failed()
	}
	return err
}

// run composes the turn with guests that are loaded and goes as far as the turn does.
func (t *preparedTurn) run(cmd *cobra.Command, h *host.Host, guests []loadedGuest) (*turnReport, error) {
	ctx, r := cmd.Context(), &turnReport{Guests: guests}
	start := time.Now()
	s := h.Session(t.SessionID)
	var err error
	if r.Envelope, err = s.Capture(ctx, t.Request); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err // what an interrupt left of the turn is not its outcome
	}
	r.Report = r.Envelope.Report
	if t.body != nil {
		r.Payload = &payloadReport{File: t.Payload, before: t.body}
		r.Payload.Result, err = s.Adapt(ctx, t.Provider, t.API, t.Model, t.body)
		if err != nil {
			r.Payload.Error, r.Payload.failure = err.Error(), err // the request goes out as it was; the report says so
		}
		r.Payload.After = r.Payload.Result.Body.Bytes()
	}
	r.Duration = time.Since(start)
	r.addTimes()
	r.Fuel = r.fuel()
	if t.talk != nil {
		if err := t.talk.run(cmd, t.turnFile, r, t.flags.salvage); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (t *turnFile) readPayload(ctx context.Context) ([]byte, error) {
	if t.Payload == "" {
		return nil, nil
	}
	path := t.path(t.Payload)
	body, err := readFile(ctx, path)
	if err != nil {
		return nil, &usageError{err: fmt.Errorf("payload: %w", err), hint: "paths in a turn file are relative to that file"}
	}
	if err := checkJSON(path, body); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(body), nil
}

func asJSON(cmd *cobra.Command) bool {
	yes, _ := cmd.Flags().GetBool("json")
	return yes
}

func printJSON(cmd *cobra.Command, v any) error { return encodeJSON(cmd.OutOrStdout(), v, "  ") }
