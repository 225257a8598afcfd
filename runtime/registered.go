package runtime

import (
	"context"
	"errors"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/digest"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// Registered evaluates the program of a guest in JavaScript once and returns what it registers, as the JSON
// that its bundle answers (ABI.md section 13). The file needs no manifest: `pintle build` writes the
// manifest from it. The program runs within the limits of a start and of the runtime, without
// configuration and capabilities.
//
// Every error is an [*Error]. Registered may be called concurrently; Close waits for it, and refuses it
// afterwards ([ErrClosed]).
func (r *Runtime) Registered(ctx context.Context, name string, file []byte) ([]byte, error) {
	refuse := func(err error) ([]byte, error) {
		return nil, &Error{Kind: KindRefused, Guest: name, Reason: err.Error(), Err: err}
	}
	module, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	if err != nil {
		return refuse(err)
	}
	script, err := scriptOf(module)
	if err == nil && script == nil {
		err = errors.New("the file is not a guest in JavaScript")
	}
	if err != nil {
		return refuse(err)
	}
	g := &Guest{runtime: r, limits: r.opts.Limits, logger: r.opts.Logger, artifact: &Artifact{
		Name: name, SHA256: digest.Sum(file), Size: len(file), module: module, script: script,
		Manifest: &abi.Manifest{ID: name}, // there may be none yet
	}}
	if err := fits(g.artifact, g.limits); err != nil {
		return nil, err
	}
	if r.opening.join() != nil {
		return nil, g.orphaned()
	}
	defer r.opening.leave()
	if err := g.compile(ctx); err != nil {
		return nil, err
	}
	defer func() { _ = r.codes.release(ctx, g.code) }()
	in, err := g.start(ctx)
	if err != nil {
		return nil, g.public(ctx, startName, err)
	}
	defer in.close()
	in.state.logs.flush(ctx, g.logger, false)
	text, err := in.script.Registered(g.limits.AnswerBytes)
	if err != nil {
		return nil, g.failure(ctx, in, startName, err)
	}
	return text, nil
}
