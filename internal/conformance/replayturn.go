package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/pintle-wasm/pintle/host/message"
	hostreplay "github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// turnCases are turns and route-ownership.
func turnCases() Suite {
	return Suite{
		"turns":           {run: runTurns, bind: bindTurns, bothModes: true},
		"route-ownership": {run: routeOwnership, bind: bindOwnership, bothModes: true},
	}
}

// rerouted is the listener that sends the calls for one provider to another one.
func rerouted(v Value) []turn.Listener {
	if !v.present() {
		return nil
	}
	from := v.Get("from").str("")
	to := message.Route{Provider: v.Get("to").str(""), Model: v.Get("model").str("")}
	return []turn.Listener{func(_ context.Context, req *turn.Request) (message.Route, error) {
		if req.Route.Provider == from {
			return to, nil
		}
		return req.Route, nil
	}}
}

func silent(hostreplay.Report) {}

func routeOwnership(ctx context.Context, c *testCase) (any, error) {
	router := &turn.Router{
		Listeners: rerouted(c.input.Get("reroute")), Reference: c.reference, OnReport: silent,
	}
	adapters := c.input.Get("adapters")
	served := map[string]*turn.Scripted{}
	for i, label := range adapters.keys {
		stop := message.Chunk{Type: message.FinishChunk, Reason: &message.Finish{Kind: message.Stop}}
		served[label] = &turn.Scripted{Answers: []turn.Answer{{Chunks: []message.Chunk{stop}}}}
		if err := router.Register(served[label], adapters.items[i].strs()...); err != nil {
			return nil, err
		}
	}
	req := turn.Request{Route: routeOf(c.input.Get("target"))}
	for _, v := range c.input.Get("messages").items {
		m, err := message.ParseMessage(v.raw)
		if err != nil {
			return nil, err
		}
		req.Messages = append(req.Messages, m)
	}
	stream, err := router.Stream(ctx, &req)
	if err != nil {
		return nil, err
	}
	var last message.Chunk
	for chunk := range stream.Chunks() {
		last = chunk
	}
	for label, adapter := range served {
		for _, got := range adapter.Requests() {
			return fields{
				"servedBy", label, "provider", got.Route.Provider, "model", got.Route.Model,
				"messages", list(got.Messages),
			}, nil
		}
	}
	return fields{"finish", last}, nil
}

func bindOwnership(_ *testCase, expected, got Value) (Value, Value) {
	bare := func(v Value) Value {
		finish := v.Get("finish")
		if !finish.present() {
			return v
		}
		return v.with("finish", finish.with("reason", withoutFailureText(finish.Get("reason"))))
	}
	return bare(expected), bare(got)
}

// A turnCase is one case of turns while it runs.
type turnCase struct {
	*testCase
	store *session.Dir
	root  string
	loop  turn.Loop
	model *turn.Scripted
	// cancel ends the prompt that is running, which is a fault if it is not the one to be cancelled.
	cancel func()
	// invented are the calls whose results were made when the log was taken up.
	invented map[string]bool
}

const turnSession = "sess"

func runTurns(ctx context.Context, c *testCase) (any, error) {
	root, err := os.MkdirTemp("", "pintle-conformance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	t := &turnCase{testCase: c, root: root, store: session.NewDir(root)}
	if err := t.prepare(); err != nil {
		return nil, err
	}
	if err := t.run(ctx); err != nil {
		return nil, err
	}
	summary, err := t.summary(ctx)
	if err != nil {
		return nil, err
	}
	requests, err := t.requests()
	invented := slices.Sorted(maps.Keys(t.invented))
	return fields{"summary", summary, "requests", requests, "invented", invented}, err
}

func (t *turnCase) prepare() error {
	t.model = &turn.Scripted{OnHang: func() { t.cancel() }}
	for _, v := range t.input.Get("script").items {
		answer, err := scriptedAnswer(v)
		if err != nil {
			return err
		}
		t.model.Answers = append(t.model.Answers, answer)
	}
	route := routeOf(t.input.Get("route"))
	served := []string{route.Provider}
	if v := t.input.Get("routes"); v.present() {
		served = v.strs()
	}
	router := &turn.Router{Listeners: rerouted(t.input.Get("failover"))}
	if err := router.Register(t.model, served...); err != nil {
		return err
	}
	retries := int(t.input.Get("retries").number())
	t.loop.Router, t.loop.Route = router, route
	t.loop.Reference, t.loop.OnReport = t.reference, silent
	t.loop.Recover = func(context.Context, message.Failure, int) bool {
		retries--
		return retries >= 0
	}
	for _, v := range t.input.Get("tools").items {
		result := []message.Block{{Type: message.Text, Text: v.Get("result").str("")}}
		tool := turn.Tool{Run: func(context.Context, json.RawMessage) ([]message.Block, error) {
			return result, nil
		}}
		tool.Name = v.Get("name").str("")
		t.loop.Tools = append(t.loop.Tools, tool)
	}
	return nil
}

func scriptedAnswer(v Value) (turn.Answer, error) {
	chunks, err := chunksOf(v.Get("chunks"))
	if err != nil {
		return turn.Answer{}, err
	}
	a := turn.Answer{Chunks: chunks, Hang: v.Get("hang").isTrue()}
	if thrown := v.Get("throw"); thrown.present() {
		a.Err = errors.New(thrown.Get("message").str(""))
		if code := thrown.Get("code").str(""); code != "" {
			a.Err = &message.Failure{Message: thrown.Get("message").str(""), Code: code}
		}
	}
	return a, nil
}

// run gives the prompts.
func (t *turnCase) run(ctx context.Context) error {
	if err := t.open(ctx); err != nil {
		return err
	}
	defer func() { t.loop.Session.Close() }()
	restarts := t.input.Get("restartBefore").items
	for i, prompt := range t.input.Get("prompts").strs() {
		for _, v := range restarts {
			if int(v.number()) == i {
				if err := t.reopen(ctx); err != nil {
					return err
				}
			}
		}
		under, cancel := context.WithCancel(ctx)
		v, stuck := t.input.Get("cancelPrompt"), false
		t.cancel = func() {
			stuck = !v.present() || int(v.number()) != i
			cancel()
		}
		_, err := t.loop.Prompt(under, []message.Block{{Type: message.Text, Text: prompt}})
		cancel()
		if stuck {
			return fmt.Errorf("prompt %d: the model hangs, and cancelPrompt does not name this prompt", i)
		}
		if err != nil {
			return fmt.Errorf("prompt %d: %w", i, err)
		}
	}
	return nil
}

// open creates the session, or takes up the one that the case puts on disk.
func (t *turnCase) open(ctx context.Context) (err error) {
	disk := t.input.Get("disk")
	if !disk.present() {
		return t.create(ctx)
	}
	var text []byte
	for _, line := range disk.items {
		text = append(line.appendTo(text), '\n')
	}
	folder := filepath.Join(t.root, turnSession)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "session.jsonl"), text, 0o600); err != nil {
		return err
	}
	return t.reopen(ctx)
}

func (t *turnCase) create(ctx context.Context) (err error) {
	cwd := "/work"
	header := session.Header{ID: turnSession, Cwd: &cwd}
	t.loop.Session, err = session.Create(ctx, t.store, header, session.Options{})
	return err
}

// reopen takes the session up again. One that has written nothing yet is not there: it begins anew.
func (t *turnCase) reopen(ctx context.Context) error {
	created := t.loop.Session != nil
	if created {
		if err := t.loop.Session.Close(); err != nil {
			return err
		}
	}
	taken, _, err := session.Open(ctx, t.store, turnSession, session.Options{})
	if created && errors.Is(err, session.ErrNotFound) {
		return t.create(ctx)
	}
	if err == nil {
		t.loop.Session = taken
	}
	return err
}

// summary reads the log back.
func (t *turnCase) summary(ctx context.Context) (any, error) {
	view, err := t.store.View(ctx, turnSession)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	answers, calls, ends := []any{}, []any{}, []any{}
	t.invented = map[string]bool{}
	chunks := map[int64]string{}
	for e, err := range view.Events(ctx, 0) {
		if err != nil {
			return nil, err
		}
		data, err := ParseValue(e.Data)
		if err != nil {
			return nil, err
		}
		switch e.Type {
		case session.AssistantChunk:
			chunks[e.Seq] = data.Get("chunk").Get("type").str("")
		case session.AssistantMessage:
			answers = append(answers, answerOf(&e, data, chunks))
		case session.ToolCall:
			calls = append(calls, fields{
				"callId", data.Get("callId"), "name", data.Get("name"), "arguments", data.Get("arguments"),
			})
		case session.ToolResult:
			switch data.Get("error").Get("code").str("") {
			case session.ToolNotStarted, session.ToolOutcomeUnknown:
				t.invented[data.Get("message").Get("source").Get("callId").str("")] = true
			}
		case session.TurnEnd:
			ends = append(ends, data.Get("reason"))
		}
	}
	return fields{"answers", answers, "toolCalls", calls, "turnEnds", ends}, nil
}

func answerOf(e *session.Event, data Value, chunks map[int64]string) fields {
	cited := []string{}
	for _, seq := range e.Sources {
		cited = append(cited, chunks[seq])
	}
	stored := data.Get("message")
	answer := fields{
		"turn", data.Get("turn"), "step", data.Get("step"),
		"content", stored.Get("content"), "source", stored.Get("source"), "citedChunks", cited,
	}
	for _, key := range [...]string{"usage", "interrupted"} {
		if v := data.Get(key); v.kind != jsonspan.Absent {
			answer = append(answer, key, v)
		}
	}
	return answer
}

// requests shows what the model was asked, and what a native layer makes of it.
func (t *turnCase) requests() ([]any, error) {
	shown := []any{}
	for _, req := range t.model.Requests() {
		messages := []any{}
		for i := range req.Messages {
			m, err := ParseValue(req.Messages[i].AppendJSON(nil))
			if err != nil {
				return nil, err
			}
			messages = append(messages, fields{
				"role", m.Get("role"), "content", m.Get("content"), "source", m.Get("source"),
			})
		}
		var found diagnostics
		reader := hostreplay.Reader{Reference: t.reference, Route: req.Route, OnDiagnostic: found.add}
		native, err := reader.History(req.Messages)
		if err = errors.Join(err, found.err); err != nil {
			return nil, err
		}
		shown = append(shown, fields{
			"provider", req.Route.Provider, "model", req.Route.Model,
			"messages", messages, "native", list(native), "diagnostics", list(found.list),
		})
	}
	return shown, nil
}

// bindTurns takes away the texts of failures, and those of the results that were made for interrupted
// calls.
func bindTurns(_ *testCase, expected, got Value) (Value, Value) {
	invented := got.Get("invented").strs()
	bare := func(v Value) Value {
		summary := v.Get("summary")
		ends := each(summary.Get("turnEnds"), func(end Value) Value {
			if failure := end.Get("error"); failure.present() {
				return end.with("error", failure.without(isMessage))
			}
			return end
		})
		requests := each(v.Get("requests"), func(req Value) Value {
			of := func(call Value) bool { return slices.Contains(invented, call.str("")) }
			req = req.with("messages", each(req.Get("messages"), func(m Value) Value {
				source := m.Get("source")
				if source.Get("kind").str("") == message.FromTool && of(source.Get("callId")) {
					return anyText(m)
				}
				return m
			}))
			req = req.with("native", each(req.Get("native"), func(m Value) Value {
				if m.Get("role").str("") == hostreplay.RoleToolResult && of(m.Get("toolCallId")) {
					return anyText(m)
				}
				return m
			}))
			return withoutTexts(req)
		})
		v = v.without(func(key string, _ Value) bool { return key == "log" || key == "invented" })
		return v.with("summary", summary.with("turnEnds", ends)).with("requests", requests)
	}
	return bare(expected), bare(got)
}
