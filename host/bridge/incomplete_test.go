package bridge

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/stream"
)

// What a program has forgotten to set is an error or the event of one, and no panic.
func TestIncompleteCalls(t *testing.T) {
	types, m := run(t, context.Background(), &Call{})
	assert.Equal(t, []string{"start", "error"}, types)
	assert.Contains(t, m.ErrorMessage, "no model")

	types, m = run(t, context.Background(), &Call{NewModel: func(context.Context, auth.Secret) (*LanguageModel, error) {
		return answering(parts(t, finish)), nil
	}})
	assert.Equal(t, []string{"start", "error"}, types)
	assert.Contains(t, m.ErrorMessage, "profile")
}

func TestIncompleteHosts(t *testing.T) {
	load := newAcme().host(t, "pi").Load
	for _, h := range []*Host{{}, {Load: load}, {Profile: hostProfile(t, "pi")}} {
		_, err := h.Register(context.Background(), &Entry{Package: "x"})
		assert.Equal(t, NoHost, kindOf(t, err))
		assert.ErrorContains(t, err, "set both")
	}
	_, err := (&Host{}).NameProvider(&Entry{Package: "x"}, "")
	assert.Equal(t, NoHost, kindOf(t, err))
	assert.Equal(t, "A", (&Host{}).KeyReference(auth.NewSecret("A")).Reveal())
	h := &Host{Profile: hostProfile(t, "pi"), Load: load}
	p, err := h.Register(context.Background(), &Entry{Package: "x"})
	require.NoError(t, err, "nothing else is needed")
	ask(t, p, &Request{Model: stream.Model{ID: "g"}})
}

func TestIncompleteModules(t *testing.T) {
	register := func(m *Module) (*Provider, error) {
		h := &Host{Profile: hostProfile(t, "pi"), Load: func(context.Context, *Entry) (*Module, error) { return m, nil }}
		return h.Register(context.Background(), &Entry{Package: "x"})
	}
	_, err := register(&Module{Exports: functions("createX")})
	assert.Equal(t, PluginFailed, kindOf(t, err))
	assert.ErrorContains(t, err, "no model")
	p, err := register(&Module{
		Exports: functions("createX", "XPlugin"),
		NewModel: func(context.Context, string, auth.Options, string) (*LanguageModel, error) {
			return answering(parts(t, finish)), nil
		},
	})
	require.NoError(t, err)
	assert.Equal(t, []string{"the plugin cannot be made and is not used"}, p.Registration().Notes)
	ask(t, p, &Request{})
}

// The older build's headers need no tools and have another name.
func TestReadmeEra(t *testing.T) {
	for readme, want := range map[bool]string{false: "", true: "x-opencode-session"} {
		a := newAcme()
		h := a.host(t, "pi")
		h.Readme = readme
		p, err := h.Register(context.Background(), &Entry{Package: "x"})
		require.NoError(t, err)
		ask(t, p, &Request{Model: stream.Model{ID: "p"}, Host: history.Call{SessionID: "s1"}})
		var whole struct {
			Headers map[string]string `json:"headers"`
		}
		require.NoError(t, json.Unmarshal(a.call.AppendJSON(nil), &whole))
		if want == "" {
			assert.Empty(t, whole.Headers)
		} else {
			assert.Equal(t, map[string]string{want: "s1"}, whole.Headers)
		}
	}
}

// The older build counts what Cursor charges and not how full the context is.
func TestReadmeUsage(t *testing.T) {
	const cursor = `{"type":"finish","finishReason":{"unified":"stop"},"usage":{"inputTokens":{"total":100},"outputTokens":{"total":10}},` +
		`"providerMetadata":{"cursor":{"context":{"usedTokens":70}}}}`
	for readme, want := range map[bool]int64{false: 70, true: 110} {
		h := &Host{Profile: hostProfile(t, "pi"), Readme: readme, Load: func(context.Context, *Entry) (*Module, error) {
			return &Module{Exports: functions("createX"), NewModel: func(context.Context, string, auth.Options, string) (*LanguageModel, error) {
				return answering(parts(t, cursor)), nil
			}}, nil
		}}
		p, err := h.Register(context.Background(), &Entry{Package: "cursor-opencode-provider"})
		require.NoError(t, err)
		_, m := run(t, context.Background(), p.Call(&Request{}))
		assert.EqualValues(t, want, m.Usage.TotalTokens)
	}
}

// A model that is no longer listed is called as one that was never, unless the host may list it again: the
// models of the registration are what it has when nothing can be listed.
func TestModelsThatAreListedNoMore(t *testing.T) {
	a := newAcme()
	listed := modelsOfAcme
	a.Config = func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(listed), nil }
	p, err := a.host(t, "omp").Register(context.Background(), &Entry{Package: "x"})
	require.NoError(t, err)
	options := func(id string) string {
		ask(t, p, &Request{Model: stream.Model{ID: id}})
		return string(a.call.ProviderOptions)
	}
	list := func(ctx context.Context, models string) {
		listed = `{"provider":{"acme":{"models":` + models + `}}}`
		_, err := p.Models().List(ctx, nil)
		require.NoError(t, err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	list(context.Background(), `{"old":{"options":{"o":1}},"p":{"options":{"o":2}}}`)
	assert.Equal(t, []string{`{"acme":{"o":1}}`, `{"acme":{"o":2}}`}, []string{options("old"), options("p")})
	list(context.Background(), `{}`)
	list(done, `{"new":{"options":{"o":3}}}`)
	assert.Equal(t, []string{`{"acme":{"o":1}}`, ``}, []string{options("old"), options("new")}, "the host keeps what it has")
	list(context.Background(), `{"new":{"options":{"o":3}}}`)
	assert.Equal(t, []string{``, `{"acme":{"o":3}}`, ``}, []string{options("old"), options("new"), options("p")})
	assert.NotEmpty(t, options("g-fast"), "of the registration")
}
