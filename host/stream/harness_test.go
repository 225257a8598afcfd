package stream_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// toolset binds tools of these names to a host.
func toolset(t testing.TB, host string, names ...string) *profile.Toolset {
	p, err := profile.Named(host)
	require.NoError(t, err)
	tools := make([]profile.Tool, len(names))
	for i, name := range names {
		tools[i] = profile.Tool{Name: name}
	}
	return p.Bind(tools, profile.Options{})
}

func configFor(t testing.TB, host string, names ...string) *stream.Config {
	return &stream.Config{
		Toolset: toolset(t, host, names...),
		Model:   stream.Model{ID: "m", API: "a", Provider: "p"},
		Now:     func() time.Time { return time.UnixMilli(7) },
	}
}

// ran is what a stream has given.
type ran struct {
	// events are the events as JSON without their messages, and snapshots the content at each.
	events    []string
	snapshots []*stream.Message
	raw       []stream.Event
	final     *stream.Message
}

func (r *ran) take(e stream.Event) bool {
	r.events = append(r.events, string(e.AppendJSON(nil, false)))
	r.snapshots = append(r.snapshots, e.Message.Snapshot())
	r.raw = append(r.raw, e)
	if e.Type == stream.EventDone || e.Type == stream.EventError {
		r.final = e.Message
	}
	return true
}

// content is the blocks of a message as JSON, without the brackets.
func content(m *stream.Message) string {
	var blocks []string
	for _, b := range m.Content {
		blocks = append(blocks, string(b.AppendJSON(nil)))
	}
	return strings.Join(blocks, ",")
}

func parse(t testing.TB, lines ...string) []stream.Part {
	parts := make([]stream.Part, len(lines))
	for i, line := range lines {
		require.NoError(t, stream.ParsePart([]byte(line), &parts[i]), line)
	}
	return parts
}

// translate runs lines of JSON through Translate.
func translate(t testing.TB, cfg *stream.Config, lines ...string) *ran {
	r := &ran{}
	for e := range stream.Translate(context.Background(), cfg, valuesOf(parse(t, lines...))) {
		r.take(e)
	}
	require.NotNil(t, r.final)
	return r
}

// parts that end with an error.
func failing(parts []stream.Part, err error) iter.Seq2[*stream.Part, error] {
	return func(yield func(*stream.Part, error) bool) {
		for p := range valuesOf(parts) {
			if !yield(p, nil) {
				return
			}
		}
		yield(nil, err)
	}
}

var errBroken = errors.New("the line is dead")

const (
	finishStop  = `{"type":"finish","finishReason":{"unified":"stop"},"usage":{}}`
	finishTools = `{"type":"finish","finishReason":{"unified":"tool-calls"},"usage":{}}`
)
