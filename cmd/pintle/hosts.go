package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/profile"
)

const defaultHost = "pi"

// hostFlag adds the flag that says for which host.
func hostFlag(cmd *cobra.Command, host *string, otherwise, help string) {
	names := strings.Join(profile.Names(), ", ")
	cmd.Flags().StringVar(host, "host", otherwise, help+": "+names+", or the path of a table of one's own")
	_ = cmd.RegisterFlagCompletionFunc("host", cobra.FixedCompletions(profile.Names(), cobra.ShellCompDirectiveDefault))
}

// isTable tells the path of a host's table from the name of a host.
func isTable(host string) bool {
	return strings.ContainsAny(host, "/"+string(os.PathSeparator)) || filepath.Ext(host) == ".json"
}

// hostProfile is the profile of a host that is given by its name or by its table.
func hostProfile(host string) (*profile.Profile, error) {
	if !isTable(host) {
		p, err := profile.Named(host)
		if err != nil {
			name := oneLine(host, 40)
			if strings.Trim(name, ". ") == "" {
				name = "myhost"
			}
			return nil, &usageError{err: err, hint: "a host of one's own is given by the path of its table, like ./" +
				name + ".json; host/profile/tables has those of the known hosts, and what a table holds"}
		}
		return p, nil
	}
	table, err := os.ReadFile(host)
	if err != nil {
		return nil, &usageError{err: fmt.Errorf("host: %w", err)}
	}
	if err := checkJSON(host, table); err != nil {
		return nil, err
	}
	p, err := profile.Parse(table)
	if err != nil {
		return nil, &usageError{err: fmt.Errorf("%s: %w", host, err), hint: "host/profile/tables/README.md says what a table holds"}
	}
	return p, nil
}
