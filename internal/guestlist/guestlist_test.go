package guestlist_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestlist"
)

func TestRefs(t *testing.T) {
	var refs []guestlist.Ref
	require.NoError(t, json.Unmarshal([]byte(`["a.wasm",{"file":"b.wasm","config":{"n":1,"t":"x","o":{"k":[1]},"gone":null}}]`), &refs))
	assert.Equal(t, []guestlist.Ref{{File: "a.wasm"}, {File: "b.wasm", Config: map[string]string{"n": "1", "t": "x", "o": `{"k":[1]}`}}}, refs)
	for in, want := range map[string]string{
		`[""]`:           "a guest needs the path of its file",
		`[{"fiel":"x"}]`: `a guest is a path or {file, config}: json: unknown field "fiel"`,
		`[7]`:            "a guest is a path or {file, config}: found number",
	} {
		assert.EqualError(t, json.Unmarshal([]byte(in), &refs), want)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.wasm", "a.wasm", "c.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "d.wasm"), 0o700))
	files, folder, err := guestlist.Files(dir)
	require.NoError(t, err)
	assert.True(t, folder)
	assert.Equal(t, []string{filepath.Join(dir, "a.wasm"), filepath.Join(dir, "b.wasm")}, files)
	files, folder, err = guestlist.Files(files[0])
	require.NoError(t, err)
	assert.False(t, folder)
	assert.Len(t, files, 1)
	_, _, err = guestlist.Files(filepath.Join(dir, "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
