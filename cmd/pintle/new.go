package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/guests/templates"
	"github.com/pintle-wasm/pintle/internal/spelling"
)

// defaultLanguage needs nothing but this command.
const defaultLanguage = "typescript"

func newNew() *cobra.Command {
	lang, kind := defaultLanguage, templates.Kinds()[0]
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a new guest to start from, with cases that test it",
		Long: `Write the sources of a new guest into the folder NAME: a contribution, which renders a developer message, or
an adapter, which puts prompt and messages into the requests of an API. It can be built, tested and run as it
stands; pintle.toml says what it offers and asks for, cases.json how it is tested. NAME may be a path, and
"." is the folder that you are in; the guest's name is the last part. Nothing is fetched, and nothing is
overwritten: a folder that is not empty is refused.

Guests in TypeScript and JavaScript need nothing but this command. The other languages need their compiler;
pintle build says which one if it is missing.

  pintle new hello
  cd hello && pintle build && pintle test && pintle run

` + exitHelp,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runNew(cmd, args[0], lang, kind) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	cmd.Flags().StringVar(&lang, "lang", lang, "language: "+strings.Join(templates.Languages(kind), ", "))
	cmd.Flags().StringVar(&kind, "kind", kind, "what it offers: "+strings.Join(templates.Kinds(), " or "))
	_ = cmd.RegisterFlagCompletionFunc("lang", fixedWords(templates.Languages(kind)...))
	_ = cmd.RegisterFlagCompletionFunc("kind", fixedWords(templates.Kinds()...))
	return cmd
}

// fixedWords completes a flag that has one of these values.
func fixedWords(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// A newReport is the outcome of `pintle new` as data.
type newReport struct {
	Dir      string   `json:"dir"`
	Name     string   `json:"name"`
	Language string   `json:"language"`
	Kind     string   `json:"kind"`
	Files    []string `json:"files"` // in Dir, with slashes
	Next     []string `json:"next"`  // commands
}

func runNew(cmd *cobra.Command, path, lang, kind string) error {
	if err := oneOf("--kind", kind, templates.Kinds()); err != nil {
		return err
	}
	if err := oneOf("--lang", lang, templates.Languages(kind)); err != nil {
		return err
	}
	if path == "" { // which would be the folder that we are in
		return &usageError{err: errors.New("the name is empty"), hint: "`pintle new .` begins a guest in this folder"}
	}
	dir, err := filepath.Abs(path)
	if err != nil {
		return &usageError{err: err}
	}
	name := filepath.Base(dir)
	if err := guestName(name); err != nil {
		return err
	}
	p := &newProject{dir: dir, name: name, language: lang, kind: kind}
	if err := p.collect(); err != nil {
		return err
	}
	if err := p.write(); err != nil {
		return err
	}
	r := newReport{Dir: path, Name: name, Language: lang, Kind: kind, Files: p.paths(), Next: p.next(path)}
	if asJSON(cmd) {
		return printJSON(cmd, r)
	}
	out := newPrinter(cmd.OutOrStdout())
	out.printf("%s  %s in %s\n", out.paint(bold, oneLine(path, 400)), kind, lang)
	for _, file := range r.Files {
		out.printf("  %s\n", oneLine(file, 400))
	}
	out.head("next")
	for _, command := range r.Next {
		out.printf("  %s\n", oneLine(command, 600))
	}
	return out.err
}

// endings are languages by the names of their files, and by other names that they go by.
var endings = map[string]string{"ts": "typescript", "js": "javascript", "rs": "rust", "as": "assemblyscript", "golang": "go"}

// oneOf checks the value of a flag that has one of a few.
func oneOf(flag, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	hint := "known: " + strings.Join(known, ", ")
	near := spelling.Nearest(value, known)
	if ending := endings[value]; slices.Contains(known, ending) {
		near = ending
	} else if len(value) <= 2 {
		near = ""
	}
	if near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return &usageError{err: fmt.Errorf("%s %q is not known", flag, value), hint: hint}
}

// maxNameBytes is the length of a guest's name, which becomes a part of the names of files and packages.
const maxNameBytes = 64

// guestName checks a name that has to do as an id, a file and a package in every language.
func guestName(name string) error {
	fail := func(format string, args ...any) error {
		return &usageError{err: fmt.Errorf(format, args...),
			hint: "a name has lower-case letters, digits, - and _, and begins with a letter: style-guide"}
	}
	switch {
	case len(name) > maxNameBytes:
		return fail("the name has %d characters, at most %d are allowed", len(name), maxNameBytes)
	case name == "" || name == string(filepath.Separator) || name == ".":
		return fail("the folder has no name")
	case name[0] < 'a' || name[0] > 'z':
		return fail("the name %q does not begin with a lower-case letter", name)
	}
	if i := strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}); i >= 0 {
		return fail("the name %q has %q in it", name, []rune(name[i:])[0])
	}
	if name == "pintle" {
		return &usageError{err: errors.New(`the name "pintle" is that of the SDK`), hint: "take another one"}
	}
	return nil
}
