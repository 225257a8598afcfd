package jsbundle_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
)

func TestSourceErrors(t *testing.T) {
	for source, want := range map[string]string{
		`import "fs";`:                                   `src/index.ts:1:8: fs: a guest has no files`,
		`import "node:fs";`:                              `src/index.ts:1:8: node:fs: a guest has no files`,
		`import "node:fs/promises";`:                     `node:fs/promises: a guest has no files`,
		`import { join } from "path"; join();`:           `path: a guest has no files, and so no paths of them`,
		`import "http";`:                                 `http: a guest has no network`,
		`import "child_process";`:                        `child_process: a guest starts no processes`,
		`import "node:timers/promises";`:                 `node:timers/promises: a guest has no timers`,
		`import "events";`:                               "events: a guest has no modules of Node; npm has a package of that name that does without: `npm install events`",
		`import "node:events";`:                          `node:events: a guest has no modules of Node`,
		`import "zlib";`:                                 `zlib: a guest has no modules of Node`,
		`import "left-pad";`:                             "left-pad: not installed; `npm install left-pad` in the guest's folder",
		`import "lodash/fp";`:                            "lodash/fp: not installed; `npm install lodash` in the guest's folder",
		`import "@acme/x/y/z";`:                          "@acme/x/y/z: not installed; `npm install @acme/x` in the guest's folder",
		`import "./gone";`:                               `./gone: there is no such file`,
		`import "pi-developer-messages";`:                `pi-developer-messages: in a guest it is called "pintle"; change the import`,
		`import "@luan.sh/pi-developer-messages"`:        `in a guest it is called "pintle"`,
		`import { register } from "pintle"; register();`: `src/index.ts:1:10: "register" is not among what "pintle" exports: registerDeveloperMessageContribution,`,
		`import { registerDeveloperMessage as r } from "pintle"; r();`: `"registerDeveloperMessage" is not among what "pintle" exports; did you mean registerDeveloperMessageContribution?`,
		`import { confg } from "pintle"; confg();`:                     `"confg" is not among what "pintle" exports; did you mean config?`,
		"const x = await 1;":               `src/index.ts:1:11: await outside of a function: what a guest offers has to be registered without waiting`,
		"const ok = 1;\n\tconst é = , 2;":  "src/index.ts:2:12: Unexpected \",\"\n    \tconst é = , 2;\n    \t          ^",
		"import './broken.json'":           `src/broken.json:2:1: `,
		"const f = () => { return `no end": `src/index.ts:1:33: Unterminated string literal`,
		`import "./styles.scss"`:           "src/index.ts:1:8: src/styles.scss: a guest can import TypeScript, JavaScript, .json, .txt, .md and .html, and no .scss",
		`import "pintle/v2"`:               `pintle/v2: the SDK is one module; import from "pintle"`,
	} {
		_, err := bundle(t, map[string]string{"src/index.ts": source, "src/broken.json": "{\n", "src/styles.scss": "a {}"})
		var faults *jsbundle.SourceError
		require.ErrorAs(t, err, &faults, source)
		assert.Contains(t, err.Error(), want, source)
		assert.NotContains(t, err.Error(), "esbuild", source)
	}
}

// A warning that is about how the bundler is used is none that an author can act on.
func TestImportMetaIsEmpty(t *testing.T) {
	s, err := bundle(t, map[string]string{"src/index.ts": "export const at = import.meta.url;"})
	require.NoError(t, err)
	require.Len(t, s.Warnings, 1)
	assert.Contains(t, s.Warnings[0], "src/index.ts:1:19: import.meta is empty: a guest is one file, which knows no address of its own\n")
}

func TestSourceErrorsAreAllReported(t *testing.T) {
	_, err := bundle(t, map[string]string{
		"index.ts":                   `import "fs"; import "./other.ts"; import "acme";`,
		"other.ts":                   `let x = ;`,
		"node_modules/acme/index.js": "\n  const os = require('os');",
	})
	var faults *jsbundle.SourceError
	require.ErrorAs(t, err, &faults)
	require.Len(t, faults.Problems, 3)
	text := err.Error()
	for _, want := range []string{"index.ts:1:8: fs: ", "other.ts:1:9: ", "node_modules/acme/index.js:2:22: os: a guest does not see the machine"} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, 3, strings.Count(text, "^\n")+1, "each with its mark")
}

// Only names that npm has as well are sent there, and only what is called so is the SDK.
func TestNamesThatLookLikeOthers(t *testing.T) {
	_, err := bundle(t, map[string]string{"index.js": `import "node:events"`})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "npm")
	_, err = bundle(t, map[string]string{"index.js": `import "#inside"`})
	assert.ErrorContains(t, err, "#inside: there is no such file")
	_, err = bundle(t, map[string]string{"index.js": `import "pintle/inside"`})
	assert.ErrorContains(t, err, "pintle/inside: the SDK is one module")
	s, err := bundle(t, map[string]string{"index.js": `export { tide } from "pintle-tide"`,
		"node_modules/pintle-tide/index.js": `export const tide = "no tide today"`})
	require.NoError(t, err)
	assert.Contains(t, s.Code, "no tide today")
}

// Imports that lead nowhere may come of a tsconfig.json that cannot be read.
func TestFaultsOfTheConfigurationComeFirst(t *testing.T) {
	for config, want := range map[string]string{
		`{"compilerOptions": {"paths": {"@/*": ["./src/*"]}`: "tsconfig.json:1:51: ",
		`{"extends": "./nothere.json"}`:                      `tsconfig.json:1:13: Cannot find base config file "./nothere.json"`,
	} {
		_, err := bundle(t, map[string]string{"index.ts": `import "@/lib";`, "tsconfig.json": config, "src/lib.ts": ""})
		require.Error(t, err)
		assert.True(t, strings.HasPrefix(err.Error(), want), err.Error())
		assert.Contains(t, err.Error(), "\nindex.ts:1:8: @/lib: not installed")
	}
	_, err := bundle(t, map[string]string{"index.ts": "if (1 / typeof 1 === -0) {}\nimport './gone';"})
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(err.Error(), "index.ts:2:8: "), "and no other warnings: %s", err)
}
