package bridge

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/auth"
)

func marshaled(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

func TestPluginInputJSON(t *testing.T) {
	store := &auth.Store{}
	store.Set(auth.APIKey(auth.NewSecret(hidden), nil))
	in := PluginInput{Store: store, Directory: "/a<", Worktree: "/b"}
	assert.Equal(t, `x{"directory":"/a<","worktree":"/b"}`, string(in.AppendJSON([]byte("x"))))
	assert.JSONEq(t, `{"directory":"/a<","worktree":"/b"}`, marshaled(t, in))
}

func TestChatParamsJSON(t *testing.T) {
	p := ChatParams{SessionID: "s<", Agent: "plan", ModelID: "m", ProviderID: "p", Options: json.RawMessage(`{"b":1,"a":"<"}`)}
	assert.Equal(t, `x{"input":{"sessionID":"s<","agent":"plan","model":{"id":"m","providerID":"p"}},"output":{"options":{"b":1,"a":"<"}}}`, string(p.AppendJSON([]byte("x"))))
	assert.JSONEq(t, string(p.AppendJSON(nil)), marshaled(t, p))
	assert.JSONEq(t, `{"input":{"sessionID":"","agent":"","model":{"id":"","providerID":""}},"output":{"options":{}}}`, marshaled(t, &ChatParams{}))
}

// Marshaled, a registration has the form of what the host gets, without what is secret.
func TestRegistrationJSON(t *testing.T) {
	r := Registration{
		Names: Names{Declared: "d", Provider: "n", API: "a", OptionsKey: "o"}, Package: "p", BaseURL: "b",
		APIKey: auth.NewSecret(hidden), Models: []auth.Secret{auth.NewSecret(`{"id":"m","headers":{"k":"` + hidden + `"}}`)}, Dynamic: "refreshModels", Login: "L",
	}
	assert.JSONEq(t, `{"name":"n","declaredId":"d","optionsKey":"o","package":"p","notes":[],"config":{"baseUrl":"b","api":"a","apiKey":"[redacted]",
		"models":["[redacted]"],"dynamic":"refreshModels","oauth":{"name":"L"}}}`, marshaled(t, &r))
	assert.Contains(t, string(r.Reveal()), hidden)
	assert.JSONEq(t, `{"name":"","declaredId":"","optionsKey":"","package":"","notes":[],"config":{"baseUrl":"","api":""}}`, marshaled(t, Registration{}))
}
