package session

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	list := []string{}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestPublish(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b", "s")
	f, err := publish(folder, []byte("text\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{plainName}, names(t, folder))

	path := filepath.Join(folder, plainName)
	for name, mode := range map[string]os.FileMode{
		path: 0o600, folder: os.ModeDir | 0o700, filepath.Dir(folder): os.ModeDir | 0o700,
	} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode(), name)
	}
	other, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer other.Close()
	require.ErrorIs(t, lock(other), ErrLocked, "the lock was there before the name")

	for range 2 {
		_, err = publish(folder, []byte("other\n"))
		require.ErrorIs(t, err, ErrExists)
		assert.ErrorContains(t, err, path)
		f.Close() // and once more when nobody has the lock
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "text\n", string(data))
	assert.Equal(t, []string{plainName}, names(t, folder), "nothing is left behind")
}

func TestPublishWhereNoFolderCanBe(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "f"), nil, 0o600))
	_, err := publish(filepath.Join(root, "f", "s"), []byte("text\n"))
	require.ErrorContains(t, err, filepath.Join(root, "f"))
	_, err = publish(filepath.Join(root, "f"), []byte("text\n"))
	require.ErrorContains(t, err, filepath.Join(root, "f"))
}

// Of many creators of one log exactly one wins, and its text is what is there, with hard links and
// without.
func TestPublishRace(t *testing.T) {
	const creators, rounds = 8, 20
	for name, make := range map[string]func(folder string, text []byte) (*os.File, error){
		"link": publish,
		"reserve": func(folder string, text []byte) (*os.File, error) {
			dir, err := os.OpenRoot(folder)
			if err != nil {
				return nil, err
			}
			defer dir.Close()
			temp := tempPrefix + string(text)
			f, err := dir.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return nil, err
			}
			if err = lock(f); err == nil {
				if _, err = f.Write(text); err == nil {
					err = reserve(dir, temp, plainName)
				}
			}
			if err != nil {
				f.Close()
				return nil, err
			}
			return f, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range rounds {
				folder := t.TempDir()
				var wg sync.WaitGroup
				files, errs := [creators]*os.File{}, [creators]error{}
				for i := range creators {
					wg.Go(func() { files[i], errs[i] = make(folder, fmt.Append(nil, i)) })
				}
				wg.Wait()
				winner := -1
				for i, err := range errs {
					if err == nil {
						require.Equal(t, -1, winner, "one winner")
						winner = i
						defer files[i].Close()
						continue
					}
					require.ErrorIs(t, err, ErrExists)
				}
				require.NotEqual(t, -1, winner, "one winner")
				data, err := os.ReadFile(filepath.Join(folder, plainName))
				require.NoError(t, err)
				require.Equal(t, fmt.Sprint(winner), string(data))
			}
		})
	}
}

// A process that dies without hard links leaves an empty log, which is nobody's.
func TestReserveTakesWhatWasLeft(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, plainName)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	f, err := publish(folder, []byte("text\n"))
	require.NoError(t, err)
	defer f.Close()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "text\n", string(data))
	assert.Equal(t, []string{plainName}, names(t, folder))
}

func TestSweep(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{tempPrefix + "A", plainName, "notes.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	sweep(folder)
	assert.Equal(t, []string{"notes.txt", plainName}, names(t, folder))
}
