package hostile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

func closeScenarios() map[string]scenario {
	return map[string]scenario{
		"close-during-call":   closeDuringCall,
		"reload-during-calls": reloadDuringCalls,
		"caller-gives-up":     callerGivesUp,
		"call-flood":          callFlood,
	}
}

// endless is a guest that loops for good when it is attacked.
func endless(id string, state abi.State) []byte {
	m := (&Entry{Name: id}).Manifest()
	m.State = state
	return attacking(wasmtest.Module{}, m, forever())
}

func isKind(err error, kinds ...runtime.Kind) bool {
	e := (*runtime.Error)(nil)
	if !errors.As(err, &e) {
		return false
	}
	for _, k := range kinds {
		if e.Kind == k {
			return true
		}
	}
	return false
}

var longRequest = append([]byte{0xa1, 0x62, 'i', 'd', 0x79, 0x04, 0x00}, make([]byte, 1024)...)

// closeDuringCall closes a guest in whose only call nothing but time helps. Close waits for the call.
func closeDuringCall(ctx context.Context, engine EngineMaker) error {
	for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
		r := runtime.New(engine(), runtime.Options{Limits: runtime.Limits{Fuel: 1 << 50, Time: 300 * time.Millisecond}})
		g, err := r.Load(ctx, "g", endless("g", state), runtime.GuestOptions{})
		if err != nil {
			return err
		}
		ended := make(chan error, 1)
		go func() {
			_, err := g.Call(ctx, runtime.Call{Op: abi.RenderV1, Session: "s", Request: longRequest})
			ended <- err
		}()
		time.Sleep(50 * time.Millisecond)
		hurry, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		err = g.Close(hurry)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("state %s: Close in a hurry: %v", state, err)
		}
		if err := g.Close(ctx); err != nil {
			return fmt.Errorf("state %s: Close: %w", state, err)
		}
		select {
		case err := <-ended:
			if !isKind(err, runtime.KindTimeout) {
				return fmt.Errorf("state %s: the call under which it was closed ended with %v", state, err)
			}
		case <-time.After(time.Second): // it has let go of the guest and has only to return
			return fmt.Errorf("state %s: Close did not wait for the call", state)
		}
		if _, err := g.Call(ctx, runtime.Call{Op: abi.RenderV1, Session: "s", Request: longRequest}); !isKind(err, runtime.KindClosed) {
			return fmt.Errorf("state %s: a call behind Close ended with %v", state, err)
		}
		if err := r.Close(ctx); err != nil {
			return err
		}
	}
	return nil
}

// reloadDuringCalls puts builds into each other's place while turns run.
func reloadDuringCalls(ctx context.Context, engine EngineMaker) error {
	return errors.Join(reloads(ctx, engine, abi.StateNone), reloads(ctx, engine, abi.StateSession))
}

func reloads(ctx context.Context, engine EngineMaker, state abi.State) error {
	h := host.Open(host.Options{Engine: engine(), Limits: runtime.Limits{Fuel: 1_000_000}, Remember: runtime.Remember{SessionBytes: -1}})
	entry, err := h.Load(ctx, "g", endless("g", state), runtime.GuestOptions{})
	if err != nil {
		return err
	}
	var turns sync.WaitGroup
	faults := make(chan error, 8)
	stop := make(chan struct{})
	for i := range 4 {
		turns.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				prompt := attackPrompt[:len(attackPrompt)*(n%2)]
				e, err := h.Session(fmt.Sprint(i)).Capture(ctx, envelope.Request{CWD: "/", Prompt: &prompt})
				if err != nil {
					faults <- err
					return
				}
				for _, o := range e.Report.Contributions {
					if o.Err != nil && !isKind(o.Err, runtime.KindFuel, runtime.KindQuarantined) {
						faults <- o.Err
						return
					}
				}
			}
		})
	}
	for n := range 20 {
		if err = h.Reload(ctx, entry, "g", endless("g", state), runtime.GuestOptions{}); err != nil {
			break
		}
		h.Session(fmt.Sprint(n % 4)).End(ctx)
	}
	if err == nil {
		err = entry.Remove(ctx)
	}
	close(stop)
	turns.Wait()
	select {
	case fault := <-faults:
		err = errors.Join(err, fmt.Errorf("in a turn: %w", fault))
	default:
	}
	return errors.Join(err, h.Close(ctx))
}

// callerGivesUp ends a call from outside. The guest is not to blame, and it ends at once.
func callerGivesUp(ctx context.Context, engine EngineMaker) error {
	const patience = 100 * time.Millisecond
	r := runtime.New(engine(), runtime.Options{Limits: runtime.Limits{Fuel: 1 << 50, Time: time.Minute}})
	g, err := r.Load(ctx, "g", endless("g", abi.StateNone), runtime.GuestOptions{})
	if err != nil {
		return err
	}
	for range 5 { // three failures would bring it into quarantine
		var late time.Duration
		for range tries {
			short, cancel := context.WithTimeout(ctx, patience)
			start := time.Now()
			_, err := g.Call(short, runtime.Call{Op: abi.RenderV1, Request: longRequest})
			cancel()
			if !isKind(err, runtime.KindCanceled) {
				return fmt.Errorf("it ended with %v", err)
			}
			if late = time.Since(start); late < 2*patience+Floor {
				break
			}
		}
		if late > 2*patience+Floor {
			return fmt.Errorf("it ended after %s, the caller gave up after %s", late, patience)
		}
	}
	return r.Close(ctx)
}

// callFlood makes more calls at the same time than anything can run. Each of them ends.
func callFlood(ctx context.Context, engine EngineMaker) error {
	for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
		r := runtime.New(engine(), runtime.Options{Limits: runtime.Limits{Fuel: 200_000}, MemoryBudget: 16 << 20})
		g, err := r.Load(ctx, "g", endless("g", state), runtime.GuestOptions{})
		if err != nil {
			return err
		}
		var calls sync.WaitGroup
		faults := make(chan error, 1000)
		for i := range cap(faults) {
			calls.Go(func() {
				call := runtime.Call{Op: abi.RenderV1, Offer: fmt.Sprint(i), Session: fmt.Sprint(i % 100), Request: longRequest}
				_, err := g.Call(ctx, call)
				// What waits too long or finds no room for its session is refused.
				if !isKind(err, runtime.KindFuel, runtime.KindRefused) {
					faults <- err
				}
			})
		}
		calls.Wait()
		select {
		case err := <-faults:
			return fmt.Errorf("state %s: a call ended with %v", state, err)
		default:
		}
		if err := r.Close(ctx); err != nil {
			return err
		}
	}
	return nil
}
