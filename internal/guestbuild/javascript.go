package guestbuild

import (
	"context"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/quickjs/engine"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// TypeScript and JavaScript are one language to build, with two names for people. Nothing but this command
// is needed for either.
var (
	typescript = &language{
		name:  "typescript",
		finds: func(dir string) bool { entry, _ := jsbundle.Entry(dir); return jsbundle.TypeScript(entry) },
		build: javascriptModule,
	}
	javascript = &language{
		name: "javascript",
		// A folder with a package.json that leads nowhere is one too: the error says what is missing.
		finds: func(dir string) bool {
			entry, err := jsbundle.Entry(dir)
			return err != nil || entry != "" || has(dir, "package.json")
		},
		build: javascriptModule,
	}
)

// javascriptModule bundles the sources, evaluates the bundle once to learn what it registers, and puts both
// the manifest and the bundle into the engine's module.
func javascriptModule(ctx context.Context, j *job) ([]byte, error) {
	entry, err := jsbundle.Entry(j.dir)
	if err == nil && entry == "" {
		err = fmt.Errorf("%s has a package.json, but nothing to begin with: write index.ts or src/index.ts", j.dir)
	}
	if err != nil {
		return nil, &InputError{err}
	}
	script, err := jsbundle.Bundle(j.dir, entry, j.toml.needs())
	if err != nil {
		return nil, err
	}
	for _, w := range script.Warnings {
		j.warn(w)
	}
	section, err := abi.EncodeBundle(&abi.Bundle{Code: script.Code, Map: script.Map})
	if err != nil {
		return nil, err
	}
	parsed, err := wasmbin.Parse(bareEngine(), wasmbin.DefaultLimits())
	if err != nil {
		return nil, err
	}
	file := parsed.WithCustomFirst(abi.BundleSection, section)
	said, err := evaluate(ctx, j.dir, file)
	if err != nil {
		return nil, err
	}
	manifest, err := j.toml.merged(said)
	if err != nil {
		return nil, &InputError{err}
	}
	return Attach(file, manifest)
}

// bareEngine is the engine's module without its own custom sections, which no guest needs.
func bareEngine() []byte {
	file := engine.Module()
	parsed, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	if err != nil {
		return file // Parse says so again
	}
	out := file[:parsed.Sections[0].Start:parsed.Sections[0].Start]
	for _, s := range parsed.Sections {
		if !s.Custom() {
			out = append(out, file[s.Start:s.End]...)
		}
	}
	return out
}

// evaluate runs a bundle once and returns what it registered.
func evaluate(ctx context.Context, name string, file []byte) (said []byte, err error) {
	cache, _ := wazero.DefaultCacheDir() // without one the engine is compiled each time
	r := runtime.New(wazero.New(wazero.Config{CacheDir: cache}), runtime.Options{})
	defer func() { err = errors.Join(err, r.Close(context.WithoutCancel(ctx))) }()
	// until the runtime has it
	with, ok := any(r).(interface {
		Registered(context.Context, string, []byte) ([]byte, error)
	})
	if !ok {
		return nil, errors.New("this build cannot evaluate JavaScript yet")
	}
	return with.Registered(ctx, name, file)
}
