package history

import (
	"encoding/json"
	"sync"

	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// maxRewrites is how many sessions are remembered.
const maxRewrites = 256

// Rewrites remembers the sessions whose history their host has compacted, for providers that keep the
// conversation themselves and have to be told: the next call of the session that can use tools tells them.
// The zero value is ready for use, and safe for concurrent use.
type Rewrites struct {
	mu       sync.Mutex
	sessions recent
}

// Mark notes that the history of a session has been rewritten. Of more than 256 sessions the one that was
// marked first is forgotten.
func (r *Rewrites) Mark(sessionID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions.remove(sessionID)
	r.sessions.add(sessionID, maxRewrites)
}

// Take says whether a call has to tell that the history was rewritten, and takes the mark away if so. A call
// that advertises no tools, or whose choice is none of them, leaves it for the next one.
func (r *Rewrites) Take(sessionID string, o *CallOptions) bool {
	if len(o.Tools) == 0 || choosesNone(o.ToolChoice) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sessions.remove(sessionID)
}

func choosesNone(choice json.RawMessage) bool {
	o, ok := ordered.ParseObject(choice)
	kind, _ := o.Text("type")
	return ok && kind == "none"
}
