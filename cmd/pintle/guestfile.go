package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

// An ownGuest is a guest that its author works on: a file beside its sources.
type ownGuest struct {
	dir      string // of the file
	path     string
	file     []byte
	artifact *runtime.Artifact
}

// dirOrFile is the argument of a command about a guest: a folder, the one that we are in by default, or a file.
func dirOrFile(args []string) string { return append(args, ".")[0] }

// completesGuests completes the argument of such a command.
func completesGuests(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt
}

// findGuest finds the built guest of a folder, or the one that a file is, and reads it.
func findGuest(arg string) (*ownGuest, error) {
	path, err := guestPath(arg)
	if err != nil {
		return nil, err
	}
	g := &ownGuest{dir: filepath.Dir(path), path: path}
	if g.file, err = runtime.ReadFile(path); err != nil {
		return nil, &usageError{err: err}
	}
	if g.artifact, err = runtime.Examine(filepath.Base(path), g.file); err != nil {
		return nil, err
	}
	return g, nil
}

// guestPath is the path of a guest: of a folder that which a build writes, or else the only one there.
func guestPath(arg string) (string, error) {
	info, err := os.Stat(arg)
	if err != nil {
		return "", &usageError{err: err}
	}
	if ending := filepath.Ext(arg); !info.IsDir() && (ending == ".json" || ending == ".toml") {
		return "", &usageError{err: fmt.Errorf("%s is no guest", arg),
			hint: "name the guest's file, or the folder in which it is built; `pintle test` takes other cases with --cases"}
	}
	if !info.IsDir() {
		return arg, nil
	}
	built, err := guestbuild.OutputPath(arg)
	if err != nil {
		return "", &usageError{err: err}
	}
	if _, err := os.Stat(built); err == nil {
		return built, nil
	}
	found, err := filesEnding(arg, ".wasm")
	switch {
	case err != nil:
		return "", &usageError{err: err}
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", &usageError{err: fmt.Errorf("%s has several guests, and none is named %s", arg, filepath.Base(built)), hint: "name one of the files"}
	}
	err = fmt.Errorf("%s has no built guest", arg)
	if _, missing := os.Stat(filepath.Join(arg, guestbuild.ManifestFile)); errors.Is(missing, fs.ErrNotExist) {
		return "", &usageError{err: fmt.Errorf("%w and no %s", err, guestbuild.ManifestFile), hint: "name the folder or the file of a guest; `pintle new NAME` makes one"}
	}
	return "", &usageError{err: err, hint: fmt.Sprintf("`%s` makes it", buildCommand(arg))}
}

func buildCommand(dir string) string {
	if dir == "." {
		return "pintle build"
	}
	return "pintle build " + shellWord(dir)
}

func filesEnding(dir, ending string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var found []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ending {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found, err
}

// stale returns the source that was written after the guest was built, "" if there is none. A file that is
// not beside its pintle.toml has no sources that could be known.
func (g *ownGuest) stale() string {
	info, err := os.Stat(g.path)
	if err != nil {
		return ""
	}
	if _, err := os.Stat(filepath.Join(g.dir, guestbuild.ManifestFile)); err != nil {
		return ""
	}
	newer, _ := guestbuild.NewerSource(g.dir, g.artifact, info.ModTime())
	return newer
}

// warnStale says that what is about to be asked is not what the author has written.
func (g *ownGuest) warnStale(cmd *cobra.Command) {
	if newer := g.stale(); newer != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s is older than %s\n", oneLine(g.path, 400), oneLine(newer, 400))
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: hint: `%s`\n", oneLine(buildCommand(g.dir), 400))
	}
}

// keepsContract returns an error about a guest that no host would load.
func (g *ownGuest) keepsContract() error {
	if len(g.artifact.Problems) == 0 {
		return nil
	}
	language := "" // of the sources beside it
	if exists(filepath.Join(g.dir, guestbuild.ManifestFile)) {
		language, _ = guestbuild.LanguageOf(g.dir)
	}
	return &guestbuild.ContractError{Name: filepath.Base(g.path), Language: language, Problems: g.artifact.Problems}
}

// trialTime is how long a call may take in a trial. What a call costs is bounded by its fuel: with a limit near
// what calls take, trials would fail on a busy machine.
const trialTime = 30 * time.Second

// trialHost opens a host to try a guest in. It knows nothing of what the user has granted.
func trialHost(cmd *cobra.Command, logger *slog.Logger) *host.Host {
	return host.Open(host.Options{Limits: runtime.Limits{Time: trialTime}, Engine: chosenEngine(cmd), CacheDir: cacheDir(cmd), Logger: logger})
}

// trialGrants are what a guest has while it is tried, if it asks: all that passes with the trial. Times and
// random numbers are virtual, so that an answer is the same each time.
var trialGrants = []string{abi.CapabilityKV}

// load loads the guest for a trial.
func (g *ownGuest) load(cmd *cobra.Command, h *host.Host, config map[string]string) (*runtime.Guest, error) {
	name := filepath.Base(g.path)
	file, err := g.untimed()
	if err != nil {
		return nil, err
	}
	done := slow(cmd.ErrOrStderr(), "compiling "+name)
	entry, err := h.Load(cmd.Context(), name, file, runtime.GuestOptions{Config: config, Grants: trialGrants})
	done()
	if err != nil {
		return nil, err
	}
	return entry.Runtime(), nil
}

// untimed is the guest's file without a limit on the time of calls of its own.
func (g *ownGuest) untimed() ([]byte, error) {
	if g.artifact.Manifest.Limits.Milliseconds == 0 {
		return g.file, nil
	}
	m := *g.artifact.Manifest
	m.Limits.Milliseconds = 0
	return guestbuild.Attach(g.file, &m)
}
