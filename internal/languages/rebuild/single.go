package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/languages"
	"github.com/pintle-wasm/pintle/runtime"
)

// A single is a guest that stands in one language. It is compared, and updated by a target of its own.
//
// testdata/guests/adapters-v1 is none: it is a build of a version that is gone, kept to be loaded.
type single struct {
	dir, update string
	compile     func(ctx context.Context, dir, out string) error // what guestbuild does not; nil: nothing
	checkedIn   func() ([]byte, error)
}

var singles = []single{
	{
		dir: filepath.Join(guests, "c"), update: "guests-c",
		compile:   clang,
		checkedIn: func() ([]byte, error) { return os.ReadFile(filepath.Join(guests, "c", "c.wasm")) },
	},
	{dir: filepath.Join("guests", "adapters"), update: "stock", checkedIn: stock.Adapters},
}

// clang compiles guest.c, as `make guests-c` does: it was written without an SDK.
func clang(ctx context.Context, dir, out string) error {
	cmd := exec.CommandContext(ctx, "clang", "--target=wasm32", "-nostdlib", "-Os", "-mbulk-memory", "-Wall", "-Wextra",
		"-Wl,--no-entry", "-Wl,-z,stack-size=16384", "-o", out, filepath.Join(dir, "guest.c"))
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func (o *single) rebuild(ctx context.Context, r *runtime.Runtime, tmp string) error {
	opts := guestbuild.Options{Dir: o.dir, Out: filepath.Join(tmp, filepath.Base(o.dir)+".wasm"), Stderr: os.Stderr}
	if o.compile != nil {
		opts.Module = filepath.Join(tmp, filepath.Base(o.dir)+".raw.wasm")
		if err := o.compile(ctx, o.dir, opts.Module); err != nil {
			return err
		}
	}
	out, _, err := guestbuild.Build(ctx, opts)
	if err != nil {
		return err
	}
	rebuilt, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	checkedIn, err := o.checkedIn()
	if err != nil {
		return err
	}
	seen, err := languages.Behaviour(ctx, r, filepath.Base(o.dir), o.dir, kit, rebuilt)
	if err != nil {
		return err
	}
	before, err := languages.Behaviour(ctx, r, filepath.Base(o.dir), o.dir, kit, checkedIn)
	if err != nil {
		return fmt.Errorf("the one that is checked in: %w", err)
	}
	var failed []error
	for _, d := range languages.Differences(before, seen) {
		failed = append(failed, errors.New(d))
	}
	if failed != nil {
		return errors.Join(append(failed, fmt.Errorf("if that is as it should be, `make %s` puts the rebuilt guest into the tree", o.update))...)
	}
	bytesToo := ""
	if bytes.Equal(rebuilt, checkedIn) {
		bytesToo = ", byte for byte the same"
	}
	fmt.Printf("ok    %s  %d KB, %d things observed%s\n", o.dir, len(rebuilt)/1000, len(seen), bytesToo)
	return nil
}
