package host_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	hostreplay "github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/host/turn"
)

var update = flag.Bool("update", false, "write the golden summaries of the recorded streams anew")

const (
	recordings = "../testdata/vectors/streams"
	goldens    = "testdata/recorded"
	userAsks   = "Go on."
)

// TestRecordedStreams takes every recorded answer the whole way round, for both hosts: parts, events,
// chunks, the assembled message, the log, the message as it is read back, the options of the next call.
// What each of them amounts to is in a golden file per stream, which -update writes.
func TestRecordedStreams(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings, "*.parts.ndjson"))
	require.NoError(t, err)
	large, err := filepath.Glob(filepath.Join(recordings, "large", "*.parts.ndjson.gz"))
	require.NoError(t, err)
	require.Len(t, files, 146)
	require.Len(t, large, 3)
	for _, path := range append(files, large...) {
		name, _, _ := strings.Cut(filepath.Base(path), ".parts.ndjson")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := []byte("[\n")
			for i, host := range profile.Names() {
				if i > 0 {
					got = append(got, ",\n"...)
				}
				line, err := json.Marshal(goRound(t, path, host))
				require.NoError(t, err)
				got = append(got, line...)
			}
			got = append(got, "\n]\n"...)
			golden := filepath.Join(goldens, name+".json")
			if *update {
				require.NoError(t, os.WriteFile(golden, got, 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
		})
	}
}

func goRound(t *testing.T, path, host string) *summary {
	set, route := bound(t, path, host)
	cfg := &stream.Config{
		Toolset: set, Model: stream.Model{ID: route.Model, API: "recorded", Provider: route.Provider},
		Files: func(mediaType string, data []byte) (string, error) {
			return "/files/" + hash(string(data)) + filepath.Ext(mediaType), nil
		},
	}
	s := &summary{Host: host, Events: map[string]int{}}
	seen := newSpoken()
	parts := func(yield func(*stream.Part, error) bool) {
		for p, err := range stream.ReadParts(bytes.NewReader(read(t, path))) {
			s.Parts++
			if p != nil {
				seen.part(p)
			}
			if !yield(p, err) {
				return
			}
		}
	}
	var final *stream.Message
	var chunks []message.Chunk
	chunker := stream.Chunker{Requested: route}
	for e := range stream.Translate(t.Context(), cfg, parts) {
		require.Nil(t, final, "an event follows the terminal one")
		require.Equal(t, len(s.Events) == 0, e.Type == stream.EventStart)
		s.Events[e.Type]++
		if e.Type == stream.EventDone || e.Type == stream.EventError {
			final = e.Message
		}
		more, err := chunker.Event(&e)
		require.NoError(t, err)
		chunks = append(chunks, more...)
	}
	require.NotNil(t, final, "there is no terminal event")
	seen.check(t, final)
	s.message(final)
	assembled := assemble(t, chunks)
	s.Finish = assembled.reason.Kind
	sameContent(t, final, assembled.result.Blocks, assembled.reason.Kind)
	require.Equal(t, final.Usage.Input, assembled.usage.Input)
	require.Equal(t, final.Usage.Output, assembled.usage.Output)
	stored := keep(t, route, chunks)
	if assembled.reason.Kind == message.Failed || assembled.reason.Kind == message.Aborted {
		require.Nil(t, stored)
		s.Stored = "chunks"
		return s
	}
	require.NotNil(t, stored)
	sameContent(t, final, stored.Content, assembled.reason.Kind)
	s.Stored = "message"
	if stored.Source.ReplayState != nil {
		s.Stored = "message with state"
	}
	s.Sent = s.send(t, set, final, stored, route)
	return s
}

// bound are the tools that the recorded call has declared, on a host.
func bound(t *testing.T, path, host string) (*profile.Toolset, message.Route) {
	meta := struct {
		Provider     string
		RequestTools []string
	}{}
	base, _, _ := strings.Cut(path, ".parts.ndjson")
	data, err := os.ReadFile(base + ".meta.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &meta))
	var tools []profile.Tool
	for _, tool := range meta.RequestTools {
		name, isFunction := strings.CutPrefix(tool, "fn:")
		if !isFunction {
			if fields := strings.Split(tool, "|"); len(fields) > 1 {
				name = fields[1]
			}
		}
		tools = append(tools, profile.Tool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	p, err := profile.Named(host)
	require.NoError(t, err)
	if strings.Contains(path, "/large/") {
		tools = largeTools(t, path)
	}
	return p.Bind(tools, profile.Options{}), message.Route{Provider: meta.Provider, Model: "m"}
}

// largeTools are those that a stream of repeated recordings calls.
func largeTools(t *testing.T, path string) []profile.Tool {
	var tools []profile.Tool
	seen := map[string]bool{}
	for p, err := range stream.ReadParts(bytes.NewReader(read(t, path))) {
		require.NoError(t, err)
		if p.Type == stream.PartToolCall && !seen[p.ToolName] {
			seen[p.ToolName] = true
			tools = append(tools, profile.Tool{Name: p.ToolName})
		}
	}
	return tools
}

func read(t *testing.T, path string) []byte {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	if filepath.Ext(path) != ".gz" {
		return data
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	data, err = io.ReadAll(z)
	require.NoError(t, err)
	return data
}

type assembledAnswer struct {
	result assembler.Result
	reason message.Finish
	usage  message.Usage
}

// assemble checks the grammar of the chunks and makes the durable content of them.
func assemble(t *testing.T, chunks []message.Chunk) assembledAnswer {
	var g assembler.Grammar
	var a assembler.Assembler
	for i := range chunks {
		require.NoError(t, g.Check(&chunks[i]))
		require.NoError(t, a.Push(&chunks[i]))
	}
	require.NoError(t, g.End())
	result, err := a.Result()
	require.NoError(t, err)
	require.Nil(t, result.Discarded)
	return assembledAnswer{result, a.Finish(), *a.Usage()}
}

// A provider answers with chunks, and then with nothing but a stop.
type recordedProvider struct {
	chunks []message.Chunk
	asked  int
}

func (p *recordedProvider) Stream(context.Context, *turn.Request) iter.Seq2[message.Chunk, error] {
	p.asked++
	chunks := p.chunks
	if p.asked > 1 {
		chunks = []message.Chunk{{Type: message.FinishChunk, Reason: &message.Finish{Kind: message.Stop}}}
	}
	return func(yield func(message.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// keep runs a turn with the chunks as the model's answer, closes the log, takes it up again, and returns
// the message that it has, nil for none. No tool may have run that the model did not call in full.
func keep(t *testing.T, route message.Route, chunks []message.Chunk) *message.Message {
	ctx, store := t.Context(), session.NewDir(t.TempDir())
	s, err := session.Create(ctx, store, session.Header{ID: "s"}, session.Options{})
	require.NoError(t, err)
	router := &turn.Router{}
	require.NoError(t, router.Register(&recordedProvider{chunks: chunks}, route.Provider))
	loop := turn.Loop{Session: s, Router: router, Route: route}
	_, err = loop.Prompt(ctx, []message.Block{{Type: message.Text, Text: userAsks}})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	s, recovery, err := session.Open(ctx, store, "s", session.Options{})
	require.NoError(t, err)
	defer s.Close()
	require.Empty(t, recovery.Uncommitted)
	var logged []string
	var kept *message.Message
	for e, err := range s.Events(ctx, 0) {
		require.NoError(t, err)
		var data struct{ Chunk, Message json.RawMessage }
		require.NoError(t, json.Unmarshal(e.Data, &data))
		switch {
		case e.Type == session.AssistantChunk && len(logged) < len(chunks):
			logged = append(logged, string(data.Chunk))
		case e.Type == session.AssistantMessage && kept == nil:
			m, err := message.ParseMessage(data.Message)
			require.NoError(t, err)
			kept = &m
		}
	}
	require.Len(t, logged, len(chunks))
	for i := range chunks {
		require.JSONEq(t, string(chunks[i].AppendJSON(nil)), logged[i])
	}
	return kept
}

// send reads the message back as its provider's own, and as that of another one, and says what becomes of
// it in the options of the next call.
func (s *summary) send(
	t *testing.T, set *profile.Toolset, final *stream.Message, stored *message.Message, route message.Route,
) string {
	reader := hostreplay.Reader{Route: route, OnDiagnostic: func(d hostreplay.Diagnostic) { t.Error(d) }}
	native, own, err := reader.Assistant(*stored)
	require.NoError(t, err)
	require.Equal(t, stored.Source.ReplayState != nil, own)
	own = own && native.API == "recorded"
	cfg := &history.Config{Profile: set.Profile(), API: "recorded", Provider: route.Provider}
	read := &history.Context{
		SystemPrompt: []string{"s"}, Tools: []profile.Tool{},
		Messages: []json.RawMessage{native.AppendJSON(nil)},
	}
	again, err := cfg.CallOptions(read, history.Call{})
	require.NoError(t, err)
	if own && final.StopReason != stream.StopLength && !strings.Contains(string(final.AppendJSON(nil)), `"type":"image"`) {
		// As good as if the host had kept its own message.
		read.Messages = []json.RawMessage{final.AppendJSON(nil)}
		direct, err := cfg.CallOptions(read, history.Call{})
		require.NoError(t, err)
		require.JSONEq(t, string(direct.AppendJSON(nil)), string(again.AppendJSON(nil)))
	}
	read.Messages = []json.RawMessage{native.AppendJSON(nil)}
	foreign := &history.Config{Profile: set.Profile(), API: "another", Provider: route.Provider}
	other, err := foreign.CallOptions(read, history.Call{})
	require.NoError(t, err)
	require.NotContains(t, string(other.AppendJSON(nil)), "providerOptions")
	return sent(t, again)
}
