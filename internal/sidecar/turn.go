package sidecar

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/registry"
)

var turnMethods = map[string]method{
	"turn/start": handle(turnStart).inOrderOf("request", "sessionId"),
}

type turnStartParams struct {
	Request       hostRequest    `json:"request"`
	Contributions []contribution `json:"contributions"`
	// Branch has the entries of the session's branch, root first, of which those of audits are looked at;
	// nil: nothing is recorded.
	Branch []branchEntry `json:"branch"`
}

type branchEntry struct {
	Type       string          `json:"type"`
	CustomType string          `json:"customType"`
	Data       json.RawMessage `json:"data"`
}

type turnStartResult struct {
	// SystemPrompt is the prompt to send, nil leaves the host its own.
	SystemPrompt *wideText `json:"systemPrompt"`
	// Fallback: it is the last good one, because of Error.
	Fallback      bool               `json:"fallback"`
	Error         *buildFault        `json:"error,omitempty"`
	Envelope      *envelope.Envelope `json:"envelope,omitempty"`
	State         *envelope.State    `json:"state"`
	Audit         []auditEntry       `json:"audit"` // to append
	Notifications []notification     `json:"notifications"`
	Report        buildReport        `json:"report"`
}

// auditEntry is an entry of type custom that the client appends to its session.
type auditEntry struct {
	CustomType string          `json:"customType"`
	Data       json.RawMessage `json:"data"`
}

type notification struct {
	Message wideText `json:"message"`
	Level   string   `json:"level"`
}

// buildFault is why an envelope was not built.
type buildFault struct {
	Message wideText `json:"message"` // the contribution's own words, if it was one
	Kind    string   `json:"kind"`
	// Contribution names the one that failed, and Source its guest, or the client.
	Contribution wideText `json:"contribution,omitempty"`
	Source       string   `json:"source,omitempty"`
}

// Kinds of faults.
const (
	faultCallback = "callback-failed"
	faultNotText  = "content-not-text"
	faultOther    = "failed"
)

func faultOf(err error) *buildFault {
	if err == nil {
		return nil
	}
	f := &buildFault{Message: wideText(err.Error()), Kind: faultOther}
	if failed := (*envelope.ContributionError)(nil); errors.As(err, &failed) {
		f.Message, f.Kind = wideText(failed.Err.Error()), faultCallback
		f.Contribution, f.Source = wideText(failed.ID), envelope.SourceName(failed.Source)
	}
	if errors.Is(err, registry.ErrNotText) {
		f.Kind = faultNotText
	}
	return f
}

// turnStart is the hook before_agent_start.
func turnStart(ctx context.Context, c *call, p *turnStartParams) (*turnStartResult, error) {
	if err := sessionID(p.Request.SessionID).check("request.sessionId"); err != nil {
		return nil, err
	}
	service := c.server.process.host.Envelope
	p.Request.Contributions = contributionsOf(c, p.Contributions)
	result := &turnStartResult{Notifications: []notification{}}
	log := branchOf(p.Branch)
	turn := envelope.Turn{Request: p.Request.Request, Log: log.asLog(), Notify: func(_ context.Context, message, level string) error {
		result.Notifications = append(result.Notifications, notification{wideText(message), level})
		return nil
	}}
	outcome := service.BeforeTurn(ctx, turn)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	result.SystemPrompt, result.Fallback = (*wideText)(outcome.SystemPrompt), outcome.Fallback
	result.Error, result.Envelope = faultOf(outcome.Err), outcome.Envelope
	result.Report = buildReport{outcome.Report, p.Request.misfits}
	result.Audit = log.appended
	result.State = stateOf(service, p.Request.SessionID)
	return result, nil
}

func stateOf(s *envelope.Service, session string) *envelope.State {
	if state, ok := s.PayloadState(session); ok {
		return &state
	}
	return nil
}

// branch is the log of a session for one call: what is to be appended is collected for the client.
type branch struct {
	entries  []envelope.Entry
	known    bool
	appended []auditEntry
}

func branchOf(list []branchEntry) *branch {
	b := &branch{known: list != nil, appended: []auditEntry{}}
	for _, e := range list {
		b.entries = append(b.entries, envelope.Entry{Type: e.Type, CustomType: e.CustomType, Data: e.Data})
	}
	return b
}

// asLog returns nil if the client did not tell the branch.
func (b *branch) asLog() envelope.SessionLog {
	if !b.known {
		return nil
	}
	return b
}

// Branch implements [envelope.SessionLog].
func (b *branch) Branch(context.Context) ([]envelope.Entry, error) { return b.entries, nil }

// Append implements [envelope.SessionLog].
func (b *branch) Append(_ context.Context, customType string, data json.RawMessage) error {
	b.appended = append(b.appended, auditEntry{customType, data})
	return nil
}
