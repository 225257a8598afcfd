package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// Options configure a host. The zero value is usable.
type Options struct {
	// Limits are caps for every guest; zero fields mean the defaults of package runtime.
	Limits runtime.Limits
	// MemoryBudget bounds the bytes that all guests hold together; 0: 1 GiB. See runtime.Options.
	MemoryBudget uint64
	// Engine runs the guests, and Close of the host closes it; nil: wazero.
	Engine runtime.Engine
	// CacheDir keeps compiled guests between processes if wazero runs them; empty: no cache. See
	// wazero.DefaultCacheDir.
	CacheDir string
	// Logger receives what guests log and what the host has to warn about; nil: nowhere.
	Logger *slog.Logger
	// Grants keep what was decided about guests; nil: in memory. Decide is asked about builds that no grant
	// covers; nil: they get nothing. Store keeps the kv of guests; nil: in memory. See runtime.Options.
	Grants runtime.Grants
	Decide func(context.Context, runtime.GrantRequest) (runtime.GrantDecision, error)
	Store  runtime.Store
	// Remember bounds how many answers of guests are kept for requests that come again, see
	// runtime.Guest.Recall; zero fields mean the defaults.
	Remember runtime.Remember
	// Lookup selects the line of the adapter protocol; zero is the 0.3.7 line.
	Lookup registry.Lookup
	// Policy says what to do when a contribution fails that has no policy of its own; zero is
	// registry.Skip.
	Policy registry.FailurePolicy
	// Environment says where the facts of the environment message come from; zero takes those of this
	// process.
	Environment envelope.Environment
	// Payload changes how envelopes are put into payloads.
	Payload payload.Options
}

// A Host holds what one process has loaded. Its methods are safe for concurrent use.
type Host struct {
	// Registry has the contributions and adapters; native ones can be registered in it.
	Registry *registry.Registry
	// Envelope composes turns. Most callers use a [Session] instead.
	Envelope *envelope.Service

	runtime   *runtime.Runtime
	logger    *slog.Logger
	opts      payload.Options
	following followers
}

// Open returns a host without guests.
func Open(opts Options) *Host {
	logger := opts.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	reg := &registry.Registry{Lookup: opts.Lookup}
	engine := opts.Engine
	if engine == nil {
		engine = wazero.New(wazero.Config{CacheDir: opts.CacheDir, Logger: logger})
	}
	return &Host{
		Registry: reg,
		Envelope: &envelope.Service{Registry: reg, Policy: opts.Policy, Environment: opts.Environment},
		runtime: runtime.New(engine, runtime.Options{
			Limits: opts.Limits, MemoryBudget: opts.MemoryBudget, Logger: logger,
			Grants: opts.Grants, Decide: opts.Decide, Store: opts.Store, Remember: opts.Remember,
		}),
		logger: logger,
		opts:   opts.Payload,
	}
}

// Engine returns the name and version of the engine that runs the guests.
func (h *Host) Engine() string { return h.runtime.Engine() }

// Load loads a guest's file and registers what it offers. The name appears in errors; the options hold
// the values that the guest may read, where it comes from, and what it is granted.
//
// A guest that is refused gives a [*runtime.Error]. One that is not granted what it asks for is loaded
// without it, see [runtime.Guest.Withheld]. The returned entry can be reloaded and removed; Close takes
// care of it otherwise.
func (h *Host) Load(
	ctx context.Context, name string, file []byte, opts runtime.GuestOptions,
) (*registry.Guest, error) {
	g, err := h.runtime.Load(ctx, name, file, opts)
	if err != nil {
		return nil, err
	}
	h.warnConfig(g, opts.Config)
	entry, err := h.Registry.AddGuest(g)
	if err != nil {
		return nil, errors.Join(err, g.Close(ctx))
	}
	return entry, nil
}

// warnConfig says which values a guest will never see, because it does not declare their keys.
func (h *Host) warnConfig(g *runtime.Guest, config map[string]string) {
	known := g.Artifact().Manifest.ConfigKeys()
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if !slices.Contains(known, key) {
			h.logger.Warn("the guest declares no such configuration key", "guest", g.Name(), "key", key)
		}
	}
}

// LoadFile is Load for a file on disk. If the options name no source it is the file's absolute path.
func (h *Host) LoadFile(ctx context.Context, path string, opts runtime.GuestOptions) (*registry.Guest, error) {
	file, err := runtime.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load guest: %w", err)
	}
	if opts.Source == "" {
		if opts.Source, err = filepath.Abs(path); err != nil {
			return nil, fmt.Errorf("load guest: %w", err)
		}
	}
	return h.Load(ctx, filepath.Base(path), file, opts)
}

// Reload puts another build of a guest in its place. Turns that run end with the old build. If the options
// name no source it is the old build's: a build that wants more than was granted is refused, with an
// error of kind KindDenied, and the old one stays.
func (h *Host) Reload(
	ctx context.Context, entry *registry.Guest, name string, file []byte, opts runtime.GuestOptions,
) error {
	if old := entry.Runtime(); opts.Source == "" && old != nil {
		opts.Source = old.Source()
	}
	g, err := h.runtime.Load(ctx, name, file, opts)
	if err != nil {
		return err
	}
	h.warnConfig(g, opts.Config)
	return entry.Reload(ctx, g)
}

// Folder returns a folder of guests as a source. Nothing is loaded until its Sync is called; call it
// again to follow changes.
func (h *Host) Folder(dir string, options func(name string) runtime.GuestOptions) *registry.Folder {
	return &registry.Folder{Dir: dir, Registry: h.Registry, Runtime: h.runtime, Options: options}
}

// Close ends what is followed, waits for the turns that run and releases all guests. Closing twice is
// harmless.
func (h *Host) Close(ctx context.Context) error {
	h.following.close()
	return h.runtime.Close(ctx)
}
