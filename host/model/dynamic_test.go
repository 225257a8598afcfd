package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/model"
)

var errDown = errors.New("down")

func text(s string) *string { return &s }

func TestDynamicList(t *testing.T) {
	var key *string
	d := model.Dynamic[string]{
		Registered: []string{"r"},
		Fetch: func(_ context.Context, k *string) ([]string, error) {
			key = k
			if k == nil {
				return nil, errDown
			}
			return []string{"a", "b"}, nil
		},
	}
	models, err := d.List(t.Context(), nil)
	assert.ErrorIs(t, err, errDown)
	assert.Equal(t, []string{}, models, "no cache: an empty list, not what was registered")
	models, err = d.List(t.Context(), text("K"))
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, models)
	assert.Equal(t, "K", *key)
}

func TestDynamicRefresh(t *testing.T) {
	ok := func(models ...string) func() ([]string, error) {
		return func() ([]string, error) { return models, nil }
	}
	down := func() ([]string, error) { return []string{"half"}, errDown }
	for _, c := range []struct {
		name       string
		registered []string
		r          model.Refresh[string]
		fetch      func() ([]string, error) // nil: must not be called
		cancel     bool
		publish    error
		key        string // as the fetch sees it, "-" for none
		want       []string
		err        error
		published  bool
	}{
		{name: "offline", registered: []string{"r"}, r: model.Refresh[string]{Offline: true, Key: text("K")}, want: []string{"r"}},
		{name: "offline, stored", registered: []string{"r"}, r: model.Refresh[string]{Offline: true, Stored: []string{"s"}}, want: []string{"s"}},
		{name: "offline, nothing stored", registered: []string{"r"}, r: model.Refresh[string]{Offline: true, Stored: []string{}}, want: []string{}},
		{name: "offline, nothing", r: model.Refresh[string]{Offline: true}},
		{name: "fresh", registered: []string{"r"}, r: model.Refresh[string]{Stored: []string{"s"}, Access: text("A"), Key: text("K")}, fetch: ok("n"), key: "A", want: []string{"n"}, published: true},
		{name: "empty access is one", r: model.Refresh[string]{Access: text(""), Key: text("K")}, fetch: ok("n"), key: "", want: []string{"n"}, published: true},
		{name: "key", r: model.Refresh[string]{Key: text("K")}, fetch: ok("n"), key: "K", want: []string{"n"}, published: true},
		{name: "fails", registered: []string{"r"}, fetch: down, key: "-", want: []string{"r"}, err: errDown},
		{name: "fails, stored", registered: []string{"r"}, r: model.Refresh[string]{Stored: []string{}}, fetch: down, key: "-", want: []string{}, err: errDown},
		{name: "empty", registered: []string{"r"}, fetch: ok(), key: "-", want: []string{"r"}},
		{name: "empty where nothing was", fetch: ok(), key: "-", want: nil, published: true},
		{name: "cancelled", registered: []string{"r"}, fetch: ok("n"), cancel: true, key: "-", want: []string{"r"}, err: context.Canceled},
		{name: "cancelled, nothing cached", fetch: ok(), cancel: true, key: "-", err: context.Canceled},
		{name: "store is full", registered: []string{"r"}, fetch: ok("n"), publish: errDown, key: "-", want: []string{"n"}, err: errDown, published: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			fetched, published := false, false
			d := model.Dynamic[string]{Registered: c.registered, Fetch: func(inner context.Context, key *string) ([]string, error) {
				assert.Equal(t, ctx, inner)
				require.NotNil(t, c.fetch)
				fetched = true
				if c.key == "-" {
					assert.Nil(t, key)
				} else if assert.NotNil(t, key) {
					assert.Equal(t, c.key, *key)
				}
				if c.cancel {
					cancel() // while it is under way
				}
				return c.fetch()
			}}
			before := time.Now()
			c.r.Publish = func(_ context.Context, models []string, checked time.Time) error {
				published = true
				assert.Equal(t, c.want, models)
				assert.False(t, checked.Before(before) || checked.After(time.Now()))
				return c.publish
			}
			models, err := d.Refresh(ctx, c.r)
			assert.Equal(t, c.want, models)
			assert.ErrorIs(t, err, c.err)
			assert.Equal(t, c.published, published)
			assert.Equal(t, c.fetch != nil, fetched)
		})
	}
}

func TestRefreshWithoutStore(t *testing.T) {
	d := model.Dynamic[string]{Fetch: func(context.Context, *string) ([]string, error) { return []string{"n"}, nil }}
	models, err := d.Refresh(t.Context(), model.Refresh[string]{})
	require.NoError(t, err)
	assert.Equal(t, []string{"n"}, models)
}

func TestListing(t *testing.T) {
	var calls []string
	l := model.Listing{
		Options: model.Options{Profile: host(t, "omp")},
		Prefer:  "b",
		Load: func(_ context.Context, key string) error {
			calls = append(calls, "load "+key)
			if key == "bad" {
				return errDown
			}
			return nil
		},
		Configure: func(_ context.Context, config json.RawMessage) (json.RawMessage, error) {
			calls = append(calls, string(config))
			return json.RawMessage(`{"provider":{"a":{},"b":{"models":{"m":{}}}}}`), nil
		},
	}
	const empty = `{"provider":{}}`
	for _, c := range []struct {
		key   *string
		calls []string
	}{
		{text("K"), []string{"load K", empty}},
		{text(""), []string{empty}},
		{nil, []string{empty}},
	} {
		calls = nil
		catalog, err := l.Fetch(t.Context(), c.key)
		require.NoError(t, err)
		assert.Equal(t, c.calls, calls)
		assert.Equal(t, "b", catalog.ProviderID)
		assert.Equal(t, []string{"m"}, catalog.IDs())
	}
	calls = nil
	_, err := l.Fetch(t.Context(), text("bad"))
	assert.ErrorIs(t, err, errDown)
	assert.Equal(t, []string{"load bad"}, calls, "nothing is asked for in vain")

	l.Load = nil
	_, err = l.Fetch(t.Context(), text("K"))
	require.NoError(t, err)
	l.Configure = func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, errDown }
	_, err = l.Fetch(t.Context(), nil)
	assert.ErrorIs(t, err, errDown)
	l.Configure = nil
	catalog, err := l.Fetch(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, catalog.Rows)
}
