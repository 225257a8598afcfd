package guestbuild_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/guests/templates"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

const guestsDir = "../../testdata/guests"

func TestJavaScriptGuestsOfTheTree(t *testing.T) {
	h := newJSHost(t)
	for _, dir := range []string{
		"example/typescript", "ported/typescript/template", "ported/typescript/prompt", "ported/typescript/tools",
	} {
		t.Run(dir, func(t *testing.T) {
			dir := filepath.Join(guestsDir, dir)
			file, warnings, err := h.build(t, dir)
			require.NoError(t, err)
			assert.Empty(t, warnings)
			h.runCases(t, filepath.Join(dir, "cases.json"), file)
		})
	}
}

func TestJavaScriptTemplates(t *testing.T) {
	h := newJSHost(t)
	for _, language := range []string{"typescript", "javascript"} {
		for _, kind := range templates.Kinds() {
			t.Run(language+" "+kind, func(t *testing.T) {
				source, err := templates.Of(language, kind)
				require.NoError(t, err)
				files := map[string]string{}
				require.NoError(t, fs.WalkDir(source, ".", func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					text, err := fs.ReadFile(source, path)
					files[path] = strings.ReplaceAll(string(text), "{{name}}", "hello")
					return err
				}))
				dir := jsFolder(t, files)
				found, err := guestbuild.LanguageOf(dir)
				require.NoError(t, err)
				assert.Equal(t, language, found)
				file, warnings, err := h.build(t, dir)
				require.NoError(t, err)
				assert.Empty(t, warnings)
				h.runCases(t, filepath.Join(dir, "cases.json"), file)
			})
		}
	}
}

// What moves over is the source, but for the line that imports the SDK.
func TestPortedGuestsDifferInTheirImport(t *testing.T) {
	for _, name := range []string{"template", "prompt", "tools"} {
		dir := filepath.Join(guestsDir, "ported", "typescript", name)
		before, err := os.ReadFile(filepath.Join(dir, "before.ts"))
		require.NoError(t, err)
		after, err := os.ReadFile(filepath.Join(dir, "index.ts"))
		require.NoError(t, err)
		old, moved := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
		require.Len(t, moved, len(old), name)
		var differ []string
		for i := range old {
			if old[i] != moved[i] {
				differ = append(differ, moved[i])
				assert.Equal(t, strings.Replace(old[i], `"pi-developer-messages"`, `"pintle"`, 1), moved[i])
			}
		}
		assert.Len(t, differ, 1, name)
	}
	_, err := jsbundle.Bundle(t.Context(), filepath.Join(guestsDir, "ported", "typescript", "template"), "before.ts", jsbundle.Asks{})
	require.ErrorContains(t, err, `before.ts:1:54: pi-developer-messages: in a guest it is called "pintle"; change the import`)
}

func TestJavaScriptFileIsEngineManifestAndBundle(t *testing.T) {
	h := newJSHost(t)
	files := map[string]string{
		"index.ts":    `import { registerDeveloperMessageContribution as r } from "pintle"; r({ id: "a", priority: 2, content: "text" });`,
		"pintle.toml": "id = \"acme/a\"\nversion = \"3\"\n[[contributions]]\nid = \"a\"\nneeds = [\"prompt\"]\n",
	}
	file, _, err := h.build(t, jsFolder(t, files))
	require.NoError(t, err)
	again, _, err := h.build(t, jsFolder(t, files))
	require.NoError(t, err)
	assert.True(t, string(file) == string(again), "the same sources make the same file")

	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{abi.ManifestSection, abi.BundleSection, abi.LicensesSection},
		[]string{m.Sections[0].Name, m.Sections[1].Name, m.Sections[2].Name})
	assert.Equal(t, engine.Licenses(), string(file[m.Sections[2].Body:m.Sections[2].End]), "they go with every copy")
	var rest []byte
	for _, s := range m.Sections[3:] {
		assert.False(t, s.Custom(), s.Name)
		rest = append(rest, file[s.Start:s.End]...)
	}
	bare, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	require.NoError(t, err)
	assert.Equal(t, uint32(1152>>6), uint32(bare.Memories[0].Min), "what the message about little memory says")
	var want []byte
	for _, s := range bare.Sections {
		if !s.Custom() {
			want = append(want, engine.Module()[s.Start:s.End]...)
		}
	}
	assert.True(t, string(want) == string(rest), "the engine is not changed")

	sections, _ := m.CustomSection(abi.ManifestSection)
	manifest, err := abi.DecodeManifest(sections[0])
	require.NoError(t, err)
	assert.Equal(t, []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: "a", Priority: 2, Needs: []abi.ContextField{"prompt"}}},
		manifest.Contributions)
	sections, _ = m.CustomSection(abi.BundleSection)
	b, err := abi.DecodeBundle(sections[0])
	require.NoError(t, err)
	assert.Contains(t, b.Map, `"index.ts"`)
	assert.NotContains(t, b.Map, "sourcesContent")
}

func TestJavaScriptBuildErrors(t *testing.T) {
	h := newJSHost(t)
	const toml = "id = \"a\"\nversion = \"1\"\n"
	const head = `import { registerDeveloperMessageContribution as c, registerSystemPromptPayloadAdapter as a, registerPayloadAdapter as e } from "pintle";` + "\n"
	for source, want := range map[string]string{
		`import "fs"`:                                        "index.ts:1:8: fs: a guest has no files",
		`export {}`:                                          "index.ts registers nothing when it is loaded",
		head + `c({ id: " \t", content: "" })`:               "A developer message contribution needs an id",
		head + `a({ provider: "" })`:                         "A system prompt payload adapter needs a provider",
		head + `e({ id: undefined })`:                        "A payload adapter needs an id",
		head + `c({ id: "x" })`:                              `contribution "x": content is neither a text nor a function`,
		head + `c({ id: "x", content: "", priority: NaN })`:  `contribution "x": priority is not a finite number`,
		head + `c({ id: "x", content: "", providers: "p" })`: `contribution "x": providers is not a list of texts`,
		head + `c({ id: "x", providers: "p", activeTools: [1], priority: "high" })`: `Error: contribution "x": content is neither a text nor a function; priority is not a finite number; ` +
			"providers is not a list of texts; activeTools is not a list of texts\n    at <anonymous> (index.ts:2:1)",
		head + `a({ provider: "x", api: [1], model() {} })`:                                                           `readSystemPrompt is not a function; replaceSystemPrompt is not a function; model is a function; `,
		head + `e({ id: "x", apis: "y" })`:                                                                            `adapter "x": edit is not a function; view is not a list; write is not a list; apis is not a list of texts`,
		head + `a({ provider: "x", readSystemPrompt() {} })`:                                                          `adapter "x": replaceSystemPrompt is not a function`,
		head + `a({ provider: "x", api: ["y"], model: () => true, readSystemPrompt() {}, replaceSystemPrompt() {} })`: `adapter "x:y": model is a function; a manifest needs names`,
		head + `e({ id: "x", view: [], write: [], edit() {} })`:                                                       `adapter "x": names neither providers nor apis`,
		head + `e({ id: "x", apis: ["y"], edit() {}, write: [["a"]] })`:                                               `adapter "x": view is not a list`,
		head + `e({ id: "x", apis: ["y"], view: [{ path: ["a"], cut: 1 }], write: [["a"]], edit() {} })`:              `unknown field "cut"`,
		head + "\nfunction start() { throw new Error(\"not today\") }\nstart();":                                      "not today",
		head + "export default async () => { await null; throw new Error(\"too late\") }":                             "too late",
		head + "export default (pi) => pi.on(\"session_start\", () => {});":                                           "pi.on: a guest cannot reach the host",
		head + "fetch(\"http://localhost\");":                                                                         "a guest has no ",
	} {
		_, _, err := h.build(t, jsFolder(t, map[string]string{"index.ts": source, "pintle.toml": toml}))
		require.Error(t, err, source)
		assert.Contains(t, err.Error(), want, source)
	}
	// A fault of the author's at the top has its place.
	_, _, err := h.build(t, jsFolder(t, map[string]string{"src/index.ts": head + "\nfunction start() { throw new Error(\"x\") }\nstart();", "pintle.toml": toml}))
	require.ErrorContains(t, err, "the code fails while it is loaded: Error: x\n    at start (src/index.ts:3:")

	_, _, err = h.build(t, jsFolder(t, map[string]string{"index.js": head + "\nc({ id: \"x\" });", "pintle.toml": toml}))
	require.ErrorContains(t, err, "Error: contribution \"x\": content is neither a text nor a function\n    at <anonymous> (index.js:3:")
	assert.NotContains(t, err.Error(), "guest.js")

	_, _, err = h.build(t, jsFolder(t, map[string]string{"index.js": head + `c({ id: "x", content: "" })`, "pintle.toml": toml + "[limits]\nmemory = \"1MiB\""}))
	require.ErrorContains(t, err, "limits.memory: 1024 KiB are asked for, and the JavaScript engine alone starts with 1152 KiB")

	_, warnings, err := h.build(t, jsFolder(t, map[string]string{"index.js": head + `c({ id: "x", content: "" }); c({ id: "x", content: (c) => c.prompt });`, "pintle.toml": toml}))
	require.NoError(t, err)
	assert.Len(t, warnings, 2, "registered twice, and without needs")

	_, _, err = h.build(t, jsFolder(t, map[string]string{"index.js": head + `c({ id: "x", content: "" })`}))
	var input *guestbuild.InputError
	require.ErrorAs(t, err, &input)
	require.ErrorIs(t, err, fs.ErrNotExist)
	assert.Contains(t, err.Error(), "has no pintle.toml, which names what the guest offers")
	assert.Contains(t, err.Error(), "version = \"0.1.0\"")

	_, _, err = h.build(t, jsFolder(t, map[string]string{"package.json": "{}", "pintle.toml": toml}))
	require.ErrorAs(t, err, &input)
	assert.Contains(t, err.Error(), "nothing to begin with: write index.ts or src/index.ts")
}
