package runtime

import (
	"context"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// start makes an instance that is ready for a call: from the image if there is one, else by running the
// guest's initialiser.
func (g *Guest) start(ctx context.Context) (*instance, error) {
	in, err := g.open(ctx)
	if err != nil {
		return nil, err
	}
	if g.image == nil {
		err = g.initialise(ctx, in)
	} else if err = g.putBack(in); err != nil {
		err = g.failure(ctx, in, startName, err)
	}
	if err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// open makes an instance in which nothing has run.
func (g *Guest) open(ctx context.Context) (*instance, error) {
	size := g.artifact.initialBytes()
	if g.image != nil {
		size = uint64(g.image.memory.size)
	}
	if err := g.runtime.budget.wait(ctx, g.bytes(size), g.limits.Time); err != nil {
		return nil, err
	}
	in := &instance{state: newHostState(g.artifact.SHA256, g.config, g.granted, g.limits.LogBytes)}
	s := in.state
	s.budget, s.memoryBytes, s.held = g.runtime.budget, g.limits.MemoryBytes, g.bytes(size)
	s.memoryBytes = min(s.memoryBytes, g.artifact.mostBytes())
	if in.program = g.artifact.script; in.program != nil {
		s.reserve(max(spareTime, g.runtime.opts.Limits.Time/4))
	}
	_, limit := g.startLimits()
	s.meter.watch(ctx, limit)
	var err error
	in.engine, err = g.code.code.Instantiate(ctx, InstanceOptions{
		MemoryBytes: g.limits.MemoryBytes, InitialBytes: size, State: s})
	if err != nil {
		s.hold(0)
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, g.failure(ctx, in, startName, err)
	}
	if err := in.bind(); err != nil {
		in.close()
		return nil, g.failure(ctx, in, startName, err)
	}
	return in, nil
}

// startLimits returns what a start may use. Where every call has a start of its own, it is bounded by what
// the host meant a call to cost.
func (g *Guest) startLimits() (fuel uint64, limit time.Duration) {
	fuel, limit = startFuel, max(startTime, g.runtime.opts.Limits.Time)
	if len(g.fresh) > 0 {
		fuel, limit = min(fuel, startsPerCall*min(g.limits.Fuel, fuel)), min(limit, startsPerCall*min(g.limits.Time, limit))
	}
	return fuel, limit
}

// initialise runs the module's start function and its initialiser, on a budget of their own.
func (g *Guest) initialise(ctx context.Context, in *instance) error {
	fuel, limit := g.startLimits()
	in.state.begin(ctx, fuel, limit)
	if g.artifact.script != nil {
		return g.startScript(ctx, in)
	}
	if g.rewritten.Start {
		if _, err := in.call(wasmbin.StartExport); err != nil {
			return g.failure(ctx, in, startName, err)
		}
	}
	if g.hasInit {
		if _, err := in.call(abi.InitExport); err != nil {
			return g.failure(ctx, in, abi.InitExport, err)
		}
	}
	in.ran = false
	return nil
}
