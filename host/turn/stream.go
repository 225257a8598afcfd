package turn

import (
	"context"
	"fmt"
	"iter"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
)

// maxReroutes bounds how often one call may change its route.
const maxReroutes = 16

// A Stream is one call of a provider. Its methods are for one goroutine.
type Stream struct {
	ctx      context.Context
	req      *Request
	provider Provider
	// failure is why there is no provider to call.
	failure error
}

// Stream dispatches a request: it asks the listeners, finds the provider and removes the replay state
// that this provider does not own (the replay-state protocol, section "Step one: ownership, in the
// runtime"), which is reported. The provider is called when the chunks are asked for. The error is that of
// a listener; everything else that goes wrong is told by the stream's finish.
func (r *Router) Stream(ctx context.Context, req *Request) (*Stream, error) {
	return r.dispatch(ctx, req, replay.Reader{Reference: r.Reference, OnReport: r.report})
}

// dispatch gives the provider a reader that is like the one given, on the route in the end.
func (r *Router) dispatch(ctx context.Context, req *Request, reader replay.Reader) (*Stream, error) {
	s := &Stream{ctx: ctx, req: req}
	if err := r.reroute(s); err != nil || s.failure != nil {
		return s, err
	}
	name := s.req.Route.Provider
	p, owned := r.lookup(name)
	if p == nil {
		s.failure = &message.Failure{
			Message: fmt.Sprintf("no adapter is registered for provider %q", name), Code: NoAdapter,
		}
		return s, nil
	}
	s.provider = p
	own := *s.req
	own.reader = reader
	own.Messages = own.Reader().Own(own.Messages, owned)
	s.req = &own
	return s, nil
}

func (r *Router) reroute(s *Stream) error {
	for changes := 0; ; {
		route := s.req.Route
		for _, listen := range r.Listeners {
			var err error
			if route, err = listen(s.ctx, s.req); err != nil {
				return fmt.Errorf("dispatch to %s: %w", s.req.Route, err)
			}
			if route != s.req.Route {
				break
			}
		}
		if route == s.req.Route {
			return nil
		}
		if changes++; changes > maxReroutes {
			s.failure = &message.Failure{
				Message: fmt.Sprintf("the call was rerouted more than %d times, the last time from %s to %s",
					maxReroutes, s.req.Route, route),
				Code: RerouteLimit,
			}
			return nil
		}
		next := *s.req // somebody has seen the request, so it stays as it is
		next.Route = route
		s.req = &next
	}
}

// Route is the route that serves the call, after all rerouting.
func (s *Stream) Route() message.Route { return s.req.Route }

// Chunks makes the call and yields the chunks of the answer. They are passed on as the provider sends
// them, also behind a finish. If there is no provider, or the provider returns an error or panics, the
// last chunk is a finish that tells so: of kind Aborted if ctx is done or the failure's code is
// Cancelled, else Failed. A failure that the provider has told with a finish itself is not told twice.
// A panic of whoever takes the chunks passes through.
//
// Each use of the sequence is one more call.
func (s *Stream) Chunks() iter.Seq[message.Chunk] {
	return func(yield func(message.Chunk) bool) {
		failure, wanted := s.failure, true
		if failure == nil {
			failure, wanted = s.attempt(yield)
		}
		if failure == nil || !wanted {
			return
		}
		facts := attemptFailure(s.ctx, failure)
		kind := message.Failed
		if s.ctx.Err() != nil || facts.Code == Cancelled {
			kind = message.Aborted
		}
		yield(message.Chunk{
			Type: message.FinishChunk, Reason: &message.Finish{Kind: kind, Failure: &facts},
		})
	}
}

// attempt calls the provider. It returns the failure that is still to be told, and whether more chunks
// are wanted.
func (s *Stream) attempt(yield func(message.Chunk) bool) (failure error, wanted bool) {
	// Only what the provider does before the end of its stream is the provider's failure: not a panic
	// of the consumer, which passes through the provider, and none of the provider's clean-up.
	ours, told := true, false
	defer func() {
		if !ours {
			return
		}
		if v := recover(); v != nil {
			failure, wanted = fmt.Errorf("the provider panicked: %v", v), true
		}
		if told {
			failure = nil
		}
	}()
	if err := s.ctx.Err(); err != nil {
		return context.Cause(s.ctx), true
	}
	for c, err := range s.provider.Stream(s.ctx, s.req) {
		ours = false
		if err != nil {
			if told {
				err = nil
			}
			return err, true
		}
		if c.Type == message.FinishChunk {
			told = isFailure(c.Reason)
		}
		if !yield(c) {
			return nil, false
		}
		ours = true
	}
	return nil, true
}
