package quickjs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseStack(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil,
		"    at f (guest.js:1:24)\n    at map (native)\n    at <eval> (guest.js:3:1)\n": {
			"f (guest.js:1:24)", "map (native)", "top level (guest.js:3:1)"},
		"    at guest.js:1:9\n":                      {"anonymous (guest.js:1:9)"},
		"at get x (a b.js:1)":                        {"get x (a b.js:1)"},
		"at <anonymous> (guest.js:2:3)":              {"<anonymous> (guest.js:2:3)"},
		"at f (C:/x/y.js:4:5)":                       {"f (C:/x/y.js:4:5)"},
		"at f (y.js)":                                {"f (y.js)"},
		"at f (y.js:0:0)":                            {"f (y.js:0:0)"},
		"at f (y.js:99999999999999999999:1)":         {"f (y.js:99999999999999999999:1)"},
		"no frame\nat  (native)\nat (x:1:1) (y:2:2)": {"anonymous (native)", "(x:1:1) (y:2:2)"},
		"at \x1b[31m\u2028\xff (y:2:2)":              {"\uFFFD[31m\uFFFD\uFFFD (y:2:2)"},
	} {
		var got []string
		for _, f := range ParseStack(text) {
			got = append(got, f.String())
		}
		assert.Equal(t, want, got, text)
	}
}

func TestStacksAreBounded(t *testing.T) {
	frames := ParseStack(strings.Repeat("at "+strings.Repeat("é", 1000)+" (x:1:1)\n", 1000))
	assert.True(t, len(frames) == maxFrames)
	text := frames[0].String()
	assert.Less(t, len(text), 2*maxName)
	assert.NotContains(t, text, "\uFFFD\uFFFD")
}

func TestHints(t *testing.T) {
	for reason, want := range map[string]string{
		"ReferenceError: process is not defined":             "ReferenceError: process is not defined: a guest has no process: settings come by the capability `config`",
		"ReferenceError: fetch is not defined: caused by: x": "a guest has no network",
		"ReferenceError: fs is not defined":                  "ReferenceError: fs is not defined: a guest has no files",
		`Error: Dynamic require of "fs" is not supported`:    `"fs" is not supported: a guest has no modules at run time: import what it needs`,
		"ReferenceError: could not load module 'fs'":         "'fs': a guest has no modules at run time: import what it needs",
		"ReferenceError: kv is not defined":                  `ReferenceError: kv is not defined: a guest imports it from "pintle"`,
		"ReferenceError: mine is not defined":                "ReferenceError: mine is not defined",
		"TypeError: fetch is not defined":                    "TypeError: fetch is not defined",
		"ReferenceError: ":                                   "ReferenceError: ",
	} {
		assert.Contains(t, withHint(reason), want)
	}
	for name, hint := range missing {
		assert.Contains(t, hint, "a guest ", name)
	}
}
