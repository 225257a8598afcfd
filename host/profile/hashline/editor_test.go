package hashline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write puts a file into a new folder.
func write(t *testing.T, name, content string) (folder, path string) {
	t.Helper()
	folder = t.TempDir()
	path = filepath.Join(folder, name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return folder, path
}

func save(_ context.Context, path, content string) error {
	return os.WriteFile(path, []byte(content), 0o600)
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestEditOfAFile(t *testing.T) {
	const before = "\ufeffone\r\ntwo\r\none\r\n"
	folder, path := write(t, "a.txt", before)
	e := NewEditor(folder, save)
	n, err := e.Edit(t.Context(), Edit{Path: "./a.txt", Old: "two", New: "2 \xed\xa0\xbd"})
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Equal(t, "\ufeffone\r\n2 \ufffd\r\none\r\n", content(t, path))
	n, err = e.Edit(t.Context(), Edit{Path: path, Old: "one", New: "", All: true})
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	assert.Equal(t, "\ufeff\r\n2 \ufffd\r\n\r\n", content(t, path))
}

func TestEditIsRefused(t *testing.T) {
	folder, path := write(t, "a.txt", "one two two")
	for name, data := range map[string]string{"nul": "a\x00b", "latin1": "caf\xe9", "half": "a\xed\xa0\xbdb"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(data), 0o600))
	}
	large := filepath.Join(folder, "large")
	require.NoError(t, os.WriteFile(large, []byte("a"), 0o600))
	require.NoError(t, os.Truncate(large, MaxFile+1))
	e := NewEditor(folder, func(context.Context, string, string) error {
		assert.Fail(t, "committed")
		return nil
	})
	for _, c := range []struct {
		edit Edit
		want error
	}{
		{Edit{Path: "a.txt", Old: "", New: "x"}, ErrEmptyOld},
		{Edit{Path: "a.txt", Old: "three"}, ErrNotFound},
		{Edit{Path: "a.txt", Old: "two"}, ErrAmbiguous},
		{Edit{Path: "nul", Old: "a"}, ErrNotText},
		{Edit{Path: "latin1", Old: "a"}, ErrNotText},
		{Edit{Path: "half", Old: "a"}, ErrNotText},
		{Edit{Path: "large", Old: "a"}, ErrTooLarge},
		{Edit{Path: "a.txt", Old: "two", New: text(MaxFile / 2), All: true}, ErrGrows},
		{Edit{Path: folder, Old: "a"}, ErrNotRegular},
		{Edit{Path: os.DevNull, Old: "a"}, ErrNotRegular},
		{Edit{Path: "none", Old: "a"}, os.ErrNotExist},
	} {
		_, err := e.Edit(t.Context(), c.edit)
		assert.ErrorIs(t, err, c.want, "%+v", c.edit)
		assert.ErrorContains(t, err, c.edit.Path)
	}
	_, err := NewEditor("", save).Edit(t.Context(), Edit{Path: "a.txt", Old: "one"})
	assert.ErrorIs(t, err, ErrNoWorkspace)
	_, err = NewEditor("relative", save).Edit(t.Context(), Edit{Path: "a.txt", Old: "one"})
	assert.ErrorIs(t, err, ErrNoWorkspace)
	_, err = NewEditor("", save).Edit(t.Context(), Edit{Path: path, Old: "one"})
	assert.NoError(t, err, "an absolute path needs no workspace")
}

// A file that changes while it is edited is not written.
func TestEditOfAFileThatChanges(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"longer":  func(path string) error { return os.WriteFile(path, []byte("one two"), 0o600) },
		"newer":   func(path string) error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) },
		"gone":    os.Remove,
		"another": func(path string) error { return replaceFile(path) },
	} {
		_, path := write(t, "a", "one")
		_, before, err := read(path)
		require.NoError(t, err)
		require.NoError(t, change(path))
		assert.ErrorIs(t, unchanged(path, before), ErrChanged, name)
	}
}

// replaceFile puts another file with the same content, length and time in the place of one.
func replaceFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	other := path + ".new"
	if err := os.WriteFile(other, data, 0o600); err != nil {
		return err
	}
	if err := os.Chtimes(other, time.Time{}, info.ModTime()); err != nil {
		return err
	}
	return os.Rename(other, path)
}

func TestCommitFails(t *testing.T) {
	folder, _ := write(t, "a", "one")
	broken := errors.New("no")
	e := NewEditor(folder, func(_ context.Context, path, content string) error {
		assert.Equal(t, filepath.Join(folder, "a"), path)
		assert.Equal(t, "1", content)
		return broken
	})
	for range 2 { // the lock is free again
		_, err := e.Edit(t.Context(), Edit{Path: "a", Old: "one", New: "1"})
		assert.ErrorIs(t, err, broken)
	}
}

func TestEditsTakeTurns(t *testing.T) {
	folder, path := write(t, "a", strings.Repeat("x", 40))
	e := NewEditor(folder, save)
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			_, err := e.Edit(t.Context(), Edit{Path: "a", Old: "xx", New: "(" + strconv.Itoa(n) + ")", All: false})
			assert.ErrorIs(t, err, ErrAmbiguous)
			_, err = e.Edit(t.Context(), Edit{Path: "a", Old: strings.Repeat("x", 40), New: strings.Repeat("x", 40)})
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Equal(t, strings.Repeat("x", 40), content(t, path))
}

func TestEditWaitsForItsTurn(t *testing.T) {
	folder, _ := write(t, "a", "one")
	inside, leave := make(chan struct{}), make(chan struct{})
	e := NewEditor(folder, func(context.Context, string, string) error {
		close(inside)
		<-leave
		return nil
	})
	done := make(chan error)
	go func() {
		_, err := e.Edit(context.Background(), Edit{Path: "a", Old: "one"})
		done <- err
	}()
	<-inside
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("cut"))
	_, err := e.Edit(ctx, Edit{Path: "a", Old: "one"})
	assert.EqualError(t, err, "cut")
	close(leave)
	require.NoError(t, <-done)
	_, err = e.Edit(ctx, Edit{Path: "a", Old: "one"})
	assert.EqualError(t, err, "cut", "a free editor does not edit for a context that has ended")
}
