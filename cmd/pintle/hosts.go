package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/profile"
)

const defaultHost = "pi"

// hostFlag adds the flag that says for which host.
func hostFlag(cmd *cobra.Command, host *string, otherwise, help string) {
	cmd.Flags().StringVar(host, "host", otherwise, help+": "+strings.Join(profile.Names(), " or "))
	_ = cmd.RegisterFlagCompletionFunc("host", cobra.FixedCompletions(profile.Names(), cobra.ShellCompDirectiveNoFileComp))
}

func hostProfile(name string) (*profile.Profile, error) {
	p, err := profile.Named(name)
	if err != nil {
		return nil, &usageError{err: err}
	}
	return p, nil
}
