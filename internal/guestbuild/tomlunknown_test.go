package guestbuild_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

func TestUnknownKeys(t *testing.T) {
	const head = "id = \"a\"\nversion = \"1\"\n"
	for text, want := range map[string]string{
		// Slips.
		head + "[[contribution]]\nid = \"c\"":                                                "line 3, column 3: unknown key contribution: did you mean contributions?",
		head + "[[contribution]]\nid = \"c\"\npriority = 1":                                  "line 3, column 3: unknown key contribution: did you mean contributions?",
		head + "contribution = []":                                                           "line 3, column 1: unknown key contribution: did you mean contributions?",
		head + "[limit]\ntime = \"1s\"":                                                      "line 3, column 2: unknown key limit: did you mean limits?",
		head + "[[contributions]]\nid = \"c\"\nactivetools=[]":                               "line 5, column 1: unknown key contributions.activetools: did you mean activeTools?",
		head + "[[contributions]]\nid = \"c\"\nprio = 1":                                     "line 5, column 1: unknown key contributions.prio: did you mean priority?",
		head + "[[adapters]]\n[[adapters.views]]\npath = []":                                 "line 4, column 12: unknown key adapters.views: did you mean view?",
		head + "[[adapters]]\n[[adapters.view]]\nclipp = 1":                                  "line 5, column 1: unknown key adapters.view.clipp: did you mean clip?",
		head + "Description = \"\"":                                                          "line 3, column 1: unknown key Description: did you mean description?",
		head + "limits = {\n  \"tim\\u0065\" = \"1s\",\n  # of what?\n  Fuel = 1\n}":         "line 6, column 3: unknown key limits.Fuel: did you mean fuel?",
		head + "limits.Time = \"1s\"":                                                        "line 3, column 8: unknown key limits.Time: did you mean time?",
		head + "[[adapters]]\nview = [{path = []},\n  {path = [], where = [{mem = \"x\"}]}]": "line 5, column 25: unknown key adapters.view.where.mem: did you mean member?",
		// The right word at the wrong place.
		head + "needs = []":                                  "line 3, column 1: unknown key needs: it belongs into [[contributions]]",
		head + "memory = \"1MiB\"":                           "line 3, column 1: unknown key memory: it belongs into [limits]",
		head + "providers = []":                              "line 3, column 1: unknown key providers: it belongs into [[contributions]] or [[adapters]]",
		head + "[[contributions]]\nid = \"c\"\nstate = \"\"": "line 5, column 1: unknown key contributions.state: it belongs into the top of the file, in front of the first table",
		// What is like nothing.
		head + "[limits]\ncups = 12": "line 4, column 1: unknown key limits.cups: known: memory, time, answer, log, fuel",
		// Several.
		head + "x = 1\n[limits]\ntimes = \"1s\"": "line 3, column 1: unknown key x: known: id, version, description, state, requires, uses, contributions, adapters, capabilities, limits\n" +
			"line 5, column 1: unknown key limits.times: did you mean time?",
		// Below what is no table the decoder tells; so it does of what is no TOML.
		head + "id.x = 1":       "line 3",
		head + "Id = \"\"\nx =": "line 4",
	} {
		_, err := guestbuild.ParseManifest([]byte(text))
		if strings.Contains(want, "unknown") {
			assert.EqualError(t, err, want, text)
		} else {
			assert.ErrorContains(t, err, want, text)
		}
	}
}

// A table inside of one that is not begun is told as the decoder would not, and of many faults the first 20.
func TestTablesThatAreNotBegun(t *testing.T) {
	_, err := guestbuild.ParseManifest([]byte("id = \"a\"\nversion = \"1\"\n[[adapters.view]]\npath = []"))
	assert.EqualError(t, err, "line 3, column 3: adapters is a list of tables: write [[adapters]] in front of each")
	_, err = guestbuild.ParseManifest([]byte(strings.Repeat("x = 1\n", 30)))
	assert.Equal(t, 20, strings.Count(err.Error(), "unknown key x"))
}
