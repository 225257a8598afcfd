package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A background is a command that runs beside the test, and what it has written so far.
type background struct {
	mu             sync.Mutex
	stdout, stderr bytes.Buffer
	read           int // of stdout
	readErrors     int // of stderr
	stop           context.CancelFunc
	ended          chan int
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func runBeside(t *testing.T, args ...string) *background {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	b := &background{stop: stop, ended: make(chan int, 1)}
	go func() {
		b.ended <- run(ctx, append(args, "--cache-dir", "off"), strings.NewReader(""), lockedWriter{&b.mu, &b.stdout}, lockedWriter{&b.mu, &b.stderr})
	}()
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Logf("standard output:\n%s\nstandard error:\n%s", b.stdout.String(), b.stderr.String())
		}
	})
	return b
}

// await waits for output that matches, behind the one that was awaited before, and returns all up to its end.
func (b *background) await(t *testing.T, pattern string) string {
	t.Helper()
	return b.awaitIn(t, &b.stdout, &b.read, pattern)
}

// awaitError is await for standard error.
func (b *background) awaitError(t *testing.T, pattern string) {
	t.Helper()
	b.awaitIn(t, &b.stderr, &b.readErrors, pattern)
}

func (b *background) awaitIn(t *testing.T, output *bytes.Buffer, read *int, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for range 6000 {
		b.mu.Lock()
		fresh := output.String()[*read:]
		if at := re.FindStringIndex(fresh); at != nil {
			*read += at[1]
			b.mu.Unlock()
			return fresh[:at[1]]
		}
		b.mu.Unlock()
		time.Sleep(10 * time.Millisecond)
	}
	require.Fail(t, "there is no such output", pattern)
	return ""
}

// end interrupts the command.
func (b *background) end(t *testing.T) {
	t.Helper()
	b.stop()
	select {
	case status := <-b.ended:
		assert.Equal(t, exitOK, status)
	case <-time.After(time.Minute):
		require.Fail(t, "it does not end")
	}
}

// put writes a file in one step, as a build does.
func put(t *testing.T, path string, text []byte) {
	t.Helper()
	next := filepath.Join(filepath.Dir(path), ".next")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(next, text, 0o600))
	require.NoError(t, os.Rename(next, path))
}

const watchedManifest = "id = \"w\"\nversion = \"%s\"\n[[contributions]]\nid = \"a\"\n"

// watchedDir is a folder with a guest whose module is compiled by somebody else.
func watchedDir(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "hello")
	put(t, filepath.Join(dir, "pintle.toml"), fmt.Appendf(nil, watchedManifest, "1"))
	put(t, filepath.Join(dir, "m.wasm"), wasmtest.Says("one"))
	return dir
}

func TestWatch(t *testing.T) {
	dir := watchedDir(t)
	file := func(name string) string { return filepath.Join(dir, name) }
	b := runBeside(t, "watch", dir, "--module", file("m.wasm"))
	block := b.await(t, `\n\n`)
	assert.Regexp(t, `^\d\d:\d\d:\d\d  first build\n  built   .*hello.wasm  w@1  \d+ B  in .*\n\n$`, block)
	first, err := os.ReadFile(file("hello.wasm"))
	require.NoError(t, err)

	put(t, file("cases.json"), []byte(`[{"name": "speaks", "contribution": "a", "text": "one"}]`))
	block = b.await(t, `\n\n`)
	assert.Regexp(t, `^\d\d:\d\d:\d\d  cases.json\n  1 passed, 0 failed\n\n$`, block, "there is nothing to build")

	put(t, file("m.wasm"), wasmtest.Says("two"))
	block = b.await(t, `\n\n`)
	assert.Regexp(t, `  m.wasm\n  built `, block)
	assert.Contains(t, block, "\n  ✗ speaks  another text than expected  "+file("cases.json")+":1\n      - one\n      + two\n  0 passed, 1 failed\n")

	// What does not build leaves the file alone.
	second, err := os.ReadFile(file("hello.wasm"))
	require.NoError(t, err)
	assert.NotEqual(t, first, second)
	put(t, file("pintle.toml"), []byte("id = "))
	block = b.await(t, `\n\n`)
	assert.Regexp(t, `  pintle.toml\n  failed  .*pintle.toml.*(\n    .*)*\n  the build before stays: w@1  sha256 [0-9a-f]{12}\n\n$`, block)
	third, err := os.ReadFile(file("hello.wasm"))
	require.NoError(t, err)
	assert.Equal(t, second, third)

	// Files in new folders count, those that tools write do not.
	for _, name := range []string{"node_modules/x/index.js", "target/x.rs", ".git/HEAD", ".pintle.toml.swp", "hello.wasm", "a~"} {
		put(t, file(name), []byte("x"))
	}
	put(t, file("src/deep/a.c"), []byte("x"))
	block = b.await(t, `\n\n`)
	assert.Regexp(t, `^\d\d:\d\d:\d\d  src/deep/a.c\n  failed `, block)

	// A file in a new folder may be found and be told of: then it has a block more.
	put(t, file("pintle.toml"), fmt.Appendf(nil, watchedManifest, "2"))
	assert.Contains(t, b.await(t, `  pintle.toml\n  built (.*\n)+\n`), "w@2")
	put(t, file("cases.json"), []byte("[{]"))
	assert.Regexp(t, `\n  cases   .*cases.json:1:3: `, b.await(t, `  cases.json\n(.*\n)+\n`))
	b.end(t)
	assert.Empty(t, b.stderr.String())
}

func TestWatchJSON(t *testing.T) {
	dir := watchedDir(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "out"), 0o700))
	b := runBeside(t, "watch", dir, "--json", "--module", filepath.Join(dir, "m.wasm"), "-o", filepath.Join(dir, "out", "g.wasm"))
	next := func() (r watched) {
		require.NoError(t, json.Unmarshal([]byte(b.await(t, `\n`)), &r))
		return r
	}
	r := next()
	assert.Empty(t, r.Changed)
	require.NotNil(t, r.Built)
	assert.Equal(t, "w@1", r.Built.Name)
	assert.Nil(t, r.Cases)
	file, err := runtime.ReadFile(filepath.Join(dir, "out", "g.wasm"))
	require.NoError(t, err)
	assert.Len(t, file, r.Built.Size)
	require.NoError(t, os.Remove(filepath.Join(dir, "m.wasm")))
	r = next()
	assert.Equal(t, []string{"m.wasm"}, r.Changed)
	assert.Contains(t, r.Error, "no such file")
	assert.Nil(t, r.Built)
	b.end(t)
}

func TestWatchNothing(t *testing.T) {
	var stdout, stderr bytes.Buffer
	dir := t.TempDir()
	assert.Equal(t, exitUsage, run(t.Context(), []string{"watch", dir}, strings.NewReader(""), &stdout, &stderr))
	assert.Contains(t, stderr.String(), "there is no pintle.toml")
	assert.Contains(t, stderr.String(), "hint: `pintle new` begins a guest")
}

func TestChangedText(t *testing.T) {
	assert.Equal(t, "a, b, c", changedText([]string{"a", "b", "c"}))
	assert.Equal(t, "a, b, c, and 2 more", changedText([]string{"a", "b", "c", "d", "e"}))
}

// What the watch itself writes into the folder begins no build.
func TestWatchIgnoresItsOutput(t *testing.T) {
	dir := t.TempDir()
	log, err := os.Create(filepath.Join(dir, "log.txt"))
	require.NoError(t, err)
	defer log.Close()
	w := &guestWatch{dir: dir}
	assert.True(t, w.isSource(log.Name()))
	w.noteOutput(log, &bytes.Buffer{})
	assert.False(t, w.isSource(log.Name()))
	assert.True(t, w.isSource(filepath.Join(dir, "main.c")))
}

func TestWatchSaysThatThereAreNoCases(t *testing.T) {
	var out bytes.Buffer
	(&watched{Changed: []string{"cases.json"}}).print(&printer{w: &out}, nil)
	assert.Contains(t, out.String(), "cases.json\n  no cases\n")
}
