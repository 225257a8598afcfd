package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasi"
)

// An instance is one running copy of a guest with the host's state for it. It runs one call at a time.
type instance struct {
	engine Instance
	state  *HostState
	broken bool // it trapped or was stopped; it is never called again

	// The request buffer, owned by the host until the guest is asked for another.
	buffer, capacity uint32
}

// start makes an instance and runs the guest's initialiser.
func (g *Guest) start(ctx context.Context) (*instance, error) {
	ctx, cancel := withLimit(ctx, startTime)
	defer cancel()
	in := &instance{state: newHostState(g.artifact.SHA256, g.config, g.limits.LogBytes)}
	var err error
	in.engine, err = g.code.Instantiate(ctx, InstanceOptions{MemoryBytes: g.limits.MemoryBytes, State: in.state})
	if err != nil {
		return nil, g.failure(ctx, in, "start", err)
	}
	if g.hasInit {
		if _, err := in.engine.Call(ctx, abi.InitExport); err != nil {
			err = g.failure(ctx, in, abi.InitExport, err)
			in.close(ctx)
			return nil, err
		}
	}
	return in, nil
}

func (in *instance) close(ctx context.Context) {
	_ = in.engine.Close(context.WithoutCancel(ctx)) // closing code that does not run cannot fail usefully
}

// run performs one operation: request in, answer out. The answer is a copy.
func (in *instance) run(ctx context.Context, op string, request []byte, answerBytes int) ([]byte, error) {
	if len(request) > int(in.capacity) || in.capacity == 0 {
		if err := in.grow(ctx, len(request)); err != nil {
			return nil, err
		}
	}
	if !in.engine.Memory().Write(in.buffer, request) {
		return nil, &badAnswer{fmt.Sprintf("the request buffer at %d with %d bytes is outside memory", in.buffer, len(request))}
	}
	packed, err := in.engine.Call(ctx, op, uint64(in.buffer), uint64(len(request)))
	if err != nil {
		return nil, err
	}
	if packed == 0 {
		return nil, &badAnswer{"it returned 0 where an answer was due"}
	}
	at, n := uint32(packed>>32), uint32(packed)
	if uint64(n) > uint64(answerBytes) {
		return nil, &tooLarge{n, answerBytes}
	}
	view, ok := in.engine.Memory().Read(at, n)
	if !ok {
		return nil, &badAnswer{fmt.Sprintf("its answer at %d with %d bytes is outside memory", at, n)}
	}
	return append(make([]byte, 0, n), view...), nil
}

func (in *instance) grow(ctx context.Context, size int) error {
	at, err := in.engine.Call(ctx, abi.AllocExport, uint64(size))
	if err != nil {
		return err
	}
	if uint32(at) == 0 {
		return &noMemory{size}
	}
	in.buffer, in.capacity = uint32(at), uint32(size)
	return nil
}

// What an answer can be wrong in; failure turns them into errors of the public kind.
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
		exit  *wasi.ExitError
	)
	if errors.As(err, &trap) {
		e.Trace = trap.Trace
	}
	denied := in.engine != nil && in.engine.MemoryDenied()
	switch {
	case errors.As(err, &bad):
		e.Kind = KindBadAnswer
	case errors.As(err, &large):
		e.Kind = KindAnswerTooLarge
	case errors.As(err, &short):
		e.Kind = KindMemory
	case errors.Is(err, errGuestPanic):
		e.Reason = "panic: " + in.state.reason
	case ended(err) && errors.As(context.Cause(ctx), &late):
		e.Kind, e.Reason = KindTimeout, "it did not return within "+late.limit.String()
		if function == "start" || function == abi.InitExport {
			e.Reason += " of starting"
		}
	case ended(err):
		return canceled(ctx, g.Name(), function)
	case said != "":
		e.Reason = said
	case errors.As(err, &exit):
		e.Reason = exit.Error()
	}
	if denied && e.Kind == KindTrap {
		e.Kind = KindMemory
		e.Reason = fmt.Sprintf("it wanted more than its %d KiB of memory: %s", g.limits.MemoryBytes>>10, e.Reason)
	}
	return e
}

// ended reports whether a run was stopped because its context ended.
func ended(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
