package main

import (
	"errors"

	"github.com/spf13/cobra"
)

func newCompose() *cobra.Command {
	return &cobra.Command{
		Use:   "compose FILE",
		Short: "Compose the prompt envelope of a turn",
		Long: `Compose the prompt envelope of a turn: the system prompt, the developer messages and the context
files. The file is the same as for pintle turn; its payload and adapters are not looked at. With --json
the envelope is printed in the form that pintle apply reads.

` + exitHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ctx := cmd.Context()
			t, err := readTurn(cmd, args[0])
			if err != nil {
				return err
			}
			h := openHost(cmd)
			defer func() { err = errors.Join(err, h.Close(ctx)) }()
			guests, err := t.load(cmd, loading(h), false)
			if err != nil {
				return err
			}
			e, err := h.Session(t.SessionID).Capture(ctx, t.Request)
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err // what an interrupt left of the turn is not its outcome
			}
			if asJSON(cmd) {
				return printJSON(cmd, e)
			}
			p := newPrinter(cmd.OutOrStdout())
			printContributions(p, e.Report, guests)
			printEnvelope(p, e)
			return p.err
		},
	}
}
