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
}

// A Runtime loads guests and owns them.
type Runtime struct {
	engine Engine
	opts   Options

	compiling chan struct{} // one compilation at a time: each may use a core and much memory

	mu     sync.Mutex
	guests map[*Guest]struct{}
	closed bool
}

// New returns a runtime on an engine, which it closes with itself.
func New(engine Engine, opts Options) *Runtime {
	opts.Limits = opts.Limits.withDefaults()
	return &Runtime{engine: engine, opts: opts, compiling: make(chan struct{}, 1), guests: map[*Guest]struct{}{}}
}

// Engine returns the name and version of the engine.
func (r *Runtime) Engine() string { return r.engine.Name() }

// GuestOptions configure one guest.
type GuestOptions struct {
	// Config holds the values that the guest may read, by key. Keys that its manifest does not declare
	// are withheld.
	Config map[string]string
}

// Load checks a guest's file, compiles it and starts one instance, so that a guest whose initialiser
// fails is refused here and not in the first turn. The name, usually the file's, appears in errors.
//
// Every error is an [*Error]. The runtime keeps nothing of a guest that could not be loaded.
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
	g := &Guest{
		runtime: r, artifact: artifact, limits: limits,
		config: declared(artifact.Manifest, opts.Config),
		health: quarantine{now: time.Now},
	}
	_, g.hasInit = artifact.module.Export(abi.InitExport)
	if r.opts.Logger != nil {
		g.logger = r.opts.Logger.With("guest", g.Name())
	}
	if g.code, err = r.compile(ctx, artifact); err != nil {
		return nil, err
	}
	if artifact.Manifest.State == abi.StateSession {
		g.sessions = newSessions(g.start)
	} else {
		g.pool = newPool(g.start)
	}
	err = g.probe(ctx)
	if err == nil && !r.adopt(g) {
		err = &Error{Kind: KindClosed, Guest: g.Name(), Reason: "the runtime is closed", Err: ErrClosed}
	}
	if err != nil {
		_ = g.release(ctx) // the reason above is the one that matters
		return nil, err
	}
	return g, nil
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

func (r *Runtime) compile(ctx context.Context, a *Artifact) (Code, error) {
	module := a.module.Executable()
	host := imported(a.module)
	select {
	case r.compiling <- struct{}{}:
		defer func() { <-r.compiling }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, canceled(ctx, a.Title(), "")
	}
	code, err := r.engine.Compile(ctx, module, host)
	if err != nil && ctx.Err() != nil {
		return nil, canceled(ctx, a.Title(), "")
	}
	if err != nil {
		return nil, &Error{Kind: KindRefused, Guest: a.Title(), Reason: "the engine does not accept it: " + err.Error(), Err: err}
	}
	return code, nil
}

// probe starts an instance to see that the guest can be started. It becomes the spare of a guest
// without state.
func (g *Guest) probe(ctx context.Context) error {
	in, err := g.start(ctx)
	if err != nil {
		return err
	}
	in.state.logs.flush(ctx, g.logger, false)
	if g.pool != nil {
		g.pool.spare = in
	} else {
		in.close(ctx)
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

// Close closes every guest, waiting for the calls in flight, and then the engine. Closing twice is
// harmless; if the context ends first, Close can be called again.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	for _, g := range r.all() {
		if err := g.Close(ctx); err != nil {
			return err
		}
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
}

func (r *Runtime) all() []*Guest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.guests))
}
