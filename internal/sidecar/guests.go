package sidecar

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/guestlist"
	"github.com/pintle-wasm/pintle/runtime"
)

// A loader loads guests and notes what became of them.
type loader struct {
	host   *host.Host
	grants runtime.Grants // nil: none
	result *initializeResult
}

// loadAll loads the stock adapters, so that others can take their place, then the guests of a folder and
// those of the settings. A file of the folder that the settings name is loaded as they say.
func (l *loader) loadAll(ctx context.Context, c *configuration, dir string) {
	if c.Adapters == nil || !c.Adapters.out {
		var opts runtime.GuestOptions
		if c.Adapters != nil {
			opts.Config = c.Adapters.values
		}
		file, err := stock.Adapters()
		if err == nil {
			err = l.load(ctx, stock.AdaptersName, file, opts)
		}
		if err != nil {
			l.problem(stock.AdaptersName, err)
		}
	}
	type guest struct {
		path   string
		config map[string]string
	}
	var named, all []guest
	for _, ref := range c.Guests {
		path, err := filepath.Abs(ref.File)
		if err != nil {
			path = ref.File
		}
		paths, _, err := guestlist.Files(path)
		if err != nil {
			l.problem(path, err)
		}
		for _, path := range paths {
			named = append(named, guest{path, ref.Config})
		}
	}
	found, folder, err := guestlist.Files(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.problem(dir, err)
	}
	for _, path := range found {
		if folder && !slices.ContainsFunc(named, func(g guest) bool { return g.path == path }) {
			all = append(all, guest{path: path})
		}
	}
	for _, g := range append(all, named...) {
		file, err := runtime.ReadFile(g.path)
		if err == nil {
			err = l.load(ctx, filepath.Base(g.path), file, runtime.GuestOptions{Config: g.config, Source: g.path})
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			l.problem(g.path, err)
		}
	}
}

func (l *loader) problem(where string, err error) {
	l.result.Problems = append(l.result.Problems, problem{where, err.Error()})
}

// decided tells whether the user has said what a guest is granted. That it was loaded means that it asks for
// nothing beyond that.
func (l *loader) decided(source, id string) bool {
	if l.grants == nil {
		return false
	}
	_, known, err := l.grants.Get(source, id)
	return known && err == nil
}

// grantable are those of the capabilities that somebody can grant. About others nobody can decide anything:
// that a guest goes without what this host does not know is in the answer, and is nobody's problem.
func grantable(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.Contains(runtime.Grantable(), name)
	})
}

func (l *loader) load(ctx context.Context, name string, file []byte, opts runtime.GuestOptions) error {
	entry, err := l.host.Load(ctx, name, file, opts)
	if err != nil {
		return err
	}
	g := entry.Runtime()
	m := g.Artifact().Manifest
	info := guestInfo{Name: g.Name(), Source: opts.Source, ID: m.ID, Version: m.Version, Digest: g.Artifact().Digest(),
		Contributions: []string{}, Adapters: []string{}, Withheld: []string{}}
	for _, c := range m.Contributions {
		info.Contributions = append(info.Contributions, c.ID)
	}
	for _, a := range m.Adapters {
		info.Adapters = append(info.Adapters, a.ID)
	}
	for _, c := range g.Withheld() {
		if !slices.Contains(info.Withheld, c.Name) {
			info.Withheld = append(info.Withheld, c.Name)
		}
	}
	if lacks := grantable(info.Withheld); len(lacks) > 0 && !l.decided(opts.Source, m.ID) {
		l.problem(opts.Source, errors.New("it asks for "+strings.Join(lacks, ", ")+
			", which it is not granted; `pintle grant` shows why, and grants it"))
	}
	if slices.ContainsFunc(l.result.Guests, func(other guestInfo) bool { return other.Name == info.Name }) {
		l.problem(opts.Source, errors.New(info.Name+" is loaded twice; the later one counts"))
	}
	l.result.Guests = append(l.result.Guests, info)
	return nil
}
