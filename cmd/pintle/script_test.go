package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// The scripts run the real main, in this test binary under another name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pintle": main, "pintle-parent": parent, "pintle-echo": echoFrames, "pintle-tty": tty})
}

func TestScripts(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	tools, err := goEnv()
	require.NoError(t, err)
	command, err := exec.LookPath("pintle")
	require.NoError(t, err)
	warm := filepath.Join(t.TempDir(), "cache")
	warmUp(t, root, warm)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			env.Setenv("PINTLE", command) // for scripts without a PATH
			env.Setenv("WARM", warm)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // or each command ends a second later under -race
			env.Setenv("ESC", "\x1b")
			// Whatever a script does not place elsewhere goes here, and nothing into the user's cache.
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Vars = append(env.Vars, tools...)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				status(ts, neg, args)
				keepsDeadline(t, ts)
			},
			"await":    await,
			"deadline": deadline,
			"mkguest":  mkguest,
			"json":     jsonValue,
			"holds":    holds,
			"packlog":  packlog,
			"lockfile": lockfile,
			"utf8":     isUTF8,
		},
	})
}

// warmUp compiles the stock adapters into a cache, which scripts copy: it is what takes most of their
// time, above all with the race detector.
func warmUp(t *testing.T, root, cache string) {
	var stderr strings.Builder
	vectors := filepath.Join(root, "testdata", "vectors", "developer-messages", "codex-adapter.json")
	code := run(t.Context(), []string{"conformance", vectors, "--cache-dir", filepath.Join(cache, "pintle", "code")},
		strings.NewReader(""), io.Discard, &stderr)
	require.Equal(t, exitOK, code, stderr.String())
	require.Empty(t, stderr.String())
}

// goEnv is what `pintle build` needs to compile a guest: a script's own environment has no home.
func goEnv() ([]string, error) {
	out, err := exec.Command("go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOPATH").Output()
	if err != nil {
		return nil, err
	}
	var vars map[string]string
	if err := json.Unmarshal(out, &vars); err != nil {
		return nil, err
	}
	var env []string
	for key, value := range vars {
		env = append(env, key+"="+value)
	}
	return append(env, "GOFLAGS="+os.Getenv("GOFLAGS"), "GOPROXY=off"), nil
}

// status runs a command and wants this exit status:
//
//	status 2 pintle turn missing.json
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// await waits for a file, which a command in the background makes:
//
//	await out/guest.wasm
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await FILE")
	}
	for range 6000 {
		if exists(ts.MkAbs(args[0])) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("there is no %s", args[0])
}
