package sidecar

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/conformance"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/registry"
)

// The step files of the kit run against an extension whose work is done by a sidecar: all contributions are
// callbacks of the client.
func TestStepsOverAConnection(t *testing.T) {
	for file, cases := range map[string]int{"registry-lifecycle": 7, "payload-hook": 38, "context-injection": 21, "envelope-service": 35, "audit": 34} {
		t.Run(file, func(t *testing.T) {
			result := conformance.RunElsewhere(t.Context(), filepath.Join(vectors, "developer-messages", file+".json"),
				func(_ context.Context, c conformance.Case) (json.RawMessage, error) { return runSteps(t, c) })
			require.NoError(t, result.Err)
			assert.Equal(t, cases, result.Passed)
			for _, f := range result.Failures {
				t.Errorf("%s (%s): %s %+v\ngot %s", f.Case, f.Mode, f.Error, f.Differences, f.Got)
			}
		})
	}
}

func runSteps(t *testing.T, c conformance.Case) (json.RawMessage, error) {
	var adapters any = false // they are slow to load
	if bytes.Contains(c.Input, []byte(`"codex"`)) {
		adapters = object{}
		if c.Reference {
			adapters = object{"compat": "reference"}
		}
	}
	var input struct {
		Ver   string
		Setup json.RawMessage
		Steps []json.RawMessage
	}
	if err := json.Unmarshal(c.Input, &input); err != nil {
		return nil, err
	}
	p := newPi(t, input.Setup, input.Ver == "39", adapters)
	defer func() { p.conn.must("shutdown", nil) }()
	p.reference = c.Reference
	var results []any
	for i, raw := range input.Steps {
		s := step{}
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, err
		}
		p.session = cmpOr(s.Session, p.session)
		p.appended = []json.RawMessage{}
		result, err := p.step(&s)
		if err != nil {
			return nil, fmt.Errorf("step %d (%s): %w", i, s.Do, err)
		}
		results = append(results, result)
	}
	return json.Marshal(object{"steps": results})
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// A step is one of a step file. A member that is null is there, one that is missing is nil.
type step struct {
	Do, Session, Handle, API, Model, Reason, Now, CWD      string
	ID                                                     wideText
	Provider                                               *string
	Tools                                                  *[]string
	On                                                     bool
	To                                                     *string
	Messages                                               []json.RawMessage
	Contribution, Adapter, Context, Options, Prompt        json.RawMessage
	SystemPrompt, Request, Overrides, Payload, Preparation json.RawMessage
	Entry, Values                                          json.RawMessage
}

// A pi is Pi with the extension: what the extension does without the sidecar is done here.
type pi struct {
	piClient
	reference bool
	handles   map[string]func()
	known     map[string]bool // sessions with a handle
	trees     map[string]*piTree
	available bool
	values    json.RawMessage // published settings

	session             string
	tools               []string
	failLog, failUI, no bool
	appended            []json.RawMessage
}

type piTree struct {
	entries map[string]ordered.Object
	leaf    string
	count   int
}

func newPi(t *testing.T, setup json.RawMessage, line039 bool, adapters any) *pi {
	p := &pi{handles: map[string]func(){}, known: map[string]bool{}, trees: map[string]*piTree{},
		available: true, session: "s1", tools: []string{}}
	p.piClient = piClient{t: t, requests: map[string]json.RawMessage{}, states: map[string]*envelope.State{}}
	p.piClient.handles = map[int64]*piContribution{}
	lookup := "0.3.7"
	if line039 {
		p.adapters.Lookup, lookup = registry.BySpecificity, "0.3.9"
	}
	facts := struct {
		Now, Platform, AgentDir string
		TZ, SHELL               *string
		ComSpec                 string
		Exists                  []string
	}{Now: "2026-03-09T12:00:00Z", Platform: "linux", AgentDir: "/home/u/.pi/agent"}
	zone, shell := "Europe/Lisbon", "/usr/bin/zsh"
	facts.TZ, facts.SHELL = &zone, &shell
	if setup != nil {
		require.NoError(t, json.Unmarshal(setup, &facts))
	}
	environment := object{"platform": facts.Platform, "timezone": "unknown", "shell": facts.ComSpec}
	if facts.TZ != nil {
		environment["timezone"] = *facts.TZ
	}
	if facts.SHELL != nil {
		environment["shell"] = *facts.SHELL
	}
	p.options = Options{Environment: envelope.Environment{
		Now:        func() time.Time { now, _ := time.Parse(time.RFC3339, facts.Now); return now.UTC() },
		FileExists: func(path string) bool { return slices.Contains(facts.Exists, path) },
	}}
	p.init = object{"agentDir": facts.AgentDir, "cwd": "/runner", "environment": environment, "capabilities": object{"render": true},
		"config": object{"policy": "fail", "lookup": lookup, "adapters": adapters}}
	p.connect(false)
	return p
}

func (p *pi) tree() *piTree {
	if p.trees[p.session] == nil {
		p.trees[p.session] = &piTree{entries: map[string]ordered.Object{}}
	}
	return p.trees[p.session]
}

func (t *piTree) add(entry json.RawMessage) {
	t.count++
	id := fmt.Sprint("e", t.count)
	o, _ := ordered.ParseObject(entry)
	o.SetText("id", id)
	if o.Set("parentId", json.RawMessage("null")); t.leaf != "" {
		o.SetText("parentId", t.leaf)
	}
	t.entries[id], t.leaf = o, id
}

func (t *piTree) branch() []json.RawMessage {
	list := []json.RawMessage{}
	for id := t.leaf; id != ""; {
		o := t.entries[id]
		list = append(list, o.JSON())
		id, _ = o.Text("parentId")
	}
	slices.Reverse(list)
	return list
}

// append does what appendEntry does; the extension swallows a failure.
func (p *pi) append(audit []json.RawMessage) {
	for _, group := range audit {
		if p.failLog {
			continue
		}
		p.appended = append(p.appended, group)
		p.tree().add(overlay(json.RawMessage(`{"type":"custom"}`), group))
	}
}

// failed describes an error of the sidecar.
func (p *pi) failed(err error) (object, error) {
	var fault *jsonrpc.Error
	if !errors.As(err, &fault) || fault.Code != codeBuildFailed {
		return nil, err
	}
	var data struct{ Kind string }
	if err := json.Unmarshal(fault.Data, &data); err != nil {
		return nil, err
	}
	return object{"error": wideText(fault.Message), "errorKind": data.Kind}, nil
}

// adapt is the hook before_provider_request: an adapter of the process is asked here, with what the
// sidecar said of the session; else the sidecar is.
func (p *pi) adapt(s *step) (any, error) {
	provider := ""
	api, model := "", ""
	if s.Provider != nil {
		provider, api, model = *s.Provider, s.API, s.Model
	}
	if _, _, ok := p.adapters.FindAdapter(provider, api, model); ok || provider != "openai-codex" {
		var state envelope.State
		if known := p.states[p.session]; known != nil {
			state = *known
		}
		result, err := payload.ApplyState(p.t.Context(), &p.adapters, state, registry.PayloadRequest{SessionID: p.session,
			Provider: provider, API: api, Model: model, Payload: s.Payload}, payload.Options{Reference: p.reference})
		if failed := (*payload.AdapterError)(nil); errors.As(err, &failed) {
			return object{"error": failed.Err.Error(), "errorKind": "adapter-failed"}, nil
		}
		if err != nil || !result.Answered {
			return object{"unchanged": true}, err
		}
		return object{"payload": json.RawMessage(result.Body.Bytes())}, nil
	}
	var result struct {
		Answered bool
		Edits    []wireEdit
		Error    *struct{ Message string }
	}
	err := p.conn.Call(p.t.Context(), "payload/adapt", object{"sessionId": p.session, "provider": provider,
		"api": cmpOr(api, "openai-codex-responses"), "model": model, "payload": s.Payload}, &result)
	switch {
	case err != nil:
		return nil, err
	case result.Error != nil:
		return object{"error": result.Error.Message, "errorKind": "adapter-failed"}, nil
	case !result.Answered:
		return object{"unchanged": true}, nil
	}
	after, err := carryOut(s.Payload, result.Edits)
	return object{"payload": after}, err
}
