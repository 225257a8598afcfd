package host

import (
	"context"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/registry"
)

// A Session is one conversation. Its turns follow each other; different sessions do not wait for each
// other. It holds nothing itself, so any number of values for one id may exist.
type Session struct {
	host *Host
	id   string
}

// Session returns the session with an id.
func (h *Host) Session(id string) *Session { return &Session{host: h, id: id} }

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// Capture composes the envelope of a turn and remembers it for the turn's requests. The request's
// session id is set to the session's. The envelope's Report explains what went in and what did not.
//
// If a contribution fails under policy Fail the error is an [*envelope.BuildError] and the envelope of
// the turn before stays in force. [envelope.Service.BeforeTurn] of Host.Envelope also says which prompt
// to send then.
func (s *Session) Capture(ctx context.Context, turn envelope.Request) (*envelope.Envelope, error) {
	turn.SessionID = s.id
	return s.host.Envelope.Capture(ctx, turn)
}

// Adapt puts the captured envelope into a request body. With an error, an [*payload.AdapterError], the
// result still has the body as it was, which can be sent.
func (s *Session) Adapt(ctx context.Context, provider, api, model string, body []byte) (payload.Result, error) {
	return payload.Apply(ctx, s.host.Envelope, registry.PayloadRequest{
		SessionID: s.id, Provider: provider, API: api, Model: model, Payload: body,
	}, s.host.opts)
}

// End forgets the session: its captured turn and what guests with session state hold for it.
func (s *Session) End(ctx context.Context) {
	s.host.Envelope.Shutdown(s.id, "end")
	s.host.runtime.EndSession(ctx, s.id)
}
