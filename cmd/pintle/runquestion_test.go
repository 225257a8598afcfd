package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/registry"
)

// fill puts what flags say into a case.
func fill(t *testing.T, c *guesttest.Case, args ...string) {
	t.Helper()
	var f runFlags
	cmd := &cobra.Command{}
	f.add(cmd)
	require.NoError(t, cmd.ParseFlags(args))
	require.NoError(t, f.fill(cmd, c))
}

// Flags replace what a case says about the same thing, and leave the rest and the case's own maps as they are.
func TestFlagsReplaceWhatACaseSays(t *testing.T) {
	prompt := "old"
	was := guesttest.Case{Contribution: "c", Config: map[string]string{"a": "1", "b": "2"},
		Context: guesttest.Context{Provider: "p", ActiveTools: []string{"read"}, SessionID: "s", Prompt: &prompt}}
	c := was
	fill(t, &c, "--tool", "bash", "--tool", "edit", "--set", "b=3=4", "--set", "c=")
	assert.Equal(t, []string{"bash", "edit"}, c.Context.ActiveTools)
	assert.Equal(t, map[string]string{"a": "1", "b": "3=4", "c": ""}, c.Config)
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, was.Config)
	assert.Equal(t, "old", *c.Context.Prompt)

	c = guesttest.Case{Adapter: "a", Request: guesttest.Request{API: "x", Messages: []registry.Message{{ID: "m", Content: "old"}}}}
	fill(t, &c, "--message", "n=new")
	assert.Equal(t, guesttest.Request{API: "x", Messages: []registry.Message{{ID: "n", Content: "new"}}}, c.Request)
}

func TestPairs(t *testing.T) {
	for _, text := range []string{"=x", "x", ""} {
		_, err := pairs("--set", "KEY=VALUE", []string{text})
		assert.ErrorContains(t, err, "--set: want KEY=VALUE, found ", text)
	}
}
