package host

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

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

// Transport returns an http.RoundTripper that puts the captured envelope into the requests of an SDK's
// client whose bodies are JSON: the prompt and the developer messages, not the context files, which
// belong into the history (see [envelope.Envelope]). All requests that go through it are for the given
// provider and API; fill a [payload.Transport] yourself to decide for each request. A request with a
// body that is sent without the envelope is a warning in the host's log, with the reason. A nil base is
// http.DefaultTransport.
func (s *Session) Transport(provider, api string, base http.RoundTripper) http.RoundTripper {
	return &payload.Transport{
		Service: s.host.Envelope,
		Target: func(*http.Request) (payload.Target, bool) {
			return payload.Target{SessionID: s.id, Provider: provider, API: api}, true
		},
		Base:    base,
		Options: s.host.opts,
		Report:  s.report,
	}
}

// report logs a request that was sent without the envelope.
func (s *Session) report(req *http.Request, o payload.Outcome) {
	reason := o.Reason
	if reason == "" {
		reason = o.Result.Reason
	}
	if reason == "" || reason == payload.NoBody || errors.Is(o.Err, context.Canceled) {
		return
	}
	attrs := []slog.Attr{slog.String("session", s.id), slog.String("reason", string(reason)),
		slog.String("provider", o.Target.Provider), slog.String("api", o.Target.API)}
	if o.Err != nil {
		attrs = append(attrs, slog.Any("error", o.Err))
	}
	s.host.logger.LogAttrs(req.Context(), slog.LevelWarn, "request sent without its envelope", attrs...)
}

// End forgets the session: its captured turn and what guests with session state hold for it.
func (s *Session) End(ctx context.Context) {
	s.host.Envelope.Shutdown(s.id, "end")
	s.host.runtime.EndSession(ctx, s.id)
}
