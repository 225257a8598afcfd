package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/payloadview"
	"github.com/pintle-wasm/pintle/runtime"
)

// Exit statuses. They are documented in the help of the command.
const (
	exitOK     = 0
	exitFailed = 1 // what was asked for was done and did not succeed
	exitUsage  = 2 // the command line, or a file that it names, cannot be used
)

const exitHelp = `Exit status: 0 success; 1 the work failed (a guest or a log was refused, a case of the conformance
kit failed, a build broke); 2 the command line or an input file cannot be used.`

// run is the whole command. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot(stdin, stdout, stderr)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "pintle: error: interrupted")
		return exitFailed
	}
	tellError(stderr, err)
	if failed := tellErrorAsData(stdout, cmd, args, err); failed != nil {
		tellError(stderr, failed)
	}
	usage, input := (*usageError)(nil), (*guestbuild.InputError)(nil)
	if errors.As(err, &usage) || errors.As(err, &input) {
		return exitUsage
	}
	return exitFailed
}

// tellError writes an error and what to do about it.
func tellError(stderr io.Writer, err error) {
	if text := strings.TrimSpace(err.Error()); text != "" {
		fmt.Fprintf(stderr, "pintle: error: %s\n", indented(text))
	}
	if hint := hintFor(err); hint != "" {
		fmt.Fprintf(stderr, "pintle: hint: %s\n", indented(hint))
	}
}

// indented is text for standard error: only the command's own lines start at the margin there, whatever a
// guest or the name of a file put into the text.
func indented(s string) string { return strings.ReplaceAll(printable(s), "\n", "\n  ") }

func newRoot(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:   "pintle",
		Short: "Sandboxed WebAssembly extensions for LLM agent hosts",
		Long: "Pintle runs developer-message contributions and provider payload adapters as sandboxed WebAssembly\n" +
			"guests, and takes a model's answers into sessions that cannot get stuck.\n\n" + exitHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          showHelp,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups()); err != nil {
				return misused(cmd, err)
			}
			return nil
		},
	}
	root.Version = version()
	root.SetVersionTemplate("pintle {{.Version}}\n")
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.PersistentFlags().Bool("json", false, "print the result as JSON")
	root.PersistentFlags().BoolP("verbose", "v", false, "tell more: what guests log for debugging and their crash reports; what became of an answer in translation")
	root.PersistentFlags().String("cache-dir", "", `folder for compiled guests (default: in the user's cache directory; "off": none)`)
	addEngineFlag(root)
	root.SetFlagErrorFunc(misused)
	for _, group := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"turns", "Turns:", []*cobra.Command{newTurn(), newCompose(), newApply(), newAssemble()}},
		{"sessions", "Sessions:", []*cobra.Command{newSession(), newDoctor()}},
		{"providers", "Providers:", []*cobra.Command{newTranslate(), newModels()}},
		{"guests", "Guests:", []*cobra.Command{newNew(), newBuild(), newCheck(), newTest(), newRun(), newWatch(), newBench(), newInspect(), newDiff(), newGrant(), newGrants(), newRevoke(), newSchema()}},
		{"hosts", "Hosts:", []*cobra.Command{newServe()}},
		{"more", "More:", []*cobra.Command{newConformance(), newVersion()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, cmd := range group.commands {
			cmd.GroupID = group.id
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID("more")
	root.SetCompletionCommandGroupID("more")
	root.InitDefaultCompletionCmd() // writes to the output that is set by now
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "help" {
			cmd.Args = helpTopic
		}
	}
	strictArgs(root)
	return root
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

func helpTopic(cmd *cobra.Command, args []string) error {
	at, rest, err := cmd.Root().Find(args)
	if err == nil && len(rest) == 0 {
		return nil
	}
	err = fmt.Errorf("unknown help topic %q", strings.Join(args, " "))
	if len(rest) == 0 {
		rest = args // cobra finds nothing at all below a root that takes no arguments
	}
	if path := meant(at, rest[0]); path != "" {
		return &usageError{err: err, hint: fmt.Sprintf("did you mean `%s`?", strings.Replace(path, "pintle", "pintle help", 1))}
	}
	return misused(cmd, err)
}

// meant is the path of the command below another one that a misspelt name may stand for, "" if there is none.
func meant(cmd *cobra.Command, name string) string {
	if cmd.Name() == "completion" {
		return "" // another shell is no slip
	}
	cmd.SuggestionsMinimumDistance = 2 // edits, those of a slip
	if names := cmd.SuggestionsFor(name); cmd.HasSubCommands() && len(names) > 0 {
		return cmd.CommandPath() + " " + names[0]
	}
	return ""
}

func commandNames(cmd *cobra.Command) (names []string) {
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return names
}

// strictArgs makes errors about arguments usage errors, for a command and those below it.
func strictArgs(cmd *cobra.Command) {
	if !cmd.Runnable() {
		cmd.RunE = showHelp // cobra checks no arguments of a command that only groups others
	}
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil {
			return nil
		}
		if usage := (*usageError)(nil); errors.As(err, &usage) {
			return err
		}
		if path := meant(cmd, append(args, "")[0]); path != "" {
			return &usageError{err: err, hint: fmt.Sprintf("did you mean `%s`?", path)}
		}
		if cmd.HasParent() && cmd.HasAvailableSubCommands() {
			return &usageError{err: err, hint: "known: " + strings.Join(commandNames(cmd), ", ")}
		}
		if !cmd.HasSubCommands() && cmd.Name() != "help" {
			err = fmt.Errorf("wrong number of arguments (%d): want %s", len(args), cmd.UseLine())
		}
		return misused(cmd, err)
	}
	for _, sub := range cmd.Commands() {
		strictArgs(sub)
	}
}

func misused(cmd *cobra.Command, err error) error {
	return &usageError{err: err, hint: fmt.Sprintf("run `%s --help`", cmd.CommandPath())}
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
	var hinted *hintedError
	if errors.As(err, &hinted) {
		return hinted.hint
	}
	var contract *guestbuild.ContractError
	if errors.As(err, &contract) {
		if !slices.ContainsFunc(contract.Problems, func(p runtime.Problem) bool { return p.Hint == "" }) {
			return "" // each says so itself
		}
		return contractHint(contract.Language)
	}
	if edit := (*payloadview.EditError)(nil); errors.As(err, &edit) {
		if errors.Is(edit.Err, payloadview.ErrNoWritePath) {
			return "an adapter edits at the places under its write, and below them: add this one there"
		}
		return ""
	}
	var guest *runtime.Error
	if errors.As(err, &guest) {
		switch guest.Kind {
		case runtime.KindTrap:
			if strings.HasPrefix(guest.Reason, "stack overflow: the stack in its memory") {
				return "recurse less, and keep large arrays off the stack: `pintle build` gives guests in C and Rust one of 64 KiB"
			}
		case runtime.KindContract, runtime.KindBadAnswer:
			return "the guest and this host disagree about the ABI; `pintle inspect` shows the guest's side, abi/ABI.md the contract"
		case runtime.KindMemory:
			return "raise [limits] memory in pintle.toml, up to the host's own limit, or make the guest need less"
		case runtime.KindFuel:
			return "find the loop, or raise [limits] fuel in pintle.toml, up to the host's own limit"
		case runtime.KindTimeout:
			return "find what takes so long; [limits] time in pintle.toml is for calls, up to the host's own limit"
		case runtime.KindDenied:
			return "`pintle grant FILE` shows what it asks for and grants it; `pintle revoke FILE` lets it run without a grant"
		case runtime.KindRefused:
			if strings.Contains(guest.Reason, "pintle build") {
				return "" // it says so itself
			}
			if guest.Func != "" {
				return "" // it is about a call
			}
			return "nothing of the file was run"
		}
	}
	var input *guestbuild.InputError
	if errors.As(err, &input) && errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), guestbuild.ManifestFile) {
		if strings.Contains(err.Error(), "the smallest one") {
			return "`pintle new NAME` writes one"
		}
		return "a pintle.toml has at least id, version, and one [[contributions]] or [[adapters]] with an id; `pintle new NAME` writes one"
	}
	if errors.As(err, &input) && strings.Contains(err.Error(), ": unknown key ") {
		return "`pintle schema` prints what there can be, also for editors"
	}
	if refused := (*logRefused)(nil); errors.As(err, &refused) {
		return refused.hint()
	}
	if failed := (*failedAnswer)(nil); errors.As(err, &failed) {
		return failed.advice
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "check the path"
	}
	return ""
}

// contractHint says how a guest in a language gets the functions of what it offers.
func contractHint(language string) string {
	switch language {
	case "go":
		return "a guest in Go imports the SDK packages of what it offers: guests/sdk/go/message, …/payload, …/payload/edit, …/payload/developer"
	case "rust":
		return "a guest in Rust names what it offers in pintle::guest!"
	case "c":
		return "a guest in C names what it offers in PINTLE_CONTRIBUTIONS, PINTLE_ADAPTERS_V1 or PINTLE_ADAPTERS_V2"
	case "assemblyscript":
		return "a guest in AssemblyScript exports what it offers from assembly/index.ts, for example: export * from \"pintle/exports/message\""
	}
	return "abi/ABI.md lists exports and imports; `pintle inspect` shows the guest's"
}
