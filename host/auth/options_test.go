package auth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

func TestSubstitute(t *testing.T) {
	for _, c := range []struct{ in, with, without string }{
		{`{"apiKey":"$apiKey","b":1}`, `{"apiKey":"K\"","b":1}`, `{"b":1}`},
		{`"$apiKey"`, `"K\""`, ``},
		{` "\u0024apiKey" `, `"K\""`, ``},
		{`["$apiKey",1,["$apiKey"]]`, `["K\"",1,["K\""]]`, `[null,1,[null]]`},
		{`{"a":{"b":[{"c":"$apiKey"}]},"d":"$apiKey"}`, `{"a":{"b":[{"c":"K\""}]},"d":"K\""}`, `{"a":{"b":[{}]}}`},
		{`{"$apiKey":"$apiKey"}`, `{"$apiKey":"K\""}`, `{}`},
		{`{"a":"Bearer $apiKey","b":"$apikey","c":"$apiKey ","d":"${apiKey}"}`, `{"a":"Bearer $apiKey","b":"$apikey","c":"$apiKey ","d":"${apiKey}"}`, `{"a":"Bearer $apiKey","b":"$apikey","c":"$apiKey ","d":"${apiKey}"}`},
		{`{"a":1,"a":"$apiKey"}`, `{"a":"K\""}`, `{}`},
		{`{"a":"$apiKey","a":1}`, `{"a":1}`, `{"a":1}`},
		{`{"b":"$apiKey","1":0}`, `{"1":0,"b":"K\""}`, `{"1":0}`},
		{`5`, `5`, `5`}, {`null`, `null`, `null`}, {`{}`, `{}`, `{}`}, {`[]`, `[]`, `[]`},
	} {
		got, err := Substitute([]byte(c.in), NewSecret(`K"`))
		require.NoError(t, err, c.in)
		assert.Equal(t, c.with, string(got), c.in)
		got, err = Substitute([]byte(c.in), Secret{})
		require.NoError(t, err, c.in)
		assert.Equal(t, c.without, string(got), c.in)
	}
	got, err := Substitute([]byte(`{"a":"$apiKey"}`), NewSecret(""))
	require.NoError(t, err)
	assert.Equal(t, `{"a":""}`, string(got), "an empty key is a key")
	for _, in := range []string{``, `{`, `{"a":}`} {
		_, err := Substitute([]byte(in), NewSecret(hidden))
		require.Error(t, err, in)
		assert.NotContains(t, err.Error(), hidden)
	}
	deep := strings.Repeat(`[`, 9000) + `"$apiKey"` + strings.Repeat(`]`, 9000)
	got, err = Substitute([]byte(deep), NewSecret("K"))
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(deep, "$apiKey", "K", 1), string(got))
}

func TestFactoryOptions(t *testing.T) {
	fetch := func() {}
	live := Option{Name: "getAccessToken", Live: fetch}
	for _, c := range []struct {
		template string
		key      Secret
		loaded   Options
		want     string
	}{
		{``, NewSecret("K"), nil, `{"apiKey":"K"}`},
		{`null`, NewSecret("K"), nil, `{"apiKey":"K"}`},
		{``, Secret{}, nil, `{}`},
		{`{}`, NewSecret("K"), nil, `{}`},
		{`{"a":1,"apiKey":"$apiKey"}`, NewSecret("K"), Options{{Name: "a", JSON: NewSecret("2")}, {Name: "b", JSON: NewSecret("3")}}, `{"a":2,"apiKey":"K","b":3}`},
		{`{"apiKey":"$apiKey","accessToken":"t","keep":1}`, NewSecret("K"), Options{live}, `{"keep":1}`},
		{``, NewSecret("K"), Options{live, {Name: "apiKey", JSON: NewSecret(`"L"`)}, {Name: "accessToken", JSON: NewSecret(`"t"`)}}, `{}`},
		{`{"getAccessToken":"text"}`, NewSecret("K"), Options{{Name: "apiKey", JSON: NewSecret(`"L"`)}}, `{"getAccessToken":"text","apiKey":"L"}`},
		{`{"a":1}`, Secret{}, Options{{Name: "b", JSON: NewSecret("2")}, {Name: "b", JSON: NewSecret("3")}}, `{"a":1,"b":3}`},
		{`{"$apiKey":{"x":"$apiKey"}}`, Secret{}, nil, `{"$apiKey":{}}`},
	} {
		got, err := FactoryOptions([]byte(c.template), c.key, c.loaded)
		require.NoError(t, err, c.template)
		assert.Equal(t, c.want, string(got.Reveal()), c.template)
		for _, option := range c.loaded {
			kept, ok := got.Get(option.Name)
			if option.Live != nil {
				assert.True(t, ok && kept.Live != nil, "a live one stays")
			}
		}
	}
	for _, in := range []string{`[]`, `5`, `"$apiKey"`, `{`} {
		_, err := FactoryOptions([]byte(in), NewSecret(hidden), nil)
		require.Error(t, err, in)
		assert.NotContains(t, shown(t, err), hidden)
	}
	_, ok := Options{}.Get("a")
	assert.False(t, ok)
}

func TestRedactorKnowsOptions(t *testing.T) {
	options, err := ParseOptions([]byte(`{"apiKey":"k-111111","baseURL":"https://acme.example","headers":{"X-Api-Key":"k-222222","cookies":["k-333333",{"a":"k-444444"}],"accept":"application/json"},
		"clientSecret":{"deep":{"er":"k-555555"}},"after":"not-secret","auth":{"header":"Bearer k-666666","region":"us east"},"passphrase":"k-777777 with words"}`))
	require.NoError(t, err)
	var r Redactor
	r.Add(append(options, Option{Name: "token", Live: 5}).Secrets()...)
	for _, text := range []string{"k-111111", "k-222222", "k-333333", "k-444444", "k-555555", "k-666666", "us east", "k-777777 with words"} {
		assert.Equal(t, Redacted, r.Text(text), text)
	}
	for _, text := range []string{"https://acme.example", "application/json", "not-secret", "Bearer", "us", "east", "k-777777", "words"} {
		assert.Equal(t, text, r.Text(text))
	}
}

func FuzzSubstitute(f *testing.F) {
	for _, seed := range []string{`{"a":["$apiKey",{"b":"$apiKey"}]}`, `"$apiKey"`, `{"a":1,"a":"$apiKey"}`, `[`, `{"\ud83e":"$apiKey"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, err := Substitute(in, NewSecret("K"))
		assert.Equal(t, jsonspan.Valid(in), err == nil)
		if err != nil {
			return
		}
		require.True(t, jsonspan.Valid(got), "%q", got)
		again, err := Substitute(got, Secret{})
		require.NoError(t, err)
		assert.Equal(t, string(got), string(again), "nothing is left to put a key in")
		bare, err := Substitute(in, Secret{})
		require.NoError(t, err)
		assert.True(t, bare == nil || jsonspan.Valid(bare), "%q", bare)
	})
}
