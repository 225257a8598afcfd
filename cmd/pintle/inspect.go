package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

func newInspect() *cobra.Command {
	start := false
	cmd := &cobra.Command{
		Use:   "inspect [DIR|FILE]",
		Short: "Show what a guest is, offers, asks for, imports and exports, without running it",
		Long: `Show what the guest that is built in a folder (by default the one that you are in), or a file, is, what it
offers and asks for, what it imports and exports, and where it does not keep the contract. Nothing of the file is
compiled or run, except with --start.

` + exitHelp,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completesGuests,
		RunE:              func(cmd *cobra.Command, args []string) error { return runInspect(cmd, dirOrFile(args), start) },
	}
	cmd.Flags().BoolVar(&start, "start", false, "start it in the sandbox, to tell how large the image is with which calls begin")
	return cmd
}

func runInspect(cmd *cobra.Command, arg string, start bool) error {
	path, err := guestPath(arg)
	if err != nil {
		return err
	}
	file, err := runtime.ReadFile(path)
	if err != nil {
		return &usageError{err: err}
	}
	a, err := runtime.Examine(filepath.Base(path), file)
	if err != nil {
		return err
	}
	r := inspection(path, a)
	if start && len(r.Problems) == 0 {
		g := &ownGuest{path: path, file: file, artifact: a}
		if r.Image, err = g.imageSize(cmd); err != nil {
			return err
		}
	}
	if asJSON(cmd) {
		err = printJSON(cmd, r)
	} else {
		p := newPrinter(cmd.OutOrStdout())
		printInspection(p, r)
		err = p.err
	}
	if err == nil && len(r.Problems) > 0 {
		return errQuiet
	}
	return err
}

// An inspected guest as data.
type inspected struct {
	File       string            `json:"file"`
	Size       int               `json:"size"`
	SHA256     string            `json:"sha256"`
	Transport  string            `json:"transport"`
	Script     *inspectedScript  `json:"script,omitempty"` // of a guest in JavaScript
	Manifest   *abi.Manifest     `json:"manifest"`
	Interfaces []string          `json:"interfaces"`
	Imports    []symbol          `json:"imports"`
	Exports    []symbol          `json:"exports"`
	Sections   []sectionSize     `json:"sections"`
	Functions  int               `json:"functions"`
	Memory     []memorySize      `json:"memory"`
	Fresh      []string          `json:"fresh"` // why each call needs an instance of its own
	Image      *inspectedImage   `json:"image,omitempty"`
	Problems   []runtime.Problem `json:"problems"`
}

type symbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Signature string `json:"signature,omitempty"`
}

type sectionSize struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

type memorySize struct {
	MinBytes uint64 `json:"minBytes"`
	MaxBytes uint64 `json:"maxBytes,omitempty"`
}

func inspection(path string, a *runtime.Artifact) inspected {
	m := a.Module()
	r := inspected{File: path, Size: a.Size, SHA256: a.Digest(), Manifest: a.Manifest, Transport: a.Transport(), Script: scriptIn(a),
		Interfaces: []string{}, Imports: []symbol{}, Exports: []symbol{}, Sections: []sectionSize{},
		Functions: m.Functions, Memory: []memorySize{}, Fresh: []string{}, Problems: append([]runtime.Problem{}, a.Problems...)}
	fresh, err := a.Fresh()
	r.Fresh = append(r.Fresh, fresh...)
	if refused := (*runtime.Error)(nil); errors.As(err, &refused) {
		r.Problems = append(r.Problems, runtime.Problem{Subject: "code", Fault: refused.Reason})
	}
	for _, c := range a.Manifest.Contributions {
		r.Interfaces = append(r.Interfaces, c.Interface)
	}
	for _, c := range a.Manifest.Adapters {
		r.Interfaces = append(r.Interfaces, c.Interface)
	}
	slices.Sort(r.Interfaces)
	r.Interfaces = slices.Compact(r.Interfaces)
	for _, im := range m.Imports {
		r.Imports = append(r.Imports, asSymbol(im.Module+"."+im.Name, im.Kind, im.Type))
	}
	for _, ex := range m.Exports {
		r.Exports = append(r.Exports, asSymbol(ex.Name, ex.Kind, ex.Type))
	}
	for _, s := range m.Sections {
		r.Sections = append(r.Sections, sectionSize{s.Title(), s.End - s.Start})
	}
	for _, mem := range m.Memories {
		size := memorySize{MinBytes: uint64(mem.Min) << 16}
		if mem.HasMax {
			size.MaxBytes = uint64(mem.Max) << 16
		}
		r.Memory = append(r.Memory, size)
	}
	return r
}

func asSymbol(name string, kind wasmbin.Kind, t wasmbin.FuncType) symbol {
	s := symbol{Name: name, Kind: kind.String()}
	if kind == wasmbin.FuncKind {
		s.Signature = t.String()
	}
	return s
}

func printInspection(p *printer, r inspected) {
	m := r.Manifest
	p.printf("%s\n", p.paint(bold, oneLine(m.ID+"@"+m.Version, 200)))
	if m.Description != "" {
		p.printf("  %s\n", oneLine(m.Description, 400))
	}
	p.printf("  file        %s, %s\n  sha256      %s\n  transport   %s\n  interfaces  %s\n",
		oneLine(r.File, 400), bytesText(r.Size), r.SHA256, r.Transport, strings.Join(r.Interfaces, ", "))
	if r.Script != nil {
		p.printf("  engine      %s\n  program     %s, with a source map of %s\n", r.Script.Engine, bytesText(r.Script.CodeBytes), bytesText(r.Script.MapBytes))
	}
	p.printf("  state       %s\n", orDefault(string(m.State), string(abi.StateNone)))
	p.printf("  instances   %s\n", oneLine(instances(r), 600))
	for _, mem := range r.Memory {
		p.printf("  memory      starts with %s\n", bytesText(int(mem.MinBytes)))
	}
	if r.Image != nil {
		p.printf("  image       %s\n", r.Image)
	}
	printOffers(p, m)
	printAsks(p, m)
	if r.Script == nil { // else they are the engine's
		p.head("imports")
		printSymbols(p, r.Imports)
		p.head("exports")
		printSymbols(p, r.Exports)
	}
	p.head("sections")
	for _, s := range r.Sections {
		p.printf("  %-26s %10s\n", oneLine(s.Name, 60), bytesText(s.Bytes))
	}
	if len(r.Problems) > 0 {
		p.head(p.paint(red, "problems"))
		for _, problem := range r.Problems {
			p.printf("  %s\n", oneLine(problem.String(), 600))
		}
	}
}

// instances says what a call, or a session, begins with.
func instances(r inspected) string {
	session := r.Manifest.State == abi.StateSession
	switch {
	case len(r.Problems) > 0:
		return "none, see below"
	case len(r.Fresh) > 0 && session:
		return "started anew for each session: " + strings.Join(r.Fresh, "; ")
	case len(r.Fresh) > 0:
		return "started anew for each call: " + strings.Join(r.Fresh, "; ")
	case session:
		return "each session has a copy of the started guest"
	}
	return "put back by copying before each call"
}

func orDefault(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func printOffers(p *printer, m *abi.Manifest) {
	if len(m.Contributions) > 0 {
		p.head("contributions")
	}
	for _, c := range m.Contributions {
		p.printf("  %-24s priority %g", oneLine(c.ID, 60), c.Priority)
		if c.Providers != nil {
			p.printf(", providers [%s]", oneLine(strings.Join(*c.Providers, ", "), 200))
		}
		if len(c.ActiveTools) > 0 {
			p.printf(", tools [%s]", oneLine(strings.Join(c.ActiveTools, ", "), 200))
		}
		needs := make([]string, len(c.Needs))
		for i, n := range c.Needs {
			needs[i] = string(n)
		}
		p.printf(", sees [%s], changes per %s\n", strings.Join(needs, ", "), orDefault(string(c.Volatility), string(abi.VolatilityTurn)))
	}
	if len(m.Adapters) > 0 {
		p.head("adapters")
	}
	for _, a := range m.Adapters {
		p.printf("  %-24s %s, apis [%s], providers [%s]\n", oneLine(a.ID, 60), a.Interface,
			orDefault(oneLine(strings.Join(a.APIs, ", "), 200), "any"), orDefault(oneLine(strings.Join(a.Providers, ", "), 200), "any"))
		printPlaces(p, a)
	}
}

func printAsks(p *printer, m *abi.Manifest) {
	p.head("asks for")
	for _, c := range m.Capabilities {
		p.printf("  %-12s %s", oneLine(c.Name, 40), oneLine(c.Reason, 200))
		if len(c.Keys) > 0 {
			p.printf(" (keys: %s)", oneLine(strings.Join(c.Keys, ", "), 400))
		}
		p.printf("\n")
	}
	var limits []string
	for _, l := range []struct {
		what string
		text string
		set  bool
	}{
		{"memory", bytesText(int(m.Limits.MemoryBytes)), m.Limits.MemoryBytes > 0},
		{"fuel", fmt.Sprintf("%d", m.Limits.Fuel), m.Limits.Fuel > 0},
		{"time", fmt.Sprintf("%d ms", m.Limits.Milliseconds), m.Limits.Milliseconds > 0},
		{"answer", bytesText(int(m.Limits.AnswerBytes)), m.Limits.AnswerBytes > 0},
		{"log", bytesText(int(m.Limits.LogBytes)), m.Limits.LogBytes > 0},
	} {
		if l.set {
			limits = append(limits, l.what+" "+l.text)
		}
	}
	p.printf("  %-12s %s\n", "limits", orDefault(strings.Join(limits, ", "), "the host's defaults"))
}

func printSymbols(p *printer, list []symbol) {
	if len(list) == 0 {
		p.printf("  none\n")
	}
	for _, s := range list {
		what := s.Signature
		if what == "" {
			what = s.Kind
		}
		p.printf("  %-58s %s\n", oneLine(s.Name, 200), what)
	}
}
