package bridge

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/stream"
)

// A Module is a package that has been loaded. Its functions run code of the package, and so do those of
// [Plugin] and [LanguageModel]: an error of theirs may quote secrets, and its text is what the code has
// thrown. They may be called at the same time.
type Module struct {
	Exports []Export
	// NewModel makes a model: it calls the export, a function, with the options, and that provider's
	// languageModel with the id. For an object with languageModel, or [WholeModule], the options are of no
	// use.
	NewModel func(ctx context.Context, export string, options auth.Options, modelID string) (*LanguageModel, error)
	// NewPlugin calls the export with what the plugin may use. It is not called for packages without one.
	NewPlugin func(ctx context.Context, export string, input PluginInput) (*Plugin, error)
}

// A PluginInput is what a plugin may use. Its runtime makes client.auth (get, set, all, remove) of the
// store; client.session is absent, and every other member fails when it is called and says which one it
// was.
type PluginInput struct {
	Store *auth.Store
	// Directory and Worktree are the working directory.
	Directory, Worktree string
}

// A Plugin is what a plugin hooks into. Each of its functions may be nil.
type Plugin struct {
	// Auth is its login.
	Auth *auth.Hook
	// Config takes a configuration, a JSON object with an empty "provider", and returns it with the
	// plugin's providers and their models in it.
	Config func(ctx context.Context, config json.RawMessage) (json.RawMessage, error)
	// ChatParams returns what the provider's own options of a call are to be.
	ChatParams func(ctx context.Context, params ChatParams) (options json.RawMessage, err error)
}

// ChatParams is what a plugin is told of a call.
type ChatParams struct {
	SessionID string
	// Agent is "plan" while the host makes plans, else "build".
	Agent string
	// ModelID is the provider's id of the model, ProviderID the key of the options.
	ModelID, ProviderID string
	// Options are the options so far, a JSON object.
	Options json.RawMessage
}

// A LanguageModel is a model of the AI SDK.
type LanguageModel struct {
	// Version is its specificationVersion.
	Version history.Version
	// Stream is its doStream. The parts end with an error if reading fails. A part is used before the next
	// is asked for, and what the options hold is not changed any more.
	Stream func(ctx context.Context, options *history.CallOptions) (iter.Seq2[*stream.Part, error], error)
}
