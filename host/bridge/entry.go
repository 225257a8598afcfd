package bridge

import (
	"encoding/json"
	"fmt"

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
	// provider and its protocol, and the address that it shows; "" for what [NameProvider] and [Register]
	// choose.
	ProviderName, API, BaseURL string
	// Directory ("directory") is the working directory of the plugin, "" for that of the host.
	Directory string
	// APIKey ("apiKey") is a key or where to find one, see [KeyReference].
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
	fault  *Error
}

// Err says what is wrong with the fields of an entry that was read from a file, nil if nothing is. It
// is an *[Error] of kind ConfigShape.
func (e *Entry) Err() error {
	if e.fault == nil {
		return nil
	}
	return e.fault
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
	r := fields{file: file, node: n, entry: &e}
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
		for m := list.First(); m.Kind() != jsonspan.Absent; m = m.Next() {
			if _, ok := jsonvalue.Text(jsonvalue.Member(m, "id")); !ok {
				r.fail(m, fmt.Sprintf("models[%d] needs an \"id\", a string", len(e.Models)))
			}
			e.Models = append(e.Models, auth.NewSecret(string(wtf8.Repair(m.Raw()))))
		}
	}
	if list := r.member("splitDimensions", jsonspan.Array, "a list of strings"); list.Kind() == jsonspan.Array {
		e.SplitDimensions = []string{}
		for m := list.First(); m.Kind() != jsonspan.Absent; m = m.Next() {
			if m.Kind() != jsonspan.String {
				r.fail(m, "splitDimensions must be a list of strings")
			}
			e.SplitDimensions = append(e.SplitDimensions, jsonvalue.String(m))
		}
	}
	return e, true
}

// fields reads the fields of an entry and notes the first that is wrong.
type fields struct {
	file  *file
	node  jsonspan.Node
	entry *Entry
}

// member returns a field of a kind, an absent node if there is none.
func (f *fields) member(key string, kind jsonspan.Kind, want string) jsonspan.Node {
	n := jsonvalue.Member(f.node, key)
	if n.Kind() == kind || n.Kind() <= jsonspan.Null {
		return n
	}
	f.fail(n, key+" must be "+want)
	return jsonspan.Node{}
}

func (f *fields) text(key string) string {
	return jsonvalue.String(f.member(key, jsonspan.String, "a string"))
}

func (f *fields) fail(n jsonspan.Node, text string) {
	if f.entry.fault == nil {
		f.entry.fault = f.file.fault(n, text)
		f.entry.fault.Package = f.entry.Package
	}
}
