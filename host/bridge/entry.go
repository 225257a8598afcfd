package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// An Entry is one provider of a configuration. Only Package is needed. In a file the fields have the
// names of the keys below, and null is as if a field were not there.
type Entry struct {
	// Package ("package") is the name, path or file URL of an npm package.
	Package string
	// ProviderName, API and BaseURL ("providerName", "api", "baseUrl") are what the host calls the
	// provider and its protocol, and the address that it shows; "" for what [Host.NameProvider] and [Host.Register]
	// choose.
	ProviderName, API, BaseURL string
	// Directory ("directory") is the working directory of the plugin, "" for that of the host.
	Directory string
	// APIKey ("apiKey") is a key or where to find one, see [Host.KeyReference].
	APIKey auth.Secret
	// CreateOptions ("createOptions") is a JSON object, the template of the factory's options, see
	// [auth.FactoryOptions].
	CreateOptions auth.Secret
	// Models ("models") are models as the host lists them, JSON objects with an id. They are hidden because
	// their headers may hold a key. nil means that the plugin says which there are; with a list, be it empty,
	// it is not asked.
	Models []auth.Secret
	// DisableOAuth ("disableOAuth") leaves the plugin's login unused.
	DisableOAuth bool
	// PreferAuthMethod ("preferAuthMethod") is "oauth" or "api", see [auth.Hook.Pick].
	PreferAuthMethod string
	// FactoryExport and PluginExport ("factoryExport", "pluginExport") name exports of the package, see
	// the functions of these names.
	FactoryExport, PluginExport string
	// SplitDimensions ("splitDimensions") are the dimensions of variants that make models of their own.
	// nil is the default, an empty list none; see package model.
	SplitDimensions []string

	object auth.Secret // as in the file
	faults []error     // each an *Error
	notes  []string
}

// Err says what is wrong with the fields of an entry that was read from a file, nil if nothing is. It
// is an *[Error] of kind ConfigShape, or several that are joined, in order of their places: one for each
// field.
func (e *Entry) Err() error {
	if len(e.faults) == 1 {
		return e.faults[0]
	}
	return errors.Join(e.faults...)
}

// Reveal is the entry as it is in the file, JSON with unknown members and secrets included. It is nil
// for an entry that was not read from one.
func (e *Entry) Reveal() json.RawMessage {
	if !e.object.IsSet() {
		return nil
	}
	return json.RawMessage(e.object.Reveal())
}

// parseEntry reads an entry, an object. It is false if there is no package.
func parseEntry(file *file, n jsonspan.Node) (Entry, bool) {
	object, _ := ordered.ParseObject(wtf8.Repair(n.Raw()))
	pkg, ok := object.Text("package")
	if !ok || pkg == "" {
		if pkg, ok = object.Text("packageSpecifier"); !ok || pkg == "" {
			return Entry{}, false
		}
		object.SetText("package", pkg)
		object.Delete("packageSpecifier")
	}
	e := Entry{Package: pkg, object: auth.NewSecret(string(object.JSON()))}
	r := fields{file: file, node: n}
	e.ProviderName = r.text("providerName")
	e.API = r.text("api")
	e.BaseURL = r.text("baseUrl")
	e.Directory = r.text("directory")
	e.PreferAuthMethod = r.text("preferAuthMethod")
	e.FactoryExport = r.text("factoryExport")
	e.PluginExport = r.text("pluginExport")
	if key := r.member("apiKey", jsonspan.String, "a string"); key.Kind() == jsonspan.String {
		e.APIKey = auth.NewSecret(jsonvalue.String(key))
	}
	if options := r.member("createOptions", jsonspan.Object, "an object"); options.Kind() == jsonspan.Object {
		e.CreateOptions = auth.NewSecret(string(wtf8.Repair(options.Raw())))
	}
	e.DisableOAuth = string(r.member("disableOAuth", jsonspan.Bool, "true or false").Raw()) == "true"
	if list := r.member("models", jsonspan.Array, "a list"); list.Kind() == jsonspan.Array {
		e.Models = []auth.Secret{}
		wrong := false
		for m := list.First(); m.Kind() != jsonspan.Absent; m = m.Next() {
			if _, ok := jsonvalue.Text(jsonvalue.Member(m, "id")); !ok && !wrong {
				r.fail(m, fmt.Sprintf("models[%d] needs an \"id\", a string", len(e.Models)))
				wrong = true
			}
			e.Models = append(e.Models, auth.NewSecret(string(wtf8.Repair(m.Raw()))))
		}
	}
	if list := r.member("splitDimensions", jsonspan.Array, "a list of strings"); list.Kind() == jsonspan.Array {
		e.SplitDimensions = []string{}
		wrong := false
		for m := list.First(); m.Kind() != jsonspan.Absent; m = m.Next() {
			if m.Kind() != jsonspan.String && !wrong {
				r.fail(m, "splitDimensions must be a list of strings")
				wrong = true
			}
			e.SplitDimensions = append(e.SplitDimensions, jsonvalue.String(m))
		}
	}
	r.slips()
	r.tell(&e)
	return e, true
}

// doubts are what looks wrong in an entry, though it can be used.
func (e *Entry) doubts() (notes []string) {
	if p := e.PreferAuthMethod; p != "" && p != auth.OAuthType && p != auth.APIType {
		notes = append(notes, fmt.Sprintf(
			"preferAuthMethod %q is neither %q nor %q: there is no login", p, auth.OAuthType, auth.APIType))
	}
	if e.BaseURL != "" && !isURL(e.BaseURL) {
		notes = append(notes, `baseUrl is no URL: it should begin with a scheme such as "https://"`)
	}
	return notes
}

// isURL says whether a text is an absolute URL. What looks like a host and its port is none.
func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" &&
		(u.Host != "" || u.Path != "" || strings.Trim(u.Opaque, "0123456789") != "")
}
