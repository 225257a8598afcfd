package jsbundle_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
)

// folder writes files, by path, into a folder of its own.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func bundle(t *testing.T, files map[string]string) (*jsbundle.Script, error) {
	t.Helper()
	dir := folder(t, files)
	entry, err := jsbundle.Entry(dir)
	require.NoError(t, err)
	require.NotEmpty(t, entry)
	return jsbundle.Bundle(t.Context(), dir, entry, jsbundle.Asks{})
}

func TestBundleModules(t *testing.T) {
	s, err := bundle(t, map[string]string{
		"src/index.ts": `import { registerDeveloperMessageContribution as register, log } from "pintle";
import type { Nothing } from "not-even-installed";
import words from "./words.json";
import note from "./note.txt";
import page from "./page.md";
import { one } from "./one";
import { two } from "./two.mjs";
import { three } from "acme-three";
import { four } from "@acme/four/deep";
enum Mode { A = 7 }
export const all: unknown = [words, note, page, one, two, three, four, Mode.A, process.env.NODE_ENV];
register({ id: "x", content: () => { log("info", "said"); return ""; } });`,
		"src/words.json": `["a word"]`, "src/note.txt": "a note", "src/page.md": "# a page",
		"src/one.tsx":                          `export const one: string = "number one";`,
		"src/two.mjs":                          `export const two = "number two";`,
		"node_modules/acme-three/package.json": `{"main": "main.js", "browser": "browser.js"}`,
		"node_modules/acme-three/main.js":      `require("fs"); exports.three = "wrong";`,
		"node_modules/acme-three/browser.js":   `exports.three = "number three";`,
		"node_modules/@acme/four/package.json": `{"exports": {"./deep": "./lib/deep.mjs"}}`,
		"node_modules/@acme/four/lib/deep.mjs": `export const four = "number four"; /*! licence of four */`,
		"node_modules/not-imported/package.js": `this is no JavaScript`,
		"pintle/pintle.d.ts":                   `declare module "pintle" {}`,
		"tsconfig.json":                        `{"compilerOptions": {"paths": {"pintle": ["./pintle/pintle.d.ts"]}}}`,
	})
	require.NoError(t, err)
	assert.Empty(t, s.Warnings)
	for _, part := range []string{"a word", "a note", "# a page", "number one", "number two", "number three", "number four",
		"licence of four", "production"} {
		assert.Contains(t, s.Code, part)
	}
	assert.NotContains(t, s.Code, "wrong")
	assert.True(t, strings.HasPrefix(s.Code, `"use strict";`), s.Code[:20])
}

func TestBundleIsASCIIAndAlwaysTheSame(t *testing.T) {
	files := map[string]string{"index.ts": `export const s = "Zoë 🚢"; export const t = ` + "`ü`;"}
	a, err := bundle(t, files)
	require.NoError(t, err)
	b, err := bundle(t, files) // in another folder
	require.NoError(t, err)
	assert.Equal(t, a, b)
	for _, c := range []byte(a.Code) {
		require.Less(t, c, byte(0x80), "columns of stacks count characters, those of source maps UTF-16")
	}
}

func TestSourceMapIsRelativeAndHasNoSources(t *testing.T) {
	s, err := bundle(t, map[string]string{
		"src/index.ts": `import "./deep/other.ts"; import { set } from "pintle"; console.log(set);`, "src/deep/other.ts": `console.log(1);`,
	})
	require.NoError(t, err)
	var m struct {
		Version        int
		Sources        []string
		SourcesContent []string
		Mappings       string
	}
	require.NoError(t, json.Unmarshal([]byte(s.Map), &m))
	assert.Equal(t, 3, m.Version)
	assert.Empty(t, m.SourcesContent)
	assert.Subset(t, m.Sources, []string{"src/index.ts", "src/deep/other.ts"})
	for _, source := range m.Sources {
		assert.False(t, filepath.IsAbs(source), source)
	}
	assert.True(t, strings.HasPrefix(m.Mappings, ";"), "the prelude's line has no mappings")
	assert.True(t, strings.HasPrefix(strings.Split(s.Code, "\n")[1], "!function(){"), "the prelude is one line")
}

// Functions are renamed where a name is taken at the top of the script, and traces would show the new name.
func TestNamesOfTheAuthorStay(t *testing.T) {
	names := append(jsbundle.Exports(), "call", "begin", "edit", "kind", "list", "text", "state", "word", "main", "guest", "api", "pi", "start")
	var src strings.Builder
	src.WriteString("export {};\n")
	for _, name := range names {
		src.WriteString("function " + name + "() { return " + name + ".name; }\nconsole.log(" + name + ");\n")
	}
	s, err := bundle(t, map[string]string{"index.js": src.String()})
	require.NoError(t, err)
	for _, name := range names {
		assert.True(t, strings.Contains(s.Code, "function "+name+"()"), name)
	}
}

func TestExportsAreThoseOfTheTypes(t *testing.T) {
	text, err := os.ReadFile("../../../guests/sdk/typescript/pintle.d.ts")
	require.NoError(t, err)
	module, _, found := strings.Cut(string(text), "\n}\n")
	require.True(t, found)
	var declared []string
	for _, m := range regexp.MustCompile(`(?m)^  export (?:function|const) (\w+)`).FindAllStringSubmatch(module, -1) {
		declared = append(declared, m[1])
	}
	slices.Sort(declared)
	exports := jsbundle.Exports()
	slices.Sort(exports)
	assert.Equal(t, declared, exports)
	assert.NotEmpty(t, exports)
}

// Code for adapters is in the bundles of guests that have some: half of the time to start is for reading it.
func TestBundleHasThePartsThatItNeeds(t *testing.T) {
	const contribution = `import { registerDeveloperMessageContribution as c, config, kv, log } from "pintle"; c(config, kv, log);`
	for source, want := range map[string][2]bool{
		contribution: {false, false},
		`import { registerSystemPromptPayloadAdapter as a } from "pintle"; a();`:                     {true, false},
		`import { registerPayloadAdapter as a } from "pintle"; a();`:                                 {false, true},
		`import { isText } from "pintle"; export const is = isText(1); console.log(is);`:             {false, true},
		`import { registerPayloadAdapter } from "pintle";` + contribution:                            {false, false},
		`import * as pintle from "pintle"; console.log(pintle["set"]);`:                              {false, true},
		`import * as pintle from "pintle"; console.log(Object.keys(pintle));`:                        {true, true},
		`function pintle_api() {} pintle_api(); export * from "./other";`:                            {true, false},
		`globalThis[Symbol.for("pi-developer-messages/provider-payload-adapters/v1")].set("a", {});`: {true, false},
	} {
		s, err := bundle(t, map[string]string{"index.js": source,
			"other.js": `import { registerSystemPromptPayloadAdapter as a } from "pintle"; a(1);`})
		require.NoError(t, err, source)
		prelude, _, found := strings.Cut(s.Code, "\n")
		require.True(t, found)
		got := [2]bool{strings.Contains(prelude, "provider_payload_adapters_v1_"), strings.Contains(prelude, "provider_payload_adapters_v2_edit")}
		assert.Equal(t, want, got, source)
	}
}

func TestBundleWarns(t *testing.T) {
	s, err := bundle(t, map[string]string{"index.js": "if (-0 === 1 / typeof x === \"nothing\") {}\nconst a = { k: 1, k: 2 };"})
	require.NoError(t, err)
	assert.Contains(t, strings.Join(s.Warnings, "\n"), `index.js:2:19: Duplicate key "k" in object literal`)
}

func TestBundleThatIsTooLarge(t *testing.T) {
	_, err := bundle(t, map[string]string{
		"index.js":                        `import text from "./large.txt"; import { other } from "acme/deep"; console.log(text, other);`,
		"large.txt":                       strings.Repeat("x", 7<<20),
		"node_modules/acme/deep/index.js": `export const other = "` + strings.Repeat("y", 2<<20) + `";`,
	})
	require.ErrorContains(t, err, "at most 8192 KiB are allowed; most of it is large.txt (7168 KiB), the package acme (2048 KiB), index.js (0 KiB)")
}

func TestBundleOfNoFolder(t *testing.T) {
	_, err := jsbundle.Bundle(t.Context(), filepath.Join(t.TempDir(), "none"), "index.ts", jsbundle.Asks{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Who gave up is not kept waiting.
func TestBundleEndsWithItsContext(t *testing.T) {
	dir := folder(t, map[string]string{"index.ts": "console.log(1)"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := jsbundle.Bundle(ctx, dir, "index.ts", jsbundle.Asks{})
	require.ErrorIs(t, err, context.Canceled)
}
