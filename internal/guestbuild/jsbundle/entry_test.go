package jsbundle_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
)

func TestEntry(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none":              {map[string]string{"lib/index.ts": ""}, ""},
		"index":             {map[string]string{"index.ts": "", "src/index.ts": "", "main.ts": ""}, "index.ts"},
		"TypeScript first":  {map[string]string{"index.js": "", "index.mts": ""}, "index.mts"},
		"src":               {map[string]string{"src/index.mjs": "", "src/main.ts": ""}, "src/index.mjs"},
		"main":              {map[string]string{"main.js": ""}, "main.js"},
		"a folder":          {map[string]string{"index.ts/file": "", "src/main.tsx": ""}, "src/main.tsx"},
		"source":            {map[string]string{"package.json": `{"source": "./code/a.ts"}`, "code/a.ts": "", "index.ts": ""}, "code/a.ts"},
		"source, no suffix": {map[string]string{"package.json": `{"source": "code/a"}`, "code/a.js": ""}, "code/a.js"},
		"main is built":     {map[string]string{"package.json": `{"main": "dist/index.js"}`, "dist/index.js": "", "src/index.ts": ""}, "src/index.ts"},
		"main only":         {map[string]string{"package.json": `{"main": "lib\\a.js"}`, "lib/a.js": ""}, "lib/a.js"},
		"nothing in it":     {map[string]string{"package.json": `{}`}, ""},
	} {
		got, err := jsbundle.Entry(folder(t, c.files))
		require.NoError(t, err, name)
		assert.Equal(t, c.want, got, name)
	}
}

func TestEntryErrors(t *testing.T) {
	_, err := jsbundle.Entry(folder(t, map[string]string{"package.json": `{"source": "a.ts"}`}))
	assert.ErrorContains(t, err, `"source" names the file a.ts, which is not there`)
	for text, want := range map[string]string{
		`{"source": `:     "package.json:1: unexpected end of JSON input",
		"{\n\n  bad\n}":   "package.json:3: invalid character 'b'",
		`{"source": 5}`:   `package.json: "source" is not a text`,
		`{"main": ["a"]}`: `package.json: "main" is not a text`,
		`["source"]`:      "package.json: it is no JSON object",
	} {
		_, err := jsbundle.Entry(folder(t, map[string]string{"package.json": text}))
		assert.ErrorContains(t, err, want, text)
	}
}

func TestTypeScript(t *testing.T) {
	for file, want := range map[string]bool{"src/index.ts": true, "a.mts": true, "a.tsx": true, "a.js": false, "a.mjs": false, "": false} {
		assert.Equal(t, want, jsbundle.TypeScript(file), file)
	}
}
