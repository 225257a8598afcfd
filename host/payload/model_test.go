package payload

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

// The model that a request names decides which adapter it gets, if the target does not say one.
func TestTransportKnowsTheModel(t *testing.T) {
	for name, lookup := range map[string]registry.Lookup{"by provider": registry.ByProvider, "by specificity": registry.BySpecificity} {
		t.Run(name, func(t *testing.T) {
			s := captured(t, lookup)
			for _, model := range []string{"", "big"} {
				a := fields()
				a.Model = model
				a.ReplaceDeveloperMessages = func(_ context.Context, req *registry.PayloadRequest, _ []registry.Message) ([]byte, error) {
					return []byte(`"` + model + ` for ` + req.Model + `"`), nil
				}
				_, err := s.Registry.RegisterAdapter(a)
				require.NoError(t, err)
			}
			transport := &Transport{Service: s, Target: ours}
			client, url, got := loop(t, transport)
			post(t, client, jsonRequest(t, url, strings.NewReader(`{"prompt":"BASE","model":"small"}`)))
			assert.Equal(t, `" for small"`, got().body)
			post(t, client, jsonRequest(t, url, strings.NewReader(`{"prompt":"BASE","model":"big"}`)))
			assert.Equal(t, `"big for big"`, got().body)

			transport.Target = func(req *http.Request) (Target, bool) {
				target, ok := ours(req)
				target.Model = "small"
				return target, ok
			}
			post(t, client, jsonRequest(t, url, strings.NewReader(`{"prompt":"BASE","model":"big"}`)))
			assert.Equal(t, `" for small"`, got().body, "the target says another one")
		})
	}
}

func TestModelOf(t *testing.T) {
	for given, want := range map[string]string{
		`/v1/responses {"input":[{"model":"inner"}],"model":"a/b:c"}`:               "a/b:c",
		`/v1beta/models/gemini-3-pro:streamGenerateContent {"contents":[]}`:         "gemini-3-pro",
		`/v1/p/x/models/gemini-3-pro:generateContent {"model":""}`:                  "gemini-3-pro",
		`/v1beta/models/gemini-3-pro:generateContent {"model":"models/gemini-pro"}`: "models/gemini-pro",
		`/v1/models/x {"model":5}`:                                                  "",
		`/v1/models/x/y:z {}`:                                                       "",
		`/v1/responses []`:                                                          "",
		`/v1/responses not-json`:                                                    "",
	} {
		path, body, _ := strings.Cut(given, " ")
		assert.Equal(t, want, modelOf(httptest.NewRequest(http.MethodPost, path, nil), []byte(body)), given)
	}
}
