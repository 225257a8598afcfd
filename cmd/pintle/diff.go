package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/runtime"
)

func newDiff() *cobra.Command {
	return &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two builds of a guest: what widened and what broke",
		Long: `Compare two builds of a guest: what they offer, ask for, import and export, and how large they are. A folder
stands for the guest that is built in it.
Nothing of the files is compiled or run.

A change widens if the new build could see, reach or use something that the old one could not. A host asks
again before it loads such a build, see pintle grant. A change breaks if something that the old build did
is gone: an offer or an operation, a provider, an API or a model that an offer was for, the id under which
hosts know the guest; and if the new build wants a newer host, offers an older interface or does not keep
the contract. A change may be both.

` + jsonErrorHelp + `

Exit status: 0 nothing widened or broke; 1 something did; 2 the command line or a file cannot be used.`,
		Args: cobra.ExactArgs(2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 2 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var builds [2]*runtime.Artifact
			for i, path := range args {
				g, err := findGuest(path)
				if refused := (*runtime.Error)(nil); errors.As(err, &refused) {
					err = &usageError{err: err}
				}
				if err != nil {
					return err
				}
				builds[i], args[i] = g.artifact, g.path
			}
			d := compare(builds[0], builds[1])
			d.Old.File, d.New.File = args[0], args[1]
			var err error
			if asJSON(cmd) {
				err = printJSON(cmd, d)
			} else {
				p := newPrinter(cmd.OutOrStdout())
				d.print(p)
				err = p.err
			}
			if err == nil && d.Widens+d.Breaks > 0 {
				return errQuiet
			}
			return err
		},
	}
}
