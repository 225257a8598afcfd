package model_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

const fastAndNot = `"variants":{"a":{"parameters":[{"id":"fast","value":"false"}]},"b":{"parameters":[{"id":"fast","value":"true"}]}}`

func TestHarvest(t *testing.T) {
	o := model.Options{Profile: host(t, "pi")}
	for _, c := range []struct{ config, prefer, provider string }{
		{`{"provider":{"b":{},"a":{}}}`, "", "b"},
		{`{"provider":{"b":{},"a":{}}}`, "a", "a"},
		{`{"provider":{"b":{},"a":null}}`, "a", "a"}, // present, if null
		{`{"provider":{"b":{},"a":{}}}`, "c", "b"},
		{`{"provider":{"b":{},"7":{}}}`, "", "7"}, // JavaScript has it first
		{`{"provider":{"":{}}}`, "", ""},
		{`{"provider":{"b":{},"":{}}}`, "", "b"}, // no preference
	} {
		catalog, ok := model.Harvest(json.RawMessage(c.config), c.prefer, o)
		require.True(t, ok, c.config)
		assert.Equal(t, c.provider, catalog.ProviderID, c.config)
		assert.Empty(t, catalog.Rows)
		assert.Empty(t, catalog.Models())
		assert.Empty(t, catalog.IDs())
	}
	for _, config := range []string{``, `{`, `[]`, `{}`, `{"provider":null}`, `{"provider":[{}]}`, `{"provider":{}}`, `{"a":{"models":{"m":{}}}}`} {
		_, ok := model.Harvest(json.RawMessage(config), "a", o)
		assert.False(t, ok, config)
	}
	for _, models := range []string{`null`, `[{"id":"x"}]`, `"x"`} {
		catalog, ok := model.Harvest(json.RawMessage(`{"provider":{"a":{"models":`+models+`}}}`), "", o)
		require.True(t, ok)
		assert.Empty(t, catalog.Rows, models)
	}
}

func TestClashes(t *testing.T) {
	config := json.RawMessage(`{"provider":{"a":{"models":{` +
		`"g-fast":{"name":"Own","options":{"own":1}},` +
		`"g":{"name":"G",` + fastAndNot + `},` +
		`"h":{"variants":{"a":{"x":1},"b":{"parameters":[{"id":"fast","value":"false"}]},"c":{"parameters":[{"id":"fast","value":"true"}]}}},` +
		`"i":null}}}}`)
	c, ok := model.Harvest(config, "", model.Options{Profile: host(t, "omp")})
	require.True(t, ok)
	var ids []string
	for _, m := range c.Models() {
		ids = append(ids, m.ID)
	}
	assert.Equal(t, []string{"g-fast", "g", "g-fast", "h", "h", "h-fast", "i"}, ids)
	assert.Equal(t, []string{"g-fast", "g", "h", "h-fast", "i"}, c.IDs())
	assert.Equal(t, []model.Clash{{ID: "g-fast", Rows: []int{0, 2}}, {ID: "h", Rows: []int{3, 4}}}, c.Clashes())

	row, ok := c.Call("g-fast")
	require.True(t, ok)
	assert.Equal(t, "G Fast", row.Model.Name)
	assert.Equal(t, "g", row.Variant.BaseID)
	assert.Same(t, &c.Rows[2], row)
	row, _ = c.Call("h")
	assert.Same(t, &c.Rows[4], row)
	_, ok = c.Call("g-slow")
	assert.False(t, ok)
	_, ok = (&model.Catalog{}).Call("g")
	assert.False(t, ok)
	assert.Nil(t, (&model.Catalog{}).Clashes())
}

func TestList(t *testing.T) {
	o := model.Options{Profile: host(t, "pi"), Split: []string{}}
	for document, want := range map[string][]string{
		` {"provider":{"b":{"models":{"m":{},"n":{}}},"a":{},"c":null}} `:                      {"b", "m", "n", "a", "c"},
		`{"b":{"id":"b","models":{"m":{}}},"$schema":"x","d":{"models":[]},"a":{"models":{}}}`: {"b", "m", "a"},
		`{"provider":7,"b":{"models":{"m":{` + fastAndNot + `}}}}`:                             {"b", "m"},
		`{"provider":{"models":{"models":{"m":{}}}}}`:                                          {"models", "m"},
	} {
		list, err := model.List([]byte(document), o)
		require.NoError(t, err, document)
		var got []string
		for _, c := range list {
			got = append(got, c.ProviderID)
			got = append(got, c.IDs()...)
		}
		assert.Equal(t, want, got, document)
	}
	for _, document := range []string{`{}`, `[]`, `null`, `{"provider":{}}`, `{"a":{"x":1},"b":2}`} {
		_, err := model.List([]byte(document), o)
		assert.ErrorIs(t, err, model.ErrNoProvider, document)
	}
	for _, document := range []string{``, `{"a":`, "\ufeff{}", `{"a":{"models":{},}}`} {
		_, err := model.List([]byte(document), o)
		var syntax *jsonspan.SyntaxError
		assert.True(t, errors.As(err, &syntax), document)
	}
}
