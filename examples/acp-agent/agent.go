package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/coder/acp-go-sdk"

	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

// An agent serves one editor. Its exported methods are what the connection calls, each request on a
// goroutine of its own.
type agent struct {
	options
	host   *host.Host
	store  session.Store
	router *turn.Router
	// tools are those that a script brings, nil for the agent's own.
	tools []turn.Tool
	// update sends a notification to the editor, and admit lets its next message in.
	update func(context.Context, acp.SessionNotification) error
	admit  func()
	// initialized: editor and agent know what the other one speaks, without which there are no sessions.
	initialized atomic.Bool

	mu            sync.Mutex
	conversations map[acp.SessionId]*conversation
	closing       bool
}

// Initialize says what the agent can do. A member that is not claimed is not there or false.
func (a *agent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	a.initialized.Store(true)
	return acp.InitializeResponse{
		ProtocolVersion:   acp.ProtocolVersionNumber,
		AgentInfo:         &acp.Implementation{Name: "pintle-acp-agent", Title: acp.Ptr("Pintle"), Version: version},
		AgentCapabilities: acp.AgentCapabilities{LoadSession: a.load},
		AuthMethods:       []acp.AuthMethod{},
	}, nil
}

// NewSession begins a conversation. It is on disk with its first prompt.
func (a *agent) NewSession(ctx context.Context, p acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	if err := a.check(p.Cwd, p.AdditionalDirectories, p.McpServers); err != nil {
		return acp.NewSessionResponse{}, err
	}
	id := newID()
	log, err := session.Create(ctx, a.store, session.Header{ID: id, Cwd: &p.Cwd}, session.Options{})
	if err != nil {
		return acp.NewSessionResponse{}, failed("the session cannot be begun: %w", err)
	}
	return acp.NewSessionResponse{SessionId: acp.SessionId(id)}, a.keep(log, p.Cwd)
}

// LoadSession takes up a conversation that is on disk, and shows it to the editor again.
func (a *agent) LoadSession(ctx context.Context, p acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	var none acp.LoadSessionResponse
	if !a.load {
		return none, acp.NewMethodNotFound(acp.AgentMethodSessionLoad)
	}
	if err := a.check(p.Cwd, p.AdditionalDirectories, p.McpServers); err != nil {
		return none, err
	}
	if c := a.conversation(p.SessionId); c != nil {
		if !c.running.TryLock() {
			return none, invalid("a prompt is running in the session %s", p.SessionId)
		}
		defer c.running.Unlock()
		return none, c.replay(ctx)
	}
	log, recovery, err := session.Open(ctx, a.store, string(p.SessionId), session.Options{})
	if errors.Is(err, session.ErrNotFound) || p.SessionId == "" {
		return none, invalid("unknown session: %s", p.SessionId)
	}
	if err != nil {
		return none, failed("the session cannot be taken up: %w", err)
	}
	if len(recovery.Closed) > 0 || recovery.Tail > 0 {
		a.log.Warn("the session had been interrupted", "session", p.SessionId)
	}
	if err := a.keep(log, p.Cwd); err != nil {
		return none, err
	}
	return none, a.conversation(p.SessionId).replay(ctx)
}

// keep makes a log a conversation of this agent.
func (a *agent) keep(log *session.Session, cwd string) error {
	c := &conversation{agent: a, id: acp.SessionId(log.Header().ID), cwd: cwd}
	c.loop = turn.Loop{
		Session: log, Router: a.router, Route: a.route, System: systemPrompt, MaxSteps: maxSteps,
		Tools: a.tools, OnMessage: c.onMessage,
	}
	if c.loop.Tools == nil {
		c.loop.Tools = fileTools(cwd)
	}
	if a.live {
		c.loop.OnChunk = c.onChunk
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing {
		return errors.Join(failed("the agent is ending"), log.Close())
	}
	a.conversations[c.id] = c
	return nil
}

func (a *agent) conversation(id acp.SessionId) *conversation {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.conversations[id]
}

// Prompt runs one turn. It returns when the turn is over and all that is to be shown of it has been sent.
//
// The connection's context plays no part: it also ends when a second prompt comes for the same session,
// which is to be refused without harm to the first.
func (a *agent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	c := a.conversation(p.SessionId)
	if c == nil {
		return acp.PromptResponse{}, invalid("unknown session: %s", p.SessionId)
	}
	text, err := promptText(p.Prompt)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	if !c.running.TryLock() {
		return acp.PromptResponse{}, invalid("a prompt is running in the session already")
	}
	defer c.running.Unlock()
	under, done := c.begin(context.WithoutCancel(ctx))
	defer done()
	a.admit()
	return c.prompt(under, []message.Block{{Type: message.Text, Text: text}})
}

// Cancel ends the turn that runs in a session, if one does.
func (a *agent) Cancel(_ context.Context, p acp.CancelNotification) error {
	if c := a.conversation(p.SessionId); c != nil {
		c.end(&turn.Cancel{Kind: "user"})
	}
	a.admit()
	return nil
}

// dispose ends all turns. Nothing begins after it.
func (a *agent) dispose() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closing = true
	for _, c := range a.conversations {
		c.end(&turn.Cancel{Kind: "disposed"})
	}
}

// close gives the logs free. No request may be running.
func (a *agent) close(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, c := range a.conversations {
		errs = append(errs, c.loop.Session.Close())
	}
	return errors.Join(append(errs, a.host.Close(ctx))...)
}

// What this agent does not claim.

func (a *agent) Authenticate(context.Context, acp.AuthenticateRequest) (r acp.AuthenticateResponse, err error) {
	return r, acp.NewMethodNotFound(acp.AgentMethodAuthenticate)
}

func (a *agent) CloseSession(context.Context, acp.CloseSessionRequest) (r acp.CloseSessionResponse, err error) {
	return r, acp.NewMethodNotFound(acp.AgentMethodSessionClose)
}

func (a *agent) ListSessions(context.Context, acp.ListSessionsRequest) (r acp.ListSessionsResponse, err error) {
	return r, acp.NewMethodNotFound(acp.AgentMethodSessionList)
}

func (a *agent) ResumeSession(context.Context, acp.ResumeSessionRequest) (r acp.ResumeSessionResponse, err error) {
	return r, acp.NewMethodNotFound(acp.AgentMethodSessionResume)
}

func (a *agent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (r acp.SetSessionConfigOptionResponse, err error) {
	return r, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}

func (a *agent) SetSessionMode(context.Context, acp.SetSessionModeRequest) (r acp.SetSessionModeResponse, err error) {
	return r, acp.NewMethodNotFound(acp.AgentMethodSessionSetMode)
}

// check refuses a session before the handshake, and one that asks for what this agent does not have.
func (a *agent) check(cwd string, more []string, servers []acp.McpServer) error {
	switch {
	case !a.initialized.Load():
		e := acp.NewInvalidRequest(nil)
		e.Message += ": initialize comes first"
		return e
	case !filepath.IsAbs(cwd):
		return invalid("cwd is not an absolute path: %s", cwd)
	case len(more) > 0:
		return invalid("additional directories are not supported")
	case len(servers) > 0:
		return invalid("MCP servers are not supported")
	}
	return nil
}

// invalid is an error of what the editor has sent.
func invalid(format string, args ...any) error {
	e := acp.NewInvalidParams(nil)
	e.Message += ": " + fmt.Sprintf(format, args...)
	return e
}

// failed is an error of this side.
func failed(format string, args ...any) error {
	e := acp.NewInternalError(nil)
	e.Message += ": " + fmt.Errorf(format, args...).Error()
	return e
}

// newID is a random UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
