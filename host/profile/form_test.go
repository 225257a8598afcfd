package profile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

const small = `{
  "name": "reef",
  "paths": {"folder": ".reef",
    "config": [".reef/agent", ".reef"]},
  "tools": {
    "rules": [
      {"tool": "cat", "provider": ["see"],
        "aliases": [["filePath", "path"]]}
    ]
  }
}`

// An error says where in the table it is, what was expected there, and what else there is.
func TestFormOfTables(t *testing.T) {
	_, err := profile.Parse([]byte(small))
	require.NoError(t, err)
	for _, c := range []struct{ old, replacement, complaint string }{
		{`"tools"`, `"toolz"`, `host profile: line 5: unknown key "toolz" (did you mean "tools"?), use one of ["name" "package" "probe" "answer" `},
		{`"tools"`, `"Tools"`, `line 5: unknown key "Tools" (did you mean "tools"?)`},
		{`"provider"`, `"x"`, `line 7: tools.rules[0]: unknown key "x", use one of ["tool" "provider" "aliases" "drop" "hide" "schema" "call" "history"]`},
		{`"aliases"`, `"alias"`, `line 8: tools.rules[0]: unknown key "alias" (did you mean "aliases"?)`},
		{`"config"`, `"folder"`, `line 4: paths: key "folder" is there twice`},
		{`["see"]`, `"see"`, `line 7: tools.rules[0].provider: expected a list of strings, not "see"`},
		{`["see"]`, `[1]`, `line 7: tools.rules[0].provider[0]: expected a string, not 1`},
		{`["see"]`, `null`, `line 7: tools.rules[0].provider: expected a list of strings, not null`},
		{`[["filePath", "path"]]`, `["filePath", "path"]`, `line 8: tools.rules[0].aliases[0]: expected a pair [provider's key, host's key], not "filePath"`},
		{`["filePath", "path"]`, `["filePath"]`, `line 8: tools.rules[0].aliases[0]: expected a pair [provider's key, host's key], not ["filePath"]`},
		{`["filePath", "path"]`, `["filePath", "path", "x"]`, `expected a pair [provider's key, host's key], not ["filePath", "path", "x"]`},
		{`["filePath", "path"]`, `["filePath", 7]`, `line 8: tools.rules[0].aliases[0][1]: expected a string, not 7`},
		{`[["filePath", "path"]]`, `{}`, `tools.rules[0].aliases: expected a list of pairs [provider's key, host's key], not {}`},
		{`"tools"`, `"answer": {"images": 1}, "tools"`, `line 5: answer.images: expected true or false, not 1`},
		{`"rules": [`, `"rules": [[],`, `line 6: tools.rules[0]: expected an object, not []`},
		{`"rules": [`, `"subagent": 1, "rules": [`, `line 6: tools.subagent: expected an object, not 1`},
		{`"rules": [`, `"rules": {}, "x": [`, `line 6: tools.rules: expected a list of objects, not {}`},
		{`"reef"`, `"` + strings.Repeat("é", 99) + `"`, `line 2: name: must be`},
		{`"reef"`, `[` + strings.Repeat("1,", 99) + `1]`, `line 2: name: expected a string, not [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1...`},
		{`"see"]`, `"see",]`, `line 7: not JSON: unexpected ']'`},
		{`"reef",`, `"reef"`, `line 3: not JSON: unexpected '"'`},
	} {
		_, err := profile.Parse([]byte(strings.Replace(small, c.old, c.replacement, 1)))
		assert.ErrorContains(t, err, c.complaint, c.replacement)
	}
	for table, complaint := range map[string]string{
		"":                                   "line 1: not JSON: it ends too early",
		small[:len(small)-2]:                 "line 10: not JSON: it ends too early",
		small + "\n\n{}":                     "line 13: not JSON: unexpected '{'",
		"[]":                                 "line 1: expected an object, not []",
		"\n null":                            "line 2: expected an object, not null",
		"\uFEFF" + small:                     `line 1: not JSON: unexpected '\ufeff'`,
		"{\n}":                               `line 1: name: must be a lower-case letter`,
		`{"name":"reef"}`:                    `line 1: paths.folder: expected a folder`,
		"{\"name\":\"reef\",\n\"paths\":{}}": `line 2: paths.folder: expected a folder`,
	} {
		_, err := profile.Parse([]byte(table))
		assert.ErrorContains(t, err, complaint, "%.20q", table)
		assert.NotContains(t, err.Error(), "Go ")
	}
}

func TestFoldersOfTables(t *testing.T) {
	for folder, ok := range map[string]bool{
		".reef": true, ".config/reef": true, "reef": true, "..reef": true, "my reef": true,
		"": false, ".": false, "..": false, "/etc/../x": false, "/etc": false, "../x": false, "a/../b": false, "a/..": false,
		"./a": false, "a/": false, "a//b": false, `a\b`: false, `..\\x`: false, "C:/x": false, "C:x": false, "~/x": false, "a\u0000b": false,
	} {
		quoted := strings.NewReplacer(`\`, `\\`, "\x00", `\u0000`).Replace(folder)
		for place, table := range map[string]string{
			"line 3: paths.folder:":    `"folder": ".reef"`,
			"line 4: paths.config[1]:": `".reef"]`,
		} {
			_, err := profile.Parse([]byte(strings.Replace(small, table, strings.Replace(table, ".reef", quoted, 1), 1)))
			if ok {
				assert.NoError(t, err, "%q", folder)
			} else {
				assert.ErrorContains(t, err, place+" expected a folder", "%q", folder)
			}
		}
	}
}

// Whatever a table is, it is a host or there is a line to look at.
func FuzzParse(f *testing.F) {
	for _, table := range []string{small, reef, "", `{"name":[`, `{"tools":{"rules":[{"aliases":[["",""]]}]}}`} {
		f.Add([]byte(table))
	}
	f.Fuzz(func(t *testing.T, table []byte) {
		p, err := profile.Parse(table)
		if err != nil {
			require.Regexp(t, `^host profile: line [1-9][0-9]*: `, err.Error())
			return
		}
		tools := p.Bind([]profile.Tool{{Name: "cat"}}, profile.Options{})
		for _, d := range tools.Catalog() {
			require.NotEmpty(t, d.InputSchema)
		}
	})
}
