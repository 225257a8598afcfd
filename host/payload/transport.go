package payload

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/registry"
)

// DefaultMaxBody is the largest body that a Transport rewrites unless told otherwise, in bytes.
const DefaultMaxBody = 16 << 20

// Reasons why a Transport sent a body as it was.
const (
	NotOurs       Reason = "not-ours"       // Target did not know the request
	NoBody        Reason = "no-body"        //
	NotJSON       Reason = "not-json"       // by its Content-Type, or in fact
	Encoded       Reason = "encoded"        // it has a Content-Encoding
	Signed        Reason = "signed"         // a header carries a digest of the body
	TooLarge      Reason = "too-large"      // more than MaxBody
	BodyUnread    Reason = "body-unread"    // reading failed, or its length is not the declared one
	AdapterFailed Reason = "adapter-failed" // the Outcome has the error
)

// Target says what a request is for. If Model is empty and the choice of an adapter depends on it, it is
// the model that the request itself names.
type Target struct{ SessionID, Provider, API, Model string }

// Transport is an http.RoundTripper that puts the envelope into request bodies. With it as the
// transport of an SDK's client the SDK needs to know nothing of the envelope:
//
//	client := &http.Client{Transport: &payload.Transport{
//		Service: service,
//		Target: func(*http.Request) (payload.Target, bool) {
//			return payload.Target{SessionID: "s1", Provider: "openai", API: "openai-responses"}, true
//		},
//	}}
//
// A body that is not JSON, is encoded, signed or too large is sent as it is, byte for byte; so is the
// original when an adapter fails. The caller's request is not changed. A Transport is safe for
// concurrent use.
type Transport struct {
	// Service has the sessions' state. Without one all requests are left alone.
	Service *envelope.Service
	// Target says what a request is for; false leaves the request alone. It must not read the body. A
	// nil Target leaves all requests alone.
	Target func(*http.Request) (Target, bool)
	// Base sends the requests; nil is http.DefaultTransport.
	Base http.RoundTripper
	// MaxBody is the largest body to rewrite, in bytes; 0 is DefaultMaxBody.
	MaxBody int64
	Options Options
	// Report, if set, is told what was done with each request before it is sent. Without it adapter
	// failures go to slog's default logger.
	Report func(*http.Request, Outcome)
}

// Outcome is what a Transport did with one request.
type Outcome struct {
	Target Target `json:"target"`
	// Reason is why the body was sent as it was before Apply was asked, or AdapterFailed. Otherwise
	// Result tells.
	Reason Reason `json:"reason,omitempty"`
	Result Result `json:"result"`
	Err    error  `json:"-"`
}

// RoundTrip sends the request.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	out, outcome := t.prepare(req)
	if t.Report != nil {
		t.Report(req, outcome)
	} else if outcome.Reason == AdapterFailed && !errors.Is(outcome.Err, context.Canceled) {
		slog.WarnContext(req.Context(), "request sent without its prompt envelope", "error", outcome.Err)
	}
	return t.base().RoundTrip(out)
}

// CloseIdleConnections closes those of Base.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func (t *Transport) base() http.RoundTripper {
	if t.Base == nil {
		return http.DefaultTransport
	}
	return t.Base
}

// prepare returns the request to send: req itself as long as its body has not been touched.
func (t *Transport) prepare(req *http.Request) (*http.Request, Outcome) {
	var outcome Outcome
	ours := false
	if t.Target != nil {
		outcome.Target, ours = t.Target(req)
	}
	limit := t.MaxBody
	if limit <= 0 {
		limit = DefaultMaxBody
	}
	outcome.Reason = unsuitable(req, ours && t.Service != nil, limit)
	if outcome.Reason != "" {
		return req, outcome
	}
	body, err := readBody(req, limit)
	switch {
	case err != nil:
		// The base meets the same bytes and the same error.
		outcome.Reason, outcome.Err = BodyUnread, err
		return withBody(req, io.MultiReader(bytes.NewReader(body), failingReader{err}), req.Body), outcome
	case int64(len(body)) > limit:
		outcome.Reason = TooLarge
		return withBody(req, io.MultiReader(bytes.NewReader(body), req.Body), req.Body), outcome
	}
	_ = req.Body.Close()
	original := withBody(req, bytes.NewReader(body), nil)
	if req.ContentLength > 0 && req.ContentLength != int64(len(body)) {
		outcome.Reason = BodyUnread
		return original, outcome
	}
	target := &outcome.Target
	if target.Model == "" && t.Service.Registry.DependsOnModel(target.Provider, target.API) {
		target.Model = modelOf(req, body)
	}
	state, _ := t.Service.PayloadState(target.SessionID)
	outcome.Result, outcome.Err = applyState(req.Context(), t.Service.Registry, state, registry.PayloadRequest{
		SessionID: target.SessionID, Provider: target.Provider, API: target.API, Model: target.Model, Payload: body,
	}, t.Options, true)
	switch {
	case errors.Is(outcome.Err, registry.ErrNotJSON):
		outcome.Reason, outcome.Err = NotJSON, nil
		return original, outcome
	case outcome.Err != nil:
		outcome.Reason = AdapterFailed
		return original, outcome
	case !outcome.Result.Answered || outcome.Result.Body.same(body):
		return original, outcome
	}
	return rewritten(req, outcome.Result.Body), outcome
}

// readBody reads a body into memory of its size, if that is declared.
func readBody(req *http.Request, limit int64) ([]byte, error) {
	var buf bytes.Buffer
	if n := req.ContentLength; n > 0 && n <= limit {
		buf.Grow(int(n) + bytes.MinRead) // ReadFrom wants room for one more read
	}
	_, err := buf.ReadFrom(io.LimitReader(req.Body, limit+1))
	return buf.Bytes(), err
}

// unsuitable says why a body is left alone without being looked at.
func unsuitable(req *http.Request, ours bool, limit int64) Reason {
	switch {
	case !ours:
		return NotOurs
	case req.Body == nil || req.Body == http.NoBody:
		return NoBody
	case !isJSON(req.Header.Get("Content-Type")):
		return NotJSON
	case req.ContentLength > limit:
		return TooLarge
	}
	for _, encoding := range req.Header.Values("Content-Encoding") {
		if !strings.EqualFold(strings.TrimSpace(encoding), "identity") && encoding != "" {
			return Encoded
		}
	}
	for _, digest := range []string{"Content-Digest", "Digest", "Content-MD5", "X-Amz-Content-Sha256"} {
		if req.Header.Get(digest) != "" {
			return Signed
		}
	}
	if len(req.Trailer) > 0 {
		return Signed // what follows a body usually vouches for it
	}
	return ""
}

func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return false
	}
	charset := params["charset"]
	return charset == "" || strings.EqualFold(charset, "utf-8")
}

// withBody returns a copy of req with another reader of the same bytes.
func withBody(req *http.Request, r io.Reader, c io.Closer) *http.Request {
	out := req.WithContext(req.Context())
	if c == nil {
		out.Body = io.NopCloser(r)
	} else {
		out.Body = struct {
			io.Reader
			io.Closer
		}{r, c}
	}
	return out
}

// rewritten returns a copy of req with another body, which can be sent again.
func rewritten(req *http.Request, body Body) *http.Request {
	out := withBody(req, body.NewReader(), nil)
	out.ContentLength = int64(body.Len())
	out.TransferEncoding = nil
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(body.NewReader()), nil }
	if req.Header.Get("Content-Length") != "" {
		out.Header = req.Header.Clone()
		out.Header.Set("Content-Length", strconv.Itoa(body.Len()))
	}
	return out
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }
