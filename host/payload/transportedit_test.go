package payload

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

func editingTransport(t *testing.T) *Transport {
	s := captured(t, registry.ByProvider)
	_, err := s.Registry.RegisterAdapter(editing())
	require.NoError(t, err)
	return &Transport{Service: s, Target: ours}
}

// An edited body is sent in pieces, with its length, and can be sent again.
func TestTransportSendsEditedBodies(t *testing.T) {
	var bodies []string
	var lengths []int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies, lengths = append(bodies, string(body)), append(lengths, r.ContentLength)
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()
	transport := editingTransport(t)
	transport.Base = server.Client().Transport
	long := `{"x":"` + strings.Repeat("long ", 50_000) + `","prompt":"BASE"}`
	want := strings.Replace(long, "BASE", "OWN", 1)
	want = want[:len(want)-1] + `,"dev":1}`
	post(t, &http.Client{Transport: transport}, jsonRequest(t, server.URL, strings.NewReader(long)))
	assert.Equal(t, []string{want, want}, bodies)
	assert.Equal(t, []int64{int64(len(want)), int64(len(want))}, lengths)
}

func TestTransportOfEditsPassesThrough(t *testing.T) {
	for body, reason := range map[string]Reason{
		`{"prompt":"OWN","dev":1}`: "",
		`{"prompt":`:               NotJSON,
		"{\"x\":\"\xff\"}":         NotJSON,
		`{"dev":1,"dev":2}`:        AdapterFailed,
	} {
		out, outcome := editingTransport(t).prepare(jsonRequest(t, "http://provider.invalid", strings.NewReader(body)))
		sent, err := io.ReadAll(out.Body)
		require.NoError(t, err)
		assert.Equal(t, body, string(sent))
		assert.Equal(t, reason, outcome.Reason, body)
		assert.Equal(t, reason == AdapterFailed, outcome.Err != nil, body)
	}
}
