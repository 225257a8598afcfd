package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

func newWatch() *cobra.Command {
	w := &guestWatch{}
	cmd := &cobra.Command{
		Use:   "watch [DIR]",
		Short: "Build a guest and run its cases whenever a source changes",
		Long: `Build the guest in DIR, or in the working directory, run the cases in its cases.json, and do both again
whenever a file in DIR or below it changes. For each change it prints what changed, what was built or what
the compiler says, and what became of the cases. Errors do not end it; an interrupt does.

The guest's file is replaced in one step and only by a build that works, so a program that follows the
file, for example pintle turn --watch, never loads anything else. The built file itself, hidden files and
the folders node_modules and target are not looked at. A change of cases.json alone runs the cases only.

With --json there is one line for each change.

Exit status: 0 it was interrupted; 1 the files cannot be watched; 2 the command line or DIR cannot be used.`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			w.opts.Dir = dirOrFile(args)
			return w.run(cmd)
		},
	}
	cmd.Flags().StringVarP(&w.opts.Out, "output", "o", "", "`FILE` to write (default: DIR/<name of DIR>.wasm)")
	cmd.Flags().StringVar(&w.opts.Module, "module", "", "`FILE` with a module that something else compiles, which is watched too")
	_ = cmd.MarkFlagFilename("output", "wasm")
	_ = cmd.MarkFlagFilename("module", "wasm")
	return cmd
}

// A guestWatch follows the sources of one guest.
type guestWatch struct {
	opts             guestbuild.Options
	dir, module, out string        // absolute; out is the file that is written
	last             *built        // the build that worked last; nil: none did yet
	says             []os.FileInfo // the files to which the watch itself writes
}

// A watched is what became of one change, as data.
type watched struct {
	Time    time.Time   `json:"time"`
	Changed []string    `json:"changed"` // relative to the folder; none for the first build
	Built   *built      `json:"built,omitempty"`
	Error   string      `json:"error,omitempty"` // why nothing was built; the file of before stays
	Said    string      `json:"said,omitempty"`  // by the compiler
	Cases   *testReport `json:"cases,omitempty"` // nil: there are none, or none ran
	// CasesError says why no case ran.
	CasesError string `json:"casesError,omitempty"`
}

type built struct {
	File     string        `json:"file"`
	Name     string        `json:"name"` // id@version
	SHA256   string        `json:"sha256"`
	Size     int           `json:"size"`
	Duration time.Duration `json:"durationNs"`
}

func (w *guestWatch) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	if err := w.prepare(); err != nil {
		return err
	}
	w.opts.CacheDir = cacheDir(cmd)
	w.noteOutput(cmd.OutOrStdout(), cmd.ErrOrStderr())
	files, err := watchFiles(w.isSource, w.enters)
	if err != nil {
		return err
	}
	err = w.add(files) // before the first build, so that nothing is missed
	p := newPrinter(cmd.OutOrStdout())
	for changed := []string{}; err == nil && changed != nil; {
		done := slow(cmd.ErrOrStderr(), "building "+w.opts.Dir)
		r := w.round(cmd, changed)
		done()
		if ctx.Err() != nil {
			break // what an interrupt left is no outcome
		}
		if asJSON(cmd) {
			err = encodeJSON(cmd.OutOrStdout(), r, "")
		} else {
			r.print(p, w.last)
			err = p.err
		}
		if err == nil {
			changed = files.next(ctx)
		}
	}
	return errors.Join(err, files.close())
}

// add watches the guest's folder, and that of its module if it is elsewhere.
func (w *guestWatch) add(files *fileWatch) error {
	if _, err := files.add(w.opts.Dir); err != nil {
		return err
	}
	if w.opts.Module == "" {
		return nil
	}
	return files.watcher.Add(filepath.Dir(w.opts.Module))
}

// prepare finds out which guest is to be watched.
func (w *guestWatch) prepare() error {
	manifest := filepath.Join(w.opts.Dir, guestbuild.ManifestFile)
	if info, err := os.Stat(manifest); err != nil || !info.Mode().IsRegular() {
		return &usageError{err: fmt.Errorf("%s: there is no %s", w.opts.Dir, guestbuild.ManifestFile),
			hint: "`pintle new` begins a guest; `pintle watch DIR` watches one in another folder"}
	}
	dir, err := filepath.Abs(w.opts.Dir)
	if err != nil {
		return &usageError{err: err}
	}
	if w.opts.Out == "" {
		if w.opts.Out, err = guestbuild.OutputPath(w.opts.Dir); err != nil {
			return &usageError{err: err}
		}
	}
	if w.opts.Module != "" {
		if w.module, err = filepath.Abs(w.opts.Module); err != nil {
			return &usageError{err: err}
		}
	}
	if w.out, err = filepath.Abs(w.opts.Out); err != nil {
		return &usageError{err: err}
	}
	w.dir = dir
	return nil
}

// noteOutput notes files among the outputs: in the guest's folder each line would begin another build.
func (w *guestWatch) noteOutput(outputs ...io.Writer) {
	for _, out := range outputs {
		if file, ok := out.(*os.File); ok {
			if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
				w.says = append(w.says, info)
			}
		}
	}
}

// isSource is false for files whose change means nothing: what is built, what tools fill, and what editors and
// the build keep for a moment.
func (w *guestWatch) isSource(path string) bool {
	full, err := filepath.Abs(path)
	if err != nil || full == w.out {
		return false
	}
	if info, err := os.Stat(full); err == nil && slices.ContainsFunc(w.says, func(f os.FileInfo) bool { return os.SameFile(f, info) }) {
		return false
	}
	name, err := filepath.Rel(w.dir, full)
	if full == w.module {
		return true
	}
	return err == nil && filepath.IsLocal(name) && !slices.ContainsFunc(strings.Split(name, string(filepath.Separator)), ignored)
}

// enters tells which folders are watched.
func (w *guestWatch) enters(dir string) bool { return !ignored(filepath.Base(dir)) }

// ignored tells which files and folders are nobody's sources.
func ignored(name string) bool {
	return guestbuild.SkipsFolder(name) || strings.HasSuffix(name, "~")
}

// round builds and runs the cases.
func (w *guestWatch) round(cmd *cobra.Command, changed []string) *watched {
	r := &watched{Time: time.Now(), Changed: w.relative(changed)}
	if w.last == nil || !slices.Equal(r.Changed, []string{guestbuild.CasesFile}) {
		w.build(cmd.Context(), r)
	}
	if r.Error == "" {
		var err error
		if r.Cases, err = runCases(cmd, w.opts.Dir, w.out); err != nil {
			r.Cases, r.CasesError = nil, err.Error()
		}
	}
	return r
}

func (w *guestWatch) build(ctx context.Context, r *watched) {
	var said bytes.Buffer
	opts := w.opts
	opts.Stderr = &said
	opts.Warn = func(message string) { said.WriteString(message + "\n") }
	out, a, err := guestbuild.Build(ctx, opts)
	r.Said = strings.TrimRight(said.String(), "\n")
	if err != nil {
		r.Error = err.Error()
		return
	}
	r.Built = builtOf(out, a, time.Since(r.Time))
	w.last = r.Built
}

func builtOf(out string, a *runtime.Artifact, took time.Duration) *built {
	return &built{File: out, Name: a.Title(), SHA256: a.Digest(), Size: a.Size, Duration: took}
}

// relative names files as seen from the guest's folder.
func (w *guestWatch) relative(paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = path
		if name, err := filepath.Rel(w.opts.Dir, path); err == nil {
			names[i] = filepath.ToSlash(name)
		}
	}
	return names
}

// print writes one block. The last build that worked is what is in use.
func (r *watched) print(p *printer, last *built) {
	what := changedText(r.Changed)
	if len(r.Changed) == 0 {
		what = "first build"
	}
	p.printf("%s  %s\n", p.paint(dim, r.Time.Format(time.TimeOnly)), p.paint(bold, what))
	switch {
	case r.Error != "":
		p.printf("  %s  %s\n", p.paint(red, "failed"), indentRest(r.Error))
	case r.Built != nil:
		p.printf("  %s   %s  %s  %s  in %s\n", p.paint(green, "built"), oneLine(r.Built.File, 200), oneLine(r.Built.Name, 200),
			bytesText(r.Built.Size), durationText(r.Built.Duration))
	}
	if r.Said != "" {
		p.printf("%s\n", indent(r.Said, "    "))
	}
	if r.Error != "" && last != nil {
		p.printf("  %s\n", p.paint(dim, "the build before stays: "+oneLine(last.Name, 200)+"  sha256 "+last.SHA256[:12]))
	}
	if r.CasesError != "" {
		p.printf("  %s   %s\n", p.paint(red, "cases"), indentRest(r.CasesError))
	}
	switch {
	case r.Cases != nil:
		printCases(p, r.Cases)
	case slices.Equal(r.Changed, []string{guestbuild.CasesFile}) && r.CasesError == "":
		p.printf("  no cases\n")
	}
	p.printf("\n")
}

// changedText names a few files.
func changedText(names []string) string {
	const most = 3
	if more := len(names) - most; more > 0 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", more))
	}
	return oneLine(strings.Join(names, ", "), 200)
}
