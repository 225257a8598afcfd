package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/bridge"
	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// translateFlags are those of `pintle translate`.
type translateFlags struct {
	host, tools, files         string
	provider, model, api, cost string
	pkg                        string
	chunks, message, reference bool
}

// unnamed stands for the provider and the model of an answer of which nobody says whose it is.
const unnamed = "unknown"

// knownPackages are the names of those that the bridge knows more about than the protocol says.
func knownPackages() (names []string) {
	for _, p := range profile.Packages() {
		names = append(names, p.Name)
	}
	return names
}

func newTranslate() *cobra.Command {
	var f translateFlags
	cmd := &cobra.Command{
		Use:   "translate [FILE]",
		Short: "Translate the stream parts of the AI SDK into the events of a host",
		Long: `Translate a model's answer: stream parts of the AI SDK (specification V2, V3 or V4), one per line, from
a file or from standard input, into the events of a host's assistant message, one per line. An event is
written as soon as its part is there, so a stream can be piped through while the model is still speaking.

With --tools the model's calls get the host's names and shapes, and a call of a tool that is not among
them ends the answer, as in a host; without it calls pass as they are. The schema of a tool may be called
inputSchema or input_schema instead of parameters; other keys have no effect. The last event, done or
error, has the whole message; with --message each event has it as it is then. With --chunks the answer is
written as chunks instead, for pintle assemble. On a terminal it is shown as it grows, unless --json asks
for the lines.

A line that is no JSON object ends the answer with an error event, and so does a first line that is a
chunk; an interrupt ends it as aborted. Parts without a type, or of kinds that are not known, have no
effect. --verbose says which those were, and what of the calls and files became otherwise than the model
gave it.

--package knows ` + strings.Join(knownPackages(), " and ") + `, scoped or not and in any
version; any other package changes nothing.

  pintle translate answer.ndjson --host omp --tools tools.json
  sidecar | pintle translate --chunks | pintle assemble

Recording: what the model's doStream gives, one part per line, as JSON. What JSON cannot hold is written
in a form of its own; examples/bridge/record.mjs does all of it, in Node.

  an Error, as in a part of type error    {"name": NAME, "message": TEXT}; JSON.stringify makes {} of it
  bytes (Uint8Array), as in a file        {"$uint8array": BASE64}; with JSON.stringify alone the file is lost
  the stream fails while it is read       a last line {"$throw": {"name": NAME, "message": TEXT}}
  doStream itself fails                   the only line {"$reject": {"name": NAME, "message": TEXT}}

Exit status: 0 the answer is whole; 1 it failed or was aborted; 2 the command line or an input file cannot
be used, be it a single line of it. Chunks tell more: an answer without any content is done as events,
and an error by its finish chunk. With --chunks and on a terminal the status is that of the finish.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: filesOf("ndjson", "jsonl", "json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "-"
			if len(args) == 1 {
				path = args[0]
			}
			return runTranslate(cmd, path, f)
		},
	}
	flags := cmd.Flags()
	hostFlag(cmd, &f.host, defaultHost, "the host whose events are written")
	flags.StringVar(&f.tools, "tools", "", "the host's tools, a JSON `FILE` with a list of {name, description, parameters}")
	flags.StringVar(&f.files, "files", "", "`FOLDER` for the files that the model makes (default: they are not kept)")
	flags.StringVar(&f.provider, "provider", unnamed, "the provider's name in the message")
	flags.StringVar(&f.model, "model", unnamed, "the model's id in the message")
	flags.StringVar(&f.api, "api", "", "the api's name in the message (default: that of the provider and -bridge)")
	flags.StringVar(&f.cost, "cost", "", "what a million tokens cost: `INPUT,OUTPUT`[,CACHE READ[,CACHE WRITE]]")
	flags.StringVar(&f.pkg, "package", "", "npm `PACKAGE` of the provider: those that are known count usage in a way of their own, and have tools for themselves")
	flags.BoolVar(&f.message, "message", false, "put the message so far into each event")
	flags.BoolVar(&f.chunks, "chunks", false, "write chunks instead of events")
	flags.BoolVar(&f.reference, "reference", false, "behave as the reference does, its weak spots included")
	_ = cmd.MarkFlagFilename("tools", "json")
	_ = cmd.MarkFlagDirname("files")
	_ = cmd.RegisterFlagCompletionFunc("package", cobra.FixedCompletions(knownPackages(), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"provider", "model", "api", "cost"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	return cmd
}

// config is how the flags want an answer translated.
func (f *translateFlags) config(cmd *cobra.Command) (*stream.Config, error) {
	p, err := hostProfile(f.host)
	if err != nil {
		return nil, err
	}
	if f.chunks && f.message {
		return nil, misused(cmd, errors.New("--message is for events: --chunks has none"))
	}
	c := &stream.Config{
		Unchecked: f.tools == "", Integration: bridge.IntegrationOf(f.pkg), Reference: f.reference,
	}
	var tools []profile.Tool
	if f.tools != "" {
		if tools, err = readTools(cmd, f.tools); err != nil {
			return nil, err
		}
	}
	c.Toolset = p.Bind(tools, profile.Options{Exclude: bridge.Withheld(f.pkg), Reference: f.reference})
	if f.api == "" {
		f.api = f.provider + "-bridge"
	}
	c.Model = stream.Model{ID: f.model, API: f.api, Provider: f.provider}
	if c.Model.Cost, err = costRates(f.cost); err != nil {
		return nil, misused(cmd, err)
	}
	return c, nil
}

// tellPackage says on standard error that a package changes nothing.
func (f *translateFlags) tellPackage(cmd *cobra.Command) {
	if f.pkg != "" && bridge.IntegrationOf(f.pkg) == stream.NoIntegration {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: info: the package %q is not known and changes nothing; known: %s\n",
			oneLine(f.pkg, 200), strings.Join(knownPackages(), ", "))
	}
}

// costRates reads the rates of a model.
func costRates(text string) (c model.Cost, err error) {
	if text == "" {
		return c, nil
	}
	rates := strings.Split(text, ",")
	into := []*float64{&c.Input, &c.Output, &c.CacheRead, &c.CacheWrite}
	if len(rates) < 2 || len(rates) > len(into) {
		return c, fmt.Errorf("--cost %q: want two to four rates with commas between them", text)
	}
	for i, rate := range rates {
		*into[i], err = strconv.ParseFloat(strings.TrimSpace(rate), 64)
		if err != nil || !(*into[i] >= 0 && *into[i] <= 1e12) {
			return c, fmt.Errorf("--cost %q: %q is no rate", text, rate)
		}
	}
	return c, nil
}

// A translateView writes an answer while it is translated. It returns what keeps it from writing.
type translateView interface {
	event(e *stream.Event) error
	// idle is called when there is nothing more to write for now.
	idle() error
	// result comes behind the last event.
	result(t *translation, cut bool) error
}

func runTranslate(cmd *cobra.Command, path string, f translateFlags) error {
	if path == "-" && f.tools == "-" {
		return misused(cmd, errors.New("standard input cannot be both the answer and the tools"))
	}
	c, err := f.config(cmd)
	if err != nil {
		return err
	}
	in, name, err := openInput(cmd, path)
	if err != nil {
		return err
	}
	defer in.Close()
	verbose, _ := cmd.Flags().GetBool("verbose")
	if verbose {
		f.tellPackage(cmd)
	}
	t := newTranslation(c.Toolset.Profile().Name)
	c.Files = t.keepIn(f.files)
	view, tells := f.view(cmd, t)
	last, bad, err := translate(cmd.Context(), c, in, t, view)
	if err != nil {
		return err
	}
	t.warn(cmd, f.files)
	if verbose && !tells {
		t.tell(cmd)
	}
	switch {
	case cmd.Context().Err() != nil && last.Reason == stream.StopAborted:
		return cmd.Context().Err()
	case bad != nil:
		return notAPart(name, bad, t.first.text, "| pintle translate")
	}
	return t.failure(&last)
}

// view chooses what is written, and says whether that tells of the translation too.
func (f *translateFlags) view(cmd *cobra.Command, t *translation) (view translateView, tells bool) {
	switch out := cmd.OutOrStdout(); {
	case f.chunks:
		return &chunkLines{linesOut: newLinesOut(out)}, false
	case f.message || asJSON(cmd) || !forPerson(out):
		return &eventLines{newLinesOut(out), f.message}, false
	}
	return newTranslatedView(cmd, t), true
}

// translate reads parts until the answer ends, and shows its events. It returns the last one, and what is
// wrong with the input if that has ended the answer.
func translate(ctx context.Context, c *stream.Config, in io.Reader, t *translation, view translateView) (last stream.Event, bad, err error) {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	t.reference, c.OnIgnored = c.Reference, t.ignored
	t.first.from = newArrivals(reading, in, view.idle)
	parts := stream.ReadParts(&t.first)
	for last = range stream.Translate(ctx, c, t.watch(parts, &bad)) {
		t.event(&last)
		if err := view.event(&last); err != nil {
			return last, nil, err
		}
	}
	cut := ctx.Err() != nil && last.Reason == stream.StopAborted
	return last, bad, errors.Join(view.result(t, cut), view.idle())
}
