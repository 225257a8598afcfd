package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

// Exit statuses. They are documented in the help of the command.
const (
	exitOK     = 0
	exitFailed = 1 // what was asked for was done and did not succeed
	exitUsage  = 2 // the command line, or a file that it names, cannot be used
)

const exitHelp = `Exit status: 0 success; 1 the work failed (a guest was refused, a case of the conformance
kit failed, a build broke); 2 the command line or an input file cannot be used.`

// run is the whole command. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(stderr, "pintle: error: %s\n", printable(text))
	}
	if hint := hintFor(err); hint != "" {
		fmt.Fprintf(stderr, "pintle: hint: %s\n", hint)
	}
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "pintle",
		Short:         "Sandboxed WebAssembly extensions for LLM agent hosts",
		Long:          "Pintle runs developer-message contributions and provider payload adapters as sandboxed\nWebAssembly guests.\n\n" + exitHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().Bool("json", false, "print the result as JSON")
	root.PersistentFlags().String("cache-dir", "", `folder for compiled guests (default: in the user's cache directory; "off": none)`)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{err: err, hint: fmt.Sprintf("run `%s --help`", cmd.CommandPath())}
	})
	root.AddCommand(newTurn(), newCompose(), newApply(), newBuild(), newInspect(), newConformance(), newVersion())
	for _, cmd := range root.Commands() {
		cmd.Args = usageArgs(cmd.Args)
	}
	root.Args = usageArgs(root.Args)
	return root
}

// usageArgs makes errors about arguments usage errors.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{err: err, hint: fmt.Sprintf("run `%s --help`", cmd.CommandPath())}
		}
		return nil
	}
}

// A usageError is a mistake in the command line or in a file that it names.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// errQuiet ends the command with exitFailed after the output has said everything.
var errQuiet = errors.New("")

// hintFor says what to do about an error, where that can be known.
func hintFor(err error) string {
	var usage *usageError
	if errors.As(err, &usage) && usage.hint != "" {
		return usage.hint
	}
	var contract *guestbuild.ContractError
	if errors.As(err, &contract) {
		return "compare pintle.toml with what the module exports; `pintle inspect` shows both"
	}
	var guest *runtime.Error
	if errors.As(err, &guest) {
		switch guest.Kind {
		case runtime.KindContract, runtime.KindBadAnswer:
			return "the guest and this host disagree about the ABI; `pintle inspect` shows the guest's side, abi/ABI.md the contract"
		case runtime.KindMemory:
			return "raise [limits] memory in pintle.toml, or make the guest need less"
		case runtime.KindTimeout:
			return "raise [limits] time in pintle.toml, or find the loop"
		case runtime.KindRefused:
			if strings.Contains(guest.Reason, "pintle build") {
				return "" // it says so itself
			}
			return "nothing of the file was run"
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "check the path; paths in a file are relative to that file"
	}
	return ""
}
