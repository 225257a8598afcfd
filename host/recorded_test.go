package host_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// A summary is what one stream amounts to on one host.
type summary struct {
	Host   string         `json:"host"`
	Parts  int            `json:"parts"`
	Events map[string]int `json:"events"`
	Stop   string         `json:"stop"`
	Error  string         `json:"error,omitempty"`
	Blocks []blockSummary `json:"blocks"`
	// Ran are the calls that the provider ran itself, "!" behind the name of one without a result.
	Ran   []string        `json:"ran,omitempty"`
	Usage json.RawMessage `json:"usage"`
	// Stored is the finish of the chunks, and what the log has of the message.
	Finish string `json:"finish"`
	Stored string `json:"stored"`
	// Sent are the parts of the answer in the options of the next call, those with provider options marked
	// with "+".
	Sent string `json:"sent,omitempty"`
}

type blockSummary struct {
	Type string `json:"type"`
	Size int    `json:"size"`
	Hash string `json:"hash"`
	// Signature is its length.
	Signature int    `json:"signature,omitempty"`
	Call      string `json:"call,omitempty"`
	Error     string `json:"error,omitempty"`
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
		if p.Type == stream.ToolCall && !seen[p.ToolName] {
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

// spoken is what the parts say, read in the plainest way: for each kind of block the texts in the order in
// which their ids were first seen, and the calls.
type spoken struct {
	texts  map[string]*[]string // by kind
	at     map[string]int       // by kind and id
	calls  map[string]string    // the input by id
	theirs map[string]bool
}

func newSpoken() *spoken {
	return &spoken{
		texts: map[string]*[]string{"text": {}, "reasoning": {}}, at: map[string]int{}, calls: map[string]string{},
		theirs: map[string]bool{},
	}
}

func (s *spoken) part(p *stream.Part) {
	kind, what, _ := strings.Cut(p.Type, "-")
	switch texts := s.texts[kind]; {
	case texts != nil && what == "start":
		*texts = append(*texts, "")
		s.at[kind+p.ID] = len(*texts) - 1
	case texts != nil && what == "delta":
		at, ok := s.at[kind+p.ID]
		if !ok {
			*texts = append(*texts, "")
			at = len(*texts) - 1
			s.at[kind+p.ID] = at
		}
		(*texts)[at] += p.Delta
	case p.Type == stream.ToolCall && !p.ProviderExecuted:
		s.calls[p.ID] = strings.Clone(p.Input)
	}
}

// check compares the message with what was said.
func (s *spoken) check(t *testing.T, m *stream.Message) {
	var texts, thoughts []string
	for _, b := range m.Content {
		switch b.Type {
		case stream.BlockText:
			if !strings.Contains(b.Text(), "/files/") {
				texts = append(texts, b.Text())
			}
		case stream.BlockThinking:
			thoughts = append(thoughts, b.Text())
		case stream.BlockToolCall:
			input, called := s.calls[b.ID]
			switch {
			case !called:
				require.True(t, b.Incomplete, "the call %s has not come", b.ID)
			case input == "":
				require.JSONEq(t, "{}", string(b.Arguments))
			case b.Incomplete:
				var object map[string]any
				require.Error(t, json.Unmarshal([]byte(input), &object), input)
			default:
				require.JSONEq(t, input, string(b.Arguments))
			}
			if b.Incomplete {
				require.Equal(t, "{}", string(b.Arguments))
			}
		}
	}
	require.Equal(t, *s.texts["text"], append([]string{}, texts...))
	require.Equal(t, *s.texts["reasoning"], append([]string{}, thoughts...))
}

func (s *summary) message(m *stream.Message) {
	s.Stop, s.Error = m.StopReason, m.ErrorMessage
	s.Usage = m.Usage.AppendJSON(nil)
	s.Blocks = []blockSummary{}
	for _, b := range m.Content {
		text := b.Text()
		switch b.Type {
		case stream.BlockToolCall:
			text = string(b.Arguments)
		case stream.BlockImage:
			text = b.Data
		}
		s.Blocks = append(s.Blocks, blockSummary{
			Type: b.Type, Size: len(text), Hash: hash(text), Signature: len(b.Signature()),
			Call: b.Name, Error: b.ArgumentsError,
		})
	}
	for _, c := range m.ProviderExecuted {
		name := c.ToolName + "@" + strconv.Itoa(c.At)
		if c.Result == nil {
			name += "!"
		}
		s.Ran = append(s.Ran, name)
	}
	if len(s.Blocks) > 200 { // the large ones are told in short
		all := sha256.New()
		for _, b := range s.Blocks {
			all.Write([]byte(b.Type + b.Hash + b.Call))
		}
		s.Blocks = []blockSummary{{Type: strconv.Itoa(len(s.Blocks)) + " blocks", Hash: hex.EncodeToString(all.Sum(nil)[:6])}}
	}
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
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

// sameContent compares durable blocks with the host's message. An answer that was cut keeps no calls.
func sameContent(t *testing.T, m *stream.Message, blocks []message.Block, reason string) {
	var want []message.Block
	for _, b := range m.Content {
		switch b.Type {
		case stream.BlockText:
			want = append(want, message.Block{Type: message.Text, Text: b.Text()})
		case stream.BlockThinking:
			want = append(want, message.Block{Type: message.Reasoning, Text: b.Text()})
		case stream.BlockImage:
			want = append(want, message.Block{Type: message.Text, Text: "[image left out: " + b.MediaType + "]"})
		case stream.BlockToolCall:
			if reason != message.MaxTokens {
				want = append(want, message.Block{
					Type: message.ToolCall, ID: b.ID, Name: b.Name, Arguments: string(b.Arguments),
				})
			}
		}
	}
	require.Len(t, blocks, len(want))
	calls := slices.DeleteFunc(slices.Clone(m.Content), func(b *stream.Block) bool { return b.Type != stream.BlockToolCall })
	for i := range want {
		got := blocks[i]
		require.Equal(t, want[i].Type, got.Type)
		require.Equal(t, want[i].Text, got.Text)
		if got.Type != message.ToolCall {
			continue
		}
		require.Equal(t, want[i].ID, got.ID)
		require.Equal(t, want[i].Name, got.Name)
		if calls[0].Incomplete {
			require.False(t, json.Valid([]byte(got.Arguments)) || got.Arguments == "", "executable: %s", got.Arguments)
		} else {
			require.Equal(t, want[i].Arguments, got.Arguments)
		}
		calls = calls[1:]
	}
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

// sent tells the parts of the one answer in a prompt.
func sent(t *testing.T, o *history.CallOptions) string {
	var options struct {
		Prompt []struct {
			Role    string
			Content json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(o.AppendJSON(nil), &options))
	var said []string
	for _, m := range options.Prompt {
		if m.Role != "assistant" {
			continue
		}
		var parts []struct {
			Type            string
			ProviderOptions json.RawMessage
		}
		require.NoError(t, json.Unmarshal(m.Content, &parts))
		for _, p := range parts {
			if p.ProviderOptions != nil {
				p.Type += "+"
			}
			if n := len(said); n > 0 && said[n-1] == p.Type {
				continue
			}
			said = append(said, p.Type)
		}
	}
	if len(said) > 100 {
		return strconv.Itoa(len(said)) + " runs of parts, " + hash(strings.Join(said, " "))
	}
	return strings.Join(said, " ")
}
