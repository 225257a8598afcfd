package runtime

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// A Guest is one loaded guest.
type Guest struct {
	runtime   *Runtime
	artifact  *Artifact
	rewritten *wasmbin.Instrumented // of the code
	code      *sharedCode
	hasInit   bool
	readOnly  bool // nothing but the host's requests ever changes its memory
	limits    Limits
	config    map[string]string
	grant     Grant        // what covers it
	granted   capabilities // what it got
	logger    *slog.Logger

	image *image   // nil: every call needs an instance that was started anew
	fresh []string // why

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
	Session string // decides the instance of a guest with session state; "": one of its own, for this call alone
	Request []byte // CBOR
	// Shared, if set, is the end of the request, behind Request. Neither needs to be an item by itself.
	Shared *Shared
	// Check, if set, looks at the value of an answer before the call counts as a success, and so before the
	// answer is remembered. Its error makes a bad answer. It must not keep the value, which is in the guest's
	// memory. It is not called for nothing and for what is remembered.
	Check func(value []byte) error
	// PayloadBytes is the size of a payload that the request carries and the answer may carry back. It
	// raises the answer limit by as much, and fuel and time by what copying and scanning it may take.
	PayloadBytes int
}

// What a call may use on top of its limits for each MiB of payload, up to maxPayload.
const (
	timePerMiB = 200 * time.Millisecond
	fuelPerMiB = 200_000_000
	maxPayload = 64 << 20
)

// Call runs one operation and returns the answer's value, nil for nothing. The value is CBOR and
// belongs to the caller.
//
// Every error is an [*Error]. One of kind KindFailed wraps the [*abi.Failure] that the guest answered.
func (g *Guest) Call(ctx context.Context, c Call) ([]byte, error) { return g.AppendCall(ctx, nil, c) }

// AppendCall is Call for those who reuse memory: it appends the value to dst. If nothing was appended,
// the answer was nothing or there is an error.
func (g *Guest) AppendCall(ctx context.Context, dst []byte, c Call) ([]byte, error) {
	out := sink{bytes: dst}
	if err := g.do(ctx, c, &out); err != nil {
		return dst, err
	}
	return out.bytes, nil
}

// do makes a call, or knows its answer.
func (g *Guest) do(ctx context.Context, c Call, out *sink) error {
	if err := g.calls.join(); err != nil {
		return &Error{Kind: KindClosed, Guest: g.Name(), Func: c.Op, Reason: err.Error(), Err: err}
	}
	defer g.calls.leave()
	q, known, ok := g.lookUp(ctx, &c)
	if ok {
		out.recall(known)
		return nil
	}
	if err := g.health.check(g.Name(), c); err != nil {
		return err
	}
	err := g.answer(ctx, c, q, out)
	g.health.note(c, err)
	if err != nil {
		return err
	}
	return nil
}

func (g *Guest) answer(ctx context.Context, c Call, q question, out *sink) *Error {
	fuel, err := g.run(ctx, c, q, out)
	if u := usageOf(ctx); u != nil {
		u.Calls++
		u.Fuel += fuel
	}
	return err
}

// run lets an instance answer.
func (g *Guest) run(ctx context.Context, c Call, q question, out *sink) (fuel uint64, failed *Error) {
	l, err := g.lend(ctx, c.Session)
	if err != nil {
		return 0, g.public(ctx, c.Op, err)
	}
	defer g.giveBack(l)
	in := l.in
	kv := g.openKV(c.Session)
	defer kv.close()
	in.state.kv = kv
	payload := min(uint64(max(0, c.PayloadBytes)), maxPayload)
	in.state.begin(ctx, g.limits.Fuel+payload*fuelPerMiB>>20, g.limits.Time+time.Duration(payload)*timePerMiB>>20)
	answer, err := g.ask(in, c)
	in.state.kv = nil
	fuel, over := in.state.meter.end()
	if err == nil {
		err = over
	}
	if err != nil {
		failed := g.failure(ctx, in, c.Op, err)
		failed.Fuel = fuel
		return fuel, failed
	}
	in.state.logs.flush(ctx, g.logger, false)
	value, err := abi.DecodeAnswer(answer)
	if err == nil && value != nil && c.Check != nil {
		err = c.Check(value)
	}
	if err != nil {
		kind := KindBadAnswer
		if failure := (*abi.Failure)(nil); errors.As(err, &failure) {
			kind = KindFailed
		} else {
			in.broken = true
		}
		return fuel, &Error{Kind: kind, Guest: g.Name(), Func: c.Op, Reason: err.Error(), Fuel: fuel, Err: err}
	}
	kv.commit(ctx) // nothing of a call that failed is kept
	out.take(value)
	// How much memory the host has left to give is no part of the question.
	if in.state.denied == "" {
		q.answered(&c, value, out)
	}
	return fuel, nil
}

// ask runs the operation. The answer is valid until the instance is given back.
func (g *Guest) ask(in *instance, c Call) ([]byte, error) {
	if in.reseed {
		if err := in.drawAnew(); err != nil {
			return nil, err
		}
	}
	return in.run(c.Op, c.Request, c.Shared.Bytes(), g.limits.AnswerBytes+c.PayloadBytes)
}

// A loan is an instance that runs a call.
type loan struct {
	in   *instance
	slot *sessionSlot // nil for a guest without state, and for a call without a session
}

// lend returns an instance that is ready for a call.
func (g *Guest) lend(ctx context.Context, session string) (loan, error) {
	if g.sessions != nil && session == "" { // two turns without a session have nothing in common
		in, err := g.start(ctx)
		return loan{in: in}, err
	}
	if g.sessions != nil {
		slot, err := g.sessions.take(ctx, session)
		if err != nil {
			return loan{}, err
		}
		return loan{slot.in, slot}, nil
	}
	in, err := g.pool.take(ctx)
	if err == nil && in.ran {
		if err = g.putBack(in); err != nil {
			in.broken = true
			g.pool.put(in)
		}
	}
	return loan{in: in}, err
}

func (g *Guest) giveBack(l loan) {
	l.in.state.hold(g.bytes(uint64(l.in.memory.Size())))
	switch {
	case l.slot != nil:
		g.sessions.put(l.slot)
	case g.pool != nil:
		g.pool.put(l.in)
	default:
		l.in.close()
	}
}

// EndSession releases what the guest holds for a session. It waits for a call that runs in it; if the
// context ends first, the call's end releases it.
func (g *Guest) EndSession(ctx context.Context, session string) {
	g.runtime.memo.endSession(session, g)
	if g.sessions != nil {
		g.sessions.end(ctx, session)
	}
	if g.granted.kv {
		g.runtime.forgetKV(ctx, g.storeKey(session))
	}
}

// Hold keeps the guest open until Release is called as often as Hold answered true. It answers false if
// the guest is closed or closing. A turn holds the guests that it is going to call; its calls go
// through even if Close was called in between, and Close waits for them.
func (g *Guest) Hold() bool { return g.calls.enter() == nil }

// Release ends a Hold.
func (g *Guest) Release() { g.calls.exit() }

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
	if g.image != nil {
		g.runtime.budget.give(uint64(g.image.memory.bytes))
	}
	g.runtime.memo.endGuest(g)
	return g.runtime.codes.release(ctx, g.code)
}
