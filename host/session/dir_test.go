package session_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/session/storetest"
)

func TestDir(t *testing.T) {
	storetest.Run(t, func(t *testing.T) session.Store {
		return session.NewDir(filepath.Join(t.TempDir(), "sessions", "of", "this test"))
	})
}

func notes(from int64, n int) []session.Event {
	list := make([]session.Event, n)
	for i := range list {
		seq := from + int64(i)
		list[i] = session.Event{Type: "note", Seq: seq, Time: 1, Data: fmt.Appendf(nil, `{"n":%d}`, seq), Ignorable: true}
	}
	return list
}

func header(id string) string {
	return fmt.Sprintf(`{"type":"session","version":0,"id":%q,"createdAt":1,"delegationDepth":0}`+"\n", id)
}

// put writes a file into a store's folder.
func put(t *testing.T, data []byte, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, data, 0o600))
}

func TestDirLayout(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	store := session.NewDir(root)
	l, err := store.Create(t.Context(), session.Header{ID: "a/b", CreatedAt: 1})
	require.NoError(t, err)
	require.NoDirExists(t, root, "nothing is on disk before the first append")
	require.NoError(t, l.Append(t.Context(), notes(0, 2)...))
	require.NoError(t, l.Close())

	path := filepath.Join(root, "a~002Fb", "session.jsonl")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, header("a/b")+`{"type":"note","seq":0,"time":1,"data":{"n":0},"ignorable":true}`+"\n"+
		`{"type":"note","seq":1,"time":1,"data":{"n":1},"ignorable":true}`+"\n", string(data))
	for name, mode := range map[string]os.FileMode{
		path: 0o600, filepath.Dir(path): os.ModeDir | 0o700, root: os.ModeDir | 0o700,
	} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode(), name)
	}
}

func TestDirReadsCompressedLogs(t *testing.T) {
	root := t.TempDir()
	store := session.NewDir(root)
	put(t, session.AppendFrame(nil, []byte(header("s"))), root, "s", "session.jsonl.zstd")
	_, err := store.Create(t.Context(), session.Header{ID: "s"})
	require.ErrorIs(t, err, session.ErrExists)
	l, err := store.Open(t.Context(), "s")
	require.NoError(t, err)
	require.NoError(t, l.Append(t.Context(), notes(0, 2)...))
	require.NoError(t, l.Close())
	v, err := store.View(t.Context(), "s")
	require.NoError(t, err)
	assert.EqualValues(t, 2, v.Next())
	require.NoError(t, v.Close())
	assert.NoFileExists(t, filepath.Join(root, "s", "session.jsonl"))

	put(t, []byte(header("s")), root, "s", "session.jsonl")
	two := filepath.Join(root, "s", "session.jsonl.zstd")
	_, err = store.Open(t.Context(), "s")
	require.ErrorContains(t, err, two)
	_, err = store.View(t.Context(), "s")
	require.ErrorContains(t, err, two)
	_, err = store.Create(t.Context(), session.Header{ID: "s"})
	require.ErrorContains(t, err, two)
	for _, err := range store.List(t.Context()) {
		require.ErrorContains(t, err, two)
	}
}

func TestDirRefusesAnotherSession(t *testing.T) {
	root := t.TempDir()
	store := session.NewDir(root)
	put(t, []byte(header("other")), root, "s", "session.jsonl")
	mismatch := func(err error) {
		t.Helper()
		var refused *session.Error
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, session.IdentityMismatch, refused.Code)
		assert.Equal(t, filepath.Join(root, "s", "session.jsonl"), refused.Path)
	}
	_, err := store.View(t.Context(), "s")
	mismatch(err)
	for range 2 { // the lock is given back
		_, err = store.Open(t.Context(), "s")
		mismatch(err)
	}
	for _, err := range store.List(t.Context()) {
		mismatch(err)
	}
}

func TestDirList(t *testing.T) {
	root := t.TempDir()
	store := session.NewDir(root)
	put(t, []byte(header("a")), root, "a", "session.jsonl")
	put(t, session.AppendFrame(nil, []byte(header("b"))), root, "b", "session.jsonl.zstd")
	put(t, []byte("{}\n"), root, "c", "session.jsonl")
	put(t, nil, root, "d", "notes.txt")
	put(t, nil, root, "notes.txt")
	var ids []string
	var errs []error
	for h, err := range store.List(t.Context()) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ids = append(ids, h.ID)
	}
	assert.Equal(t, []string{"a", "b"}, ids)
	require.Len(t, errs, 1)
	assert.ErrorContains(t, errs[0], filepath.Join(root, "c", "session.jsonl"))

	for _, err := range session.NewDir(filepath.Join(root, "notes.txt")).List(t.Context()) {
		require.ErrorContains(t, err, "notes.txt")
	}
}

func TestDirCreateRefuses(t *testing.T) {
	store := session.NewDir(t.TempDir())
	for _, h := range []session.Header{{}, {ID: "\xff"}, {ID: "s", CreatedAt: -1}, {ID: "s", DelegationDepth: -1}} {
		_, err := store.Create(t.Context(), h)
		assert.Error(t, err, "%+v", h)
	}
}

// What a process leaves that dies while it makes a log is in nobody's way, and goes.
func TestDirAfterDeathInCreation(t *testing.T) {
	root := t.TempDir()
	store := session.NewDir(root)
	folder := filepath.Join(root, "s")
	temp := filepath.Join(folder, "session.jsonl.new-ABC")
	put(t, bytes.Repeat([]byte("x"), 100), temp)
	_, err := store.Open(t.Context(), "s")
	require.ErrorIs(t, err, session.ErrNotFound)
	for h, err := range store.List(t.Context()) {
		t.Error("listed: ", h, err)
	}
	put(t, nil, folder, "session.jsonl") // where there are no hard links
	_, err = store.Open(t.Context(), "s")
	require.ErrorIs(t, err, session.ErrNotFound)
	_, err = store.View(t.Context(), "s")
	require.ErrorIs(t, err, session.ErrNotFound)
	for h, err := range store.List(t.Context()) {
		t.Error("listed: ", h, err)
	}
	// The file itself is no log, and one that holds anything is a damaged one.
	var refused *session.Error
	_, err = session.OpenFile(t.Context(), filepath.Join(folder, "session.jsonl"))
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, session.HeaderMissing, refused.Code)
	put(t, []byte("{"), root, "torn", "session.jsonl")
	_, err = store.Open(t.Context(), "torn")
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, session.HeaderMissing, refused.Code)
	_, err = store.Create(t.Context(), session.Header{ID: "torn"})
	require.ErrorIs(t, err, session.ErrExists)
	require.NoError(t, os.RemoveAll(filepath.Join(root, "torn")))

	l, err := store.Create(t.Context(), session.Header{ID: "s", CreatedAt: 1})
	require.NoError(t, err)
	require.NoError(t, l.Append(t.Context(), notes(0, 1)...))
	require.NoError(t, l.Close())
	l, err = store.Open(t.Context(), "s")
	require.NoError(t, err)
	defer l.Close()
	assert.EqualValues(t, 1, l.Next())
	assert.NoFileExists(t, temp)
}
