package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/jsonkind"
	"github.com/pintle-wasm/pintle/registry"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// known checks the id of an offer.
func known(what, id string, ids []string) error {
	if slices.Contains(ids, id) {
		return nil
	}
	err := fmt.Errorf("the guest has no %s %q", what, id)
	if len(ids) == 0 {
		return &usageError{err: err, hint: fmt.Sprintf("it has no %ss at all", what)}
	}
	return &usageError{err: err, hint: "it has " + oneLine(strings.Join(ids, ", "), 400)}
}

func offerFlags(contributions, adapters []string) string {
	var flags []string
	for _, id := range contributions {
		flags = append(flags, "--contribution "+shellWord(id))
	}
	for _, id := range adapters {
		flags = append(flags, "--adapter "+shellWord(id))
	}
	return strings.Join(flags, ", ")
}

// fill puts what the flags say into a case.
func (f *runFlags) fill(cmd *cobra.Command, c *guesttest.Case) error {
	set := cmd.Flags().Changed
	config, err := pairs("--set", "KEY=VALUE", f.config)
	if err != nil {
		return err
	}
	if len(config) > 0 {
		merged := maps.Clone(c.Config)
		if merged == nil {
			merged = map[string]string{}
		}
		for _, p := range config {
			merged[p[0]] = p[1]
		}
		c.Config = merged
	}
	if c.Adapter != "" {
		return f.fillRequest(cmd, &c.Request)
	}
	if f.context != "" {
		if c.Context, err = readContext(cmd.Context(), f.context); err != nil {
			return err
		}
	}
	if f.options != "" {
		text, err := readJSON(cmd.Context(), "--system-prompt-options", f.options)
		if err == nil {
			err = json.Unmarshal(text, &c.Context.Options)
		}
		if err != nil {
			return &usageError{err: fmt.Errorf("--system-prompt-options: %w", jsonkind.Readable(err))}
		}
	}
	if set("provider") {
		c.Context.Provider = f.provider
	}
	if set("session") {
		c.Context.SessionID = f.session
	}
	if set("prompt") {
		c.Context.Prompt = &f.prompt
	}
	if set("tool") {
		c.Context.ActiveTools = f.tools
	}
	return nil
}

func (f *runFlags) fillRequest(cmd *cobra.Command, r *guesttest.Request) error {
	set := cmd.Flags().Changed
	if f.payload != "" {
		text, err := readInput(cmd, f.payload)
		if err != nil {
			return err
		}
		if err := checkJSON(f.payload, text); err != nil {
			return err
		}
		r.Payload = bytes.TrimSpace(text)
	}
	if set("provider") {
		r.Provider = f.provider
	}
	if set("api") {
		r.API = f.api
	}
	if set("base") {
		r.Base = &f.base
	}
	if set("system-prompt") {
		r.SystemPrompt = &f.systemPrompt
	}
	if set("message") {
		list, err := pairs("--message", "ID=TEXT", f.messages)
		if err != nil {
			return err
		}
		r.Messages = nil
		for _, p := range list {
			r.Messages = append(r.Messages, registry.Message{ID: p[0], Content: p[1]})
		}
	}
	return nil
}

// pairs are the values of a flag, each of a form like KEY=VALUE.
func pairs(flag, form string, list []string) ([][2]string, error) {
	var out [][2]string
	for _, pair := range list {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, &usageError{err: fmt.Errorf("%s: want %s, found %q", flag, form, pair)}
		}
		out = append(out, [2]string{key, value})
	}
	return out, nil
}

func readJSON(ctx context.Context, flag, path string) ([]byte, error) {
	text, err := readFile(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return text, checkJSON(path, text)
}

// readContext reads a context as cases have one.
func readContext(ctx context.Context, path string) (guesttest.Context, error) {
	text, err := readJSON(ctx, "--context", path)
	if err != nil {
		return guesttest.Context{}, &usageError{err: err}
	}
	c, err := guesttest.ParseContext(path, text)
	if err != nil {
		return c, &usageError{err: err}
	}
	return c, nil
}
