package auth

import (
	"context"
	"encoding/json"
)

// A Hook is how a plugin lets users log in. Its functions run code of the plugin; they may be called at
// the same time unless they say otherwise, and an error of theirs may quote secrets.
type Hook struct {
	// Provider is the id under which the plugin knows its provider.
	Provider string
	// Methods are the ways to log in, in the plugin's order.
	Methods []Method
	// Load refreshes what the store has if that is needed, by storing another credential, and returns what
	// the plugin's factory is to be called with. It is nil if the plugin has no loader. An [Account] runs
	// it once at a time.
	Load func(ctx context.Context, store *Store) (Options, error)
}

// A Method is one way to log in.
type Method struct {
	// Type is "oauth" or "api". Methods of other types are never chosen.
	Type string
	// Label is what users are shown, "" for the provider's id.
	Label string
	// Prompts are asked before Authorize, in order.
	Prompts []Prompt
	// Authorize begins the login with the answers to the prompts, by their keys. If it is nil nobody can
	// log in with this method.
	Authorize func(ctx context.Context, answers map[string]string) (Authorization, error)
}

// An Authorization is a login that has begun.
type Authorization struct {
	// URL and Instructions, nil for none, are what the user is shown to go on with, and Callback waits until
	// that is done; for methods of the type "oauth". See [CallbackCredential] for what it returns.
	URL          string
	Instructions *string
	Callback     func(ctx context.Context) (json.RawMessage, error)
	// Result is the outcome for methods of the type "api": {"type":"success","key":text,"metadata"?:{…}}.
	Result json.RawMessage
}

// A Prompt is a question to the user.
type Prompt struct {
	// Key is under which the answer is given to the method.
	Key     string
	Message string
	// Placeholder is an example of an answer, nil for none. It is not shown if there are Values.
	Placeholder *string
	// Values are what can be answered, in order; nil for any text. An answer is not compared with them.
	Values []string
	// Validate says what is wrong with an answer to a question without Values, "" for nothing. It may be
	// nil.
	Validate func(ctx context.Context, answer string) (problem string, err error)
}

// Callbacks are how a host talks to a user who logs in.
type Callbacks struct {
	// OnAuth shows where to log in. instructions are nil if there are none.
	OnAuth func(ctx context.Context, url string, instructions *string) error
	// OnProgress shows what is going on. It may be nil.
	OnProgress func(ctx context.Context, note string)
	// OnPrompt asks for an answer. placeholder is nil if there is none. Without OnPrompt, logins that have
	// prompts fail.
	OnPrompt func(ctx context.Context, message string, placeholder *string) (string, error)
}

// Pick chooses the method to log in with: the first of the preferred type, and if none is preferred the
// first of type "oauth", else the first of type "api". It is nil if there is none.
func (h *Hook) Pick(prefer string) *Method {
	types := []string{OAuthType, APIType}
	if prefer != "" {
		types = []string{prefer}
	}
	for _, kind := range types {
		for i := range h.Methods {
			if m := &h.Methods[i]; m.Type == kind && (kind == OAuthType || kind == APIType) {
				return m
			}
		}
	}
	return nil
}
