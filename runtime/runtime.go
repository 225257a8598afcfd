package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pintle-wasm/pintle/abi"
)

// Options configure a runtime. The zero value is usable.
type Options struct {
	Limits Limits       // caps for every guest
	Logger *slog.Logger // receives what guests log; nil: nowhere
	// MemoryBudget bounds the bytes that all guests hold together, in memories and images. What is idle goes
	// first; a call that finds nothing left waits for as long as it may take itself, and a guest that wants
	// to grow is refused. Default 1 GiB.
	MemoryBudget uint64
	// Remember bounds the memory of answers, see [Guest.Recall].
	Remember Remember

	// Grants keep what was decided about guests; nil: in memory, until the process ends.
	Grants Grants
	// Decide is asked about every build that no grant covers, one that is new and one that wants more
	// than the build before it. It may take its time and should return when the context ends. nil, and an
	// error, are like the zero decision.
	Decide func(context.Context, GrantRequest) (GrantDecision, error)
	// Store keeps the kv of guests; nil: in memory, 16 MiB of it, until the session ends.
	Store Store
}

// A Runtime loads guests and owns them.
type Runtime struct {
	engine Engine
	opts   Options
	budget *budget
	memo   *memo

	codes *codes
	kv    *kvSpace

	opening gate // those who compile and start guests

	mu     sync.Mutex
	guests map[*Guest]struct{}
	closed bool
}

// New returns a runtime on an engine, which it closes with itself.
func New(engine Engine, opts Options) *Runtime {
	opts.Limits = opts.Limits.withDefaults()
	if opts.Grants == nil {
		opts.Grants = &memoryGrants{}
	}
	if opts.Store == nil {
		opts.Store = newMemoryStore(maxKVMemory)
	}
	if opts.MemoryBudget == 0 {
		opts.MemoryBudget = 1 << 30
	}
	r := &Runtime{engine: engine, opts: opts, memo: newMemo(opts.Remember), kv: newKVSpace(opts.Store),
		guests: map[*Guest]struct{}{}}
	r.budget = newBudget(opts.MemoryBudget, r.reclaim)
	r.codes = newCodes(engine)
	return r
}

// Engine returns the name and version of the engine.
func (r *Runtime) Engine() string { return r.engine.Name() }

// GuestOptions configure one guest.
type GuestOptions struct {
	// Config holds the values that the guest may read, by key. Keys that its manifest does not declare
	// are withheld. A value is the grant of its key.
	Config map[string]string
	// Source says where the file comes from, for example its absolute path or who signed it. Grants and kv
	// belong to a source and an id, so a guest that claims another one's id gets nothing of it. Empty: the
	// file is its own source, and nothing carries over to another build.
	Source string
	// Grants are capabilities (see [Grantable]) that every build loaded with these options is granted if
	// it asks for them. They are neither asked about nor remembered.
	Grants []string
}

// Load checks a guest's file, rewrites and compiles it and starts one instance, so that a guest whose
// initialiser fails is refused here and not in the first turn. The guest also answers a few requests
// without content, to see how much memory it needs. The name, usually the file's, appears in errors.
//
// Every error is an [*Error]. The runtime keeps nothing of a guest that could not be loaded. Load may be called
// concurrently, also with Close.
func (r *Runtime) Load(ctx context.Context, name string, file []byte, opts GuestOptions) (*Guest, error) {
	artifact, err := Examine(name, file)
	if err != nil {
		return nil, err
	}
	if err := refuseContract(artifact); err != nil {
		return nil, err
	}
	limits := r.opts.Limits.grant(artifact.Manifest.Limits)
	if err := fits(artifact, limits); err != nil {
		return nil, err
	}
	grant, granted, err := r.decide(ctx, artifact, opts)
	if err != nil {
		return nil, err
	}
	g := &Guest{
		runtime: r, artifact: artifact, limits: limits, grant: grant, granted: granted,
		config: declared(artifact.Manifest, opts.Config),
		health: quarantine{now: time.Now},
	}
	_, g.hasInit = artifact.module.Export(abi.InitExport)
	if r.opts.Logger != nil {
		g.logger = r.opts.Logger.With("guest", g.Name())
	}
	if r.opening.join() != nil {
		return nil, g.orphaned()
	}
	defer r.opening.leave()
	if err := g.compile(ctx); err != nil {
		return nil, err
	}
	err = g.settle(ctx)
	if err == nil && !r.adopt(g) {
		err = g.orphaned()
	}
	if err != nil {
		_ = g.release(ctx) // the reason above is the one that matters
		return nil, err
	}
	return g, nil
}

// orphaned is the error of a guest whose runtime was closed before it could be used.
func (g *Guest) orphaned() error {
	return &Error{Kind: KindClosed, Guest: g.Name(), Reason: "the runtime is closed", Err: ErrClosed}
}

// fits refuses a module that could never start within its memory.
func fits(a *Artifact, limits Limits) error {
	for _, m := range a.module.Memories {
		if need := uint64(m.Min) << 16; need > limits.MemoryBytes {
			return &Error{Kind: KindMemory, Guest: a.Title(), Reason: fmt.Sprintf(
				"it starts with %d KiB of memory and may have %d KiB", need>>10, limits.MemoryBytes>>10)}
		}
	}
	return nil
}

// declared returns the values of the keys that a manifest declares.
func declared(m *abi.Manifest, config map[string]string) map[string]string {
	values := map[string]string{}
	for _, key := range m.ConfigKeys() {
		if v, ok := config[key]; ok {
			values[key] = v
		}
	}
	return values
}

// settle starts the first instance, takes the image and opens the guest for calls.
func (g *Guest) settle(ctx context.Context) error {
	in, err := g.warm(ctx)
	if err != nil {
		return g.public(ctx, startName, err)
	}
	if g.artifact.Manifest.State == abi.StateSession {
		g.sessions = newSessions(g.runtime.budget, g.start)
		in.close()
		return nil
	}
	again := func(in *instance) bool { return g.image != nil && in.memory.Size() == g.image.memory.size }
	g.pool = newPool(g.runtime.budget, g.start, again)
	g.pool.ahead = g.image == nil
	if in.broken || g.image != nil && !again(in) || !g.pool.keep(in) {
		in.close()
	}
	return nil
}

func (r *Runtime) adopt(g *Guest) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.guests[g] = struct{}{}
	return true
}

// forget releases a guest whose gate is closed, once.
func (r *Runtime) forget(ctx context.Context, g *Guest) error {
	r.mu.Lock()
	_, known := r.guests[g]
	delete(r.guests, g)
	r.mu.Unlock()
	if !known {
		return nil
	}
	return g.release(ctx)
}

// Close closes every guest, waiting for the calls in flight and for guests that are being loaded, which are
// refused then, and then the engine. Closing twice is harmless; if the context ends first, Close can be
// called again.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	for _, g := range r.all() {
		if err := g.Close(ctx); err != nil {
			return err
		}
	}
	if err := r.opening.close(ctx); err != nil {
		return err
	}
	if err := r.codes.close(ctx); err != nil {
		return err
	}
	return r.engine.Close(ctx)
}

// EndSession releases what the guests hold for a session. It waits for calls that run in it.
func (r *Runtime) EndSession(ctx context.Context, session string) {
	for _, g := range r.all() {
		if g.Hold() {
			g.EndSession(ctx, session)
			g.Release()
		}
	}
	r.memo.endSession(session, nil)
	r.endKV(ctx, session)
}

// reclaim releases something that is idle: an instance of any guest, or else the session that was idle
// the longest. It answers false if there is nothing.
func (r *Runtime) reclaim() bool {
	var oldest *sessions
	var used uint64
	for _, g := range r.all() {
		if !g.Hold() {
			continue // it is being closed, which releases more
		}
		defer g.Release()
		if g.pool != nil {
			if g.pool.evict() {
				return true
			}
		} else if at, found := g.sessions.idle(); found && (oldest == nil || at < used) {
			oldest, used = g.sessions, at
		}
	}
	return oldest != nil && oldest.evict()
}

func (r *Runtime) all() []*Guest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.guests))
}
