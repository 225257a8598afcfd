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
	places := make(map[string]int, len(options)+len(loaded))
	for i := range options {
		places[options[i].Name] = i
	}
	for _, option := range loaded {
		at, ok := places[option.Name]
		if !ok {
			places[option.Name] = len(options)
			options = append(options, option)
			continue
		}
		options[at] = option
	}
	if getter, ok := options.Get("getAccessToken"); ok && getter.Live != nil {
		options = slices.DeleteFunc(options, func(o Option) bool {
			return o.Name == "apiKey" || o.Name == "accessToken"
		})
	}
	return options, nil
}

// Secrets are what is secret among options by the look of its name: every text below a member whose name
// has key, token, secret, pass, auth, cookie or credential in it. Of a text such as "Bearer …" what is
// behind the scheme is one as well.
func (o Options) Secrets() []Secret {
	var secrets []Secret
	for _, option := range o {
		if option.Live != nil {
			continue
		}
		doc, err := jsonspan.Scan([]byte(option.JSON.Reveal()), everyLevel)
		if err != nil {
			continue
		}
		whole := namesSecret(option.Name)
		until := 0 // the end of the member that is a secret with all that is in it
		visit(doc.Root(), func(n jsonspan.Node) {
			if !whole && n.Span().From >= until && namesSecret(n.Key()) {
				until = n.Span().To
			}
			if n.Kind() != jsonspan.String || !whole && n.Span().From >= until {
				return
			}
			text, _ := wtf8.Unquote(n.Raw())
			secrets = append(secrets, NewSecret(text))
			_, credentials, _ := strings.Cut(text, " ")
			if len(credentials) >= shortSecret && !strings.Contains(credentials, " ") {
				secrets = append(secrets, NewSecret(credentials))
			}
		})
	}
	return secrets
}

func namesSecret(name string) bool {
	name = strings.ToLower(name)
	for _, part := range [...]string{"key", "token", "secret", "pass", "auth", "cookie", "credential"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
