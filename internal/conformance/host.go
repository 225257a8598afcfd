package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/registry"
)

// host emulates the host of step files: one process, in it one extension, and the sessions, which
// outlive both.
type host struct {
	c       *testCase
	line039 bool
	setup   Value

	// The process.
	registry  *registry.Registry
	requests  *envelope.RequestStore
	published *Value            // settings, nil before the settings host published any
	slot      *envelope.Service // the running service

	// The extension, nil before it is loaded.
	extension *envelope.Service

	handles  map[string]*registry.Registration
	sessions map[string]*sessionTree
	session  string
	tools    []string
	failUI   bool
	noUI     bool
	failLog  bool
	appended []Value // groups appended since the step began
}

func newHost(c *testCase) (*host, error) {
	h := &host{
		c:        c,
		line039:  c.input.Get("ver").str("") == "39",
		setup:    c.input.Get("setup"),
		handles:  map[string]*registry.Registration{},
		sessions: map[string]*sessionTree{},
		session:  "s1",
		tools:    []string{},
	}
	if !h.setup.present() {
		h.setup, _ = build(fields{})
	}
	return h, h.startProcess(!c.input.Get("loadLater").isTrue())
}

func (h *host) startProcess(load bool) error {
	h.registry, h.requests = &registry.Registry{}, &envelope.RequestStore{}
	if h.line039 {
		h.registry.Lookup = registry.BySpecificity
	}
	h.published, h.slot, h.extension = nil, nil, nil
	if load {
		return h.load()
	}
	return nil
}

// load makes a new extension on the process; its service takes the slot.
func (h *host) load() error {
	e, err := newEnvironment(h.setup)
	if err != nil {
		return err
	}
	h.extension = newService(h.registry, h.requests, e)
	h.slot = h.extension
	h.publish()
	return nil
}

// clock changes the case's setup by the values of a step.
func (h *host) clock(step Value) error {
	base := h.c.input.Get("setup")
	if !base.present() {
		base, _ = build(fields{})
	}
	h.setup = overlay(base, step.without(func(key string, _ Value) bool { return key == "do" || key == "session" }))
	e, err := newEnvironment(h.setup)
	if err == nil && h.extension != nil {
		h.extension.Environment = e
	}
	return err
}

// publish hands the published settings to the extension.
func (h *host) publish() {
	if h.published == nil || h.extension == nil {
		return
	}
	entries := h.published.Get("auditEntries")
	valid := entries.kind == jsonspan.Array
	for _, item := range entries.items {
		valid = valid && item.kind == jsonspan.String
	}
	if valid {
		h.extension.SetAuditEntries(entries.strs())
	} else {
		h.extension.SetAuditEntries(nil)
	}
}

// available returns the running service, nil if there is none.
func (h *host) available() *envelope.Service {
	if h.slot == nil || !h.slot.Available() {
		return nil
	}
	return h.slot
}

// renderer returns a service to render with even if no extension is loaded.
func (h *host) renderer() *envelope.Service {
	if h.extension != nil {
		return h.extension
	}
	return newService(h.registry, h.requests, envelope.Environment{})
}

func (h *host) tree(session string) *sessionTree {
	t := h.sessions[session]
	if t == nil {
		t = &sessionTree{host: h, byID: map[string]Value{}}
		h.sessions[session] = t
	}
	return t
}

// sessionTree is the entries of one session. It is the session log that the extension gets.
type sessionTree struct {
	host  *host
	byID  map[string]Value
	leaf  string // "" at the root
	count int
}

func (t *sessionTree) add(entry Value) error {
	t.count++
	var parent *string
	if t.leaf != "" {
		parent = &t.leaf
	}
	id := fmt.Sprintf("e%d", t.count)
	own, err := build(fields{"id", id, "parentId", parent})
	if err != nil {
		return err
	}
	t.byID[id] = overlay(entry, own)
	t.leaf = id
	return nil
}

// path lists the entries from the root to the leaf.
func (t *sessionTree) path() []Value {
	var back []Value
	for id := t.leaf; id != ""; {
		entry := t.byID[id]
		back = append(back, entry)
		id = entry.Get("parentId").str("")
	}
	forth := make([]Value, len(back))
	for i, entry := range back {
		forth[len(back)-1-i] = entry
	}
	return forth
}

// Branch implements envelope.SessionLog.
func (t *sessionTree) Branch(context.Context) ([]envelope.Entry, error) {
	var entries []envelope.Entry
	for _, v := range t.path() {
		entries = append(entries, envelope.Entry{
			Type: v.Get("type").str(""), CustomType: v.Get("customType").str(""), Data: v.Get("data").raw,
		})
	}
	return entries, nil
}

// Append implements envelope.SessionLog. The host appends to the session of the step, whatever log the
// extension holds.
func (t *sessionTree) Append(_ context.Context, customType string, data json.RawMessage) error {
	if t.host.failLog {
		return errors.New("appendEntry failed")
	}
	group, err := build(fields{"customType", customType, "data", data})
	if err != nil {
		return err
	}
	entry, err := build(fields{"type", "custom", "customType", customType, "data", data})
	if err != nil {
		return err
	}
	t.host.appended = append(t.host.appended, group)
	return t.host.tree(t.host.session).add(entry)
}
