package guestbuild_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

// What pintle.toml and the code say now is what a build would write, without one.
func TestManifestForAGuestInJavaScript(t *testing.T) {
	h := newJSHost(t)
	dir := jsFolder(t, map[string]string{
		"index.js": `import { registerDeveloperMessageContribution as r } from "pintle"; r({ id: "c", priority: 3, content: "text" });`,
	})
	toml := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "pintle.toml"), []byte(text), 0o600))
	}
	toml("id = \"a\"\nversion = \"1\"\n")
	file, _, err := h.build(t, dir)
	require.NoError(t, err)
	a, err := runtime.Examine("g.wasm", file)
	require.NoError(t, err)
	m, err := guestbuild.ManifestFor(t.Context(), dir, h.cache, a, file)
	require.NoError(t, err)
	assert.Equal(t, encoded(t, a.Manifest), encoded(t, m))

	toml("id = \"a\"\nversion = \"2\"\n[[contributions]]\nid = \"c\"\nneeds = [\"prompt\"]\n[limits]\nmemory = \"32MiB\"\n")
	again, _, err := h.build(t, dir)
	require.NoError(t, err)
	built, err := runtime.Examine("g.wasm", again)
	require.NoError(t, err)
	m, err = guestbuild.ManifestFor(t.Context(), dir, h.cache, a, file)
	require.NoError(t, err)
	assert.Equal(t, encoded(t, built.Manifest), encoded(t, m), "it is that of another build, of the first one's code")
	assert.NotEqual(t, encoded(t, a.Manifest), encoded(t, m))

	input := (*guestbuild.InputError)(nil)
	for text, want := range map[string]string{
		"id = \"a\"\nversion = \"1\"\n[[contributions]]\nid = \"d\"\n":               `the code registers no contribution "d"`,
		"id = \"a\"\nversion = \"1\"\n[[contributions]]\nid = \"c\"\npriority = 4\n": "the code says 3, pintle.toml says 4",
		"id = \"a\"\nverson = \"1\"\n":                                               "unknown key verson",
	} {
		toml(text)
		_, err = guestbuild.ManifestFor(t.Context(), dir, h.cache, a, file)
		require.ErrorAs(t, err, &input, text)
		assert.ErrorContains(t, err, want)
	}
	_, err = guestbuild.ManifestFor(t.Context(), t.TempDir(), h.cache, a, file)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func encoded(t *testing.T, m *abi.Manifest) string {
	t.Helper()
	section, err := abi.EncodeManifest(m)
	require.NoError(t, err)
	return string(section)
}

func TestManifestForAModule(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile("../../testdata/guests/c/pintle.toml")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pintle.toml"), text, 0o600))
	want, err := guestbuild.ReadManifest(dir)
	require.NoError(t, err)
	m, err := guestbuild.ManifestFor(t.Context(), dir, "", examined(t), nil)
	require.NoError(t, err)
	assert.Equal(t, want, m)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pintle.toml"), []byte("id = 1"), 0o600))
	_, err = guestbuild.ManifestFor(t.Context(), dir, "", examined(t), nil)
	input := (*guestbuild.InputError)(nil)
	require.ErrorAs(t, err, &input)
}
