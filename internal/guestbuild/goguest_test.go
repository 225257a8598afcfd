package guestbuild_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

// goSource is a guest in Go that uses what authors use, and fails in the ways in which they fail. The
// prompt selects what it does.
const goSource = `package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"text/template"
	"time"

	"github.com/pintle-wasm/pintle/guests/sdk/go/message"
)

type shape struct{ sides int }

type named struct{}

func (named) String() string { return "a named value" }

var (
	table map[string]int
	list  []int
	sink  [][]byte
)

//go:noinline
func brokenByItsAuthor(what string) string {
	switch what {
	case "text":
		panic("out of cheese")
	case "error":
		panic(fmt.Errorf("while baking: %w", errors.New("no oven")))
	case "custom":
		panic(shape{4})
	case "stringer":
		panic(named{})
	case "number":
		panic(42)
	case "map":
		table["a"]++
	case "index":
		return fmt.Sprint(list[len(what)])
	case "nil":
		var s *shape
		return fmt.Sprint(s.sides)
	case "exit":
		os.Exit(3)
	case "memory":
		for {
			sink = append(sink, make([]byte, 1<<20))
		}
	case "loop":
		for {
		}
	case "goroutine":
		go panic("off the main path")
		time.Sleep(time.Second)
	case "deadlock":
		<-make(chan int)
	}
	return "unknown: " + what
}

func ordinary() string {
	answers := make(chan string)
	go func() {
		time.Sleep(time.Hour) // virtual
		answers <- "from a goroutine"
	}()
	start := time.Now()
	said := <-answers
	fmt.Println("to standard output")
	fmt.Fprintln(os.Stderr, "to standard error")
	_, err := os.ReadFile("/etc/passwd")
	_, set := os.LookupEnv("HOME")
	// Templates call methods by name, so the linker keeps all of them, and with them every import that
	// package os has, sockets included.
	var written strings.Builder
	if err := template.Must(template.New("").Parse("{{.Text}}")).Execute(&written, map[string]string{"Text": said}); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%s after %t, %d, args %d, file %t, home %t",
		written.String(), time.Since(start) >= time.Hour, rand.IntN(1<<30), len(os.Args), err == nil, set)
}

func init() {
	message.Handle("c", func(c *message.Context) (string, error) {
		switch c.Prompt {
		case "ordinary":
			return ordinary(), nil
		case "fail":
			return "", errors.New("nothing to say about " + c.SessionID)
		}
		return brokenByItsAuthor(c.Prompt), nil
	})
}

func main() {}
`

const goManifest = `id = "go"
version = "1"
[[contributions]]
id = "c"
needs = ["prompt", "sessionId"]
[limits]
memory = "24MiB"
`

// buildGoGuest builds a source in a module of its own, as an author has it.
func buildGoGuest(t *testing.T, source, manifest string) []byte {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	mod := "module goguest\n\ngo 1.26.0\n\nrequire github.com/pintle-wasm/pintle v0.0.0\n\nreplace github.com/pintle-wasm/pintle => " + strconv.Quote(root) + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, guestbuild.ManifestFile), []byte(manifest), 0o600))
	out, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir, Out: filepath.Join(t.TempDir(), "go.wasm")})
	require.NoError(t, err)
	file, err := os.ReadFile(out)
	require.NoError(t, err)
	return file
}

// lines is a log without times.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestGoGuest(t *testing.T) {
	var log lines
	r := runtime.New(enginetest.New(), runtime.Options{
		Limits: runtime.Limits{Time: time.Minute}, // what ends is the fuel
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	g, err := r.Load(t.Context(), "go.wasm", buildGoGuest(t, goSource, goManifest), runtime.GuestOptions{})
	require.NoError(t, err)
	ask := func(t *testing.T, prompt string) (string, error) {
		request, err := abi.Encode(map[string]any{"id": "c", "prompt": prompt, "sessionId": "s"})
		require.NoError(t, err)
		value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: request})
		if err != nil {
			return "", err
		}
		return abi.Text(value)
	}

	t.Run("ordinary", func(t *testing.T) {
		first, err := ask(t, "ordinary")
		require.NoError(t, err)
		assert.Regexp(t, `^from a goroutine after true, \d+, args 0, file false, home false$`, first)
		assert.Contains(t, log.String(), `level=INFO msg="to standard output"`)
		assert.Contains(t, log.String(), `level=WARN msg="to standard error"`)
		second, err := ask(t, "ordinary")
		require.NoError(t, err)
		assert.Equal(t, first, second, "a pure function of its input, random numbers included")
	})
	t.Run("own error", func(t *testing.T) {
		_, err := ask(t, "fail")
		var failure *abi.Failure
		require.ErrorAs(t, err, &failure)
		assert.Equal(t, "nothing to say about s", failure.Message)
	})

	for prompt, want := range map[string]struct {
		kind   runtime.Kind
		reason string
	}{
		"text":      {runtime.KindTrap, "panic: out of cheese"},
		"error":     {runtime.KindTrap, "panic: while baking: no oven"},
		"custom":    {runtime.KindTrap, "panic: a value that is neither an error nor a text"},
		"stringer":  {runtime.KindTrap, "panic: a named value"},
		"number":    {runtime.KindTrap, "panic: 42"},
		"map":       {runtime.KindTrap, "panic: assignment to entry in nil map"},
		"index":     {runtime.KindTrap, "panic: runtime error: index out of range [5] with length 0"},
		"nil":       {runtime.KindTrap, "panic: runtime error: invalid memory address or nil pointer dereference"},
		"exit":      {runtime.KindTrap, "exited with code 3"},
		"memory":    {runtime.KindMemory, "it wanted more than its 24576 KiB of memory"},
		"loop":      {runtime.KindFuel, "it used up its fuel of 50000000 units"},
		"goroutine": {runtime.KindTrap, "panic: off the main path"},
		"deadlock":  {runtime.KindTrap, "all goroutines are asleep"},
	} {
		t.Run(prompt, func(t *testing.T) {
			_, err := ask(t, prompt)
			var e *runtime.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, want.kind, e.Kind, e)
			assert.Contains(t, e.Reason, want.reason)
			assert.Equal(t, abi.RenderV1, e.Func)
			// In a deadlock none of the author's functions runs; a guest that was stopped leaves no trace.
			if prompt != "deadlock" && prompt != "loop" {
				assert.Contains(t, strings.Join(e.Trace, "\n"), "main.brokenByItsAuthor")
			}
			text, err := ask(t, "something else")
			require.NoError(t, err, "the guest itself is as good as before")
			assert.Equal(t, "unknown: something else", text)
		})
	}
}

// An example that imports the SDK from Pintle's module does not fit a guest that has it in its folder. No module needs
// fetching then.
func TestGoGuestImportsTheSDKFromElsewhere(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("go.mod", "module example/hi\n\ngo 1.26.0\n")
	write("main.go", "package main\n\nimport _ \"github.com/pintle-wasm/pintle/guests/sdk/go/message\"\n\nfunc main() {}\n")
	write("pintle.toml", "id = \"hi\"\nversion = \"1\"\n\n[[contributions]]\nid = \"hi\"\n")

	_, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir})
	require.ErrorContains(t, err, "run `go mod tidy` in the guest's folder first")

	write("pintle/value.go", "package pintle\n")
	_, _, err = guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir})
	require.ErrorContains(t, err,
		"the SDK is in the guest's folder pintle: import example/hi/pintle in place of github.com/pintle-wasm/pintle/guests/sdk/go")
	assert.NotContains(t, err.Error(), "tidy")
}
