package turn

import (
	"context"
	"iter"
	"sync"

	"github.com/pintle-wasm/pintle/host/message"
)

// ScriptEnded is the failure code of a call for which a script has no answer.
const ScriptEnded = "SCRIPT_ENDED"

// An Answer is one recorded answer of a model.
type Answer struct {
	// Chunks are yielded first, legal or not.
	Chunks []message.Chunk
	// Hang says that the answer then waits until its context is done, and fails with the context's error
	// if Err is nil.
	Hang bool
	// Err is what the answer fails with in the end, nil if it does not.
	Err error
}

// Scripted is a provider that replays recorded answers, one per call, in order. Set the fields before the
// first call.
type Scripted struct {
	Answers []Answer
	// OnHang, if set, is called when an answer begins to hang, on the goroutine that hangs.
	OnHang func()

	mu       sync.Mutex
	requests []*Request
}

// Stream implements [Provider].
func (s *Scripted) Stream(ctx context.Context, req *Request) iter.Seq2[message.Chunk, error] {
	return func(yield func(message.Chunk, error) bool) {
		s.mu.Lock()
		call := len(s.requests)
		s.requests = append(s.requests, req)
		s.mu.Unlock()
		if call >= len(s.Answers) {
			yield(message.Chunk{}, &message.Failure{
				Message: "the script has no answer for this call", Code: ScriptEnded,
			})
			return
		}
		a := &s.Answers[call]
		for _, c := range a.Chunks {
			if !yield(c, nil) {
				return
			}
		}
		err := a.Err
		if a.Hang {
			if s.OnHang != nil {
				s.OnHang()
			}
			<-ctx.Done()
			if err == nil {
				err = context.Cause(ctx)
			}
		}
		if err != nil {
			yield(message.Chunk{}, err)
		}
	}
}

// Requests returns the requests of all calls so far, in order.
func (s *Scripted) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request(nil), s.requests...)
}
