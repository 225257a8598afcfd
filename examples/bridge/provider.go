package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/host/turn"
)

// A provider asks a model of the AI SDK that runs elsewhere: it posts the options of a call and reads the
// parts of the answer, one JSON per line.
type provider struct {
	url  string
	host *profile.Profile
	// api is the name of the protocol. What an answer keeps for its provider goes back only where api and
	// provider are the same as when it was given.
	api string
}

// Stream implements turn.Provider.
func (p *provider) Stream(ctx context.Context, req *turn.Request) iter.Seq2[message.Chunk, error] {
	return func(yield func(message.Chunk, error) bool) {
		options, read, err := p.options(req)
		if err != nil {
			yield(message.Chunk{}, err)
			return
		}
		answer, err := p.post(ctx, options.AppendJSON(nil))
		if err != nil {
			yield(message.Chunk{}, err)
			return
		}
		defer answer.Close()
		cfg := &stream.Config{
			Toolset: options.Toolset,
			Model:   stream.Model{ID: req.Route.Model, API: p.api, Provider: req.Route.Provider},
			Todos:   history.Todos(options.Toolset, read.Messages),
		}
		chunker := &stream.Chunker{Requested: req.Route}
		chunker.Chunks(stream.Translate(ctx, cfg, stream.ReadParts(answer)))(yield)
	}
}

// options are those of the next call: what the session holds, in the words of the provider.
func (p *provider) options(req *turn.Request) (*history.CallOptions, *history.Context, error) {
	reader := replay.Reader{Route: req.Route}
	messages, err := reader.History(req.Messages)
	if err != nil {
		return nil, nil, err
	}
	read := &history.Context{SystemPrompt: []string{req.System}, Tools: []profile.Tool{}}
	for _, m := range messages {
		read.Messages = append(read.Messages, m.AppendJSON(nil))
	}
	for _, t := range req.Tools {
		read.Tools = append(read.Tools, profile.Tool(t))
	}
	cfg := history.Config{Profile: p.host, API: p.api, Provider: req.Route.Provider, Version: history.V3}
	options, err := cfg.CallOptions(read, history.Call{})
	return options, read, err
}

func (p *provider) post(ctx context.Context, body []byte) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, &message.Failure{Message: fmt.Sprintf("the sidecar says %s", resp.Status), Code: "SERVER", Status: resp.StatusCode}
	}
	return resp.Body, nil
}
