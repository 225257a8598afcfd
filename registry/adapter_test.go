package registry

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func addAdapter(t *testing.T, r *Registry, a Adapter) *Registration {
	t.Helper()
	reg, err := r.RegisterAdapter(a)
	require.NoError(t, err)
	return reg
}

func found(r *Registry, provider, api, model string) string {
	a, kind, ok := r.FindAdapter(provider, api, model)
	if !ok {
		return ""
	}
	return a.Source + "/" + kind.String()
}

func TestLookupByProvider(t *testing.T) {
	var r Registry
	first := addAdapter(t, &r, Adapter{Provider: "p", Source: "1"})
	second := addAdapter(t, &r, Adapter{Provider: "p", Source: "2"})
	assert.Equal(t, "2/registered", found(&r, "p", "any", ""))
	first.Unregister()
	assert.Equal(t, "2/registered", found(&r, "p", "", ""))
	second.Unregister()
	assert.Empty(t, found(&r, "p", "", ""), "nothing is uncovered")

	addAdapter(t, &r, Adapter{Provider: "p", Source: "3", APIs: []string{"a", "b"}})
	assert.Equal(t, "3/registered", found(&r, "p", "b", ""))
	assert.Equal(t, "3/registered", found(&r, "p", "", ""), "the api is not known")
	assert.Empty(t, found(&r, "p", "c", ""))
	never := Registry{}
	addAdapter(t, &never, Adapter{Provider: "p", Source: "4", APIs: []string{}})
	assert.Empty(t, found(&never, "p", "", ""))
	assert.Empty(t, found(&r, "", "a", ""))
}

func TestLookupByProviderKeepsAdaptersOfOtherAPIs(t *testing.T) {
	var r Registry
	chat := addAdapter(t, &r, Adapter{Provider: "p", Source: "chat", APIs: []string{"chat", "old"}})
	addAdapter(t, &r, Adapter{Provider: "p", Source: "responses", APIs: []string{"responses"}})
	assert.Equal(t, "chat/registered", found(&r, "p", "chat", ""))
	assert.Equal(t, "responses/registered", found(&r, "p", "responses", "other"))
	addAdapter(t, &r, Adapter{Provider: "p", Source: "chat 2", APIs: []string{"chat"}})
	assert.Equal(t, "chat 2/registered", found(&r, "p", "chat", ""))
	assert.Equal(t, "chat 2/registered", found(&r, "p", "", ""), "the last one wins if the api is not known")
	assert.Empty(t, found(&r, "p", "old", ""), "the adapter was replaced as a whole")
	chat.Unregister()
	addAdapter(t, &r, Adapter{Provider: "p", Source: "all"})
	assert.Equal(t, "all/registered", found(&r, "p", "responses", ""))
}

func TestLookupBySpecificity(t *testing.T) {
	r := Registry{Lookup: BySpecificity}
	addAdapter(t, &r, Adapter{Provider: "p", Source: "plain"})
	addAdapter(t, &r, Adapter{Provider: "p", Source: "api", APIs: []string{"a", "b"}})
	model := addAdapter(t, &r, Adapter{Provider: "p", Source: "model", Model: "m1"})
	addAdapter(t, &r, Adapter{Provider: "p", Source: "prefix", ModelMatches: func(m string) bool { return strings.HasPrefix(m, "m") }})
	newest := addAdapter(t, &r, Adapter{Provider: "p", Source: "newest"})
	addAdapter(t, &r, Adapter{Provider: "p", Source: "never", APIs: []string{}})

	assert.Equal(t, "prefix/registered", found(&r, "p", "a", "m1"), "both name models, the newer wins")
	assert.Equal(t, "api/registered", found(&r, "p", "b", "x"))
	assert.Equal(t, "newest/registered", found(&r, "p", "c", "x"))
	assert.Equal(t, "newest/registered", found(&r, "p", "", ""), "a predicate is not asked without a model")
	newest.Unregister()
	assert.Equal(t, "plain/registered", found(&r, "p", "", ""), "the older one is uncovered")
	model.Unregister()
	assert.Empty(t, found(&r, "q", "a", "m1"))
}

func TestDefaultAdapters(t *testing.T) {
	for _, lookup := range []Lookup{ByProvider, BySpecificity} {
		r := Registry{Lookup: lookup}
		one, err := r.RegisterDefaultAdapter("a", Adapter{Source: "one"})
		require.NoError(t, err)
		two, err := r.RegisterDefaultAdapter("a", Adapter{Source: "two"})
		require.NoError(t, err)
		one.Unregister()
		assert.Equal(t, "two/default", found(&r, "p", "a", ""))
		assert.Empty(t, found(&r, "p", "", ""), "the api is not known")
		assert.Empty(t, found(&r, "p", "b", ""))
		mine := addAdapter(t, &r, Adapter{Provider: "p", Source: "mine", APIs: []string{"b"}})
		assert.Equal(t, "two/default", found(&r, "p", "a", ""), "the registered one stands for another api")
		assert.Equal(t, "mine/registered", found(&r, "p", "b", ""))
		mine.Unregister()
		two.Unregister()
		assert.Empty(t, found(&r, "p", "a", ""))
	}
}

// An adapter for some models is not used for another known one, in either line, and not as a default.
func TestModels(t *testing.T) {
	for _, lookup := range []Lookup{ByProvider, BySpecificity} {
		r := Registry{Lookup: lookup}
		source := func(model string) string {
			a, _, _ := r.FindAdapter("p", "x", model)
			return a.Source
		}
		only := func(models ...string) func(string) bool {
			return func(m string) bool { return slices.Contains(models, m) }
		}
		for _, a := range []Adapter{
			{Provider: "p", Source: "any"},
			{Provider: "p", Source: "one", Model: "m1"},
			{Provider: "p", Source: "some", ModelMatches: only("m2", "m3")},
		} {
			_, err := r.RegisterAdapter(a)
			require.NoError(t, err)
		}
		assert.Equal(t, "one", source("m1"))
		assert.Equal(t, "some", source("m2"))
		assert.Equal(t, "any", source("m4"))

		d := Registry{Lookup: lookup}
		_, err := d.RegisterDefaultAdapter("x", Adapter{Source: "default", ModelMatches: only("m2")})
		require.NoError(t, err)
		for model, want := range map[string]bool{"m2": true, "m4": false, "": true} {
			_, _, ok := d.FindAdapter("p", "x", model)
			assert.Equal(t, want, ok, model)
		}
	}
}
