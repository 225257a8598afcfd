package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/internal/sidecar"
)

func newServe() *cobra.Command {
	s := &serving{}
	cmd := &cobra.Command{
		Use:   "serve --stdio [--config FILE]",
		Short: "Serve a host in another process",
		Long: `Serve one host that is another program, for example Pi with the extension in clients/pi: it starts this
command and speaks JSON-RPC 2.0 with it over standard input and output, one message behind each
Content-Length header. clients/PROTOCOL.md describes the messages. The log goes to standard error; with
--verbose it tells more.

The client names its agent directory in the first message. The guests there, in the folder pintle, are
loaded, and its file pintle/sidecar.toml is read, or FILE instead:

  guests = ["style.wasm", {file = "rules.wasm", config = {tone = "dry"}}]
  adapters = false         # or a table, the configuration of the stock adapters
  policy = "skip"          # or "fail", "last-good"
  auditEntries = ["developer", "context-user"]
  lookup = "0.3.7"         # or "0.3.9"

A guest gets what pintle grant has granted it.

It ends when the client says so or is gone, or at an interrupt. Then all that is being served is cancelled.

Exit status: 0 the client ended it, is gone, or it was interrupted; 1 the input is not made of such messages,
the output cannot be written, or the client said exit without shutdown; 2 the command line or FILE cannot be
used.`,
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return s.run(cmd) },
	}
	cmd.Flags().BoolVar(&s.stdio, "stdio", false, "speak over standard input and output")
	cmd.Flags().StringVar(&s.config, "config", "", "`FILE` to read instead of the agent directory's sidecar.toml")
	_ = cmd.MarkFlagRequired("stdio")
	_ = cmd.MarkFlagFilename("config", "toml")
	return cmd
}

type serving struct {
	stdio  bool
	config string
}

func (s *serving) run(cmd *cobra.Command) error {
	if err := s.check(cmd); err != nil {
		return err
	}
	// A client that is gone is an error of the write. By default such a signal would end the process at once.
	signal.Ignore(syscall.SIGPIPE)
	defer signal.Reset(syscall.SIGPIPE)
	err := sidecar.Serve(cmd.Context(), closable(cmd.InOrStdin()), closableOut(cmd.OutOrStdout()), sidecar.Options{
		Version: version(), ConfigFile: s.config, Engine: chosenEngine(cmd), CacheDir: cacheDir(cmd),
		Grants: grantsOf(), Logger: standardLogger(cmd),
	})
	if errors.Is(err, jsonrpc.ErrFraming) {
		return &hintedError{error: err, hint: "each message has a header: Content-Length: BYTES, an empty line, then the message"}
	}
	return err
}

// check finds out before the first message whether there can be any.
func (s *serving) check(cmd *cobra.Command) error {
	if !s.stdio {
		return misused(cmd, errors.New("there is no other way yet than --stdio"))
	}
	if asJSON(cmd) {
		return misused(cmd, errors.New("--json: there is no result; standard output is the client's"))
	}
	if s.config != "" {
		if _, err := os.Stat(s.config); err != nil {
			return &usageError{err: fmt.Errorf("--config: %w", err)}
		}
		if err := sidecar.CheckSettings(s.config); err != nil {
			return &usageError{err: fmt.Errorf("%s: %w", s.config, err), hint: "`pintle serve --help` shows what there can be"}
		}
	}
	if out, ok := cmd.OutOrStdout().(io.Reader); isPerson(cmd.InOrStdin()) || ok && isPerson(out) {
		return &usageError{err: errors.New("a program has to be at the other end, and this is a terminal"),
			hint: "a host starts this command itself: clients/pi is an extension that makes Pi do so"}
	}
	return nil
}

// closable makes an input that may have no Close one that does.
func closable(in io.Reader) io.ReadCloser {
	if c, ok := in.(io.ReadCloser); ok {
		return c
	}
	return io.NopCloser(in)
}

func closableOut(out io.Writer) io.WriteCloser {
	if c, ok := out.(io.WriteCloser); ok {
		return c
	}
	return unclosable{out}
}

// An unclosable is an output that stays open.
type unclosable struct{ io.Writer }

func (unclosable) Close() error { return nil }
