package auth

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"
)

// An Account is the login of one plugin. Set its fields before the first call; the methods may be
// called at the same time. The plugin's loader runs once at a time, with the credential that it was
// called for in the store, and must not call the Account.
type Account struct {
	// Hook is the plugin's auth hook, nil if it has none or is not to be used.
	Hook *Hook
	// Prefer is the type of the method to log in with, "" for any (see [Hook.Pick]).
	Prefer string
	// Now is the clock; [time.Now] if it is nil.
	Now func() time.Time

	store Store
	once  sync.Once
	turn  chan struct{} // holds one token: who has taken it may run the loader
}

// Store is the plugin's store.
func (a *Account) Store() *Store { return &a.store }

// Redactor knows the account's secrets.
func (a *Account) Redactor() *Redactor { return a.store.Redactor() }

func (a *Account) now() time.Time {
	if a.Now == nil {
		return time.Now()
	}
	return a.Now()
}

func (a *Account) method() *Method {
	if a.Hook == nil {
		return nil
	}
	return a.Hook.Pick(a.Prefer)
}

// Label is what the login is called, and whether there is one: the label of the method, else the id of
// the provider.
func (a *Account) Label() (label string, ok bool) {
	m := a.method()
	switch {
	case m == nil:
		return "", false
	case m.Label != "":
		return m.Label, true
	}
	return a.Hook.Provider, true
}

// FromKey makes a credential of the bare key that is left of it in a host after a restart: the one in
// the store if that has this key, else one of the type of the login's method, and a key if there is no
// login. A host that goes on with the key of a credential which the plugin has replaced since is no
// restarted one: its key still stands for what is in the store, and its refresh token is not lost.
func (a *Account) FromKey(key Secret) *Credential {
	if c := a.store.of(key); c != nil {
		return c
	}
	return a.bare(key)
}

func (a *Account) bare(key Secret) *Credential {
	if m := a.method(); m != nil && m.Type == OAuthType {
		return OAuth(key, NewSecret(""), TokenExpiry(key, a.now()))
	}
	return APIKey(key, nil)
}

// Refresh returns a credential anew: it is stored, the plugin's loader is run, and if that has stored
// another one this is returned. If the plugin has replaced it before, as it may during a call, the loader
// is run with what the plugin has stored, which is returned. Without a refresh token or a loader, and if
// the loader stores nothing, the same is returned. The error is an *[Error] of kind KindPlugin if the loader
// fails.
func (a *Account) Refresh(ctx context.Context, credential HostCredential) (HostCredential, error) {
	if credential.Refresh.Reveal() == "" || a.Hook == nil || a.Hook.Load == nil {
		return credential, nil
	}
	before := credential.plugin()
	_, after, err := a.load(ctx, func() { a.store.begin(credential.Access, before, false) })
	if err != nil {
		return HostCredential{}, err
	}
	if after == nil || after == before {
		return credential, nil
	}
	return after.Host(a.now())
}

// SignIn runs the plugin's loader with the credential of a key in the store, see [Account.FromKey], and
// returns what it returns. Without a key or a loader that is nothing. The error is an *[Error] of kind
// KindPlugin if the loader fails.
func (a *Account) SignIn(ctx context.Context, key Secret) (Options, error) {
	a.Redactor().Add(key)
	if key.Reveal() == "" || a.Hook == nil || a.Hook.Load == nil {
		return nil, nil
	}
	options, _, err := a.load(ctx, func() { a.store.begin(key, a.bare(key), true) })
	return options, err
}

// FactoryOptions makes what the plugin's factory is called with for requests with a key, which need not
// be set: it signs in and calls [FactoryOptions].
func (a *Account) FactoryOptions(ctx context.Context, template json.RawMessage, key Secret) (Options, error) {
	loaded, err := a.SignIn(ctx, key)
	if err != nil {
		return nil, err
	}
	options, err := FactoryOptions(template, key, loaded)
	a.Redactor().Add(options.Secrets()...)
	return options, err
}

// load runs the loader when it is the call's turn, with what begin puts into the store, and returns what
// the store has then.
func (a *Account) load(ctx context.Context, begin func()) (options Options, after *Credential, err error) {
	a.once.Do(func() { a.turn = make(chan struct{}, 1) })
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return nil, nil, a.fail(KindPlugin, "wait for the login's loader", context.Cause(ctx))
	}
	begin()
	if options, err = a.Hook.Load(ctx, &a.store); err != nil {
		return nil, nil, a.fail(KindPlugin, "the login's loader", err)
	}
	return options, a.store.Get(), nil
}

// fail makes an error of what the plugin or the host has failed with.
func (a *Account) fail(kind Kind, doing string, err error) error {
	return &Error{Kind: kind, Provider: a.provider(), Text: doing, Err: a.Redactor().Error(err)}
}

func (a *Account) provider() string {
	if a.Hook == nil {
		return ""
	}
	return a.Hook.Provider
}

// named puts the provider into an error of this package.
func (a *Account) named(err error) error {
	var e *Error
	if errors.As(err, &e) && e.Provider == "" {
		e.Provider = a.provider()
	}
	return err
}
