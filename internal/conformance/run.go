// Package conformance runs the public vector kit: files of cases that say what a host does, for any
// implementation to check itself with.
//
// A vector file is a JSON array of {name, input, expect, why, mode?}. Its base name is the operation,
// and its folder's name the family. A case with mode "reference" pins a weakness of the reference and
// runs in the compatibility mode. Texts with lone surrogates are kept apart from each other, as WTF-8,
// except where they pass the border to a guest.
package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/pintle-wasm/pintle/registry"
)

// AdapterSource returns the payload adapter under test for an api. compat is "" for the sound one or
// "reference"; developerRole is "yes", "no" or "automatic".
type AdapterSource func(api, compat, developerRole string) (registry.Adapter, error)

// Suite has the operations of one family by the base name of their files.
type Suite map[string]Operation

// Operation is one kind of case.
type Operation struct {
	// run produces the result of a case.
	run func(ctx context.Context, c *testCase) (any, error)
	// bind, if set, takes away what does not bind before results are compared.
	bind func(c *testCase, expected, got Value) (Value, Value)
	// steps says that the result is a list of step results under "steps".
	steps bool
	// bothModes says that a case without mode holds in both.
	bothModes bool
	// ordered, if set, names the result's members in which the order of keys binds.
	ordered func(c *testCase) []string
	// doubles says that numbers are equal if they denote the same IEEE double.
	doubles bool
	// exact says that null is a value: it is not the same as no value, but for a result as a whole.
	exact bool
	// leftOut is why the operation is not run here, "" if it is.
	leftOut string
}

// testCase is one case in one mode.
type testCase struct {
	name      string
	input     Value
	expect    Value
	reference bool
	adapters  AdapterSource
	// dir is the folder of the case's file, for fixtures beside it.
	dir string
}

func (c *testCase) compat() string {
	if c.reference {
		return "reference"
	}
	return ""
}

// Failure is one failing case.
type Failure struct {
	Case string `json:"case"`
	// Mode is "reference" if the case failed in that mode.
	Mode string `json:"mode,omitempty"`
	Why  string `json:"why,omitempty"`
	// Error is why there is no result to compare.
	Error       string          `json:"error,omitempty"`
	Differences []Difference    `json:"differences,omitempty"`
	Got         json.RawMessage `json:"got,omitempty"`
}

// FileResult is what became of one file.
type FileResult struct {
	Path      string `json:"path"`
	Family    string `json:"family,omitempty"`
	Operation string `json:"operation,omitempty"`
	Passed    int    `json:"passed"`
	Failed    int    `json:"failed"`
	// LeftOut is why nothing of it was run on purpose.
	LeftOut  string    `json:"leftOut,omitempty"`
	Failures []Failure `json:"failures,omitempty"`
	// Err is why the file could not be run, Error its text.
	Err   error  `json:"-"`
	Error string `json:"error,omitempty"`
}

// Summary is what became of a run.
type Summary struct {
	Passed int          `json:"passed"`
	Failed int          `json:"failed"`
	Files  []FileResult `json:"files"`
}

// String is the last line of a run.
func (s Summary) String() string { return fmt.Sprintf("%d passed, %d failed", s.Passed, s.Failed) }

// ErrNothingRun is returned when not one case ran.
var ErrNothingRun = errors.New("no conformance case was run")

// Run runs vector files: each path is a family's folder, a folder of such folders, or a file. report,
// if not nil, is called after each file. An error means that a path or file could not be run, or that
// nothing was; failing cases are in the summary alone.
func Run(ctx context.Context, paths []string, adapters AdapterSource, report func(FileResult)) (Summary, error) {
	var sum Summary
	var errs []error
	note := func(r FileResult) {
		if r.Err != nil {
			r.Error = r.Err.Error()
			errs = append(errs, r.Err)
		}
		sum.Passed += r.Passed
		sum.Failed += r.Failed
		sum.Files = append(sum.Files, r)
		if report != nil {
			report(r)
		}
	}
	for _, path := range paths {
		for _, f := range find(path) {
			if f.Err == nil && f.LeftOut == "" {
				runFile(ctx, &f, adapters)
			}
			if ctx.Err() != nil { // the cases after that did not run, or failed for it
				return sum, context.Cause(ctx)
			}
			note(f)
		}
	}
	if len(errs) == 0 && sum.Passed+sum.Failed == 0 {
		errs = append(errs, ErrNothingRun)
	}
	return sum, errors.Join(errs...)
}

func runFile(ctx context.Context, r *FileResult, adapters AdapterSource) {
	runCases(ctx, r, families()[r.Family][r.Operation], adapters)
}

func runCases(ctx context.Context, r *FileResult, op Operation, adapters AdapterSource) {
	cases, err := load(r.Path)
	if err != nil {
		r.Err = fmt.Errorf("%s: %w", r.Path, err)
		return
	}
	for i, v := range cases.items {
		if ctx.Err() != nil {
			return
		}
		c := testCase{input: v.Get("input"), expect: v.Get("expect"), adapters: adapters, dir: filepath.Dir(r.Path)}
		name := v.Get("name").str(fmt.Sprintf("#%d", i))
		c.name = name
		mode := v.Get("mode").str("")
		if err := incomplete(v, mode); err != nil {
			r.Err = fmt.Errorf("%s: case %q: %w", r.Path, name, err)
			return
		}
		modes := []bool{mode == "reference"}
		if op.bothModes && mode == "" {
			modes = []bool{false, true}
		}
		failed := false
		for _, reference := range modes {
			c.reference = reference
			if f := runCase(ctx, op, &c); f != nil {
				f.Case, f.Why = name, v.Get("why").str("")
				if reference {
					f.Mode = "reference"
				}
				r.Failures = append(r.Failures, *f)
				failed = true
				break
			}
		}
		if failed {
			r.Failed++
		} else {
			r.Passed++
		}
	}
}

// incomplete says what a case lacks.
func incomplete(v Value, mode string) error {
	switch {
	case !v.Get("input").present():
		return errors.New("it has no input")
	case !v.Has("expect"):
		return errors.New("it has no expect")
	case mode != "" && mode != "reference":
		return fmt.Errorf("its mode %q is not known; the only one is \"reference\"", mode)
	}
	return nil
}

// runCase returns nil if the case passes.
func runCase(ctx context.Context, op Operation, c *testCase) (failure *Failure) {
	defer func() {
		if v := recover(); v != nil {
			failure = &Failure{Error: fmt.Sprintf("panicked: %v", v)}
		}
	}()
	result, err := op.run(ctx, c)
	if err != nil {
		return &Failure{Error: err.Error()}
	}
	got, err := build(result)
	if err != nil {
		return &Failure{Error: err.Error()}
	}
	cmp := comparison{ordered: map[string]bool{}, doubles: op.doubles, exact: op.exact}
	if op.ordered != nil {
		for _, name := range op.ordered(c) {
			cmp.ordered[name] = true
		}
	}
	if op.steps {
		compareSteps(&cmp, op, c, got)
	} else {
		expected := c.expect
		if op.bind != nil {
			expected, got = op.bind(c, expected, got)
		}
		cmp.result("", expected, got)
	}
	if len(cmp.found) == 0 {
		return nil
	}
	found := cmp.found[:min(len(cmp.found), maxDifferences)]
	return &Failure{Differences: slices.Clone(found), Got: got.appendTo(nil)}
}

func compareSteps(cmp *comparison, op Operation, c *testCase, got Value) {
	expected := c.expect.Get("steps")
	got = got.Get("steps")
	if len(expected.items) != len(got.items) {
		cmp.differ("steps", expected, got, fmt.Sprintf("%d steps expected, got %d", len(expected.items), len(got.items)))
		return
	}
	for i := range expected.items {
		e, g := expected.items[i], got.items[i]
		if op.bind != nil {
			e, g = op.bind(c, e, g)
		}
		do := c.input.Get("steps").items[i].Get("do").str("?")
		cmp.result(fmt.Sprintf("steps[%d] (%s)", i, do), e, g)
	}
	extra := c.expect.without(func(key string, _ Value) bool { return key == "steps" })
	cmp.result("", extra, Value{})
}
