package runtime

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"sync"
)

// A kvSpace is the kv of all guests of a runtime: the store, and who is using what of it.
type kvSpace struct {
	store Store

	mu    sync.Mutex
	inUse map[StoreKey]*kvUse
}

// A kvUse is shared by the calls that run for one key. Their uses of the store follow each other, so that
// a guest that reads, counts and writes counts right.
type kvUse struct {
	turn  chan struct{} // holds a token from a call's first look until its end
	calls int           // guarded by kvSpace.mu

	mu    sync.Mutex // held while a call saves
	ended bool       // the session ended: what these calls write is dropped
}

func newKVSpace(store Store) *kvSpace {
	return &kvSpace{store: store, inUse: map[StoreKey]*kvUse{}}
}

// A kvCall is the kv as one call of a guest sees it. What the call writes reaches the store when commit
// is called; until then, and if it never is, nobody else sees it.
type kvCall struct {
	space  *kvSpace
	key    StoreKey
	use    *kvUse
	logger *slog.Logger

	opened, failed, written bool
	entries                 map[string][]byte // the store's until written
	bytes                   int
}

// openKV returns the kv for a call, nil if the guest was not granted it. The caller closes it.
func (g *Guest) openKV(session string) *kvCall {
	if !g.granted.kv {
		return nil
	}
	c := &kvCall{space: g.runtime.kv, key: g.storeKey(session), logger: g.logger}
	c.space.mu.Lock()
	defer c.space.mu.Unlock()
	c.use = c.space.inUse[c.key]
	if c.use == nil {
		c.use = &kvUse{turn: make(chan struct{}, 1)}
		c.space.inUse[c.key] = c.use
	}
	c.use.calls++
	return c
}

func (g *Guest) storeKey(session string) StoreKey {
	return StoreKey{Source: g.grant.Source, Guest: g.artifact.Manifest.ID, Session: session}
}

// open waits until no other call uses the key, and loads its entries. It is called once. If the store
// fails the kv stays closed for this call: what the guest would write must not take the place of what it
// cannot see.
func (c *kvCall) open(ctx context.Context) (err error) {
	select {
	case c.use.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	c.opened = true
	if c.key.Session == "" || c.use.hasEnded() {
		return nil // there is no session to remember anything by
	}
	if c.entries, err = c.space.store.Load(ctx, c.key); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.failed = true
		c.warn("the guest's kv cannot be read", err)
		return nil
	}
	for key, value := range c.entries {
		c.bytes += len(key) + len(value)
	}
	return nil
}

func (u *kvUse) hasEnded() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.ended
}

// set keeps a copy of a value; false if there is no room for it.
func (c *kvCall) set(key string, value []byte) bool {
	old, replaces := c.entries[key]
	size, count := c.bytes+len(value)-len(old), len(c.entries)
	if !replaces {
		size, count = size+len(key), count+1
	}
	if len(value) > maxKVValueBytes || size > maxKVBytes || count > maxKVEntries {
		return false
	}
	if !replaces || !bytes.Equal(old, value) {
		c.own()
		c.entries[key] = bytes.Clone(value)
		c.bytes = size
	}
	return true
}

// remove forgets a key; false if it is not there.
func (c *kvCall) remove(key string) bool {
	old, ok := c.entries[key]
	if ok {
		c.own()
		delete(c.entries, key)
		c.bytes -= len(key) + len(old)
	}
	return ok
}

// own makes the entries the call's own before the first change.
func (c *kvCall) own() {
	if c.written {
		return
	}
	c.written = true
	if c.entries = maps.Clone(c.entries); c.entries == nil {
		c.entries = map[string][]byte{}
	}
}

// commit hands what the call wrote to the store. A guest's answer is worth more than its notes, so a
// store that fails is only logged.
func (c *kvCall) commit(ctx context.Context) {
	if c == nil || !c.written || c.key.Session == "" {
		return
	}
	c.use.mu.Lock()
	defer c.use.mu.Unlock()
	if c.use.ended {
		return
	}
	if err := c.space.store.Save(ctx, c.key, c.entries); err != nil {
		c.warn("what the guest wrote to its kv is lost", err)
	}
}

func (c *kvCall) warn(text string, err error) {
	if c.logger != nil {
		c.logger.Warn(text, "session", c.key.Session, "error", err)
	}
}

// close ends the use of the kv. It is called once, after the run.
func (c *kvCall) close() {
	if c == nil {
		return
	}
	if c.opened {
		<-c.use.turn
	}
	c.space.mu.Lock()
	defer c.space.mu.Unlock()
	if c.use.calls--; c.use.calls == 0 && c.space.inUse[c.key] == c.use {
		delete(c.space.inUse, c.key)
	}
}

// drop makes the calls that run write nothing any more. Calls that begin afterwards have nothing to do
// with them.
func (s *kvSpace) drop(match func(StoreKey) bool) {
	var ending []*kvUse
	s.mu.Lock()
	for key, use := range s.inUse {
		if match(key) {
			ending = append(ending, use)
			delete(s.inUse, key)
		}
	}
	s.mu.Unlock()
	for _, use := range ending {
		use.mu.Lock() // a save that runs goes first
		use.ended = true
		use.mu.Unlock()
	}
}

// endKV forgets the kv of a session for all guests, those that are not loaded included.
func (r *Runtime) endKV(ctx context.Context, session string) {
	r.kv.drop(func(key StoreKey) bool { return key.Session == session })
	if err := r.opts.Store.EndSession(ctx, session); err != nil && r.opts.Logger != nil {
		r.opts.Logger.Warn("the kv of a session could not be forgotten", "session", session, "error", err)
	}
}

// forgetKV forgets what one guest keeps in a session.
func (r *Runtime) forgetKV(ctx context.Context, key StoreKey) {
	r.kv.drop(func(k StoreKey) bool { return k == key })
	if err := r.opts.Store.Save(ctx, key, nil); err != nil && r.opts.Logger != nil {
		r.opts.Logger.Warn("the kv of a session could not be forgotten", "session", key.Session, "error", err)
	}
}
