package parts

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/host/turn"
)

// A Provider is a [turn.Provider] whose model is called with a prompt and answers with parts. Set the
// fields before it is registered; it may then be used concurrently if Ask and OnIgnored may.
type Provider struct {
	// API is the host's name of the protocol, "openai-responses" for example. What an answer keeps for its
	// provider comes back in the next call only if API and the route's provider are the same then.
	API string
	// Ask calls the model once and yields the parts of its answer. An error ends the answer, and its text is
	// all that is kept of it: to tell a status or how long to wait, yield the part that [Failure] makes
	// instead. Parts that end without a finish are an answer that was cut. Only the texts of a part are kept,
	// so that the same part may be filled again and again. The parts have to end soon after ctx is done:
	// nobody else ends them.
	Ask func(ctx context.Context, call *Call) iter.Seq2[*stream.Part, error]
	// Profile says how the program's tools are named and shaped where that is not how the model is to see
	// them; nil changes nothing.
	Profile *profile.Profile
	// ContextWindow is how many tokens the model takes, 0 if that is not known. It serves to recognise
	// requests that were too long.
	ContextWindow int64
	// OnIgnored is told of what an answer has and nothing is made of, see [stream.Config].
	OnIgnored func(stream.Ignored)
}

// A Call is one call of a model.
type Call struct {
	// Route names the model.
	Route message.Route
	// CallOptions have the conversation in Prompt, of version 3: a system message, if there is a system
	// prompt, and then the history. ProviderOptions of a part are what this provider has said about it
	// before (the metadata of its parts, merged), and are there only where API and provider are the same.
	// Tools are nil if there are none. The call belongs to Ask, which may change it.
	*history.CallOptions
}

// sameTools is the profile of a host that names and shapes nothing in its own way.
var sameTools = &profile.Profile{Answer: profile.Answer{Redacted: true}}

// Stream implements [turn.Provider].
func (p *Provider) Stream(ctx context.Context, req *turn.Request) iter.Seq2[message.Chunk, error] {
	return func(yield func(message.Chunk, error) bool) {
		call, todos, err := p.call(req)
		if err != nil {
			yield(message.Chunk{}, err)
			return
		}
		cfg := &stream.Config{
			Toolset: call.Toolset, Todos: todos, OnIgnored: p.OnIgnored,
			Unchecked: true, // the loop knows what to say to a call of a tool that is not there
			Model:     stream.Model{ID: req.Route.Model, API: p.API, Provider: req.Route.Provider},
		}
		chunker := stream.Chunker{Requested: req.Route, ContextWindow: p.ContextWindow}
		chunker.Chunks(stream.Translate(ctx, cfg, p.Ask(ctx, call)))(yield)
	}
}

// call makes the call of a request, and says what is on the todo list of a profile that has one.
func (p *Provider) call(req *turn.Request) (*Call, []profile.Todo, error) {
	if p.API == "" || p.Ask == nil {
		return nil, nil, errors.New("the provider of parts needs an API and a function Ask")
	}
	native, err := req.Reader().History(req.Messages)
	if err != nil {
		return nil, nil, fmt.Errorf("read the history: %w", err)
	}
	// Not nil: a nil list would have the tools looked for in the messages.
	read := &history.Context{SystemPrompt: []string{req.System}, Tools: make([]profile.Tool, 0, len(req.Tools))}
	for _, m := range native {
		read.Messages = append(read.Messages, m.AppendJSON(nil))
	}
	for _, t := range req.Tools {
		read.Tools = append(read.Tools, profile.Tool(t))
	}
	cfg := history.Config{Profile: p.Profile, API: p.API, Provider: req.Route.Provider, Version: history.V3}
	if cfg.Profile == nil {
		cfg.Profile = sameTools
	}
	options, err := cfg.CallOptions(read, history.Call{})
	if err != nil {
		return nil, nil, err
	}
	return &Call{req.Route, options}, history.Todos(options.Toolset, read.Messages), nil
}
