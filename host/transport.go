package host

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/pintle-wasm/pintle/host/payload"
)

// sessionKey is the key of the session's id in a context, one for each host.
type sessionKey struct{ *Host }

// Context returns a context whose requests are the session's for a [Host.Transport]. [Session.Turn] gives
// one to the provider and to tools.
func (s *Session) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, sessionKey{s.host}, s.id)
}

// Transport is [Session.Transport] for a client that all sessions share: a request is of the session whose
// [Session.Context] it was made with, which SDKs pass on, and goes as it is without one.
func (h *Host) Transport(provider, api string, base http.RoundTripper) http.RoundTripper {
	return h.transport(base, func(req *http.Request) (payload.Target, bool) {
		id, ok := req.Context().Value(sessionKey{h}).(string)
		return payload.Target{SessionID: id, Provider: provider, API: api}, ok
	})
}

// Transport returns an http.RoundTripper that puts the captured envelope into the requests of an SDK's
// client whose bodies are JSON: the prompt and the developer messages, not the context files, which
// belong into the history (see [envelope.Envelope]). All requests that go through it are for the given
// provider and API; fill a [payload.Transport] yourself to decide for each request. A request with a
// body that is sent without the envelope is a warning in the host's log, with the reason. A nil base is
// http.DefaultTransport.
func (s *Session) Transport(provider, api string, base http.RoundTripper) http.RoundTripper {
	return s.host.transport(base, func(*http.Request) (payload.Target, bool) {
		return payload.Target{SessionID: s.id, Provider: provider, API: api}, true
	})
}

func (h *Host) transport(
	base http.RoundTripper, target func(*http.Request) (payload.Target, bool),
) http.RoundTripper {
	return &payload.Transport{
		Service: h.Envelope,
		Target:  target,
		Base:    base,
		Options: h.opts,
		Report:  h.report,
	}
}

// report logs a request that was sent without the envelope.
func (h *Host) report(req *http.Request, o payload.Outcome) {
	reason := o.Reason
	if reason == "" {
		reason = o.Result.Reason
	}
	if reason == "" || reason == payload.NoBody || reason == payload.NotOurs || errors.Is(o.Err, context.Canceled) {
		return
	}
	attrs := []slog.Attr{slog.String("session", o.Target.SessionID), slog.String("reason", string(reason)),
		slog.String("provider", o.Target.Provider), slog.String("api", o.Target.API)}
	if o.Err != nil {
		attrs = append(attrs, slog.Any("error", o.Err))
	}
	h.logger.LogAttrs(req.Context(), slog.LevelWarn, "request sent without its envelope", attrs...)
}
