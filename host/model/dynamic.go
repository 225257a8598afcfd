package model

import (
	"context"
	"fmt"
	"time"
)

// Dynamic is a list of models that a host asks for again while it runs. M is what the host keeps of a
// model, a [Model] or its JSON. It is safe for concurrent use if Fetch is. The lists that are returned are
// those that were given, and must not be changed.
//
// A list of models that is configured does not change: it needs no Dynamic.
type Dynamic[M any] struct {
	// Registered are the models that were known when the provider was registered.
	Registered []M
	// Fetch lists the models with a key, nil for none; see [Listing]. It must be set.
	Fetch func(ctx context.Context, key *string) ([]M, error)
}

// List lists the models for a host without a cache (profile.Models.Cached is false). Without an answer the
// list is empty, and the error says why: it is for reports, as a host goes on without those models.
func (d *Dynamic[M]) List(ctx context.Context, key *string) ([]M, error) {
	models, err := d.Fetch(ctx, key)
	if err != nil {
		return []M{}, fmt.Errorf("dynamic models: %w", err)
	}
	return models, nil
}

// A Refresh is what a host with a cache gives to a request for its models.
type Refresh[M any] struct {
	// Offline: nothing may be fetched.
	Offline bool
	// Access and Key are those of the credential, nil if it has none. Access is taken if there are both.
	Access, Key *string
	// Stored are the models that were published last; nil if there was nothing, empty if there were none.
	Stored []M
	// Publish stores models and when they were fetched.
	Publish func(ctx context.Context, models []M, checked time.Time) error
}

// Refresh lists the models for a host with a cache (profile.Models.Cached is true), and publishes what has
// been fetched. The cache, which is what was stored or else registered, is the answer if nothing may be
// fetched, if that fails or is cancelled, and if it finds nothing where the cache has something. The models
// can be used whatever the error is, which says why they are not fresh or were not stored.
func (d *Dynamic[M]) Refresh(ctx context.Context, r Refresh[M]) ([]M, error) {
	cached := r.Stored
	if cached == nil {
		cached = d.Registered
	}
	if r.Offline {
		return cached, nil
	}
	key := r.Access
	if key == nil {
		key = r.Key
	}
	models, err := d.Fetch(ctx, key)
	switch {
	case err != nil:
		return cached, fmt.Errorf("dynamic models: %w", err)
	case len(models) == 0 && len(cached) > 0:
		return cached, nil
	case ctx.Err() != nil:
		return cached, fmt.Errorf("dynamic models: %w", context.Cause(ctx))
	}
	if r.Publish != nil {
		if err := r.Publish(ctx, models, time.Now()); err != nil {
			return models, fmt.Errorf("dynamic models: store them: %w", err)
		}
	}
	return models, nil
}
