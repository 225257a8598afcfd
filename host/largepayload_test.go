package host_test

import (
	"io"
	"net/http"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/testpayload"
	"github.com/pintle-wasm/pintle/registry"
)

// allocated returns how many bytes f allocates each time, without the first.
func allocated(f func()) int {
	f()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	const times = 4
	for range times {
		f()
	}
	goruntime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / times
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A large payload is edited without a copy of it: less than a hundredth of its size is allocated, and by
// a transport little more than what it takes to read the body in.
func TestLargePayloadsAreNotCopied(t *testing.T) {
	h := withAdapters(t, newHost(t, host.Options{}))
	base := testpayload.SystemPrompt
	for _, api := range []string{"openai-codex-responses", "openai-responses", "openai-completions", "anthropic-messages", "google-generative-ai"} {
		body := testpayload.Large(api, "10MB")
		s := h.Session(api)
		turn := 0
		apply := func(f func()) func() {
			return func() {
				// Another prompt each time: a remembered answer would be too easy.
				turn++
				_, err := s.Capture(t.Context(), envelope.Request{Provider: "p", SystemPrompt: &base, CWD: "/srv",
					Options: registry.PromptOptions{CustomPrompt: "You are Pilot." + strings.Repeat("!", turn)}})
				require.NoError(t, err)
				f()
			}
		}
		took := allocated(apply(func() {
			r, err := s.Adapt(t.Context(), "p", api, "", body)
			require.NoError(t, err)
			require.True(t, r.Prompt.Done && r.Developer.Done)
			require.Greater(t, r.Body.Len(), len(body))
		}))
		assert.Less(t, took, len(body)/100, api)

		var sent int64
		client := &http.Client{Transport: s.Transport("p", api, roundTripper(func(r *http.Request) (*http.Response, error) {
			n, err := io.Copy(io.Discard, r.Body)
			sent = n
			assert.Equal(t, r.ContentLength, n)
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, err
		}))}
		took = allocated(apply(func() {
			resp, err := client.Post("http://provider.invalid/", "application/json", strings.NewReader(string(body)))
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Greater(t, sent, int64(len(body)))
		}))
		assert.Less(t, took, (2+growthCopies)*len(body)+len(body)/50, "the body as the caller has it, and as it was read in")
	}
}
