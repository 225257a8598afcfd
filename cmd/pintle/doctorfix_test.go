package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openLog is a log that a repair closes the turn of.
const openLog = `{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}
{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}
`

func writeLog(t *testing.T, name string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(openLog), 0o600))
	return path
}

func namesBeside(t *testing.T, path string) []string {
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A writer that does not know the lock loses nothing: what it has written is not replaced.
func TestAGrowingLogIsNotReplaced(t *testing.T) {
	path := writeLog(t, "log.jsonl")
	err := replaceLog(path, path+".bak", func(copied string) error {
		require.NoError(t, os.WriteFile(copied, []byte(openLog), 0o600))
		return os.WriteFile(path, []byte(openLog+"more\n"), 0o600)
	})
	require.ErrorContains(t, err, "another program has changed it meanwhile")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, openLog+"more\n", string(text))
	assert.Equal(t, []string{"log.jsonl"}, namesBeside(t, path))
}

// An error does not show the name of a file that nobody knows of.
func TestErrorsNameTheLog(t *testing.T) {
	path := writeLog(t, "log.jsonl")
	err := replaceLog(path, path+".bak", func(copied string) error {
		return &os.PathError{Op: "write", Path: copied, Err: errors.New("no space left")}
	})
	require.EqualError(t, err, "write "+path+": no space left")
}

func TestInPlaceWithALongName(t *testing.T) {
	path := writeLog(t, strings.Repeat("n", 240)+".jsonl")
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitOK, run(t.Context(), []string{"doctor", "--fix", "--in-place", path}, nil, &stdout, &stderr), stderr.String())
	assert.Len(t, namesBeside(t, path), 2)
}

// A lateContext is done as soon as there is a file.
type lateContext struct {
	context.Context
	file string
}

func (c lateContext) Err() error {
	if _, err := os.Lstat(c.file); err == nil {
		return context.Canceled
	}
	return nil
}

// An interrupt that comes when the log has been replaced does not hide that.
func TestALateInterruptTellsOfTheRepair(t *testing.T) {
	for _, flag := range []string{"", "--json"} {
		path := writeLog(t, "log.jsonl")
		args := append([]string{"doctor", "--fix", "--in-place", path}, strings.Fields(flag)...)
		var stdout, stderr bytes.Buffer
		code := run(lateContext{t.Context(), path + ".bak"}, args, nil, &stdout, &stderr)
		assert.Equal(t, exitOK, code)
		assert.Empty(t, stderr.String())
		assert.Contains(t, stdout.String(), "log.jsonl.bak")

		// The files behind it are not looked at.
		path, next := writeLog(t, "log.jsonl"), writeLog(t, "next.jsonl")
		stdout.Reset()
		code = run(lateContext{t.Context(), path + ".bak"}, append(args[:3:3], path, next), nil, &stdout, &stderr)
		assert.Equal(t, exitFailed, code)
		assert.Equal(t, "pintle: error: interrupted\n", stderr.String())
		assert.Contains(t, stdout.String(), "log.jsonl.bak")
		assert.NoFileExists(t, next+".bak")
	}
}

// One that comes before it leaves everything as it was.
func TestAnEarlyInterruptLeavesTheLog(t *testing.T) {
	path := writeLog(t, "log.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, exitFailed, run(ctx, []string{"doctor", "--fix", "--in-place", path}, nil, &stdout, &stderr))
	assert.Equal(t, "pintle: error: interrupted\n", stderr.String())
	assert.Empty(t, stdout.String())
	assert.Equal(t, []string{"log.jsonl"}, namesBeside(t, path))
}
