package main

import (
	"bufio"
	"errors"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/newfile"
)

func newSessionExport() *cobra.Command {
	var out, as string
	cmd := &cobra.Command{
		Use:   "export FILE [-o OUT]",
		Short: "Write a log as plain JSON Lines, or the history that it amounts to",
		Long: `Write a log as plain JSON Lines: decompressed, packed rows taken apart, without a torn end. With
--as messages it is the history instead, as the next request would have it, one message per line.

OUT is never a file that is there already.

  pintle session export session.jsonl.zstd -o session.jsonl
  pintle session export --as messages session.jsonl | jq -r .role

` + exitHelp,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: logFiles(),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := map[string]func(*cobra.Command, string, session.View, io.Writer) error{
				"log": exportLog, "messages": exportMessages}[as]
			if !ok {
				return misused(cmd, errors.New("--as is log or messages"))
			}
			if out != "" && out != "-" {
				if err := usableName(out); err != nil {
					return err
				}
			}
			v, err := viewLog(cmd, args[0])
			if err != nil {
				return err
			}
			defer v.Close()
			buffered := func(w io.Writer) error {
				b := bufio.NewWriterSize(w, 64<<10)
				return errors.Join(write(cmd, args[0], v, b), b.Flush())
			}
			if out == "" || out == "-" {
				return buffered(cmd.OutOrStdout())
			}
			err = newfile.Write(out, 0o600, buffered)
			if errors.Is(err, fs.ErrExist) {
				return &usageError{err: err, hint: "name another file"}
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default: standard output)")
	cmd.Flags().StringVar(&as, "as", "log", "what to write: log or messages")
	_ = cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions([]string{"log", "messages"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func exportLog(cmd *cobra.Command, path string, v session.View, w io.Writer) error {
	h := v.Header()
	line := append(h.AppendJSON(nil), '\n')
	if _, err := w.Write(asUTF8(line)); err != nil {
		return err
	}
	for e, err := range v.Events(cmd.Context(), 0) {
		if err != nil {
			return logError(path, err)
		}
		line = append(e.AppendJSON(line[:0]), '\n')
		if _, err := w.Write(asUTF8(line)); err != nil {
			return err
		}
	}
	return nil
}

func exportMessages(cmd *cobra.Command, path string, v session.View, w io.Writer) error {
	i, err := session.Inspect(cmd.Context(), v, logOptions(cmd))
	if err != nil {
		return logError(path, err)
	}
	var line []byte
	for _, m := range i.State.Messages() {
		line = append(m.AppendJSON(line[:0]), '\n')
		if _, err := w.Write(asUTF8(line)); err != nil {
			return err
		}
	}
	return nil
}
