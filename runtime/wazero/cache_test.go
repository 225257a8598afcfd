package wazero_test

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// journal collects log lines of engines that may run at the same time.
type journal struct {
	mu    sync.Mutex
	lines bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lines.Write(p)
}

// warnings returns the lines so far.
func (j *journal) warnings() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.FieldsFunc(j.lines.String(), func(r rune) bool { return r == '\n' })
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

// say is what another process would do with the cache: a new engine, a guest, one call. It may run in
// any goroutine.
func say(t testing.TB, config wazero.Config, file []byte) string {
	t.Helper()
	r := runtime.New(wazero.New(config), runtime.Options{})
	defer func() { assert.NoError(t, r.Close(context.Background())) }()
	g, err := r.Load(t.Context(), "test.wasm", file, runtime.GuestOptions{})
	if !assert.NoError(t, err) {
		return ""
	}
	value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: []byte{0xa0}})
	if !assert.NoError(t, err) {
		return ""
	}
	text, err := abi.Text(value)
	assert.NoError(t, err)
	return text
}

// snapshot returns contents and times of all files below a directory, by path.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		files[path] = info.ModTime().String() + "\n" + string(b)
		return err
	}))
	return files
}

// codeFile returns the file of the only entry that holds native code.
func codeFile(t testing.TB, dir string) string {
	t.Helper()
	var found []string
	for path := range snapshot(t, dir) {
		if filepath.Base(path) != "seal" {
			found = append(found, path)
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

// newDir returns a name below a folder that is the user's own, whatever the umask is.
func newDir(t testing.TB) string {
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	return filepath.Join(dir, "cache")
}

func TestCacheHit(t *testing.T) {
	dir, log := newDir(t), &journal{}
	config := wazero.Config{CacheDir: dir, Logger: log.logger()}
	file := wasmtest.Says("hello")
	assert.Equal(t, "hello", say(t, config, file))
	first := snapshot(t, dir)
	assert.Len(t, first, 2, "code and seal")
	assert.Equal(t, "hello", say(t, config, file))
	assert.Equal(t, first, snapshot(t, dir), "the second process only read")
	assert.Empty(t, log.warnings())

	// The hit is real: the engine runs what the cache holds. Another guest has an entry of its own.
	assert.Equal(t, "goodbye", say(t, config, wasmtest.Says("goodbye")))
	assert.Len(t, snapshot(t, dir), 4)
}

func TestCacheIsPrivate(t *testing.T) {
	dir := newDir(t)
	say(t, wazero.Config{CacheDir: dir}, wasmtest.Says("x"))
	info, err := os.Stat(dir)
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077)
}

// Whatever happened to the files of an entry, the guest runs, at most one warning is given, and the
// entry is as good as new.
func TestDamagedEntryIsRepaired(t *testing.T) {
	damage := map[string]func(t *testing.T, dir string){
		"truncated": func(t *testing.T, dir string) {
			path := codeFile(t, dir)
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.NoError(t, os.Truncate(path, info.Size()/2))
		},
		"empty": func(t *testing.T, dir string) { require.NoError(t, os.Truncate(codeFile(t, dir), 0)) },
		"garbage": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(codeFile(t, dir), bytes.Repeat([]byte("garbage "), 512), 0o600))
		},
		"code is gone": func(t *testing.T, dir string) { require.NoError(t, os.Remove(codeFile(t, dir))) },
		"seal is gone": func(t *testing.T, dir string) { require.NoError(t, os.Remove(sealFile(t, dir))) },
		"seal is garbage": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(sealFile(t, dir), []byte{0xff, 0, '\n'}, 0o600))
		},
		"a stranger's file": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(codeFile(t, dir)+"2", []byte("hello"), 0o600))
		},
	}
	file := wasmtest.Says("hello")
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			dir, log := newDir(t), &journal{}
			config := wazero.Config{CacheDir: dir, Logger: log.logger()}
			require.Equal(t, "hello", say(t, config, file))
			intact := contents(snapshot(t, dir))
			harm(t, dir)
			require.NotEqual(t, intact, contents(snapshot(t, dir)))
			assert.Equal(t, "hello", say(t, config, file))
			assert.LessOrEqual(t, len(log.warnings()), 1)
			assert.Equal(t, intact, contents(snapshot(t, dir)), "repaired")
		})
	}
}

// A flipped bit in native code could do anything to the process, so every byte counts.
func TestFlippedBits(t *testing.T) {
	dir, log := newDir(t), &journal{}
	config := wazero.Config{CacheDir: dir, Logger: log.logger()}
	file := wasmtest.Says("hello")
	require.Equal(t, "hello", say(t, config, file))
	path := codeFile(t, dir)
	intact, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 0; i < 16; i++ {
		broken := bytes.Clone(intact)
		broken[len(broken)*i/16] ^= 1 << (i % 8)
		require.NoError(t, os.WriteFile(path, broken, 0o600))
		assert.Equal(t, "hello", say(t, config, file))
		repaired, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, intact, repaired)
	}
	assert.Empty(t, log.warnings())
}

func sealFile(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "seal"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

// contents drops the times of a snapshot.
func contents(files map[string]string) map[string]string {
	plain := map[string]string{}
	for path, b := range files {
		_, plain[path], _ = strings.Cut(b, "\n")
	}
	return plain
}

// A directory that cannot be used costs time, not the guest: one warning for any number of guests.
func TestUnusableDirectory(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	for name, dir := range map[string]string{
		"a file in its place":  blocked,
		"a file in the way":    filepath.Join(blocked, "cache"),
		"a name that is wrong": "\x00",
	} {
		t.Run(name, func(t *testing.T) {
			log := &journal{}
			r := runtime.New(wazero.New(wazero.Config{CacheDir: dir, Logger: log.logger()}), runtime.Options{})
			defer func() { require.NoError(t, r.Close(context.Background())) }()
			for _, text := range []string{"a", "b"} {
				_, err := r.Load(t.Context(), "test.wasm", wasmtest.Says(text), runtime.GuestOptions{})
				require.NoError(t, err)
			}
			require.Len(t, log.warnings(), 1)
			assert.Contains(t, log.warnings()[0], "level=WARN")
			assert.Contains(t, log.warnings()[0], "compiled code is not cached")
		})
	}
}

// An entry that turns bad while the engine lives is a warning too.
func TestEntryIsAFile(t *testing.T) {
	dir, log := newDir(t), &journal{}
	config := wazero.Config{CacheDir: dir, Logger: log.logger()}
	file := wasmtest.Says("hello")
	require.Equal(t, "hello", say(t, config, file))
	entry := filepath.Dir(sealFile(t, dir))
	require.NoError(t, os.RemoveAll(entry))
	require.NoError(t, os.WriteFile(entry, nil, 0o600))
	assert.Equal(t, "hello", say(t, config, file))
	require.Len(t, log.warnings(), 1)
	assert.Contains(t, log.warnings()[0], "not a directory")
}

// A module that does not compile is the module's fault, whatever the cache says.
func TestBadModuleIsNoCacheWarning(t *testing.T) {
	log := &journal{}
	e := wazero.New(wazero.Config{CacheDir: newDir(t), Logger: log.logger()})
	code, err := e.Compile(t.Context(), []byte("\x00asm\x01\x00\x00\x00\x01\x01\xff"), nil)
	require.Error(t, err)
	assert.Nil(t, code)
	assert.Empty(t, log.warnings())
}

func TestConcurrentLoads(t *testing.T) {
	dir, log := newDir(t), &journal{}
	config := wazero.Config{CacheDir: dir, Logger: log.logger()}
	file := wasmtest.Says("hello")
	var processes sync.WaitGroup
	for range 8 {
		processes.Go(func() {
			for range 3 {
				assert.Equal(t, "hello", say(t, config, file))
			}
		})
	}
	processes.Wait()
	for _, warning := range log.warnings() { // an entry that another process was just repairing
		assert.Contains(t, warning, "compiled code is not cached")
	}
	// Whoever was last, the cache is in order.
	assert.Equal(t, "hello", say(t, config, file))
	settled := snapshot(t, dir)
	assert.Equal(t, "hello", say(t, config, file))
	assert.Equal(t, settled, snapshot(t, dir))
	assert.Len(t, settled, 2)
}

func TestNoCache(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "TMPDIR", "LocalAppData"} {
		t.Setenv(name, home)
	}
	t.Chdir(home)
	assert.Equal(t, "hello", say(t, wazero.Config{}, wasmtest.Says("hello")))
	assert.Empty(t, snapshot(t, home), "nothing is written")
	dir, err := wazero.DefaultCacheDir()
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(dir, home))
	assert.NoDirExists(t, dir, "asking for the name creates nothing")
}
