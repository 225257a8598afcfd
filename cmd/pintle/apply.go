package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

type applyFlags struct {
	envelope, provider, api, model, base, guest string
	config                                      []string
}

func newApply() *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "apply --envelope FILE --api API [PAYLOAD]",
		Short: "Put an envelope into a request payload",
		Long: `Put an envelope into a request payload, read from a file or from standard input, and print the new
payload. Everything that the adapter does not change comes out byte for byte. Where
nothing can be done the payload is printed as it was, and the status is 1.

The envelope is what pintle compose --json prints; its context files belong into the history and not
into the payload. The prompt in the payload is replaced only if it is exactly the one that the host had
built, given with --base. Without --guest the stock adapters are used.

` + exitHelp,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "-"
			if len(args) == 1 {
				path = args[0]
			}
			return apply(cmd, f, path)
		},
	}
	cmd.Flags().StringVar(&f.envelope, "envelope", "", "file with the envelope, - for standard input (required)")
	cmd.Flags().StringVar(&f.api, "api", "", "API of the payload, for example openai-responses (required)")
	cmd.Flags().StringVar(&f.provider, "provider", "", "provider id (default: one that the guest's adapter for the API stands for)")
	cmd.Flags().StringVar(&f.model, "model", "", "model id")
	cmd.Flags().StringVar(&f.base, "base", "", "file with the prompt that the host had built, exactly: no line end is added or ignored")
	cmd.Flags().StringVar(&f.guest, "guest", "", "adapter guest to use instead of the stock adapters")
	cmd.Flags().StringArrayVar(&f.config, "config", nil, "configuration of the guest, `KEY=VALUE`; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("api", cobra.FixedCompletions(stock.APIs(), cobra.ShellCompDirectiveNoFileComp))
	for _, name := range []string{"envelope", "api"} {
		_ = cmd.MarkFlagRequired(name) // the flag exists
	}
	return cmd
}

func apply(cmd *cobra.Command, f applyFlags, path string) (err error) {
	ctx := cmd.Context()
	if f.envelope == "-" && path == "-" {
		return &usageError{err: errors.New("the envelope and the payload cannot both come from standard input"),
			hint: "name a file for one of them"}
	}
	state, err := f.state(cmd)
	if err != nil {
		return err
	}
	body, err := readInput(cmd, path)
	if err != nil {
		return err
	}
	if err := checkJSON(path, body); err != nil {
		return err
	}
	h := openHost(cmd)
	defer func() { err = errors.Join(err, h.Close(ctx)) }()
	guest, err := f.load(cmd, h)
	if err != nil {
		return err
	}
	if state.Provider == "" {
		state.Provider = providerOf(guest.Artifact().Manifest, f.api)
	}
	result, err := payload.ApplyState(ctx, h.Registry, state, registry.PayloadRequest{
		SessionID: "apply", Provider: state.Provider, API: f.api, Model: f.model, Payload: body,
	}, payload.Options{})
	if err == nil && result.Reason != "" {
		err = fmt.Errorf("the payload was left alone: %s", payloadReason(result.Reason))
		if result.Reason == payload.NoAdapter {
			err = fmt.Errorf("%w: %s", err, adaptersFor(state.Provider, f.api, []loadedGuest{describe("", guest, 0)}))
		}
	}
	if f.base == "" && result.Prompt.Reason == payload.PromptDiffers {
		result.Prompt.Reason = payload.NoBase // there was nothing to compare with
	}
	if asJSON(cmd) {
		report := payloadReport{File: path, Result: result, After: result.Body.Bytes()}
		if err != nil {
			report.Error = err.Error()
		}
		return errors.Join(printJSON(cmd, report), err)
	}
	if err != nil {
		// A pipe must not lose the request: it gets the payload as it was.
		_, lost := cmd.OutOrStdout().Write(body)
		return errors.Join(err, lost)
	}
	left := func(step string, s payload.Step) {
		if !s.Done {
			fmt.Fprintf(cmd.ErrOrStderr(), "pintle: %s left alone: %s\n", step, payloadReason(s.Reason))
		}
	}
	if result.Prompt.Reason == payload.NoBase {
		fmt.Fprintln(cmd.ErrOrStderr(), "pintle: prompt left alone: the host's own prompt is not given (--base)")
	} else {
		left("prompt", result.Prompt)
	}
	left("messages", result.Developer)
	_, err = result.Body.WriteTo(cmd.OutOrStdout())
	return err
}

// envelopeKeys are those of envelope.Envelope's JSON.
var envelopeKeys = []string{"systemPrompt", "developerMessages", "contextualUserMessages"}

// state is what a turn would have captured.
func (f *applyFlags) state(cmd *cobra.Command) (envelope.State, error) {
	text, err := readInput(cmd, f.envelope)
	if err != nil {
		return envelope.State{}, &usageError{err: fmt.Errorf("--envelope: %w", err)}
	}
	err = checkObject(f.envelope, text, envelopeKeys, func(one []byte) error {
		return json.Unmarshal(one, &envelope.Envelope{})
	})
	if err != nil {
		return envelope.State{}, err
	}
	var e envelope.Envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return envelope.State{}, &usageError{err: fmt.Errorf("%s: %w", f.envelope, err)}
	}
	base := "" // a host that had built no prompt: only an empty one is replaced
	if f.base != "" {
		text, err := readFile(cmd.Context(), f.base)
		if err != nil {
			return envelope.State{}, &usageError{err: fmt.Errorf("--base: %w", err)}
		}
		base = string(text)
	}
	return envelope.State{Base: &base, Prompt: &e.SystemPrompt, Provider: f.provider, API: f.api, Messages: e.DeveloperMessages}, nil
}

// providerOf returns a provider for which the guest adapts the API; the API's own name if its adapter
// stands for every provider.
func providerOf(m *abi.Manifest, api string) string {
	for _, a := range m.Adapters {
		if len(a.Providers) > 0 && (len(a.APIs) == 0 || slices.Contains(a.APIs, api)) {
			return a.Providers[0]
		}
	}
	return api
}

func (f *applyFlags) load(cmd *cobra.Command, h *host.Host) (*runtime.Guest, error) {
	read, name := stock.Adapters, stock.AdaptersName
	if f.guest != "" {
		read, name = func() ([]byte, error) { return runtime.ReadFile(f.guest) }, filepath.Base(f.guest)
	}
	file, err := read()
	if err != nil {
		return nil, &usageError{err: fmt.Errorf("--guest: %w", err)}
	}
	given, err := pairs("--config", "KEY=VALUE", f.config)
	if err != nil {
		return nil, err
	}
	config := map[string]string{}
	for _, p := range given {
		config[p[0]] = p[1]
	}
	return loadGuest(cmd, loading(h), name, f.guest, file, config)
}
