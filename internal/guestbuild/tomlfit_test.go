package guestbuild_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

const smallest = "id = \"a\"\nversion = \"1\"\n[[contributions]]\nid = \"c\"\n"

func TestValuesThatDoNotFit(t *testing.T) {
	for text, want := range map[string]string{
		"version = 1.0":                      `line 1, column 11: version wants a text: version = "1.0"`,
		"id = ['a']":                         `line 1, column 1: id wants a text: id = "…"`,
		"uses = 1.5":                         `line 1, column 8: uses wants a whole number: uses = 1000`,
		"id.x = 1":                           `line 1, column 1: id is no table, it wants a text: id = "…"`,
		"[version]":                          `line 1, column 2: version is no table, it wants a text: version = "…"`,
		"limits = 5":                         `line 1, column 10: limits wants a table: write [limits], and its keys below`,
		"[[limits]]":                         `line 1, column 3: limits is one table: write [limits]`,
		"limits = {memory = true}":           `line 1, column 20: limits.memory wants a size: memory = "16MiB"`,
		"limits = {time = 1.5}":              `line 1, column 18: limits.time wants a time: time = "200ms"`,
		smallest + "needs = \"prompt\"":      `line 5, column 9: contributions.needs wants a list of texts: needs = ["prompt"]`,
		smallest + "needs = {}":              `line 5, column 9: contributions.needs wants a list of texts: needs = ["…", "…"]`,
		smallest + "needs = [\n\"ü\", 1]":    `line 6, column 6: contributions.needs wants a list of texts, and this is a whole number`,
		smallest + "[contributions.needs]":   `line 5, column 2: contributions.needs is no table, it wants a list of texts: needs = ["…", "…"]`,
		smallest + "providers = 1979-05-27":  `line 5, column 13: contributions.providers wants a list of texts: providers = ["1979-05-27"]`,
		smallest + "priority = true":         `line 5, column 12: contributions.priority wants a number: priority = 1.5`,
		"capabilities = [\"kv\"]":            `line 1, column 17: capabilities wants a list of tables, and this is a text`,
		"capabilities = \"kv\"":              `line 1, column 16: capabilities wants a list of tables: write [[capabilities]], and its keys below`,
		"[[adapters]]\nview = [[\"a\"]]":     `line 2, column 1: adapters.view wants a list of tables, and this is a list`,
		"[[adapters]]\nwrite = [\"a\"]":      `line 2, column 10: adapters.write wants a list of paths, and this is a text`,
		"[[adapters]]\nview = [{path = 1}]":  `line 2, column 17: adapters.view.path wants a list of texts and true: path = ["messages", true]`,
		"[[adapters]]\nview = [{clip = -1}]": `line 2, column 17: adapters.view.clip: -1 is negative`,
	} {
		_, err := guestbuild.ParseManifest([]byte(text))
		assert.EqualError(t, err, want, text)
	}
}

// What is TOML and no manifest is told with its place as well.
func TestFieldsThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "id: is missing",
		"id = \"\"\nversion = \"1\"\n":  `line 1, column 1: id: is empty`,
		"id = \"a\"\nversion = \"1\"\n": `it offers neither contributions nor adapters`,
		"id = \"a\"\nversion = \"1\"\n[[contributions]]\n":          `line 3, column 3: contributions.id: is missing`,
		smallest + "needs = [\"prompt\", \"promt\"]":                `line 5, column 20: contributions.needs: "promt" is unknown; did you mean prompt?`,
		smallest + "volatility = \"trun\"":                          `line 5, column 1: contributions.volatility: "trun" is unknown; did you mean turn?`,
		"state = \"sesion\"\n" + smallest:                           `line 1, column 1: state: "sesion" is unknown; did you mean session?`,
		smallest + smallest[len("id = \"a\"\nversion = 1\n"+"  "):]: `line 6, column 1: contributions.id: "c" is used twice`,
		smallest + "[[capabilities]]\nname = \"kv\"":                `line 5, column 3: capabilities.reason: is missing; say what the guest wants it for`,
		smallest + "[[adapters]]\nid = \"x\"":                       `line 5, column 3: adapters: names neither providers nor apis`,
		// Tables of a list begin anew in each table around it.
		"id = \"a\"\nversion = \"1\"\n" + strings.Repeat("[[adapters]]\ninterface = \"provider-payload-adapters/v2\"\nid = \"%s\"\napis = [\"p\"]\n"+
			"write = [[true]]\n[[adapters.view]]\npath = [true]\nclip = %d\n", 2): `line 18, column 1: adapters.view.clip: is 2000, at most 1024 is allowed`,
	} {
		if strings.Contains(text, "%d") {
			text = fmt.Sprintf(text, "x", 5, "y", 2000)
		}
		_, err := guestbuild.ParseManifest([]byte(text))
		assert.EqualError(t, err, want, text)
	}
}

func TestByteOrderMarkIsSkipped(t *testing.T) {
	m, err := guestbuild.ParseManifest([]byte("\ufeff" + smallest))
	require.NoError(t, err)
	assert.Equal(t, "a", m.ID)
	_, err = guestbuild.ParseManifest([]byte("\ufeffid = 1"))
	assert.ErrorContains(t, err, "line 1, column 6: ")
}

// built builds around a module, and returns what was warned of.
func built(t *testing.T, manifest, out string) (warnings []string, err error) {
	dir := t.TempDir()
	module := filepath.Join(dir, "raw")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pintle.toml"), []byte(manifest), 0o600))
	require.NoError(t, os.WriteFile(module, wasmtest.Says("x"), 0o600))
	if out != "" {
		out = filepath.Join(dir, out)
	}
	_, _, err = guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir, Module: module, Out: out,
		Warn: func(w string) { warnings = append(warnings, strings.TrimPrefix(w, dir+string(filepath.Separator))) }})
	return warnings, err
}

func TestBuildWarnsOfCapabilities(t *testing.T) {
	capability := func(rest string) string { return "[[capabilities]]\nreason = \"r\"\n" + rest + "\n" }
	for text, want := range map[string]string{
		capability("name = \"kv\""):                                  "",
		capability("name = \"config\"\nkeys = [\"a\"]"):              "",
		capability("name = \"confg\"\nkeys = [\"a\"]"):               `7:1: capabilities.name: no host of this version grants "confg"; did you mean config?`,
		capability("name = \"network\""):                             `7:1: capabilities.name: no host of this version grants "network"; it knows config, kv, clock, random, log`,
		capability("name = \"config\""):                              `5:3: capabilities: config without keys gives no value; list those that the guest reads: keys = ["tone"]`,
		capability("name = \"kv\"\nkeys = [\"a\"]"):                  `8:1: capabilities.keys: only config has keys; kv takes none`,
		capability("name = \"kv\"") + capability("name = \"kv\""):    `10:1: capabilities.name: "kv" is asked for twice`,
		capability("name = \"config\"\nkeys = [\"a\"]") + "[limits]": "",
	} {
		warnings, err := built(t, smallest+text, "")
		require.NoError(t, err, text)
		if want == "" {
			assert.Empty(t, warnings, text)
		} else {
			assert.Equal(t, []string{"pintle.toml:" + want}, warnings, text)
		}
	}
}

func TestBuildWantsEnoughMemory(t *testing.T) {
	_, err := built(t, smallest+"[limits]\nmemory = \"16KiB\"", "")
	input := (*guestbuild.InputError)(nil)
	require.ErrorAs(t, err, &input)
	assert.ErrorContains(t, err, "pintle.toml:6:1: limits.memory: 16 KiB are asked for, and the guest starts with 64 KiB; ask for more")
	_, err = built(t, smallest+"[limits]\nmemory = 16", "")
	assert.ErrorContains(t, err, "16 bytes are asked for")
}

func TestBuildWritesToAFile(t *testing.T) {
	for out, want := range map[string]string{
		".":           " is a folder; name the file to write, for example ",
		"none/a.wasm": "there is no folder ",
		"raw/a.wasm":  "there is no folder ",
	} {
		_, err := built(t, smallest, out)
		input := (*guestbuild.InputError)(nil)
		require.ErrorAs(t, err, &input, out)
		assert.ErrorContains(t, err, want)
	}
}

func TestBuildThatCannotBeWritten(t *testing.T) {
	out := strings.Repeat("x", 300)
	_, err := built(t, smallest, out)
	require.ErrorContains(t, err, out+" cannot be written: ")
	assert.ErrorContains(t, err, "; -o FILE writes another one")
	assert.NotContains(t, err.Error(), ".pintle-")
}

func TestBuildTakesAFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "Pintle.toml")
	require.NoError(t, os.WriteFile(file, []byte(smallest), 0o600))
	_, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: file})
	assert.EqualError(t, err, file+" is a file; name the folder of a guest, which has a pintle.toml")
	if _, same := os.Stat(filepath.Join(dir, "pintle.toml")); same != nil { // else the file system does not tell them apart
		_, _, err = guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir})
		assert.EqualError(t, err, dir+" has a file Pintle.toml, which has to be named pintle.toml")
	}
}
