package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// A turnWatch composes a turn again whenever something of it changes. The host stays, and with it what
// guests keep for the session.
type turnWatch struct {
	path   string
	flags  turnFlags
	stderr io.Writer
	host   *host.Host
	files  *fileWatch

	of      map[string]bool // files of the turn that the host does not follow, absolute
	folders map[string]bool // of guests, absolute

	loaded   string        // what decided which guests are loaded, "" if not all are
	guests   []loadedGuest // as they were loaded
	held     []heldGuest   // the same guests
	reloaded chan string   // names of guests of which another build is in use
}

type heldGuest struct {
	entry  *registry.Guest
	follow *host.Followed // nil for one from within the command
}

// followEvery is how often a guest's file is looked at.
const followEvery = 100 * time.Millisecond

func watchTurn(cmd *cobra.Command, path string, f turnFlags) (err error) {
	if path == "-" {
		return misused(cmd, errors.New("standard input cannot be watched"))
	}
	w := &turnWatch{path: path, flags: f, stderr: cmd.ErrOrStderr(), host: openHost(cmd), reloaded: make(chan string, 64)}
	ended := context.WithoutCancel(cmd.Context()) // an interrupt is how this ends well
	defer func() { err = errors.Join(err, w.host.Close(ended)) }()
	if w.files, err = watchFiles(func(string) bool { return true }, nil); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.files.close()) }()
	p := newPrinter(cmd.OutOrStdout())
	if err := w.round(cmd, p); err != nil {
		return interrupted(cmd.Context(), err)
	}
	for {
		changed := w.next(cmd.Context())
		if cmd.Context().Err() != nil {
			return nil
		}
		if !asJSON(cmd) {
			p.printf("\n%s  %s\n", p.paint(dim, time.Now().Format(time.TimeOnly)), p.paint(bold, changedText(changed)))
		}
		if err := w.round(cmd, p); err != nil && cmd.Context().Err() == nil {
			tellError(cmd.ErrOrStderr(), err)
		}
		if p.err != nil {
			return p.err
		}
	}
}

// interrupted is nil if an error is the end of the context.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// next waits for a change and names what changed.
func (w *turnWatch) next(ctx context.Context) []string {
	for {
		var changed []string
		select {
		case <-ctx.Done():
			return nil
		case name := <-w.reloaded:
			changed = append(changed, name)
		case burst := <-w.files.bursts:
			for _, path := range burst {
				if full, err := filepath.Abs(path); err == nil && w.isOfTurn(full) {
					changed = append(changed, filepath.Base(path))
				}
			}
		}
		for more := true; more; {
			select {
			case name := <-w.reloaded:
				changed = append(changed, name)
			default:
				more = false
			}
		}
		if len(changed) > 0 {
			return changed
		}
	}
}

// isOfTurn tells whether the turn is made of a file, other than a guest that the host follows.
func (w *turnWatch) isOfTurn(path string) bool {
	guest := w.folders[filepath.Dir(path)] && filepath.Ext(path) == ".wasm"
	if !w.of[path] && !guest {
		return false
	}
	_, gone := os.Stat(path)
	return gone != nil || w.loaded == "" || !w.follows(path)
}

func (w *turnWatch) follows(path string) bool {
	return slices.ContainsFunc(w.held, func(h heldGuest) bool {
		return h.follow != nil && h.entry.Runtime() != nil && h.entry.Runtime().Source() == path
	})
}

// round reads everything anew, loads the guests if they are others than before, composes and prints.
func (w *turnWatch) round(cmd *cobra.Command, p *printer) error {
	w.of, w.folders = map[string]bool{}, map[string]bool{}
	if err := w.add(w.path, w.of); err != nil { // first, so that nothing is missed
		return err
	}
	t, err := readTurn(cmd, w.path)
	if err != nil {
		return err
	}
	turn, err := prepareTurn(cmd, t, w.flags)
	if err := errors.Join(err, w.addAll(t)); err != nil {
		return err
	}
	if err := w.load(cmd, turn); err != nil {
		return err
	}
	r, err := turn.run(cmd, w.host, w.current())
	if err != nil {
		return err
	}
	if asJSON(cmd) {
		return encodeJSON(cmd.OutOrStdout(), r, "")
	}
	printTurn(p, t, r)
	return p.err
}

// addAll watches what a turn is made of, after the flags took the place of keys.
func (w *turnWatch) addAll(t *turnFile) error {
	var errs []error
	if t.Payload != "" {
		errs = append(errs, w.add(t.path(t.Payload), w.of))
	}
	if t.Session != "" {
		errs = append(errs, w.add(t.Session, w.of))
	}
	for _, ref := range t.Guests {
		if _, folder, _ := t.files(ref.File); folder {
			errs = append(errs, w.addFolder(t.path(ref.File)))
		} else {
			errs = append(errs, w.add(t.path(ref.File), w.of)) // it may be missing, and come
		}
	}
	return errors.Join(errs...)
}

// add watches a file, by its folder: what replaces it is watched too.
func (w *turnWatch) add(path string, set map[string]bool) error {
	full, err := filepath.Abs(path)
	if err != nil {
		return &usageError{err: err}
	}
	set[full] = true
	return w.watchFolder(filepath.Dir(full))
}

// addFolder watches all guests in a folder.
func (w *turnWatch) addFolder(dir string) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return &usageError{err: err}
	}
	w.folders[full] = true
	return w.watchFolder(full)
}

func (w *turnWatch) watchFolder(dir string) error {
	if err := w.files.watcher.Add(dir); err != nil {
		return &usageError{err: fmt.Errorf("%s: %w", dir, err), hint: "check the path"}
	}
	return nil
}

// load loads the guests of a turn, unless they are the ones that are loaded.
func (w *turnWatch) load(cmd *cobra.Command, t *preparedTurn) error {
	which, files, err := guestsOf(t)
	if err != nil {
		return err
	}
	if which == w.loaded {
		return nil
	}
	w.loaded = ""
	for _, h := range w.held {
		if h.follow != nil {
			h.follow.Close()
		}
		if err := h.entry.Remove(cmd.Context()); err != nil {
			return err
		}
	}
	w.held = nil
	if w.guests, err = t.load(cmd, w.follow, t.body != nil); err != nil {
		return err
	}
	followed := 0
	for _, h := range w.held {
		if h.follow != nil {
			followed++
		}
	}
	if followed == files { // else one of a folder was left out, and gets another try with every change
		w.loaded = which
	}
	return nil
}

// guestsOf names everything that decides which guests are loaded and how, and counts their files.
func guestsOf(t *preparedTurn) (which string, files int, err error) {
	type guest struct {
		Path   string
		Config map[string]string
	}
	list := []guest{}
	for _, ref := range t.Guests {
		paths, _, err := t.files(ref.File)
		if err != nil {
			return "", 0, err
		}
		for _, path := range paths {
			list = append(list, guest{path, ref.Config})
		}
	}
	text, err := json.Marshal([]any{list, t.Adapters, t.body != nil})
	return string(text), len(list), err
}

// follow is a guestLoader.
func (w *turnWatch) follow(ctx context.Context, path, name string, file []byte, opts runtime.GuestOptions) (*registry.Guest, error) {
	if path == "" {
		entry, err := w.host.Load(ctx, name, file, opts)
		if err == nil {
			w.held = append(w.held, heldGuest{entry: entry})
		}
		return entry, err
	}
	f, err := w.host.Follow(ctx, path, host.FollowOptions{Guest: opts, Every: followEvery, Changed: w.changed})
	if err != nil {
		return nil, err
	}
	w.held = append(w.held, heldGuest{f.Guest(), f})
	return f.Guest(), nil
}

// changed is called from goroutines of the host. A change that finds no room is composed with the others.
func (w *turnWatch) changed(g *registry.Guest, err error) {
	if err != nil { // the log says so
		if hint := hintFor(err); hint != "" {
			fmt.Fprintf(w.stderr, "pintle: hint: %s\n", indented(hint))
		}
		return
	}
	if now := g.Runtime(); now != nil {
		select {
		case w.reloaded <- now.Name():
		default:
		}
	}
}

// current describes the guests as they are now.
func (w *turnWatch) current() []loadedGuest {
	now := make([]loadedGuest, len(w.guests))
	for i, g := range w.guests {
		now[i] = g
		if build := w.held[i].entry.Runtime(); build != nil {
			took := g.Load
			if build.Artifact().Digest() != g.SHA256 {
				took = 0 // the host loaded it, and says not how long that took
			}
			now[i] = describe(g.File, build, took)
		}
	}
	return now
}
