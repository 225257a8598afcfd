package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
)

// A Host is the host that providers are registered with. Set its fields before the first use; the
// methods may be called at the same time.
type Host struct {
	Profile *profile.Profile
	Env     Environment
	// Load loads the package of an entry. It runs code of the package.
	Load func(ctx context.Context, entry *Entry) (*Module, error)
	// Notes are the host's hidden notes, Rewrites the sessions whose history it has rewritten; nil for
	// none.
	Notes    *history.Notes
	Rewrites *history.Rewrites
	// Files keeps generated files, see [stream.Config].
	Files func(mediaType string, data []byte) (path string, err error)
	// Now is the clock, that of the system if it is nil.
	Now func() time.Time
	// Reference switches to the behaviour of the reference.
	Reference bool
}

// RegisterAll registers the providers of a configuration. What fails with one of them has no effect on
// the others: each provider is nil where there is an error, in the order of the entries.
func (h *Host) RegisterAll(ctx context.Context, c *Config) ([]*Provider, []error) {
	providers, errs := make([]*Provider, len(c.Providers)), make([]error, len(c.Providers))
	for i := range c.Providers {
		providers[i], errs[i] = h.Register(ctx, &c.Providers[i])
	}
	return providers, errs
}

// Register loads the package of an entry, chooses its exports, names the provider and asks for its
// models. A plugin that fails loses its hooks, and one that fails to list models has none; both are
// noted in the [Registration]. The error is an *[Error].
func (h *Host) Register(ctx context.Context, entry *Entry) (*Provider, error) {
	if err := entry.Err(); err != nil {
		return nil, err
	}
	p := &Provider{
		host: h, entry: entry, rows: map[string]*model.Row{},
		account: &auth.Account{Prefer: entry.PreferAuthMethod, Now: h.Now},
	}
	p.knowSecrets()
	module, err := h.Load(ctx, entry)
	if err == nil && module == nil {
		err = errNoModule
	}
	if err != nil {
		return nil, p.fail("load the package", err)
	}
	p.module = module
	if p.factory, err = FactoryExport(module.Exports, entry.Package, entry.FactoryExport); err != nil {
		return nil, err
	}
	if err := p.startPlugin(ctx); err != nil {
		return nil, err
	}
	if err := p.name(); err != nil {
		return nil, err
	}
	p.listModels(ctx)
	return p, nil
}

var errNoModule = errors.New("there is no such package: install it, or check the name")

// knowSecrets makes known what is secret in the entry: the key, and what looks like a secret in the
// options, the models, and the rest of what the file has.
func (p *Provider) knowSecrets() {
	e := p.entry
	secrets := []auth.Secret{e.APIKey}
	for _, object := range append([]auth.Secret{e.object, e.CreateOptions}, e.Models...) {
		if options, err := auth.ParseOptions(json.RawMessage(object.Reveal())); err == nil {
			secrets = append(secrets, options.Secrets()...)
		}
	}
	p.redactor().Keep(secrets...)
}

// startPlugin makes the plugin of the package, if there is one.
func (p *Provider) startPlugin(ctx context.Context) error {
	export, err := PluginExport(p.module.Exports, p.entry.Package, p.entry.PluginExport, p.factory)
	if err != nil || export == "" {
		return err
	}
	directory := p.host.Env.absolute(p.entry.Directory)
	plugin, err := p.module.NewPlugin(ctx, export, PluginInput{
		Store: p.account.Store(), Directory: directory, Worktree: directory,
	})
	switch {
	case err != nil:
		p.note("the plugin has failed and is not used", err)
	case plugin != nil:
		p.plugin = *plugin
	}
	if !p.entry.DisableOAuth {
		p.account.Hook = p.plugin.Auth
	}
	return nil
}

// authID is the id under which the plugin signs in, "" if it does not.
func (p *Provider) authID() string {
	if p.plugin.Auth == nil {
		return ""
	}
	return p.plugin.Auth.Provider
}

// name makes the registration, without models.
func (p *Provider) name() error {
	h, entry := p.host, p.entry
	names, err := NameProvider(h.Profile, entry, p.authID(), h.Reference)
	if err != nil {
		return err
	}
	r := &p.registration
	r.Names, r.Package, r.Integration = names, entry.Package, IntegrationOf(entry.Package)
	if names.Renamed {
		p.note(fmt.Sprintf(
			"%s has a provider %q of its own: this one is called %q", h.Profile.Name, names.Declared, names.Provider), nil)
	}
	if r.BaseURL = entry.BaseURL; r.BaseURL == "" {
		r.BaseURL = "opencode-plugin:" + entry.Package
	}
	if entry.APIKey.Reveal() != "" {
		r.APIKey = KeyReference(h.Profile, entry.APIKey, h.Env, h.Reference)
	}
	r.Login, _ = p.account.Label()
	return nil
}

// listModels puts the models into the registration.
func (p *Provider) listModels(ctx context.Context) {
	r := &p.registration
	if p.entry.Models != nil {
		r.Models = p.entry.Models
		return
	}
	r.Dynamic = p.host.Profile.Models.Dynamic
	models, err := p.fetch(ctx, nil)
	switch {
	case err != nil:
		p.note("the plugin could not list its models", err)
	case len(models) > 0:
		p.listed = models
		for _, m := range models {
			r.Models = append(r.Models, auth.NewSecret(string(m)))
		}
	}
}

// fetch asks the plugin for its models, and remembers how they are called.
func (p *Provider) fetch(ctx context.Context, key *string) ([]json.RawMessage, error) {
	listing := model.Listing{
		Options: model.Options{Profile: p.host.Profile, Split: p.entry.SplitDimensions},
		Prefer:  p.authID(),
		Load: func(ctx context.Context, key string) error {
			_, err := p.account.SignIn(ctx, auth.NewSecret(key))
			return err
		},
	}
	if configure := p.plugin.Config; configure != nil {
		listing.Configure = func(ctx context.Context, config json.RawMessage) (json.RawMessage, error) {
			config, err := configure(ctx, config)
			return config, p.redactor().Error(err)
		}
	}
	catalog, err := listing.Fetch(ctx, key)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	models := make([]json.RawMessage, len(catalog.Rows))
	for i := range catalog.Rows {
		row := &catalog.Rows[i]
		models[i] = row.Model.AppendJSON(nil)
		p.rows[row.Model.ID] = row // of several rows with an id the last one counts
	}
	return models, nil
}

func (p *Provider) redactor() *auth.Redactor { return p.account.Redactor() }

// fail makes an error of one of the package's code.
func (p *Provider) fail(doing string, err error) error {
	return &Error{Kind: PluginFailed, Package: p.entry.Package, Text: doing, Err: p.redactor().Error(err)}
}

func (p *Provider) note(text string, err error) {
	if err != nil {
		text += ": " + p.redactor().Error(err).Error()
	}
	p.registration.Notes = append(p.registration.Notes, text)
}
