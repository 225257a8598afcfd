package runtime

import (
	"context"
	"errors"
	"sync"
)

// maxSessions bounds the instances of one guest with session state. The one that was used the longest
// ago gives way.
const maxSessions = 64

var errTooManySessions = errors.New("all sessions of the guest are busy; end some or try again")

// sessions holds one instance per session of a guest with session state.
type sessions struct {
	start func(context.Context) (*instance, error)

	mu   sync.Mutex
	byID map[string]*sessionSlot
	tick uint64
}

type sessionSlot struct {
	turn chan struct{} // holds a token while a call runs
	in   *instance     // nil until the first call and after a broken one; guarded by turn
	used uint64        // tick of the last use; guarded by sessions.mu
	busy int           // calls running or waiting; guarded by sessions.mu
}

func newSessions(start func(context.Context) (*instance, error)) *sessions {
	return &sessions{start: start, byID: map[string]*sessionSlot{}}
}

// do runs f with the session's instance. Calls of one session run one after the other.
func (s *sessions) do(ctx context.Context, id string, f func(*instance) error) error {
	slot, evicted, err := s.enter(id)
	if err != nil {
		return err
	}
	defer s.leave(slot)
	if evicted != nil {
		evicted.close(ctx)
	}
	select {
	case slot.turn <- struct{}{}:
		defer func() { <-slot.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if slot.in == nil {
		if slot.in, err = s.start(ctx); err != nil {
			return err
		}
	}
	err = f(slot.in)
	if slot.in.broken {
		slot.in.close(ctx)
		slot.in = nil
	}
	return err
}

// enter finds or makes the slot of a session. If there are too many, it takes the idle one that was
// used the longest ago out and returns its instance for closing.
func (s *sessions) enter(id string) (*sessionSlot, *instance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick++
	slot, ok := s.byID[id]
	var evicted *instance
	if !ok {
		if len(s.byID) >= maxSessions {
			oldest, found := s.oldestIdle()
			if !found {
				return nil, nil, errTooManySessions
			}
			evicted = s.byID[oldest].in
			delete(s.byID, oldest)
		}
		slot = &sessionSlot{turn: make(chan struct{}, 1)}
		s.byID[id] = slot
	}
	slot.used = s.tick
	slot.busy++
	return slot, evicted, nil
}

func (s *sessions) oldestIdle() (id string, found bool) {
	var oldest uint64
	for key, slot := range s.byID {
		if slot.busy == 0 && (!found || slot.used < oldest) {
			id, oldest, found = key, slot.used, true
		}
	}
	return id, found
}

func (s *sessions) leave(slot *sessionSlot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot.busy--
}

// end forgets a session. A call that runs keeps its instance until it is done.
func (s *sessions) end(ctx context.Context, id string) {
	s.mu.Lock()
	slot, ok := s.byID[id]
	delete(s.byID, id)
	s.mu.Unlock()
	if ok {
		slot.retire(ctx)
	}
}

// close ends all sessions.
func (s *sessions) close(ctx context.Context) {
	s.mu.Lock()
	slots := s.byID
	s.byID = map[string]*sessionSlot{}
	s.mu.Unlock()
	for _, slot := range slots {
		slot.retire(ctx)
	}
}

// retire closes a slot's instance after the call that runs in it.
func (slot *sessionSlot) retire(ctx context.Context) {
	slot.turn <- struct{}{}
	defer func() { <-slot.turn }()
	if slot.in != nil {
		slot.in.close(ctx)
		slot.in = nil
	}
}
