package runtime

import (
	"context"
	"errors"
	"maps"
	"sync"
)

// maxSessions bounds the instances of one guest with session state. The one that was used the longest
// ago gives way.
const maxSessions = 64

var errTooManySessions = errors.New("all sessions of the guest are busy; end some or try again")

// sessions holds one instance per session of a guest with session state.
type sessions struct {
	start  func(context.Context) (*instance, error)
	budget *budget

	mu   sync.Mutex
	byID map[string]*sessionSlot
}

// A sessionSlot belongs to its session while it is in the map. Whoever is the last to leave one that
// was taken out closes its instance: a call that was waiting for its turn may have started one anew.
type sessionSlot struct {
	turn chan struct{} // holds a token while a call runs
	in   *instance     // nil until the first call and after a broken one; guarded by turn
	used uint64        // the budget's clock at the last use; guarded by sessions.mu
	busy int           // those running or waiting; guarded by sessions.mu
	gone bool          // taken out of the map; guarded by sessions.mu
}

func newSessions(b *budget, start func(context.Context) (*instance, error)) *sessions {
	return &sessions{start: start, budget: b, byID: map[string]*sessionSlot{}}
}

// take returns the slot of a session with an instance, for the caller alone, who gives it back with put.
// Calls of one session run one after the other.
func (s *sessions) take(ctx context.Context, id string) (*sessionSlot, error) {
	slot, evicted, err := s.enter(id)
	if err != nil {
		return nil, err
	}
	if evicted != nil {
		evicted.close()
	}
	if err := slot.wait(ctx); err != nil {
		s.leave(slot)
		return nil, err
	}
	if slot.in == nil {
		if slot.in, err = s.start(ctx); err != nil {
			<-slot.turn
			s.leave(slot)
			return nil, err
		}
	}
	return slot, nil
}

func (s *sessions) put(slot *sessionSlot) {
	if slot.in.broken {
		slot.in.close()
		slot.in = nil
	}
	<-slot.turn
	s.leave(slot)
}

// wait waits for the slot's turn. If the context has ended it never gets it: a call that cannot run
// would cost the session its instance.
func (slot *sessionSlot) wait(ctx context.Context) error {
	select {
	case slot.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if ctx.Err() != nil {
		<-slot.turn
		return ctx.Err()
	}
	return nil
}

// enter finds or makes the slot of a session. If there are too many, it takes the idle one that was
// used the longest ago out and returns its instance for closing.
func (s *sessions) enter(id string) (*sessionSlot, *instance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	slot.used = s.budget.clock.Add(1)
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

// idle returns when the session that was idle the longest was used.
func (s *sessions) idle() (used uint64, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, found := s.oldestIdle()
	if found {
		used = s.byID[id].used
	}
	return used, found
}

// evict ends the session that was idle the longest; false if none is idle.
func (s *sessions) evict() bool {
	s.mu.Lock()
	id, found := s.oldestIdle()
	var in *instance
	if found {
		in = s.byID[id].in
		delete(s.byID, id)
	}
	s.mu.Unlock()
	if in != nil {
		in.close()
	}
	return found
}

func (s *sessions) leave(slot *sessionSlot) {
	s.mu.Lock()
	slot.busy--
	idle, gone := slot.busy == 0, slot.gone
	s.mu.Unlock()
	switch {
	case idle && !gone:
		s.budget.wake() // it could give way now
	case idle && slot.in != nil:
		slot.in.close()
	}
}

// end forgets a session and waits for the call that runs in it.
func (s *sessions) end(ctx context.Context, id string) {
	s.mu.Lock()
	slot, ok := s.byID[id]
	if ok {
		s.takeOut(id, slot)
	}
	s.mu.Unlock()
	if ok {
		s.retire(ctx, slot)
	}
}

// close ends all sessions.
func (s *sessions) close(ctx context.Context) {
	s.mu.Lock()
	slots := maps.Clone(s.byID)
	for id, slot := range slots {
		s.takeOut(id, slot)
	}
	s.mu.Unlock()
	for _, slot := range slots {
		s.retire(ctx, slot)
	}
}

// takeOut removes a slot and enters it for retire. The caller holds the lock.
func (s *sessions) takeOut(id string, slot *sessionSlot) {
	delete(s.byID, id)
	slot.gone = true
	slot.busy++
}

// retire waits for the call that runs in a slot and leaves.
func (s *sessions) retire(ctx context.Context, slot *sessionSlot) {
	defer s.leave(slot)
	if slot.wait(ctx) == nil {
		<-slot.turn
	}
}
