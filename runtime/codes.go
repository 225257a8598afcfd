package runtime

import (
	"context"
	"errors"
	"sync"

	"github.com/pintle-wasm/pintle/internal/digest"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
)

// codes is the compiled code of all guests. Guests whose modules differ in nothing that runs or shows in a
// trace share it: all in JavaScript on one engine, and a guest with the one that is loaded in its place if
// only the manifest has changed.
type codes struct {
	engine    Engine
	compiling chan struct{} // one compilation at a time: each may use a core and much memory

	mu    sync.Mutex
	byKey map[codeKey]*sharedCode
}

// A codeKey is the sha256 of a module without its custom sections, and that of the names of its functions as
// they are compiled; zero if none are.
type codeKey struct{ code, names [32]byte }

// A sharedCode is compiled code that is in use.
type sharedCode struct {
	key       codeKey
	code      Code
	rewritten *wasmbin.Instrumented // without its bytes
	users     int                   // guarded by codes.mu
	kept      bool                  // also without users, until the runtime is closed
}

func newCodes(engine Engine) *codes {
	return &codes{engine: engine, compiling: make(chan struct{}, 1), byKey: map[codeKey]*sharedCode{}}
}

func (a *Artifact) codeKey() codeKey {
	key := codeKey{code: a.module.Sum()}
	if a.script != nil {
		return key // see InstrumentKnown
	}
	if names := a.module.FunctionNames(); names != nil {
		key.names = digest.Sum(names)
	}
	return key
}

// take returns the code of a key, which has one user more then; nil if there is none.
func (c *codes) take(key codeKey) *sharedCode {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.byKey[key]
	if s != nil {
		s.users++
	}
	return s
}

// release ends one use.
func (c *codes) release(ctx context.Context, s *sharedCode) error {
	c.mu.Lock()
	s.users--
	last := s.users == 0 && !s.kept
	if last {
		delete(c.byKey, s.key)
	}
	c.mu.Unlock()
	if !last {
		return nil
	}
	return s.code.Close(ctx)
}

// close releases what was kept without users.
func (c *codes) close(ctx context.Context) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, s := range c.byKey {
		if s.users == 0 {
			delete(c.byKey, key)
			err = errors.Join(err, s.code.Close(ctx))
		}
	}
	return err
}

// compile gives a guest its code: that of another guest, or its own module, rewritten, proved to be metered,
// and compiled.
func (g *Guest) compile(ctx context.Context) error {
	c := g.runtime.codes
	key := g.artifact.codeKey()
	shared := c.take(key)
	if shared == nil {
		select {
		case c.compiling <- struct{}{}:
			defer func() { <-c.compiling }()
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return canceled(ctx, g.Name(), "")
		}
		if shared = c.take(key); shared == nil { // nobody else was faster
			var err error
			if shared, err = g.compileAnew(ctx, key); err != nil {
				return err
			}
		}
	}
	g.code, g.rewritten = shared, shared.rewritten
	g.readOnly = !g.rewritten.Writes && !g.artifact.writesThroughHost()
	return nil
}

func (g *Guest) compileAnew(ctx context.Context, key codeKey) (*sharedCode, error) {
	refuse := func(what string, err error) error {
		return &Error{Kind: KindRefused, Guest: g.Name(), Reason: what + err.Error(), Err: err}
	}
	instrument := g.artifact.module.Instrument
	if g.artifact.script != nil { // the JavaScript engine throws when its stack is full
		instrument = g.artifact.module.InstrumentKnown
	}
	rewritten, err := instrument()
	if err != nil {
		return nil, refuse("", err)
	}
	if err := proof.Check(rewritten.Bytes); err != nil {
		return nil, refuse("the host cannot prove that the guest would be stopped, which is a fault of the host: ", err)
	}
	c := g.runtime.codes
	code, err := c.engine.Compile(ctx, rewritten.Bytes, imported(g.artifact))
	if err != nil && ctx.Err() != nil {
		return nil, canceled(ctx, g.Name(), "")
	}
	if err != nil {
		return nil, refuse("the engine does not accept it: ", err)
	}
	rewritten.Bytes = nil // only the engine needs them
	s := &sharedCode{key: key, code: code, rewritten: rewritten, users: 1}
	// The next guest in JavaScript is going to need the same engine.
	s.kept = g.artifact.script != nil
	c.mu.Lock()
	c.byKey[key] = s
	c.mu.Unlock()
	return s, nil
}
