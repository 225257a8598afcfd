package bridge

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A Registration is what a host is told of a provider. It does not change.
type Registration struct {
	Names
	// Package is the configured package, and Integration what it is known to be.
	Package     string
	Integration stream.Integration
	// BaseURL is the address that the host shows.
	BaseURL string
	// APIKey is a key, or where the host finds one; not set for none.
	APIKey auth.Secret
	// Models are the models as the host lists them, JSON objects, hidden because their headers may hold a
	// key; nil if none is known.
	Models []auth.Secret
	// Dynamic is the name of the host's function that lists models anew, "" if the list does not change.
	Dynamic string
	// Login is what the login is called, "" if there is none.
	Login string
	// Notes are for the host's log: what was done otherwise than expected, and what looks wrong in the entry.
	Notes []string
}

// Reveal is the registration as JSON, the key included, for the host alone:
//
//	{"name":…,"declaredId":…,"optionsKey":…,"package":…,"notes":[…],
//	 "config":{"baseUrl":…,"api":…,"apiKey"?:…,"models"?:[…],"dynamic"?:…,"oauth"?:{"name":…}}}
//
// config is what the host registers; the functions that dynamic and oauth stand for, and that of the
// stream, are those of the [Provider].
func (r *Registration) Reveal() json.RawMessage {
	w := jsonvalue.Begin(nil)
	w.Text("name", r.Provider)
	w.Text("declaredId", r.Declared)
	w.Text("optionsKey", r.OptionsKey)
	w.Text("package", r.Package)
	w.Key("notes")
	w.Out = ordered.AppendTexts(w.Out, r.Notes)
	w.Key("config")
	config := jsonvalue.Begin(w.Out)
	config.Text("baseUrl", r.BaseURL)
	config.Text("api", r.API)
	if r.APIKey.IsSet() {
		config.Text("apiKey", r.APIKey.Reveal())
	}
	if len(r.Models) > 0 {
		config.Key("models")
		config.Out = appendList(config.Out, r.Models)
	}
	if r.Dynamic != "" {
		config.Text("dynamic", r.Dynamic)
	}
	if r.Login != "" {
		config.Key("oauth")
		login := jsonvalue.Begin(config.Out)
		login.Text("name", r.Login)
		config.Out = login.End()
	}
	w.Out = config.End()
	return w.End()
}

// MarshalJSON implements [json.Marshaler]: the form of [Registration.Reveal] with [auth.Redacted] in the
// place of the key and of each model.
func (r Registration) MarshalJSON() ([]byte, error) {
	shown := r
	if r.APIKey.IsSet() {
		shown.APIKey = auth.NewSecret(r.APIKey.String())
	}
	if r.Models != nil {
		shown.Models = make([]auth.Secret, len(r.Models))
		for i := range shown.Models {
			shown.Models[i] = auth.NewSecret(`"` + auth.Redacted + `"`)
		}
	}
	return shown.Reveal(), nil
}

func appendList(dst []byte, list []auth.Secret) []byte {
	values := make([]json.RawMessage, len(list))
	for i, value := range list {
		values[i] = json.RawMessage(value.Reveal())
	}
	return ordered.AppendList(dst, values)
}
