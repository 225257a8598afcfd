// Package wazero runs guests on wazero, a WebAssembly runtime in pure Go.
package wazero

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// Config configures the engine. The zero value compiles every guest anew and warns nobody.
type Config struct {
	// CacheDir keeps compiled code between processes; empty: no cache. The directory is created with
	// permissions for its user alone. One that other users can write is not used, since it holds native
	// code; see [DefaultCacheDir]. Beyond 512 MiB, what was not used for longest is removed.
	CacheDir string
	// Logger receives a warning when the cache cannot be used. That is never an error.
	Logger *slog.Logger
}

// An Engine compiles guests with wazero. It implements [runtime.Engine].
type Engine struct {
	cache  *codeCache // nil: none
	logger *slog.Logger
	warned sync.Once
	slabs  slabs
}

// New returns an engine.
func New(config Config) *Engine {
	e := &Engine{logger: config.Logger}
	if e.logger == nil {
		e.logger = slog.New(slog.DiscardHandler)
	}
	if config.CacheDir == "" {
		return e
	}
	cache, err := openCache(config.CacheDir)
	if err != nil {
		e.warn(config.CacheDir, err)
		return e
	}
	e.cache = cache
	return e
}

// warn reports once per engine that code is not cached: the reason is nearly always the same for every
// guest.
func (e *Engine) warn(dir string, err error) {
	e.warned.Do(func() {
		e.logger.Warn("compiled code is not cached, starting will be slower", "dir", dir, "reason", err)
	})
}

// Name returns "wazero" and the version that this program was built with.
func (e *Engine) Name() string { return "wazero " + version() }

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == "github.com/tetratelabs/wazero" {
				if dep.Replace != nil {
					dep = dep.Replace
				}
				return dep.Version
			}
		}
	}
	return "(unknown version)"
}

// Compile translates a module. Each module has a wazero runtime of its own, so that closing the code
// releases all of it, and a cache entry of its own, so that a damaged one is found before wazero reads
// it.
func (e *Engine) Compile(ctx context.Context, module []byte, host []runtime.HostFunc) (runtime.Code, error) {
	if e.cache != nil {
		entry, err := e.cache.open(module)
		if err == nil {
			var code *code
			if code, err = e.compile(ctx, module, host, entry.cache); err == nil {
				added, err := entry.seal()
				if err != nil {
					e.warn(e.cache.dir, err)
				}
				if added {
					e.cache.prune(maxCacheBytes, time.Now())
				}
				return code, nil
			}
			entry.discard(ctx)
		}
		// Either the cache or the module is at fault; compiling without the cache tells which.
		code, plain := e.compile(ctx, module, host, nil)
		if plain != nil {
			return nil, plain
		}
		e.warn(e.cache.dir, err)
		return code, nil
	}
	return asCode(e.compile(ctx, module, host, nil))
}

// asCode keeps a nil *code from becoming a non-nil interface.
func asCode(c *code, err error) (runtime.Code, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Close has nothing to do: all resources but idle memory belong to code.
func (e *Engine) Close(context.Context) error { return nil }

func (e *Engine) compile(ctx context.Context, module []byte, host []runtime.HostFunc, cache wazero.CompilationCache) (_ *code, err error) {
	// A guest is stopped by the code that was added to it. wazero's own way costs several times the speed
	// and does not stop every guest.
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2).
		WithDebugInfoEnabled(true)
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	c := &code{engine: e, runtime: wazero.NewRuntimeWithConfig(ctx, config), cache: cache}
	defer func() { // a bug of the compiler costs the guest that shows it, not the process
		if v := recover(); v != nil {
			err = errors.Join(fmt.Errorf("the compiler panicked: %v", v), c.runtime.Close(ctx))
		}
	}()
	err = c.host(ctx, host)
	if err == nil {
		c.module, err = c.runtime.CompileModule(ctx, module)
	}
	if err != nil {
		_ = c.runtime.Close(ctx)
		return nil, err
	}
	return c, nil
}

// host makes the host modules that the guest imports.
func (c *code) host(ctx context.Context, funcs []runtime.HostFunc) error {
	builders := map[string]wazero.HostModuleBuilder{}
	var order []string
	for _, f := range funcs {
		b, ok := builders[f.Module]
		if !ok {
			b = c.runtime.NewHostModuleBuilder(f.Module)
			builders[f.Module] = b
			order = append(order, f.Module)
		}
		b.NewFunctionBuilder().
			WithGoModuleFunction(hostFunction(f), valueTypes(f.Type.Params), valueTypes(f.Type.Results)).
			WithName(f.Name).
			Export(f.Name)
	}
	for _, name := range order {
		if _, err := builders[name].Instantiate(ctx); err != nil {
			return fmt.Errorf("host module %s: %w", name, err)
		}
	}
	return nil
}

func hostFunction(f runtime.HostFunc) api.GoModuleFunc {
	return func(ctx context.Context, _ api.Module, stack []uint64) {
		call := ctx.(*callContext)
		if err := f.Call(call.state, call.memory, stack); err != nil {
			panic(&hostError{err}) // the engine turns a panic into a trap; there is no other way out
		}
	}
}

// A hostError carries a host function's error through the engine.
type hostError struct{ err error }

func (e *hostError) Error() string { return e.err.Error() }
func (e *hostError) Unwrap() error { return e.err }

func valueTypes(ts []wasmbin.ValueType) []api.ValueType {
	out := make([]api.ValueType, len(ts))
	for i, t := range ts {
		out[i] = api.ValueType(t)
	}
	return out
}
