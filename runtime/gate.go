package runtime

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed says that a guest or runtime was closed.
var ErrClosed = errors.New("already closed")

// A gate counts those inside. Once closing, it lets nobody else in, except for the sake of holders who
// are still inside: a turn that holds a guest makes all its calls. Calls alone do not let others in, else
// enough of them could keep a gate open for good.
type gate struct {
	mu      sync.Mutex
	inside  int // holders and calls
	holders int
	closing bool
	empty   chan struct{} // made by the first close, closed when nobody is inside
}

// enter is for holders, who leave with exit.
func (g *gate) enter() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing {
		return ErrClosed
	}
	g.inside++
	g.holders++
	return nil
}

func (g *gate) exit() {
	g.mu.Lock()
	g.holders--
	g.mu.Unlock()
	g.leave()
}

// join is for a call, which may belong to a holder and leaves with leave.
func (g *gate) join() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing && g.holders == 0 {
		return ErrClosed
	}
	g.inside++
	return nil
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 && g.closing {
		close(g.empty)
	}
}

// close shuts the gate and waits until nobody is inside.
func (g *gate) close(ctx context.Context) error {
	g.mu.Lock()
	if !g.closing {
		g.closing = true
		g.empty = make(chan struct{})
		if g.inside == 0 {
			close(g.empty)
		}
	}
	empty := g.empty
	g.mu.Unlock()
	select {
	case <-empty:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
