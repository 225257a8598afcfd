package turn

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
)

// A Listener sees a call before it is dispatched. It returns the route to call instead, or the request's
// own route to leave the call as it is. After a change all listeners are asked again, from the first on,
// with the request on its new route. An error of a listener is the caller's, not the provider's: it is
// returned as it is and does not become a finish.
type Listener func(ctx context.Context, req *Request) (message.Route, error)

// A Router knows which provider instance serves which provider name. The zero Router serves none. All
// methods may be called at the same time.
type Router struct {
	// Listeners may send a call to another route. Set this and the following before the first call.
	Listeners []Listener
	// Reference makes [Router.Stream] behave like the protocol's reference. A [Loop] has its own switch.
	Reference bool
	// OnReport takes the reports of calls, and those of the loops that have no hook of their own. If it is
	// nil they go to the default logger, each once for a message (see [replay.Process]).
	OnReport func(replay.Report)

	mu      sync.RWMutex
	serving map[string]Provider
}

// Register makes a provider instance serve all calls for these provider names. One instance may serve
// several, and replay state then passes from one of them to another. A name that is taken is refused,
// also by the same instance, and then none of the names is registered.
//
// Instances are told apart by ==, so p is normally a pointer.
func (r *Router) Register(p Provider, names ...string) error {
	switch {
	case p == nil:
		return errors.New("register provider: it is nil")
	case !reflect.ValueOf(p).Comparable():
		return fmt.Errorf("register provider: instances of %T cannot be told apart: register a pointer", p)
	case len(names) == 0:
		return errors.New("register provider: no name is given")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, name := range names {
		_, taken := r.serving[name]
		switch {
		case name == "":
			return errors.New("register provider: a name is empty")
		case taken || slices.Contains(names[:i], name):
			return fmt.Errorf("register provider: %q is registered already: unregister it first", name)
		}
	}
	if r.serving == nil {
		r.serving = map[string]Provider{}
	}
	for _, name := range names {
		r.serving[name] = p
	}
	return nil
}

// Unregister takes a provider instance from all its names. Calls under way go on.
func (r *Router) Unregister(p Provider) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, q := range r.serving {
		if q == p {
			delete(r.serving, name)
		}
	}
}

func (r *Router) report(report replay.Report) {
	if r.OnReport != nil {
		r.OnReport(report)
		return
	}
	replay.Process().Report(report)
}

// lookup returns the provider of a name, and which names it serves at this moment.
func (r *Router) lookup(name string) (p Provider, owned func(string) bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	p, ok := r.serving[name]
	if !ok {
		return nil, nil
	}
	own := map[string]bool{}
	for n, q := range r.serving {
		if q == p {
			own[n] = true
		}
	}
	return p, func(name string) bool { return own[name] }
}
