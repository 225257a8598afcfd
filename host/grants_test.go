package host_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// asking is a guest that asks for capabilities and says its version.
func asking(version string, names ...string) []byte {
	m := wasmtest.Manifest()
	m.Version = version
	for _, name := range names {
		m.Capabilities = append(m.Capabilities, abi.Capability{Name: name, Reason: "for a test"})
	}
	answer := wasmtest.Text(version)
	return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Answer(16, uint32(len(answer))))
}

// The source of a file is its path, and that of a build that takes another one's place is the other's.
func TestSources(t *testing.T) {
	var sources []string
	h := newHost(t, host.Options{Decide: func(_ context.Context, q runtime.GrantRequest) (runtime.GrantDecision, error) {
		sources = append(sources, q.Source)
		return runtime.GrantDecision{Accept: len(sources) == 1, Capabilities: []string{abi.CapabilityKV}}, nil
	}})
	dir := t.TempDir()
	t.Chdir(dir)
	path := filepath.Join(dir, "g.wasm")
	require.NoError(t, os.WriteFile(path, asking("1", "kv"), 0o600))
	entry, err := h.LoadFile(t.Context(), "g.wasm", runtime.GuestOptions{})
	require.NoError(t, err)
	assert.Equal(t, path, entry.Runtime().Source())
	assert.Equal(t, []string{"kv"}, entry.Runtime().Granted())

	require.NoError(t, h.Reload(t.Context(), entry, "g.wasm", asking("2", "kv"), runtime.GuestOptions{}))
	assert.Equal(t, path, entry.Runtime().Source())
	assert.Equal(t, []string{"kv"}, entry.Runtime().Granted())
	assert.Equal(t, []string{path}, sources, "asked once")

	err = h.Reload(t.Context(), entry, "g.wasm", asking("3", "kv", "clock"), runtime.GuestOptions{})
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindDenied, e.Kind)
	assert.Equal(t, []string{path, path}, sources)
	env, err := h.Session("s").Capture(t.Context(), envelope.Request{CWD: "/srv"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a: 2"}, texts(env), "the old build stays")

	_, err = h.LoadFile(t.Context(), "g.wasm", runtime.GuestOptions{Source: "signed by acme"})
	require.NoError(t, err)
	assert.Equal(t, "signed by acme", sources[2])
}

// A folder follows changes of its files, but not one by which a guest would get more.
func TestAFolderDoesNotWiden(t *testing.T) {
	h := newHost(t, host.Options{})
	dir := t.TempDir()
	path := filepath.Join(dir, "g.wasm")
	folder := h.Folder(dir, nil)
	write := func(file []byte) {
		require.NoError(t, os.WriteFile(path, file, 0o600))
	}
	write(asking("1"))
	_, err := folder.Sync(t.Context())
	require.NoError(t, err)
	write(asking("2", "kv"))
	for range 2 {
		changes, err := folder.Sync(t.Context())
		require.NoError(t, err)
		require.ErrorContains(t, changes.Failed["g.wasm"], `denied: it wants more than version 1 had: capability "kv"`)
		assert.Empty(t, changes.Reloaded)
	}
	env, err := h.Session("s").Capture(t.Context(), envelope.Request{CWD: "/srv"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a: 1"}, texts(env))
	write(asking("3"))
	changes, err := folder.Sync(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"g.wasm"}, changes.Reloaded)
	assert.Empty(t, changes.Failed)
}

// A memory of one kv entry for each key, to see that a host's store is used.
type oneStore struct {
	runtime.Store
	saved []runtime.StoreKey
	ended []string
}

func (s *oneStore) Load(context.Context, runtime.StoreKey) (map[string][]byte, error) {
	return nil, nil
}

func (s *oneStore) Save(_ context.Context, key runtime.StoreKey, _ map[string][]byte) error {
	s.saved = append(s.saved, key)
	return nil
}

func (s *oneStore) EndSession(_ context.Context, session string) error {
	s.ended = append(s.ended, session)
	return nil
}

func TestTheHostsStore(t *testing.T) {
	store := &oneStore{}
	h := newHost(t, host.Options{Store: store})
	m := wasmtest.Manifest()
	m.Capabilities = []abi.Capability{{Name: abi.CapabilityKV, Reason: "r"}}
	answer := wasmtest.Text("done")
	set := wasmtest.Import{Module: abi.HostModule, Name: "kv_set", Type: wasmtest.SigNone}
	set.Type.Params = append(set.Type.Params, wasmtest.SigLog.Params...)
	set.Type.Params = append(set.Type.Params, wasmtest.SigLog.Params[0])
	set.Type.Results = wasmtest.SigAlloc.Results
	file := wasmtest.Guest(wasmtest.Module{Imports: []wasmtest.Import{set}, Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Code(
		wasmtest.I32Const(0), wasmtest.I32Const(1), wasmtest.I32Const(0), wasmtest.I32Const(1), wasmtest.Call(0), wasmtest.Drop,
		wasmtest.Answer(16, uint32(len(answer)))))
	_, err := h.Load(t.Context(), "g.wasm", file, runtime.GuestOptions{Source: "here", Grants: []string{abi.CapabilityKV}})
	require.NoError(t, err)
	s := h.Session("s")
	env, err := s.Capture(t.Context(), envelope.Request{CWD: "/srv"})
	require.NoError(t, err)
	assert.Equal(t, []string{"a: done"}, texts(env))
	s.End(t.Context())
	assert.Equal(t, []runtime.StoreKey{{Source: "here", Guest: "test", Session: "s"}}, store.saved[:1])
	assert.Equal(t, []string{"s"}, store.ended)
}
