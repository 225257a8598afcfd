package profile

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A rule is accepted if its call and its history give back what a provider sends, and refused otherwise.
func TestPartners(t *testing.T) {
	const (
		ofFiles    = `["filePath","path"],["oldString","old"],["newString","new"],["replaceAll","all"]`
		ofSearches = `["workdir","cwd"],["include","g"]`
	)
	sent := map[string]string{
		"":        `{"filePath":"a","include":"x"}`,
		"read":    `{"filePath":"a","offset":3,"limit":2}`,
		"write":   `{"filePath":"a","content":"x"}`,
		"edit":    `{"filePath":"a","oldString":"x","newString":"y"}`,
		"replace": `{"filePath":"a","oldString":"x","newString":"y","replaceAll":true}`,
		"shell":   `{"command":"ls","timeout":5000,"workdir":"/w"}`,
		"glob":    `{"pattern":"*.go","path":"src"}`,
		"grep":    `{"pattern":"x","path":"src","include":"*.go"}`,
		"aliases": `{"pattern":"x","path":"src","include":"*.go"}`,
	}
	for schema, arguments := range sent {
		for _, call := range append(shapesOf(callShapes), "") {
			for _, history := range append(shapesOf(historyShapes), "") {
				if call == todoShape || history == todoShape {
					continue
				}
				aliases := ofFiles
				if schema == "shell" || schema == "glob" || schema == "grep" || schema == "aliases" {
					aliases = ofSearches
				}
				rule := fmt.Sprintf(`{"tool":"t","provider":["q"],"aliases":[%s],"schema":%q,"call":%q,"history":%q}`,
					aliases, schema, call, history)
				p, err := Parse(withRules(rule))
				if !slices.Contains(partnersOf[schema], pair{call, history}) {
					assert.Error(t, err, rule)
					continue
				}
				require.NoError(t, err, rule)
				if schema == "" || history == "" {
					continue // the host's own keys are shown
				}
				tools := p.Bind([]Tool{{Name: "t"}}, Options{})
				host := tools.ToHost(Call{"q", json.RawMessage(arguments)}, nil).Calls[0]
				assert.JSONEq(t, arguments, string(tools.ToProvider(host).Arguments), rule)
			}
		}
	}
}

func TestShapesThatDoNotGoTogether(t *testing.T) {
	for rule, complaint := range map[string]string{
		`"schema":"shell","history":"shell","aliases":[["workdir","cwd"]]`: `line 1: tools.rules[0]: schema "shell" does not go with ` +
			`history "shell", as arguments would get lost or change; it goes with history "aliases", or call and history "shell"`,
		`"schema":"read","aliases":[["filePath","path"]]`: `schema "read" does not go with no call and no history`,
		`"schema":"read","history":"selector","aliases":[["filePath","path"]]`: `it goes with history "read", or history "aliases", ` +
			`or call and history "selector"`,
		`"schema":"grep","call":"glob","history":"grep","aliases":[["include","g"]]`: `does not go with call "glob" and history "grep"`,
		`"call":"shell","aliases":[["workdir","cwd"]]`:                               `no schema does not go with call "shell"`,
	} {
		_, err := Parse(withRules(`{"tool":"x",` + rule + `}`))
		assert.ErrorContains(t, err, complaint, rule)
	}
}
