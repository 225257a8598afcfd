package bridge

import (
	"context"
	"encoding/json"
	"iter"
	"sync"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A Provider is a provider that has been registered; see [Host.Register]. All methods may be called at
// the same time.
type Provider struct {
	host         *Host
	entry        *Entry
	module       *Module
	factory      string
	plugin       Plugin
	account      *auth.Account
	registration Registration
	listed       []json.RawMessage // the plugin's models at first

	registered *model.Catalog // how those are called

	mu     sync.RWMutex
	latest *model.Catalog // how the models that were listed last are called
}

// Registration is what the host is told of the provider.
func (p *Provider) Registration() *Registration { return &p.registration }

// Account is the login.
func (p *Provider) Account() *auth.Account { return p.account }

// Models lists the models anew, for the function of the host that [Registration].Dynamic names. Models
// are JSON objects as the host lists them, without any secret. It is nil if the list does not change.
func (p *Provider) Models() *model.Dynamic[json.RawMessage] {
	if p.registration.Dynamic == "" {
		return nil
	}
	return &model.Dynamic[json.RawMessage]{Registered: p.listed, Fetch: p.fetch}
}

// A Request is one call of a model by the host.
type Request struct {
	// Model is the host's model.
	Model stream.Model
	// Context is the conversation, nil for an empty one, and Host what else the host says.
	Context *history.Context
	Host    history.Call
	// Key gives the API key, see [Call].
	Key func(ctx context.Context) (auth.Secret, error)
	// Level is how much the model is to think, "" for the default.
	Level string
	// Plan says that the host is making plans.
	Plan bool
	// Outcomes are what has become of delegated work, see [history.Config].
	Outcomes map[string]history.Outcome
}

// Call makes the call of a request, for [Call.Events].
func (p *Provider) Call(r *Request) *Call {
	row, id := p.row(r.Model.ID), r.Model.ID
	if row != nil {
		id = row.Variant.BaseID
	}
	h := p.host
	return &Call{
		History: history.Config{
			Profile: h.Profile, Exclude: Withheld(p.entry.Package), Notes: h.Notes,
			Outcomes: r.Outcomes, Reference: h.Reference, Readme: h.Readme,
		},
		Model: r.Model, Integration: p.registration.Integration, Context: r.Context, Host: r.Host, Key: r.Key,
		NewModel: func(ctx context.Context, key auth.Secret) (*LanguageModel, error) {
			options, err := p.account.FactoryOptions(ctx, json.RawMessage(p.entry.CreateOptions.Reveal()), key)
			if err != nil {
				return nil, err
			}
			return p.module.NewModel(ctx, p.factory, options, id)
		},
		Prepare: func(ctx context.Context, options *history.CallOptions) error {
			return p.prepare(ctx, r, row, id, options)
		},
		Files: h.Files, OnIgnored: h.OnIgnored, Now: h.Now, Redactor: p.redactor(),
	}
}

// Events makes the call of a request and returns its events, see [Call.Events].
func (p *Provider) Events(ctx context.Context, r *Request) iter.Seq[stream.Event] {
	return p.Call(r).Events(ctx)
}

// prepare gives a call the provider's own options: those of the model and its level, as the plugin
// wants them to be.
func (p *Provider) prepare(
	ctx context.Context, r *Request, row *model.Row, id string, options *history.CallOptions,
) error {
	own := json.RawMessage("{}")
	if row != nil {
		own = row.Options(r.Level)
	}
	if p.plugin.ChatParams != nil && r.Host.SessionID != "" {
		params := ChatParams{
			SessionID: r.Host.SessionID, Agent: "build", ModelID: id, ProviderID: p.registration.OptionsKey,
			Options: own,
		}
		if r.Plan {
			params.Agent = "plan"
		}
		var err error
		if own, err = p.plugin.ChatParams(ctx, params); err != nil {
			return err
		}
	}
	members, _ := ordered.ParseObject(own)
	if p.registration.Integration == stream.Cursor && p.rewritten(r, options) {
		members.Set("opencodeHistoryRewrite", json.RawMessage("true"))
	}
	if members.Len() == 0 {
		return nil
	}
	var whole ordered.Object
	whole.Set(p.registration.OptionsKey, members.JSON())
	options.ProviderOptions = whole.JSON()
	return nil
}

// rewritten says whether the provider has to be told with this call that the history was rewritten.
func (p *Provider) rewritten(r *Request, options *history.CallOptions) bool {
	return p.host.Rewrites != nil && p.host.Rewrites.Take(r.Host.SessionID, options)
}
