package runtime

import (
	"sync"

	"github.com/pintle-wasm/pintle/abi"
)

// A Grant is what a host has decided about a guest from a source.
type Grant struct {
	Source  string // see GuestOptions
	ID      string // of the guest, a claim
	Version string // of the build about which the host decided
	Digest  string // its sha256 in hexadecimal
	// Capabilities are those that were granted, some of Grantable.
	Capabilities []string
	// Manifest is that of the build. Another build from the same source gets the grant without a question if
	// it asks for nothing beyond it.
	Manifest *abi.Manifest
}

// Grants keep what a host has decided, by source and id. The methods are safe for concurrent use.
type Grants interface {
	// Get returns the grant of a guest, false if there is none. If it fails nothing of that source and id
	// is loaded: what was granted before cannot be told.
	Get(source, id string) (Grant, bool, error)
	// Put puts a grant in the place of the one with its source and id.
	Put(g Grant) error
}

// memoryGrants are those of a runtime that was given none. They end with the process.
type memoryGrants struct {
	mu   sync.Mutex
	kept map[grantKey]Grant
}

type grantKey struct{ source, id string }

func (m *memoryGrants) Get(source, id string) (Grant, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, ok := m.kept[grantKey{source, id}]
	return g, ok, nil
}

func (m *memoryGrants) Put(g Grant) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[grantKey]Grant{}
	}
	m.kept[grantKey{g.Source, g.ID}] = g
	return nil
}

// A GrantRequest asks the host about a build that no grant covers. Its texts come from the guest and are
// not escaped, except for those of Widened.
type GrantRequest struct {
	Source   string
	ID       string
	Version  string
	Digest   string        // sha256 of the file in hexadecimal
	Manifest *abi.Manifest // everything that the guest says about itself
	// Asks are the capabilities of the manifest that only a grant gives, with the reasons. Those that
	// GuestOptions.Grants gives are not among them.
	Asks []abi.Capability
	// Previous is the grant that the same source and id have, nil if there is none.
	Previous *Grant
	// Widened lists what goes beyond the previous grant, for people. Names are quoted.
	Widened []string
}

// A GrantDecision answers a GrantRequest. The zero value grants nothing new: a first build is loaded
// without what it asks for, and one that widened is refused.
type GrantDecision struct {
	// Accept remembers the decision: later builds from the same source that ask for nothing beyond this one
	// are loaded without a question. A build that widened is loaded only with it.
	Accept bool
	// Capabilities are all that are granted from now on, earlier ones included. What the guest does not ask
	// for is ignored, and so is everything without Accept.
	Capabilities []string
}
