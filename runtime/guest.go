package runtime

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pintle-wasm/pintle/abi"
)

// A Guest is one loaded guest.
type Guest struct {
	runtime  *Runtime
	artifact *Artifact
	code     Code
	hasInit  bool
	limits   Limits
	config   map[string]string
	logger   *slog.Logger

	calls    gate
	health   quarantine
	pool     *pool     // guests without state
	sessions *sessions // guests with session state
}

// Name returns id@version.
func (g *Guest) Name() string { return g.artifact.Title() }

// Artifact returns what was read from the guest's file.
func (g *Guest) Artifact() *Artifact { return g.artifact }

// Limits returns what the guest was granted.
func (g *Guest) Limits() Limits { return g.limits }

// A Call is one operation of a guest.
type Call struct {
	Op      string // exported function, for example abi.RenderV1
	Offer   string // id of the contribution or adapter that is called; failures are counted for each
	Session string // decides the instance of a guest with session state
	Request []byte // CBOR
	// PayloadBytes is the size of a payload that the request carries and the answer may carry back. It
	// raises the answer limit by as much, and the time by what copying and scanning it may take.
	PayloadBytes int
}

// timePerMiB is added to the time of a call for each MiB of payload.
const timePerMiB = 200 * time.Millisecond

// Call runs one operation and returns the answer's value, nil for nothing. The value is CBOR and
// belongs to the caller.
//
// Every error is an [*Error]. One of kind KindFailed wraps the [*abi.Failure] that the guest answered.
func (g *Guest) Call(ctx context.Context, c Call) ([]byte, error) {
	if err := g.calls.join(); err != nil {
		return nil, &Error{Kind: KindClosed, Guest: g.Name(), Func: c.Op, Reason: err.Error(), Err: err}
	}
	defer g.calls.leave()
	if err := g.health.check(g.Name(), c); err != nil {
		return nil, err
	}
	value, err := g.answer(ctx, c)
	if err != nil {
		g.health.note(c, err)
		return nil, err
	}
	g.health.note(c, nil)
	return value, nil
}

func (g *Guest) answer(ctx context.Context, c Call) ([]byte, *Error) {
	var answer []byte
	err := g.withInstance(ctx, c.Session, func(in *instance) (err error) {
		answer, err = g.call(ctx, in, c)
		return err
	})
	if err != nil {
		return nil, g.public(ctx, c.Op, err)
	}
	value, err := abi.DecodeAnswer(answer)
	if err != nil {
		kind := KindBadAnswer
		if failure := (*abi.Failure)(nil); errors.As(err, &failure) {
			kind = KindFailed
		}
		return nil, &Error{Kind: kind, Guest: g.Name(), Func: c.Op, Reason: err.Error(), Err: err}
	}
	return value, nil
}

func (g *Guest) call(ctx context.Context, in *instance, c Call) ([]byte, error) {
	limit := g.limits.Time + time.Duration(float64(timePerMiB)*float64(c.PayloadBytes)/(1<<20))
	ctx, cancel := withLimit(ctx, limit)
	defer cancel()
	answer, err := in.run(ctx, c.Op, c.Request, g.limits.AnswerBytes+c.PayloadBytes)
	if err != nil {
		return nil, g.failure(ctx, in, c.Op, err)
	}
	in.state.logs.flush(ctx, g.logger, false)
	in.broken = ctx.Err() != nil // the engine may have been about to stop it
	return answer, nil
}

func (g *Guest) withInstance(ctx context.Context, session string, f func(*instance) error) error {
	if g.sessions != nil {
		return g.sessions.do(ctx, session, f)
	}
	in, err := g.pool.take(ctx)
	if err != nil {
		return err
	}
	defer g.pool.put(in)
	return f(in)
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

// EndSession releases what the guest holds for a session. It waits for a call that runs in it; if the
// context ends first, the call's end releases it.
func (g *Guest) EndSession(ctx context.Context, session string) {
	if g.sessions != nil {
		g.sessions.end(ctx, session)
	}
}

// Hold keeps the guest open until Release is called as often as Hold answered true. It answers false if
// the guest is closed or closing. A turn holds the guests that it is going to call; its calls go
// through even if Close was called in between, and Close waits for them.
func (g *Guest) Hold() bool { return g.calls.enter() == nil }

// Release ends a Hold.
func (g *Guest) Release() { g.calls.leave() }

// Close refuses new calls, waits for the calls in flight and for holds, and releases everything. If the
// context ends first its error is returned and Close can be called again. Closing twice is harmless.
func (g *Guest) Close(ctx context.Context) error {
	if err := g.calls.close(ctx); err != nil {
		return err
	}
	return g.runtime.forget(ctx, g)
}

func (g *Guest) release(ctx context.Context) error {
	if g.pool != nil {
		g.pool.close()
	}
	if g.sessions != nil {
		g.sessions.close(ctx)
	}
	return g.code.Close(ctx)
}
