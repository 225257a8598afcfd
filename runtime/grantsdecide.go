package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// localSource is the source of a guest that was loaded without one: nothing but the same file comes from
// it again.
func localSource(a *Artifact) string { return "sha256:" + a.Digest() }

// decide finds out what an artifact is granted. It returns the grant that covers it and the capabilities
// that it gets. An error refuses the artifact.
func (r *Runtime) decide(ctx context.Context, a *Artifact, opts GuestOptions) (Grant, capabilities, error) {
	refuse := func(reason string, err error) (Grant, capabilities, error) {
		return Grant{}, capabilities{}, &Error{Kind: KindDenied, Guest: a.Title(), Reason: reason, Err: err}
	}
	if err := checkGrants(opts.Grants); err != nil {
		return Grant{}, capabilities{}, &Error{Kind: KindRefused, Guest: a.Title(), Reason: err.Error(), Err: err}
	}
	asked, given := askedBy(a.Manifest), capabilitiesOf(opts.Grants)
	fresh := Grant{Source: opts.Source, ID: a.Manifest.ID, Version: a.Manifest.Version, Digest: a.Digest(), Manifest: a.Manifest}
	if fresh.Source == "" {
		fresh.Source = localSource(a)
	}
	with := func(g Grant) (Grant, capabilities, error) {
		return g, capabilitiesOf(g.Capabilities).or(given).and(asked), nil
	}

	previous, err := r.previousGrant(fresh.Source, fresh.ID)
	if err != nil {
		return refuse("what it was granted before cannot be read: "+err.Error(), err)
	}
	var wider []string
	if previous != nil {
		if previous.Digest == fresh.Digest {
			return with(*previous)
		}
		if wider = widened(previous.Manifest, a.Manifest, r.opts.Limits, given); len(wider) == 0 {
			return with(*previous)
		}
	}
	decision, err := r.ask(ctx, GrantRequest{
		Source: fresh.Source, ID: fresh.ID, Version: fresh.Version, Digest: fresh.Digest, Manifest: a.Manifest,
		Asks: a.asks(given), Previous: previous, Widened: wider,
	})
	if err != nil {
		r.warn(a, "what to grant could not be decided", err)
	}
	switch {
	case err == nil && decision.Accept:
		fresh.Capabilities = capabilitiesOf(decision.Capabilities).and(asked).names()
		if err := r.opts.Grants.Put(fresh); err != nil { // it holds for this guest; the next load asks again
			r.warn(a, "what was granted could not be written down", err)
		}
	case previous != nil:
		return refuse(beyond(previous, wider), err)
	}
	return with(fresh)
}

// beyond puts a refusal into words.
func beyond(previous *Grant, wider []string) string {
	const most = 20
	list, rest := wider, ""
	if len(list) > most {
		list, rest = list[:most], fmt.Sprintf("; and %d more", len(list)-most)
	}
	return fmt.Sprintf("it wants more than version %s had: %s%s", previous.Version, strings.Join(list, "; "), rest)
}

// ask asks the host. Nobody to ask is a refusal.
func (r *Runtime) ask(ctx context.Context, q GrantRequest) (GrantDecision, error) {
	if r.opts.Decide == nil {
		return GrantDecision{}, nil
	}
	return r.opts.Decide(ctx, q)
}

// previousGrant returns what the host decided about a guest, or, if it never did, what the build that is
// loaded now came with: a build that takes another one's place must not widen unnoticed.
func (r *Runtime) previousGrant(source, id string) (*Grant, error) {
	g, ok, err := r.opts.Grants.Get(source, id)
	if err != nil {
		return nil, err
	}
	if ok {
		if g.Manifest == nil {
			return nil, fmt.Errorf("the grant of %q from %q has no manifest", id, source)
		}
		return &g, nil
	}
	for _, loaded := range r.all() {
		if loaded.grant.Source == source && loaded.grant.ID == id {
			g := loaded.grant
			return &g, nil
		}
	}
	return nil, nil
}

func (r *Runtime) warn(a *Artifact, text string, err error) {
	if r.opts.Logger != nil {
		r.opts.Logger.Warn(text, slog.String("guest", a.Title()), slog.Any("error", err))
	}
}
