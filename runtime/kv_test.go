package runtime

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
)

func entries(pairs ...string) map[string][]byte {
	m := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = []byte(pairs[i+1])
	}
	return m
}

func TestMemoryStore(t *testing.T) {
	ctx := t.Context()
	s := newMemoryStore(maxKVMemory)
	a, b := StoreKey{"here", "g", "1"}, StoreKey{"here", "g", "2"}
	got := func(key StoreKey) map[string][]byte {
		m, err := s.Load(ctx, key)
		require.NoError(t, err)
		return m
	}
	assert.Empty(t, got(a))
	require.NoError(t, s.Save(ctx, a, entries("k", "v")))
	require.NoError(t, s.Save(ctx, b, entries("k", "w")))
	assert.Equal(t, entries("k", "v"), got(a))
	assert.Equal(t, entries("k", "w"), got(b))
	for _, other := range []StoreKey{{"there", "g", "1"}, {"here", "h", "1"}, {"here", "g", ""}} {
		assert.Empty(t, got(other))
	}
	require.NoError(t, s.Save(ctx, a, entries("l", "x")))
	assert.Equal(t, entries("l", "x"), got(a), "what was there before is gone")
	require.NoError(t, s.EndSession(ctx, "1"))
	require.NoError(t, s.EndSession(ctx, "1"))
	assert.Empty(t, got(a))
	assert.Equal(t, entries("k", "w"), got(b))
	require.NoError(t, s.Save(ctx, b, nil))
	assert.Empty(t, got(b))
	assert.Zero(t, s.used)
	assert.Empty(t, s.sessions)
	assert.Zero(t, s.recent.Len())
}

// The store never holds more than its limit, and what goes is what was used the longest ago.
func TestMemoryStoreIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 4000
		s := newMemoryStore(limit)
		var recent []StoreKey // last used last; those that are gone included
		touch := func(key StoreKey) {
			recent = append(slices.DeleteFunc(recent, func(k StoreKey) bool { return k == key }), key)
		}
		want := map[StoreKey]map[string][]byte{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			key := StoreKey{rapid.SampledFrom([]string{"a", "b"}).Draw(t, "source"), "g", rapid.SampledFrom([]string{"1", "2", "3", "4", "5"}).Draw(t, "session")}
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				require.NoError(t, s.EndSession(t.Context(), key.Session))
				maps.DeleteFunc(want, func(k StoreKey, _ map[string][]byte) bool { return k.Session == key.Session })
			case 1:
				require.NoError(t, s.Save(t.Context(), key, nil))
				delete(want, key)
			case 2, 3, 4:
				if _, ok := want[key]; ok {
					touch(key)
				}
				got, err := s.Load(t.Context(), key)
				require.NoError(t, err)
				require.Equal(t, want[key], got)
			default:
				m := entries("k", strings.Repeat("x", rapid.IntRange(0, 1500).Draw(t, "size")))
				require.NoError(t, s.Save(t.Context(), key, m))
				want[key] = m
				touch(key)
			}
			cost := func() (n int) {
				for key, m := range want {
					n += kvKeyCost + len(key.Source) + len(key.Guest) + len(key.Session)
					for k, v := range m {
						n += kvEntryCost + len(k) + len(v)
					}
				}
				return n
			}
			for cost() > limit && len(want) > 1 {
				oldest := slices.IndexFunc(recent, func(k StoreKey) bool { _, ok := want[k]; return ok })
				delete(want, recent[oldest])
			}
			require.Equal(t, cost(), s.used)
			require.Equal(t, len(want), s.recent.Len())
			for key, m := range want {
				require.Equal(t, m, s.sessions[key.Session][key].Value.(*kept).entries, key)
			}
		}
	})
}

// kvGuest is a guest that was granted kv, on a store.
func kvGuest(store Store) *Guest { return kvGuestOf(New(nil, Options{Store: store}), "here", "g") }

func kvGuestOf(r *Runtime, source, id string) *Guest {
	m := &abi.Manifest{Transport: abi.Transport, ID: id, Version: "1"}
	return &Guest{runtime: r, granted: capabilities{kv: true}, grant: Grant{Source: source}, artifact: &Artifact{Manifest: m}}
}

// openedKV is the kv of a call that has looked at it. The test may be rapid's.
func openedKV(t interface {
	require.TestingT
	Context() context.Context
}, g *Guest, session string) *kvCall {
	kv := g.openKV(session)
	require.NoError(t, kv.open(t.Context()))
	require.False(t, kv.failed)
	return kv
}

// Whatever a guest writes, it reads back, and it never holds more than its quota.
func TestKVQuota(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := kvGuest(nil)
		want := map[string]string{}
		for range rapid.IntRange(1, 4).Draw(t, "calls") {
			kv := openedKV(t, g, "s")
			mine := maps.Clone(want)
			for range rapid.IntRange(0, 40).Draw(t, "steps") {
				key := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", strings.Repeat("k", maxKeyBytes)}).Draw(t, "key")
				if rapid.IntRange(0, 3).Draw(t, "step") == 0 {
					_, there := mine[key]
					require.Equal(t, there, kv.remove(key))
					delete(mine, key)
					continue
				}
				value := strings.Repeat("v", rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(maxKVValueBytes-2, maxKVValueBytes+2)).Draw(t, "size"))
				size := len(value)
				for k, v := range mine {
					if size += len(k); k != key {
						size += len(v)
					}
				}
				if _, there := mine[key]; !there {
					size += len(key)
				}
				fits := len(value) <= maxKVValueBytes && size <= maxKVBytes
				require.Equal(t, fits, kv.set(key, []byte(value)))
				if fits {
					mine[key] = value
				}
				require.LessOrEqual(t, kv.bytes, maxKVBytes)
			}
			require.Len(t, kv.entries, len(mine))
			for k, v := range mine {
				require.Equal(t, v, string(kv.entries[k]))
			}
			if rapid.Bool().Draw(t, "succeeds") {
				kv.commit(t.Context())
				want = mine
			}
			kv.close()
		}
	})
}

func TestKVCountsEntries(t *testing.T) {
	kv := openedKV(t, kvGuest(nil), "s")
	defer kv.close()
	for i := range maxKVEntries {
		require.True(t, kv.set(fmt.Sprint(i), nil))
	}
	assert.False(t, kv.set("one more", nil))
	assert.True(t, kv.set("7", []byte("x")), "an entry that is there can change")
	assert.True(t, kv.remove("8"))
	assert.True(t, kv.set("one more", nil))
}
