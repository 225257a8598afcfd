package languages_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/languages"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	tree := t.TempDir()
	dir := languages.Dir(tree, languages.Example, "go")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	_, err := languages.Read(tree, languages.Example, "go")
	require.ErrorIs(t, err, os.ErrNotExist)

	small, large := []byte("\x00asm"), bytes.Repeat([]byte("guest"), 100_000)
	for _, file := range [][]byte{small, large, small} {
		require.NoError(t, languages.Write(tree, languages.Example, "go", file))
		got, err := languages.Read(tree, languages.Example, "go")
		require.NoError(t, err)
		assert.Equal(t, file, got)
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		assert.Len(t, names, 1, "the one of another size goes")
	}
}

func TestDifferences(t *testing.T) {
	seen := func(pairs ...string) (list []languages.Observation) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, languages.Observation{What: pairs[i], Seen: pairs[i+1]})
		}
		return list
	}
	assert.Empty(t, languages.Differences(seen("a", "1", "b", ""), seen("b", "", "a", "1")))
	assert.Equal(t, []string{"a: it was 1, and is empty", "b: it was 2, and is no more", "c: it is new: 3"},
		languages.Differences(seen("a", "1", "b", "2"), seen("a", "", "c", "3")))
}
