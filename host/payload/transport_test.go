package payload

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

type received struct {
	body   string
	length int64
	header http.Header
}

// loop returns a client whose requests pass a Transport, and what the server got.
func loop(t *testing.T, transport *Transport) (*http.Client, string, func() received) {
	t.Helper()
	var mu sync.Mutex
	var last received
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		mu.Lock()
		defer mu.Unlock()
		last = received{string(body), r.ContentLength, r.Header}
	}))
	t.Cleanup(server.Close)
	transport.Base = server.Client().Transport
	return &http.Client{Transport: transport}, server.URL, func() received {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}

func ours(*http.Request) (Target, bool) {
	return Target{SessionID: "s", Provider: "p", API: "x"}, true
}

func newTransport(t *testing.T) *Transport {
	s := captured(t, registry.ByProvider)
	_, err := s.Registry.RegisterAdapter(fields())
	require.NoError(t, err)
	return &Transport{Service: s, Target: ours}
}

func post(t *testing.T, client *http.Client, req *http.Request) {
	t.Helper()
	resp, err := client.Do(req)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

func jsonRequest(t *testing.T, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, body)
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json; charset=UTF-8")
	return req
}

func TestTransportRewrites(t *testing.T) {
	transport := newTransport(t)
	var outcome Outcome
	transport.Report = func(_ *http.Request, o Outcome) { outcome = o }
	client, url, got := loop(t, transport)

	req := jsonRequest(t, url, strings.NewReader(`{"prompt":"BASE"}`))
	req.Header.Set("Content-Length", "17")
	getBody := req.GetBody
	post(t, client, req)
	want := `{"dev":1,"prompt":"OWN"}`
	assert.Equal(t, want, got().body)
	assert.Equal(t, int64(len(want)), got().length)
	assert.True(t, outcome.Result.Answered)
	assert.Equal(t, int64(17), req.ContentLength, "the caller's request is not changed")
	assert.Equal(t, "17", req.Header.Get("Content-Length"))
	again, err := getBody()
	require.NoError(t, err)
	original, err := io.ReadAll(again)
	require.NoError(t, err)
	assert.Equal(t, `{"prompt":"BASE"}`, string(original))

	// A body of unknown length.
	req = jsonRequest(t, url, io.MultiReader(strings.NewReader(`{"prompt":`), strings.NewReader(`"BASE"}`)))
	req.TransferEncoding = []string{"chunked"}
	req.Header.Set("Content-Type", "application/vnd.api+json")
	post(t, client, req)
	assert.Equal(t, want, got().body)
	assert.Equal(t, int64(len(want)), got().length)

	out, _ := transport.prepare(jsonRequest(t, url, strings.NewReader(`{"prompt":"BASE"}`)))
	for range 2 {
		body, err := out.GetBody()
		require.NoError(t, err)
		data, err := io.ReadAll(body)
		require.NoError(t, err)
		assert.Equal(t, want, string(data))
	}
}

// The largest body that is rewritten has MaxBody bytes, whether its length is known before or not.
func TestTransportRewritesUpToMaxBody(t *testing.T) {
	const body = `{"prompt":"BASE"}`
	for _, length := range []int64{int64(len(body)), -1} {
		for _, limit := range []int64{int64(len(body)), int64(len(body)) - 1} {
			transport := newTransport(t)
			transport.MaxBody = limit
			req := jsonRequest(t, "http://provider.invalid/", strings.NewReader(body))
			req.ContentLength = length
			_, outcome := transport.prepare(req)
			assert.Equal(t, limit == int64(len(body)), outcome.Result.Answered, "%d of %d", length, limit)
			assert.Equal(t, limit < int64(len(body)), outcome.Reason == TooLarge, "%d of %d", length, limit)
		}
	}
}

// A header that names the length, and an encoding that is none, do not get in the way.
func TestTransportHeaders(t *testing.T) {
	transport := newTransport(t)
	prepared := func(header, value string) *http.Request {
		req := jsonRequest(t, "http://provider.invalid/", strings.NewReader(`{"prompt":"BASE"}`))
		req.Header.Set(header, value)
		out, outcome := transport.prepare(req)
		assert.True(t, outcome.Result.Answered, "%s: %s", header, value)
		assert.Equal(t, value, req.Header.Get(header), "the caller's request is not changed")
		return out
	}
	assert.Equal(t, "24", prepared("Content-Length", "17").Header.Get("Content-Length"))
	for _, encoding := range []string{"", "identity", " Identity "} {
		assert.Equal(t, encoding, prepared("Content-Encoding", encoding).Header.Get("Content-Encoding"))
		assert.NotContains(t, prepared("Content-Encoding", encoding).Header, "Content-Length")
	}
}

func TestTransportFollowsRedirectsWithTheRewrittenBody(t *testing.T) {
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()
	transport := newTransport(t)
	transport.Base = server.Client().Transport
	post(t, &http.Client{Transport: transport}, jsonRequest(t, server.URL, strings.NewReader(`{"prompt":"BASE"}`)))
	assert.Equal(t, []string{`{"dev":1,"prompt":"OWN"}`, `{"dev":1,"prompt":"OWN"}`}, bodies)
}

func TestTransportPassesThrough(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(`{"prompt":"BASE"}`))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	base := `{"prompt":"BASE"}`
	for name, c := range map[string]struct {
		body   string
		reason Reason
		change func(*http.Request, *Transport)
	}{
		"not ours": {base, NotOurs, func(_ *http.Request, tr *Transport) {
			tr.Target = func(*http.Request) (Target, bool) { return Target{}, false }
		}},
		"no target":    {base, NotOurs, func(_ *http.Request, tr *Transport) { tr.Target = nil }},
		"no service":   {base, NotOurs, func(_ *http.Request, tr *Transport) { tr.Service = nil }},
		"no body":      {"", NoBody, func(r *http.Request, _ *Transport) { r.Body = nil }},
		"empty body":   {"", NoBody, func(*http.Request, *Transport) {}},
		"form":         {base, NotJSON, func(r *http.Request, _ *Transport) { r.Header.Set("Content-Type", "multipart/form-data; boundary=x") }},
		"no type":      {base, NotJSON, func(r *http.Request, _ *Transport) { r.Header.Del("Content-Type") }},
		"charset":      {base, NotJSON, func(r *http.Request, _ *Transport) { r.Header.Set("Content-Type", "application/json; charset=utf-16") }},
		"bad json":     {`{"prompt":"BASE"} x`, NotJSON, func(*http.Request, *Transport) {}},
		"gzip":         {zipped.String(), Encoded, func(r *http.Request, _ *Transport) { r.Header.Set("Content-Encoding", "gzip") }},
		"signed":       {base, Signed, func(r *http.Request, _ *Transport) { r.Header.Set("Content-Digest", "sha-256=:x:") }},
		"signed, old":  {base, Signed, func(r *http.Request, _ *Transport) { r.Header.Set("Digest", "sha-256=x") }},
		"signed, md5":  {base, Signed, func(r *http.Request, _ *Transport) { r.Header.Set("Content-MD5", "x") }},
		"signed, AWS":  {base, Signed, func(r *http.Request, _ *Transport) { r.Header.Set("X-Amz-Content-Sha256", "x") }},
		"trailer":      {base, Signed, func(r *http.Request, _ *Transport) { r.ContentLength = -1; r.Trailer = http.Header{"X-Sum": nil} }},
		"large":        {base, TooLarge, func(_ *http.Request, tr *Transport) { tr.MaxBody = 16 }},
		"large stream": {base, TooLarge, func(r *http.Request, tr *Transport) { tr.MaxBody = 10; r.ContentLength = -1 }},
		"adapter":      {`{"prompt":"FAIL"}`, AdapterFailed, func(*http.Request, *Transport) {}},
		"other provider": {base, "", func(_ *http.Request, tr *Transport) {
			tr.Target = func(*http.Request) (Target, bool) { return Target{SessionID: "s", Provider: "q"}, true }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			transport := newTransport(t)
			a := fields()
			read := a.ReadSystemPrompt
			a.ReadSystemPrompt = func(ctx context.Context, req *registry.PayloadRequest) (string, bool, error) {
				if bytes.Contains(req.Payload, []byte("FAIL")) {
					return "", false, errors.New("bad payload")
				}
				return read(ctx, req)
			}
			_, err := transport.Service.Registry.RegisterAdapter(a)
			require.NoError(t, err)
			var outcome Outcome
			transport.Report = func(_ *http.Request, o Outcome) { outcome = o }
			client, url, got := loop(t, transport)
			req := jsonRequest(t, url, strings.NewReader(c.body))
			c.change(req, transport)
			length := req.ContentLength
			header := req.Header.Clone()
			post(t, client, req)
			assert.Equal(t, c.body, got().body)
			assert.Equal(t, length, got().length)
			assert.Equal(t, header, req.Header)
			assert.Equal(t, c.reason, outcome.Reason)
			if c.reason == "" {
				assert.Equal(t, ProviderChanged, outcome.Result.Reason)
			}
		})
	}
}

// Without a Report a failure is not lost either; that the caller gave up is none.
func TestTransportLogsFailures(t *testing.T) {
	var log bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	transport := newTransport(t)
	failure := errors.New("bad payload")
	a := fields()
	a.ReadSystemPrompt = func(context.Context, *registry.PayloadRequest) (string, bool, error) { return "", false, failure }
	_, err := transport.Service.Registry.RegisterAdapter(a)
	require.NoError(t, err)
	client, url, got := loop(t, transport)
	post(t, client, jsonRequest(t, url, strings.NewReader(`{"prompt":"BASE"}`)))
	assert.Equal(t, `{"prompt":"BASE"}`, got().body)
	assert.Contains(t, log.String(), "level=WARN")
	assert.Contains(t, log.String(), "bad payload")

	log.Reset()
	failure = context.Canceled
	post(t, client, jsonRequest(t, url, strings.NewReader(`{"prompt":"BASE"}`)))
	assert.Empty(t, log.String())
}

// closing notes that it was closed and may fail in the middle.
type closing struct {
	io.Reader
	closed int
}

func (c *closing) Close() error { c.closed++; return nil }

type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTransportBodyFaults(t *testing.T) {
	torn := errors.New("disk gone")
	for name, c := range map[string]struct {
		body   io.Reader
		length int64
		want   string
		err    error
		reason Reason
	}{
		"torn":       {io.MultiReader(strings.NewReader(`{"prompt"`), failingReader{torn}), -1, `{"prompt"`, torn, BodyUnread},
		"short":      {strings.NewReader(`{"prompt":"BASE"}`), 19, `{"prompt":"BASE"}`, nil, BodyUnread},
		"long":       {strings.NewReader(`{"prompt":"BASE"}`), 3, `{"prompt":"BASE"}`, nil, BodyUnread},
		"too large":  {strings.NewReader(`{"prompt":"BASE-------"}`), -1, `{"prompt":"BASE-------"}`, nil, TooLarge},
		"as it is":   {strings.NewReader(`{"prompt":"BASE"}`), 17, `{"dev":1,"prompt":"OWN"}`, nil, ""},
		"length nil": {strings.NewReader(`{"prompt":"BASE"}`), 0, `{"dev":1,"prompt":"OWN"}`, nil, ""},
	} {
		transport := newTransport(t)
		transport.MaxBody = 20
		var outcome Outcome
		transport.Report = func(_ *http.Request, o Outcome) { outcome = o }
		body := &closing{Reader: c.body}
		req := jsonRequest(t, "http://example.invalid/", nil)
		req.Body, req.ContentLength = body, c.length
		transport.Base = baseFunc(func(r *http.Request) (*http.Response, error) {
			data, err := io.ReadAll(r.Body)
			assert.Equal(t, c.want, string(data), name)
			assert.ErrorIs(t, err, c.err, name)
			if c.reason != "" {
				assert.Equal(t, c.length, r.ContentLength, name)
			}
			require.NoError(t, r.Body.Close())
			return &http.Response{Body: http.NoBody}, nil
		})
		_, err := transport.RoundTrip(req)
		require.NoError(t, err)
		assert.Equal(t, c.reason, outcome.Reason, name)
		assert.Equal(t, 1, body.closed, name)
	}
}

func TestTransportIsConcurrent(t *testing.T) {
	transport := newTransport(t)
	client, url, _ := loop(t, transport)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"prompt":"BASE"}`))
				if !assert.NoError(t, err) {
					return
				}
				req.Header.Set("Content-Type", "application/json")
				resp, err := client.Do(req)
				if assert.NoError(t, err) {
					assert.NoError(t, resp.Body.Close())
				}
			}
		})
	}
	wg.Wait()
	client.CloseIdleConnections()
}
