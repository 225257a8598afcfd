package registry_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

func newFolder(t *testing.T) *registry.Folder {
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	return &registry.Folder{Dir: t.TempDir(), Registry: &registry.Registry{}, Runtime: r}
}

func put(t *testing.T, f *registry.Folder, name string, file []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(f.Dir, name), file, 0o600))
}

func says(t *testing.T, f *registry.Folder) string {
	t.Helper()
	snap := f.Registry.Snapshot()
	require.Len(t, snap.Contributions, 1)
	text, err := snap.Contributions[0].Render(t.Context(), &registry.RenderContext{})
	require.NoError(t, err)
	return text
}

// A change that is cut short is finished by the next Sync.
func TestFolderFinishesWhatWasCutShort(t *testing.T) {
	f := newFolder(t)
	put(t, f, "a.wasm", wasmtest.Says("one"))
	_, err := f.Sync(t.Context())
	require.NoError(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()

	put(t, f, "a.wasm", wasmtest.Says("two"))
	c, err := f.Sync(ended)
	require.NoError(t, err)
	require.ErrorIs(t, c.Failed["a.wasm"], context.Canceled)
	assert.Equal(t, "one", says(t, f))
	c, err = f.Sync(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a.wasm"}, c.Reloaded)
	assert.Equal(t, "two", says(t, f))

	require.NoError(t, os.Remove(filepath.Join(f.Dir, "a.wasm")))
	_, release := f.Registry.Hold()
	_, err = f.Sync(ended)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, f.Registry.Snapshot().Contributions)
	put(t, f, "a.wasm", wasmtest.Says("two")) // it comes back before the removal was finished
	release()
	c, err = f.Sync(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a.wasm"}, c.Added)
	assert.Equal(t, "two", says(t, f))
}

// A build whose closing was cut short is closed by the next change.
func TestReloadClosesEarlierBuilds(t *testing.T) {
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	load := func(text string) *runtime.Guest {
		g, err := r.Load(t.Context(), text, wasmtest.Says(text), runtime.GuestOptions{})
		require.NoError(t, err)
		return g
	}
	var reg registry.Registry
	one := load("one")
	entry, err := reg.AddGuest(one)
	require.NoError(t, err)
	_, release := reg.Hold()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	two := load("two")
	require.ErrorIs(t, entry.Reload(ended, two), context.Canceled)
	assert.Same(t, two, entry.Runtime(), "the new build is in place")
	release()
	require.NoError(t, entry.Remove(t.Context()))
	assert.Nil(t, entry.Runtime())
	for _, g := range []*runtime.Guest{one, two} {
		assert.False(t, g.Hold(), "it is closed")
	}
	four := load("four")
	require.ErrorIs(t, entry.Reload(t.Context(), four), runtime.ErrClosed)
	assert.Nil(t, entry.Runtime(), "what was removed does not come back")
	assert.False(t, four.Hold(), "it is closed")
	require.NoError(t, r.Close(t.Context()))
}

// A file that is as it was is not loaded again.
func TestFolderLeavesWhatIsUnchanged(t *testing.T) {
	f := newFolder(t)
	loads := 0
	f.Options = func(name string) runtime.GuestOptions {
		assert.Equal(t, "a.wasm", name)
		loads++
		return runtime.GuestOptions{}
	}
	put(t, f, "a.wasm", wasmtest.Says("one"))
	for range 2 {
		_, err := f.Sync(t.Context())
		require.NoError(t, err)
	}
	assert.Equal(t, 1, loads)
	put(t, f, "a.wasm", wasmtest.Says("one")) // written, not changed
	c, err := f.Sync(t.Context())
	require.NoError(t, err)
	assert.Equal(t, registry.Changes{}, c)
	assert.Equal(t, 1, loads)
}

// A folder that cannot be read is not an empty one.
func TestFolderThatCannotBeRead(t *testing.T) {
	f := newFolder(t)
	f.Dir = filepath.Join(f.Dir, "guests [*]")
	require.NoError(t, os.Mkdir(f.Dir, 0o700))
	put(t, f, "a.wasm", wasmtest.Says("one"))
	_, err := f.Sync(t.Context())
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(f.Dir))
	for range 2 {
		_, err = f.Sync(t.Context())
		require.ErrorContains(t, err, "folder of guests: ")
		assert.Equal(t, "one", says(t, f), "what is loaded stays")
		require.NoError(t, os.WriteFile(f.Dir, nil, 0o600)) // it is a file, the second time
	}
}

// lostGrants cannot be read, since their file is gone.
type lostGrants struct{ runtime.Grants }

func (lostGrants) Get(string, string) (runtime.Grant, bool, error) {
	return runtime.Grant{}, false, fs.ErrNotExist
}

// A file that is gone is passed over. A guest that cannot be loaded for the lack of another file is not.
func TestFolderTellsOfEveryFailure(t *testing.T) {
	f := newFolder(t)
	f.Runtime = runtime.New(enginetest.New(), runtime.Options{Grants: lostGrants{}})
	t.Cleanup(func() { require.NoError(t, f.Runtime.Close(context.Background())) })
	put(t, f, "a.wasm", wasmtest.Says("one"))
	c, err := f.Sync(t.Context())
	require.NoError(t, err)
	assert.ErrorContains(t, c.Failed["a.wasm"], "what it was granted before cannot be read")
}

func TestFolderReadsNoMoreThanAGuestMayHave(t *testing.T) {
	f := newFolder(t)
	put(t, f, "large.wasm", bytes.Repeat([]byte{0}, 17<<20))
	require.NoError(t, os.Mkdir(filepath.Join(f.Dir, "folder.wasm"), 0o700))
	c, err := f.Sync(t.Context())
	require.NoError(t, err)
	require.Len(t, c.Failed, 2)
	assert.ErrorContains(t, c.Failed["large.wasm"], "bytes of the file: 16777217, at most 16777216")
	assert.ErrorContains(t, c.Failed["folder.wasm"], "not a regular file")
}
