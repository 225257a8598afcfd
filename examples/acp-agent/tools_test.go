package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// call runs a tool and returns its text.
func call(t *testing.T, cwd, name string, args any) (string, error) {
	t.Helper()
	raw, err := json.Marshal(args)
	require.NoError(t, err)
	for _, tool := range fileTools(cwd) {
		if tool.Name == name {
			blocks, err := tool.Run(t.Context(), raw)
			return texts(blocks), err
		}
	}
	require.Fail(t, "no such tool", name)
	return "", nil
}

func TestReadFile(t *testing.T) {
	dir := project(t)
	put := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	put("sub/long.txt", strings.Repeat("a line of the file\n", 8000))
	put("flat.txt", strings.Repeat("é", maxShown))
	put("binary", "\xff\x00")
	put("huge.txt", strings.Repeat("x", maxFile+1))
	put("empty", "")
	for _, c := range []struct {
		args arguments
		want string
	}{
		{arguments{Path: "a.txt"}, "one\ntwo\n"},
		{arguments{Path: "./sub/../a.txt", Line: 2}, "two\n"},
		{arguments{Path: filepath.Join(dir, "a.txt")}, "one\ntwo\n"},
		{arguments{Path: "a.txt", Line: -5}, "one\ntwo\n"},
		{arguments{Path: "empty"}, ""},
	} {
		got, err := call(t, dir, readFile, c.args)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	// The parts of a long file make the file.
	var whole string
	for line, parts := 1, 0; ; parts++ {
		require.Less(t, parts, 10)
		got, err := call(t, dir, readFile, arguments{"sub/long.txt", line})
		require.NoError(t, err)
		assert.LessOrEqual(t, len(got), maxShown+100)
		text, next, cut := strings.Cut(got, "[cut here; go on with line ")
		whole += text
		if !cut {
			break
		}
		_, err = fmt.Sscanf(next, "%d]", &line)
		require.NoError(t, err)
	}
	assert.Equal(t, strings.Repeat("a line of the file\n", 8000), whole)
	got, err := call(t, dir, readFile, arguments{Path: "flat.txt"})
	require.NoError(t, err)
	assert.Contains(t, got, "[the rest of this line is left out]")
	for _, c := range []struct {
		args arguments
		want string
	}{
		{arguments{Path: "binary"}, "not text"},
		{arguments{Path: "huge.txt"}, "larger than"},
		{arguments{Path: "a.txt", Line: 3}, "has no line 3: it has 2"},
		{arguments{Path: "sub"}, "not a file"},
		{arguments{Path: "no.txt"}, "no such file"},
		{arguments{Path: ""}, ""},
	} {
		_, err := call(t, dir, readFile, c.args)
		assert.ErrorContains(t, err, c.want)
	}
	_, err = call(t, dir, readFile, map[string]any{"path": 5})
	assert.ErrorContains(t, err, "arguments")
	_, err = call(t, filepath.Join(dir, "nowhere"), readFile, arguments{Path: "a.txt"})
	assert.Error(t, err)
}

func TestListFiles(t *testing.T) {
	dir := project(t)
	for _, path := range []string{"", ".", dir} {
		got, err := call(t, dir, listFiles, arguments{Path: path})
		require.NoError(t, err)
		assert.Equal(t, "a.txt\nsub/\n", got)
	}
	_, err := call(t, dir, listFiles, arguments{Path: "a.txt"})
	assert.ErrorContains(t, err, "not a folder")
	for i := range maxEntries + 5 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", fmt.Sprint(i)), nil, 0o600))
	}
	got, err := call(t, dir, listFiles, arguments{Path: "sub"})
	require.NoError(t, err)
	assert.Equal(t, maxEntries+1, strings.Count(got, "\n"))
	assert.Contains(t, got, "[there are more than these 1000]")
}

// Nothing outside of the working directory is looked at, and nothing is waited for.
func TestToolsStayInside(t *testing.T) {
	dir, outside := project(t), project(t)
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "out")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "a.txt"), filepath.Join(dir, "link.txt")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	for _, path := range []string{
		"../" + filepath.Base(outside), filepath.Join(outside, "a.txt"), outside, "out", "out/a.txt", "link.txt", "/", "pipe", "sub/../../x",
	} {
		for _, name := range []string{readFile, listFiles} {
			_, err := call(t, dir, name, arguments{Path: path})
			assert.Error(t, err, "%s %s", name, path)
		}
	}
}
