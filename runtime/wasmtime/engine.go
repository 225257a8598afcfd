//go:build wasmtime && cgo

package wasmtime

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"github.com/pintle-wasm/pintle/runtime"
)

// An Engine is the engine of package runtime on wasmtime. Its zero value is ready, and it is safe for
// concurrent use.
type Engine struct{}

// New returns an engine.
func New() *Engine { return &Engine{} }

var _ runtime.Engine = (*Engine)(nil)

// Name returns "wasmtime" and the version of the bindings.
func (e *Engine) Name() string { return "wasmtime " + version() }

const bindings = "github.com/bytecodealliance/wasmtime-go/v25"

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == bindings {
				return dep.Version
			}
		}
	}
	return "(unknown version)"
}

// Compile translates a module. It cannot be interrupted: the context is looked at before.
func (e *Engine) Compile(ctx context.Context, module []byte, host []runtime.HostFunc) (runtime.Code, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &code{engine: wasmtime.NewEngineWithConfig(config())}
	var err error
	if c.module, err = wasmtime.NewModule(c.engine, module); err == nil {
		err = c.link(host)
	}
	if err != nil {
		c.release()
		return nil, copied(err)
	}
	return c, nil
}

// Close has nothing to do: all resources belong to code.
func (e *Engine) Close(context.Context) error { return nil }

func config() *wasmtime.Config {
	c := wasmtime.NewConfig()
	c.SetWasmSIMD(true)
	c.SetWasmBulkMemory(true)
	c.SetWasmMultiValue(true)
	c.SetWasmReferenceTypes(true)
	c.SetWasmRelaxedSIMD(false)
	c.SetWasmThreads(false)
	c.SetWasmMultiMemory(false)
	c.SetWasmMemory64(false)
	c.SetMaxWasmStack(stackBytes())
	return c
}

// copied takes the text of an error of wasmtime's, on one line, and frees the error, which would
// otherwise live until a finalizer runs.
func copied(err error) error {
	foreign := (*wasmtime.Error)(nil)
	if !errors.As(err, &foreign) {
		return err
	}
	text := oneLine(foreign.Error())
	foreign.Close()
	return errors.New(text)
}
