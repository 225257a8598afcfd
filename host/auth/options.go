package auth

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// An Option is one member of what a plugin's factory is called with.
type Option struct {
	Name string
	// JSON is the value, not set for a live one. It is hidden because it may hold a key.
	JSON Secret
	// Live is a value that is no JSON but, as a rule, a function: a handle of whatever runs the plugin,
	// which is passed on. It is nil for JSON.
	Live any
}

// Options are what a plugin's factory is called with, each name once.
type Options []Option

// ParseOptions makes options of the members of a JSON object.
func ParseOptions(object json.RawMessage) (Options, error) {
	members, ok := ordered.ParseObject(object)
	if !ok {
		return nil, errors.New("options must be a JSON object")
	}
	options := make(Options, 0, members.Len())
	for name, value := range members.All() {
		options = append(options, Option{Name: name, JSON: NewSecret(string(value))})
	}
	return options, nil
}

// Get returns the option with a name.
func (o Options) Get(name string) (Option, bool) {
	for _, option := range o {
		if option.Name == name {
			return option, true
		}
	}
	return Option{}, false
}

// Reveal is a JSON object of the options that are JSON, keys included: for the plugin's runtime alone.
func (o Options) Reveal() json.RawMessage {
	w := jsonvalue.Begin(nil)
	for _, option := range o {
		if option.Live == nil {
			w.Raw(option.Name, []byte(option.JSON.Reveal()))
		}
	}
	return w.End()
}

// FactoryOptions makes what a plugin's factory is called with: the template, a JSON object, with the
// key in the place of each [Placeholder] (see [Substitute]), and what the plugin's loader has returned
// over it. No template, or null, is {"apiKey":"$apiKey"}. A live getAccessToken displaces apiKey and
// accessToken.
func FactoryOptions(template json.RawMessage, key Secret, loaded Options) (Options, error) {
	if isNull(template) {
		template = json.RawMessage(`{"apiKey":"` + Placeholder + `"}`)
	}
	value, err := Substitute(template, key)
	if err != nil {
		return nil, err
	}
	options, err := ParseOptions(value)
	if err != nil {
		return nil, errors.New("createOptions must be a JSON object")
	}
	for _, option := range loaded {
		at := slices.IndexFunc(options, func(o Option) bool { return o.Name == option.Name })
		if at < 0 {
			options = append(options, option)
		} else {
			options[at] = option
		}
	}
	if getter, ok := options.Get("getAccessToken"); ok && getter.Live != nil {
		options = slices.DeleteFunc(options, func(o Option) bool {
			return o.Name == "apiKey" || o.Name == "accessToken"
		})
	}
	return options, nil
}

// AddOptions makes known what is, by the look of its name, a secret among options: every text below a
// member whose name has key, token, secret, password, authorization, cookie or credential in it.
func (r *Redactor) AddOptions(options Options) {
	var texts []string
	add := func(name string, value []byte) {
		doc, err := jsonspan.Scan(value, everyLevel)
		if err != nil {
			return
		}
		secret := namesSecret(name)
		until := 0 // the end of the member that is a secret with all that is in it
		visit(doc.Root(), func(n jsonspan.Node) {
			if !secret && n.Span().From >= until && namesSecret(n.Key()) {
				until = n.Span().To
			}
			if n.Kind() == jsonspan.String && (secret || n.Span().From < until) {
				text, _ := wtf8.Unquote(n.Raw())
				texts = append(texts, text)
			}
		})
	}
	for _, option := range options {
		if option.Live == nil {
			add(option.Name, []byte(option.JSON.Reveal()))
		}
	}
	r.add(texts)
}

func namesSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"key", "token", "secret", "password", "authorization", "cookie", "credential"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
