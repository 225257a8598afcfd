package guestbuild_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

// languageFolder is a folder, whose name no pattern may take for its own, with empty files.
func languageFolder(t *testing.T, names string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "[a]*")
	require.NoError(t, os.Mkdir(dir, 0o700))
	for _, name := range strings.Fields(names) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		text := ""
		if name == "package.json" {
			text = "{}"
		}
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return dir
}

func TestLanguageOf(t *testing.T) {
	for files, want := range map[string]string{
		"main.go":                         "go",
		"Cargo.toml src/lib.rs":           "rust",
		"lib.rs":                          "rust",
		"assembly/index.ts package.json":  "assemblyscript",
		"main.c":                          "c",
		"src/main.c src/more.h":           "c",
		"src/index.ts tsconfig.json":      "typescript",
		"index.ts index.js":               "typescript",
		"index.js":                        "javascript",
		"package.json":                    "javascript",
		"package.json main.c":             "c",
		"package.json main.go go.mod":     "go",
		"package.json lib.rs":             "rust",
		"package.json src/index.ts":       "typescript",
		"asconfig.json index.js main.c":   "assemblyscript",
		"assembly/index.ts src/index.js":  "assemblyscript",
		"Cargo.toml src/lib.rs src/cut.c": "rust",
		"go.mod main.go helper.c":         "go",
		// Left in the folder of a project in TypeScript or JavaScript.
		"main.c package.json src/index.ts":     "typescript",
		"main.go src/index.ts package.json":    "typescript",
		"lib.rs tsconfig.json index.ts":        "typescript",
		"main.go main.c index.js package.json": "javascript",
	} {
		got, err := guestbuild.LanguageOf(languageFolder(t, files))
		require.NoError(t, err, files)
		assert.Equal(t, want, got, files)
	}
}

func TestLanguageOfTwoLanguages(t *testing.T) {
	for files, want := range map[string][]string{
		"main.c src/index.ts":                 {"main.c makes ", " a guest in c, and src/index.ts one in typescript: move "},
		"main.go index.js":                    {"main.go makes ", " a guest in go, and index.js one in javascript: move "},
		"go.mod a.go package.json index.ts":   {"a.go makes ", " a guest in go, and index.ts one in typescript: move "},
		"Cargo.toml asconfig.json src/lib.rs": {"Cargo.toml makes ", " a guest in rust, and asconfig.json one in assemblyscript: move "},
	} {
		got, err := guestbuild.LanguageOf(languageFolder(t, files))
		assert.Empty(t, got, files)
		for _, words := range want {
			assert.ErrorContains(t, err, words, files)
		}
	}
}

func TestLanguageOfNone(t *testing.T) {
	for files, want := range map[string]string{
		"":                     "holds no source of a guest (go, rust, assemblyscript, c, typescript, javascript); ",
		"notes.txt":            "holds no source of a guest",
		"src/hello.ts zoo.txt": "begins in index.ts, index.js, or one of them in src: rename ",
		"hello.js":             "hello.js, or name it in package.json as \"source\"",
	} {
		_, err := guestbuild.LanguageOf(languageFolder(t, files))
		assert.ErrorContains(t, err, want, files)
	}
}
