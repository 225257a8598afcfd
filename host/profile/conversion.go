package profile

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A conversion is one call on its way to the other side. A shape changes args, or puts the arguments in
// built, or those of several calls in several.
type conversion struct {
	toolset *Toolset
	// rule is that of the host's tool, nil for the tools of roles.
	rule *rule
	// call is the call as it came, name the name that it gets on the way to the provider.
	call Call
	name string

	args    ordered.Object
	changed bool
	built   json.RawMessage

	// On the way to the host: the rows of the todo list that are known, and what comes of several calls.
	known   []Todo
	several []json.RawMessage
	fanOut  bool
}

// arguments are those of the one call that comes of it.
func (v *conversion) arguments() json.RawMessage {
	switch {
	case v.built != nil:
		return v.built
	case v.changed:
		return v.args.JSON()
	}
	return v.call.Arguments
}

func (v *conversion) set(key string, value json.RawMessage) {
	v.args.Set(key, value)
	v.changed = true
}

func (v *conversion) setText(key, value string) { v.set(key, wtf8.AppendQuote(nil, value)) }

func (v *conversion) remove(key string) {
	if v.args.Has(key) {
		v.args.Delete(key)
		v.changed = true
	}
}

// rename gives a member another key, or drops it if there is one with that key.
func (v *conversion) rename(from, to string) {
	value := v.args.Get(from)
	if value == nil || from == to {
		return
	}
	if !v.args.Has(to) {
		v.args.Set(to, value)
	}
	v.args.Delete(from)
	v.changed = true
}

// key is what the host calls an argument of providers.
func (v *conversion) key(provider string) string { return v.rule.hostKey(provider) }

// firstText returns the first of some members that is a string, as JSON; nil if none is.
func (v *conversion) firstText(keys ...string) json.RawMessage {
	for _, key := range keys {
		if value := v.args.Get(key); isText(value) {
			return value
		}
	}
	return nil
}

func isText(value json.RawMessage) bool { return len(value) > 0 && value[0] == '"' }

func isObject(value json.RawMessage) bool { return len(value) > 0 && value[0] == '{' }

func isTrue(value json.RawMessage) bool { return string(value) == "true" }

func isBool(value json.RawMessage) bool { return isTrue(value) || string(value) == "false" }
