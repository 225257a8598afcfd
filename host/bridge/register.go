package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
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
	// OnIgnored is told of what answers have and nothing is made of, see [stream.Config].
	OnIgnored func(stream.Ignored)
	// Now is the clock, that of the system if it is nil.
	Now func() time.Time
	// Reference switches to the behaviour of the reference. Readme is the build of it that its README
	// describes, where that differs: see [history.Config] and [stream.Config].
	Reference, Readme bool
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
// noted in the [Registration], and so is what looks wrong in the entry but is none of its faults. The error is
// an *[Error], of kind NoHost for a host without Profile or Load, or that of [Entry.Err].
func (h *Host) Register(ctx context.Context, entry *Entry) (*Provider, error) {
	if h.Profile == nil || h.Load == nil {
		return nil, errIncomplete(entry)
	}
	if err := entry.Err(); err != nil {
		return nil, err
	}
	p := &Provider{
		host: h, entry: entry, latest: &model.Catalog{}, registered: &model.Catalog{},
		account: &auth.Account{Prefer: entry.PreferAuthMethod, Now: h.Now},
	}
	p.knowSecrets()
	for _, text := range slices.Concat(entry.notes, entry.doubts()) {
		p.note(text, nil)
	}
	module, err := h.Load(ctx, entry)
	if err == nil && module == nil {
		err = errNoModule
	}
	if err != nil {
		return nil, p.fail("load the package", err)
	}
	if module.NewModel == nil {
		return nil, p.fail("load the package", errNoModel)
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

func errIncomplete(entry *Entry) error {
	return &Error{Kind: NoHost, Package: entry.Package, Text: "the host has no Profile or no Load: set both"}
}

var errNoModule = errors.New("there is no such package: install it, or check the name")

// knowSecrets makes known what is secret in the entry: the key, and what looks like a secret in the
// options, the models, and the rest of what the file has. The type of a login only has a name like one.
func (p *Provider) knowSecrets() {
	e := p.entry
	secrets := []auth.Secret{e.APIKey}
	for _, object := range append([]auth.Secret{e.object, e.CreateOptions}, e.Models...) {
		if options, err := auth.ParseOptions(json.RawMessage(object.Reveal())); err == nil {
			options = slices.DeleteFunc(options, func(o auth.Option) bool { return o.Name == "preferAuthMethod" })
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
	if p.module.NewPlugin == nil {
		p.note("the plugin cannot be made and is not used", nil)
		return nil
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
	names, err := h.NameProvider(entry, p.authID())
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
		r.APIKey = h.KeyReference(entry.APIKey)
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
	catalog, err := p.catalog(ctx, nil)
	if err != nil {
		p.note("the plugin could not list its models", err)
		return
	}
	p.listed, p.registered = listed(catalog), catalog
	for _, m := range p.listed {
		r.Models = append(r.Models, auth.NewSecret(string(m)))
	}
}

// listed are the models of a catalog as the host lists them, nil for none.
func listed(catalog *model.Catalog) (models []json.RawMessage) {
	for i := range catalog.Rows {
		models = append(models, catalog.Rows[i].Model.AppendJSON(nil))
	}
	return models
}

// fetch lists the models anew, and remembers how they are called.
func (p *Provider) fetch(ctx context.Context, key *string) ([]json.RawMessage, error) {
	catalog, err := p.catalog(ctx, key)
	if err != nil {
		return nil, err
	}
	models := listed(catalog)
	if len(models) > 0 && ctx.Err() == nil { // else the host keeps the list that it has
		p.mu.Lock()
		p.latest = catalog
		p.mu.Unlock()
	}
	return append([]json.RawMessage{}, models...), nil
}

// catalog asks the plugin for its models.
func (p *Provider) catalog(ctx context.Context, key *string) (*model.Catalog, error) {
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
	return listing.Fetch(ctx, key)
}

// row is how a model is called, nil if it is not known. The host has the models that were listed last, or,
// where it could not list any, those of the registration again (section "Dynamic models").
func (p *Provider) row(id string) *model.Row {
	p.mu.RLock()
	latest := p.latest
	p.mu.RUnlock()
	for _, c := range [...]*model.Catalog{latest, p.registered} {
		if row, ok := c.Call(id); ok {
			return row
		}
	}
	return nil
}

func (p *Provider) redactor() *auth.Redactor { return p.account.Redactor() }

// fail makes an error of one of the package's code.
func (p *Provider) fail(doing string, err error) error {
	return &Error{Kind: PluginFailed, Package: p.entry.Package, Text: doing, Err: p.redactor().Error(err)}
}

func (p *Provider) note(text string, err error) {
	if err != nil {
		text += ": " + err.Error()
	}
	p.registration.Notes = append(p.registration.Notes, p.redactor().Text(text))
}
