package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs"
	"github.com/pintle-wasm/pintle/internal/wasi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// What can be wrong with the request buffer or the answer of a run that returned. failure turns them into an
// [Error].
type (
	badAnswer struct{ reason string }
	tooLarge  struct {
		got   uint32
		limit int
	}
	noMemory struct{ size int }
)

func (e *badAnswer) Error() string { return e.reason }

func (e *tooLarge) Error() string {
	return fmt.Sprintf("the answer has %d bytes, at most %d are allowed", e.got, e.limit)
}

func (e *noMemory) Error() string {
	return fmt.Sprintf("the guest has no memory for a request of %d bytes", e.size)
}

// startName stands for the making of an instance where a function is named.
const startName = "start"

// failure makes the public error of a run that went wrong and marks the instance as broken. The guest's
// own words go before the engine's. ctx is the one that the run was given.
func (g *Guest) failure(ctx context.Context, in *instance, function string, err error) *Error {
	in.broken = true
	said := in.state.logs.flush(ctx, g.logger, true)
	e := &Error{Kind: KindTrap, Guest: g.Name(), Func: function, Reason: err.Error(), Err: err}
	var (
		trap  *Trap
		bad   *badAnswer
		large *tooLarge
		short *noMemory
		late  *outOfTime
		spent *outOfFuel
		exit  *wasi.ExitError
	)
	if errors.As(err, &trap) {
		e.Trace = trap.Trace
		// Memory that does not grow because the time is over sends the guest somewhere where it may trap before
		// it is stopped.
		if trap.Err == nil && in.state.over != nil {
			err = in.state.over
			e.Reason, e.Err = err.Error(), err
		}
	}
	whole := false
	if g.artifact.script != nil {
		whole = g.scriptFailure(e, err)
	}
	starting := ""
	if function == startName || function == abi.InitExport {
		starting = " while it started"
		if len(g.fresh) > 0 {
			starting += fmt.Sprintf("; its instances start anew each time (%s), so a start may use at most %d times what a call may",
				g.fresh[0], startsPerCall)
		}
	}
	switch {
	case errors.As(err, &bad):
		e.Kind = KindBadAnswer
	case errors.As(err, &large):
		e.Kind = KindAnswerTooLarge
	case errors.As(err, &short):
		e.Kind = KindMemory
	case errors.Is(err, errGuestPanic):
		e.Reason = "panic: " + in.state.reason
	case errors.As(err, &late):
		e.Kind, e.Reason = KindTimeout, late.Error()+starting
	case errors.As(err, &spent):
		e.Kind, e.Reason = KindFuel, spent.Error()+starting
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))):
		return canceled(ctx, g.Name(), function)
	case errors.Is(err, errStackFull):
		e.Reason = errStackFull.Error()
	case said != "":
		e.Reason = said
	case errors.As(err, &exit):
		e.Reason = exit.Error()
	case trap != nil && trap.Reason == outOfBounds && g.stackFull(in):
		e.Reason = "stack overflow: the stack in its memory is full: " + e.Reason
	}
	if greedy := (*greed)(nil); errors.As(err, &greedy) {
		e.Kind, e.Reason = KindMemory, greedy.Error()
	}
	if denied := in.state.denied; denied != "" && e.Kind == KindTrap {
		e.Kind = KindMemory
		if in.state.refused > 0 { // it was within its rights: the host had no more
			e.Kind = KindRefused
		}
		if e.Reason == quickjs.Null { // there was no memory for an error
			e.Reason = denied
		} else {
			e.Reason = denied + ": " + e.Reason
		}
	}
	if in.script != nil && !whole && in.script.Failed() != "" {
		e.Reason += " (" + in.script.Failed() + ")"
	}
	return e
}

// outOfBounds is what engines say of an access outside of memory.
const outOfBounds = "out of bounds memory access"

// redZone is how far below the pointer of its stack a function that calls none may write.
const redZone = 128

// stackFull tells whether the stack in an instance's memory has come to its lower end. Compilers of C and Rust put
// it at address 0, in front of all data, so that its overflow is an access outside of memory.
func (g *Guest) stackFull(in *instance) bool {
	if in.engine == nil { // it could not even be made: data of the module lies outside of memory
		return false
	}
	pointer := g.artifact.module.StackPointer()
	for _, saved := range g.rewritten.Globals {
		if int(saved.Index) == pointer && saved.Type == wasmbin.I32 {
			global := in.engine.Global(saved.Export)
			return global != nil && int32(global.Get()) < redZone
		}
	}
	return false
}

// public makes an Error of the few things that go wrong outside a run.
func (g *Guest) public(ctx context.Context, op string, err error) *Error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	if ctx.Err() != nil {
		return canceled(ctx, g.Name(), op)
	}
	return &Error{Kind: KindRefused, Guest: g.Name(), Func: op, Reason: err.Error(), Err: err}
}
