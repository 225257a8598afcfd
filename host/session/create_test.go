package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCreateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "any name")
	begin := func() *Session {
		s, err := CreateFile(t.Context(), path, Header{ID: "s"}, Options{})
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		return s
	}
	s, late := begin(), begin()
	_, err := os.Stat(path)
	require.ErrorIs(t, err, os.ErrNotExist, "nothing is there before the first event")

	e := Event{Type: TurnStart, Data: json.RawMessage(`{"turn":1}`)}
	_, err = s.Append(t.Context(), e)
	require.NoError(t, err)
	_, err = late.Append(t.Context(), e)
	require.ErrorIs(t, err, ErrExists)
	_, err = OpenFile(t.Context(), path)
	require.ErrorIs(t, err, ErrLocked, "the writer of a new file has it to itself")
	require.NoError(t, s.Close())

	log, err := OpenFile(t.Context(), path)
	require.NoError(t, err)
	defer log.Close()
	assert.Equal(t, "s", log.Header().ID)
	assert.Equal(t, int64(1), log.Next())
	assert.Equal(t, []string{"any name"}, names(t, filepath.Dir(path)))
}

func TestCreateFileRefusesANameOfAnotherForm(t *testing.T) {
	for _, name := range []string{"s.zst", "s.jsonl.zstd"} {
		_, err := CreateFile(t.Context(), filepath.Join(t.TempDir(), name), Header{ID: "s"}, Options{})
		assert.ErrorContains(t, err, "name it .jsonl", name)
	}
}

func TestCreateFileInThePlaceOfAnEmptyOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	s, err := CreateFile(t.Context(), path, Header{ID: "s"}, Options{})
	require.NoError(t, err)
	_, err = s.Append(t.Context(), Event{Type: TurnStart, Data: json.RawMessage(`{"turn":1}`)})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

func TestLockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte("damaged"), 0o600))
	lock, err := LockFile(path)
	require.NoError(t, err)
	_, err = LockFile(path)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, lock.Close())
	lock, err = LockFile(path)
	require.NoError(t, err)
	require.NoError(t, lock.Close())
	_, err = LockFile(filepath.Dir(path))
	require.ErrorContains(t, err, "a folder is not a log")
}
