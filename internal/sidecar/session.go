package sidecar

import (
	"context"

	"github.com/pintle-wasm/pintle/envelope"
)

var sessionMethods = map[string]method{
	"session/start": handle(sessionStart).inOrderOf("sessionId"),
	"session/end":   handle(sessionEnd).inOrderOf("sessionId"),
}

// sessionStartParams begin a session. Restore is what the client kept of it, after the sidecar was started
// anew.
type sessionStartParams struct {
	SessionID sessionID    `json:"sessionId"`
	Restore   *restoreData `json:"restore"`
}

type restoreData struct {
	Request *hostRequest    `json:"request"`
	State   *envelope.State `json:"state"`
}

// request is nil if none was kept.
func (r *restoreData) request() *envelope.Request {
	if r.Request == nil {
		return nil
	}
	return &r.Request.Request
}

type sessionStartResult struct{}

func sessionStart(_ context.Context, c *call, p *sessionStartParams) (sessionStartResult, error) {
	if err := p.SessionID.check("sessionId"); err != nil {
		return sessionStartResult{}, err
	}
	if p.Restore != nil {
		c.server.process.host.Envelope.Restore(string(p.SessionID), p.Restore.request(), p.Restore.State)
	}
	return sessionStartResult{}, nil
}

type sessionEndParams struct {
	SessionID sessionID `json:"sessionId"`
	Reason    string    `json:"reason"` // for logs: what becomes of the client is the client's matter
}

type sessionEndResult struct{}

// sessionEnd forgets a session, and what guests keep for it.
func sessionEnd(ctx context.Context, c *call, p *sessionEndParams) (sessionEndResult, error) {
	if err := p.SessionID.check("sessionId"); err != nil {
		return sessionEndResult{}, err
	}
	c.server.log.Debug("session ended", "session", string(p.SessionID), "reason", p.Reason)
	c.server.process.host.Session(string(p.SessionID)).End(ctx)
	return sessionEndResult{}, nil
}

// sessionID names a session.
type sessionID wideText

// UnmarshalJSON reads a text.
func (s *sessionID) UnmarshalJSON(data []byte) error { return (*wideText)(s).UnmarshalJSON(data) }

// check refuses an id that is missing.
func (s sessionID) check(at string) error {
	if s == "" {
		return invalid("params."+at, "want the id of a session")
	}
	return nil
}
