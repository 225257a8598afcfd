// Command rebuild builds the guests that are checked in, and compares what they do with what the ones in the tree
// do. Compilers of other versions write other bytes, so these may differ. It needs the toolchains. With -update it
// puts those in testdata/guests that are written in several languages into the tree instead.
//
// It runs in the root of the repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/languages"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

const (
	guests = "testdata/guests"
	kit    = "testdata/vectors"
)

func main() {
	update := flag.Bool("update", false, "put the guests into the tree")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *update); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, update bool) (err error) {
	tmp, err := os.MkdirTemp("", "pintle-guests-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	// Fuel ends what has no end, however slow the machine is.
	r := runtime.New(wazero.New(wazero.Config{CacheDir: filepath.Join(tmp, "cache")}),
		runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	defer func() { err = errors.Join(err, r.Close(context.WithoutCancel(ctx))) }()
	folders, err := filepath.Glob(filepath.Join(guests, "*", "*", guestbuild.ManifestFile))
	if err != nil || len(folders) == 0 {
		return errors.Join(err, fmt.Errorf("there are no guests in %s: run this in the root of the repository", guests))
	}
	var failed []error
	for _, path := range folders {
		g := &guest{dir: filepath.Dir(path), name: filepath.Base(filepath.Dir(filepath.Dir(path))), language: filepath.Base(filepath.Dir(path))}
		if err := g.rebuild(ctx, r, tmp, update); err != nil {
			fmt.Printf("FAIL  %s/%s\n", g.name, g.language)
			failed = append(failed, fmt.Errorf("%s: %w", g.dir, err))
		}
	}
	if update {
		return errors.Join(failed...)
	}
	for _, o := range singles {
		if err := o.rebuild(ctx, r, tmp); err != nil {
			fmt.Printf("FAIL  %s\n", o.dir)
			failed = append(failed, fmt.Errorf("%s: %w", o.dir, err))
		}
	}
	return errors.Join(failed...)
}

// A guest is one folder of testdata/guests.
type guest struct{ dir, name, language string }

func (g *guest) rebuild(ctx context.Context, r *runtime.Runtime, tmp string, update bool) error {
	start := time.Now()
	out, _, err := guestbuild.Build(ctx, guestbuild.Options{Dir: g.dir, Out: filepath.Join(tmp, g.name+"-"+g.language+".wasm"), Stderr: os.Stderr})
	if err != nil {
		return err
	}
	took := time.Since(start)
	file, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	seen, err := languages.Behaviour(ctx, r, g.name, g.dir, kit, file)
	if err != nil {
		return err
	}
	if update {
		err = languages.Write(guests, g.name, g.language, file)
	} else {
		err = g.compare(ctx, r, seen)
	}
	if err == nil {
		fmt.Printf("ok    %s/%s  %d KB  built in %.1f s, %d things observed\n", g.name, g.language, len(file)/1000, took.Seconds(), len(seen))
	}
	return err
}

func (g *guest) compare(ctx context.Context, r *runtime.Runtime, seen []languages.Observation) error {
	file, err := languages.Read(guests, g.name, g.language)
	if err != nil {
		return err
	}
	checkedIn, err := languages.Behaviour(ctx, r, g.name, g.dir, kit, file)
	if err != nil {
		return fmt.Errorf("the one that is checked in: %w", err)
	}
	var failed []error
	for _, d := range languages.Differences(checkedIn, seen) {
		failed = append(failed, errors.New(d))
	}
	if failed != nil {
		failed = append(failed, errors.New("if that is as it should be, `make guests-update` puts the rebuilt guests into the tree"))
	}
	return errors.Join(failed...)
}
