package registry

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/pintle-wasm/pintle/internal/digest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A Folder is a source of guests: every file in it whose name ends in .wasm is one. Fields are set
// before the first Sync. Sync and Close are safe for concurrent use.
type Folder struct {
	Dir      string
	Registry *Registry
	Runtime  *runtime.Runtime
	// Options returns the options of the guest in a file, by its base name; nil: none. A guest without a
	// source comes from its absolute path.
	Options func(name string) runtime.GuestOptions

	mu     sync.Mutex
	loaded map[string]*folderGuest // by base name
}

type folderGuest struct {
	guest  *Guest
	digest [sha256.Size]byte
}

// Changes says what a Sync did, by file name in alphabetical order.
type Changes struct {
	Added, Reloaded, Removed []string
	// Failed has the files that could not be loaded and why. An earlier build of the same file stays in
	// use.
	Failed map[string]error
}

// Sync makes the registry hold what the folder holds now: new files are added, changed ones reloaded,
// missing ones removed. One bad file does not keep the others out; the error is about the folder
// itself. Turns that run are not disturbed.
func (f *Folder) Sync(ctx context.Context) (Changes, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, err := os.ReadDir(f.Dir)
	if err != nil {
		return Changes{}, fmt.Errorf("folder of guests: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), ".wasm") })
	var c Changes
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(f.Dir, name)
		file, err := runtime.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since the folder was read; the next Sync takes it out
		}
		if err == nil {
			err = f.load(ctx, path, name, file, &c)
		}
		if err != nil {
			if c.Failed == nil {
				c.Failed = map[string]error{}
			}
			c.Failed[name] = err
		}
	}
	for name, g := range f.loaded {
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
			continue
		}
		if err := g.guest.Remove(ctx); err != nil {
			return c, fmt.Errorf("remove guest %s: %w", name, err)
		}
		delete(f.loaded, name)
		c.Removed = append(c.Removed, name)
	}
	slices.Sort(c.Removed)
	return c, nil
}

func (f *Folder) load(ctx context.Context, path, name string, file []byte, c *Changes) error {
	sum := digest.Sum(file)
	known := f.loaded[name]
	if known != nil && known.guest.Runtime() == nil { // it was removed, and that may have been cut short
		if err := known.guest.Remove(ctx); err != nil {
			return err
		}
		delete(f.loaded, name)
		known = nil
	}
	if known != nil && known.digest == sum {
		return nil
	}
	var opts runtime.GuestOptions
	if f.Options != nil {
		opts = f.Options(name)
	}
	if opts.Source == "" {
		var err error
		if opts.Source, err = filepath.Abs(path); err != nil {
			return err
		}
	}
	g, err := f.Runtime.Load(ctx, name, file, opts)
	if err != nil {
		return err
	}
	if known != nil {
		err := known.guest.Reload(ctx, g)
		if known.guest.Runtime() != g {
			return err
		}
		known.digest = sum
		c.Reloaded = append(c.Reloaded, name)
		return err // that an earlier build is not closed yet
	}
	guest, err := f.Registry.AddGuest(g)
	if err != nil {
		return errors.Join(err, g.Close(ctx))
	}
	if f.loaded == nil {
		f.loaded = map[string]*folderGuest{}
	}
	f.loaded[name] = &folderGuest{guest, sum}
	c.Added = append(c.Added, name)
	return nil
}

// Close removes all guests of the folder.
func (f *Folder) Close(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, g := range f.loaded {
		if err := g.guest.Remove(ctx); err != nil {
			return fmt.Errorf("remove guest %s: %w", name, err)
		}
		delete(f.loaded, name)
	}
	return nil
}
