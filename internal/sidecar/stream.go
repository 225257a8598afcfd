package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/bridge"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

var streamMethods = map[string]method{
	"stream/open":  handle(streamOpen),
	"stream/push":  handle(streamPush).inOrderOf("stream"),
	"stream/close": handle(streamClose).inOrderOf("stream"),
}

type streamOpenParams struct {
	Host  string      `json:"host"`
	Model modelParams `json:"model"`
	Tools []hostTool  `json:"tools"`
	// Package is the npm package of the provider, Exclude the names of host tools that it does not get: nil
	// are those that are private to other packages.
	Package string   `json:"package"`
	Exclude []string `json:"exclude"`
	// Allow are the names of the tools that the provider was offered, nil for those of Tools.
	Allow     []string `json:"allow"`
	Unchecked bool     `json:"unchecked"`
	// Todos are the rows of the host's list before the call, nil if they are not known.
	Todos []todo `json:"todos"`
	// Files is the folder for files that the model makes, absolute; "" for none.
	Files string `json:"files"`
	// Assemble wants the durable message, Chunks the chunks that it is made of. The rest is about these.
	Assemble      bool           `json:"assemble"`
	Chunks        bool           `json:"chunks"`
	ID            string         `json:"id"`
	Requested     *message.Route `json:"requested"`
	ContextWindow int64          `json:"contextWindow"`
	// Reference and Readme switch to the behaviour of the reference, and of an older build of it.
	Reference bool `json:"reference"`
	Readme    bool `json:"readme"`
}

// toolset binds the tools.
func (p *streamOpenParams) toolset() (*profile.Toolset, error) {
	host, err := hostProfile(p.Host)
	if err != nil {
		return nil, err
	}
	tools := make([]profile.Tool, len(p.Tools))
	for i, t := range p.Tools {
		tools[i] = profile.Tool{Name: string(t.Name), Description: string(t.Description), Parameters: notNull(t.Parameters)}
	}
	return host.Bind(tools, profile.Options{Exclude: excluded(p.Exclude, p.Package), Reference: p.Reference}), nil
}

type streamOpenResult struct {
	Stream string `json:"stream"`
	Window int    `json:"window"`
}

// streamOpen begins the translation of an answer.
func streamOpen(_ context.Context, c *call, p *streamOpenParams) (streamOpenResult, error) {
	tools, err := p.toolset()
	if err != nil {
		return streamOpenResult{}, err
	}
	cfg := &stream.Config{
		Toolset: tools, Allow: p.Allow, Unchecked: p.Unchecked, Todos: todosOf(p.Todos),
		Model:       stream.Model{ID: p.Model.ID, API: p.Model.API, Provider: p.Model.Provider, Cost: p.Model.Cost},
		Integration: bridge.IntegrationOf(p.Package), Readme: p.Readme, Reference: p.Reference,
	}
	if p.Files != "" {
		if !filepath.IsAbs(p.Files) {
			return streamOpenResult{}, invalid("params.files", "%.200q is not absolute", p.Files)
		}
		cfg.Files = stream.FilesIn(p.Files)
	}
	a := &answer{listed: p.Chunks}
	if p.Chunks || p.Assemble {
		if p.Model.ID == "" || p.Model.API == "" || p.Model.Provider == "" {
			return streamOpenResult{}, invalid("params.model", "a durable message needs all of id, api and provider")
		}
		a.how = assembling{id: p.ID, requested: message.Route{Provider: p.Model.Provider, Model: p.Model.ID}}
		if p.Requested != nil {
			a.how.requested = *p.Requested
		}
		a.chunker = &stream.Chunker{Requested: a.how.requested, ContextWindow: p.ContextWindow}
	}
	if p.Assemble {
		a.assembler = &assembler.Assembler{Reference: p.Reference}
	}
	// An answer outlives the request that opens it: it ends with itself, or with the connection.
	var ctx context.Context
	ctx, a.abort = context.WithCancel(context.Background())
	a.translator = stream.NewTranslator(ctx, cfg)
	if err := c.server.streams.add(a); err != nil {
		a.abort()
		return streamOpenResult{}, err
	}
	return streamOpenResult{Stream: a.id, Window: streamWindow}, nil
}

type streamPushParams struct {
	Stream string
	// Parts are JSON objects, of so many bytes together.
	Parts []json.RawMessage
	bytes int
	// End says that no more parts come, Error that an exception has ended them, and Aborted that the call was
	// aborted.
	End     bool
	Error   error
	Aborted bool
}

var errNoObject = errors.New("want an object")

// UnmarshalJSON reads the params without reading the parts.
func (p *streamPushParams) UnmarshalJSON(data []byte) error {
	*p = streamPushParams{}
	var err error
	check := func(at string, ok bool, want string) {
		if err == nil && !ok {
			err = invalid("params."+at, "want %s", want)
		}
	}
	isObject := jsonspan.Members(data, func(key, value []byte) {
		given := string(value) != "null"
		switch jsonspan.Text(key) {
		case "stream":
			check("stream", value[0] == '"', "a text")
			if value[0] == '"' {
				p.Stream = jsonspan.Text(value)
			}
		case "parts":
			check("parts", !given || value[0] == '[', "a list")
			if err == nil && given {
				err = p.readParts(value)
			}
		case "end":
			p.End = string(value) == "true"
			check("end", !given || p.End || string(value) == "false", "true or false")
		case "aborted":
			p.Aborted = string(value) == "true"
			check("aborted", !given || p.Aborted || string(value) == "false", "true or false")
		case "error":
			if given {
				p.Error = thrown(value)
			}
		}
	})
	if !isObject {
		return errNoObject
	}
	return err
}

func (p *streamPushParams) readParts(list []byte) error {
	p.bytes = len(list)
	w := jsonspan.Walk(list)
	for w.Next() {
		at := w.Value()
		part := list[at.From:at.To:at.To]
		if part[0] != '{' {
			return invalid("params.parts", "part %d is no object", len(p.Parts))
		}
		if len(p.Parts) == streamWindow {
			return invalid("params.parts", "more than %d, the window: push them one after the other", streamWindow)
		}
		p.Parts = append(p.Parts, part)
	}
	return w.Err()
}

// thrown is an exception that has ended the parts, as a recording has it.
func thrown(exception []byte) error {
	record := append(append([]byte(`{"$throw":`), exception...), '}')
	var none stream.Part
	return stream.ParsePart(record, &none)
}

// streamPush translates the next parts of an answer. It is done whole or not at all, so that a request that
// was cancelled has changed nothing.
func streamPush(ctx context.Context, c *call, p *streamPushParams) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	a, err := c.server.streams.take(p.Stream, p.bytes)
	if err != nil {
		return nil, err
	}
	result, over, err := a.push(p)
	if over {
		c.server.streams.remove(p.Stream)
	}
	if err != nil {
		return nil, err
	}
	return result.encoded()
}

type streamCloseParams struct {
	Stream string `json:"stream"`
}

type streamCloseResult struct{}

// streamClose ends an answer of which no more is wanted. One that is not open is closed.
func streamClose(_ context.Context, c *call, p *streamCloseParams) (streamCloseResult, error) {
	c.server.streams.remove(p.Stream)
	return streamCloseResult{}, nil
}
