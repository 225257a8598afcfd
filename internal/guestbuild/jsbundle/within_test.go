package jsbundle_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
)

// What is on the author's disk gets into no bundle, whoever asks for it.
func TestBundleReadsWhatIsMeantForIt(t *testing.T) {
	const (
		outside = "it is outside of the guest's folder"
		notNPM  = "code in node_modules may not import what is outside of node_modules"
	)
	top := folder(t, map[string]string{
		"secret/config.json":            `{"token": "a secret"}`,
		"secret/n.txt":                  "a secret",
		"node_modules/above/index.js":   `export default "above"; import "beside";`,
		"node_modules/beside/index.js":  `export default "beside";`,
		"node_modules/up/index.js":      `import "../../secret/n.txt";`,
		"elsewhere/node_modules/x/i.js": `export default "a secret";`,
	})
	absolute := func(path string) string { return filepath.ToSlash(filepath.Join(top, path)) }
	for source, want := range map[string]string{
		`import "above"; import "beside"; import "./own"; import "./deep/own.ts"; import "./data.json"; import "linked";`: "",
		`import "../secret/config.json"`:                 "index.ts:1:8: ../secret/config.json: " + outside,
		`import "` + absolute("secret/n.txt") + `"`:      absolute("secret/n.txt") + ": " + outside,
		`import "./link.txt"`:                            "index.ts:1:8: " + absolute("secret/n.txt") + ": " + outside,
		`import "./folder/n.txt"`:                        absolute("secret/n.txt") + ": " + outside,
		`import "../elsewhere/node_modules/x/i.js"`:      outside,
		`const x = () => import("../secret/n.txt"); x()`: outside,
		`import "evil"`:                                  "node_modules/evil/index.js:1:15: ../../../secret/config.json: " + outside,
		`import "evil/absolute"`:                         outside,
		`import "evil/own"`:                              "../../data.json: " + notNPM,
		`import "evil/nested"`:                           notNPM,
		`import "mapped"`:                                "mapped/index.js:1:8: " + absolute("secret/n.txt") + ": " + outside,
		`import "mine"`:                                  "node_modules/mine/index.js: anything: " + notNPM,
		`import "up"`:                                    "../../secret/n.txt: " + outside,
		`import "./a.css"`:                               "index.ts:1:8: ./a.css: a guest has no style sheets",
		`import "evil/style"`:                            "a guest has no style sheets",
		`import x from "https://cdn.example/x.js"; console.log(x);`: "index.ts:1:15: https://cdn.example/x.js: a guest has no network",
		`import("//cdn.example/x.js")`:                              "a guest has no network",
	} {
		dir := folder(t, map[string]string{
			"index.ts": source, "own.ts": "", "deep/own.ts": `import "../own"; import "above";`, "data.json": "[]", "a.css": "throw 1",
			"node_modules/evil/index.js":                     `import s from "../../../secret/config.json"; console.log(s);`,
			"node_modules/evil/absolute.js":                  `import "` + absolute("secret/n.txt") + `";`,
			"node_modules/evil/own.js":                       `import s from "../../data.json"; console.log(s);`,
			"node_modules/evil/nested.js":                    `import "inner";`,
			"node_modules/evil/node_modules/inner/index.js":  `import "../../../../own.ts";`,
			"node_modules/evil/style.js":                     `import "./a.css";`,
			"node_modules/evil/a.css":                        `a {}`,
			"node_modules/mapped/index.js":                   `import "anything";`,
			"node_modules/mapped/package.json":               `{"browser": {"anything": "../../../secret/n.txt"}}`,
			"node_modules/mine/index.js":                     `import "anything";`,
			"node_modules/mine/package.json":                 `{"browser": {"anything": "../../data.json"}}`,
			"node_modules/.store/linked@1/linked/index.js":   `console.log("linked"); import "friend";`,
			"node_modules/.store/linked@1/linked/friend.mjs": ``,
			"node_modules/friend/index.js":                   ``,
		})
		guest := filepath.Join(top, "guest")
		require.NoError(t, os.RemoveAll(guest))
		require.NoError(t, os.Rename(dir, guest))
		for from, to := range map[string]string{
			"link.txt": "../secret/n.txt", "folder": "../secret", "node_modules/linked": ".store/linked@1/linked",
		} {
			require.NoError(t, os.Symlink(to, filepath.Join(guest, filepath.FromSlash(from))))
		}
		s, err := jsbundle.Bundle(t.Context(), guest, "index.ts", jsbundle.Asks{})
		if want == "" {
			require.NoError(t, err, source)
			assert.Contains(t, s.Code, "linked")
			continue
		}
		var faults *jsbundle.SourceError
		require.ErrorAs(t, err, &faults, source)
		assert.Contains(t, err.Error(), want, source)
	}
	_, err := jsbundle.Bundle(t.Context(), filepath.Join(top, "guest"), "../secret/n.txt", jsbundle.Asks{})
	require.ErrorContains(t, err, outside, "nor as the entry")
}

// Packages of one workspace share their code.
func TestBundleOfAWorkspace(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"npm":  {"package.json": `{"workspaces": ["packages/*"]}`},
		"pnpm": {"pnpm-workspace.yaml": "packages: []"},
		"none": {"package.json": `{}`},
	} {
		files["packages/guest/index.ts"] = `import "kit"; import "../kit/more";`
		files["packages/kit/index.ts"] = `console.log("kit"); import "./more";`
		files["packages/kit/more.ts"] = `console.log("more");`
		files["node_modules/x/index.js"] = ``
		top := folder(t, files)
		require.NoError(t, os.Symlink("../packages/kit", filepath.Join(top, "node_modules", "kit")))
		s, err := jsbundle.Bundle(t.Context(), filepath.Join(top, "packages", "guest"), "index.ts", jsbundle.Asks{})
		if name == "none" {
			require.ErrorContains(t, err, "it is outside of the guest's folder", name)
			continue
		}
		require.NoError(t, err, name)
		assert.Contains(t, s.Code, `"kit"`)
		assert.Contains(t, s.Code, `"more"`)
	}
}
