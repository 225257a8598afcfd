package model

import (
	"context"
	"encoding/json"
	"fmt"
)

// A Listing asks a plugin which models its provider has. The plugin's own code comes in through the two
// functions. It is safe for concurrent use if they are.
type Listing struct {
	Options
	// Prefer is the id under which the plugin signs in, "" for none: see [Harvest].
	Prefer string
	// Load runs the loader of the plugin's auth hook with the credential that belongs to a key. nil if the
	// plugin has no such hook or loader.
	Load func(ctx context.Context, key string) error
	// Configure is the plugin's configuration hook: it returns a configuration as the hook leaves it. nil if
	// the plugin has none.
	Configure func(ctx context.Context, config json.RawMessage) (json.RawMessage, error)
}

// Fetch lists the models anew, signed in with a key unless that is nil or empty. The catalog of a plugin
// that configures no provider is empty. The errors are those of the two functions.
func (l *Listing) Fetch(ctx context.Context, key *string) (*Catalog, error) {
	if l.Load != nil && key != nil && *key != "" {
		if err := l.Load(ctx, *key); err != nil {
			return nil, fmt.Errorf("list models: sign in: %w", err)
		}
	}
	config := json.RawMessage(`{"provider":{}}`)
	if l.Configure != nil {
		var err error
		if config, err = l.Configure(ctx, config); err != nil {
			return nil, fmt.Errorf("list models: %w", err)
		}
	}
	if c, ok := Harvest(config, l.Prefer, l.Options); ok {
		return c, nil
	}
	return &Catalog{}, nil
}
