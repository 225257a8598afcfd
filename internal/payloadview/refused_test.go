package payloadview

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
)

func TestRefusedEdits(t *testing.T) {
	const doc = `{"input":[{"r":"s","k":[1]},"x"],"system":"p","o":{},"twice":{"a":{},"a":2}}`
	const view, write = `[{"path":["input",true],"where":[{"member":"r","equals":"s"}]}]`, `[["input"],["system"],["config"],["twice"],["o",true]]`
	long := `["input"` + strings.Repeat(`,0`, 64) + `]`
	for edits, say := range map[string]string{
		`[{"op":"set","at":["o"],"value":1}]`:                                                                                "messages: edit 0 at [\"o\"]: the manifest has no write path that leads there",
		`[{"op":"set","at":["o","a"],"value":1}]`:                                                                            "no write path",
		`[{"op":"set","at":["other"],"value":1}]`:                                                                            "no write path",
		`[{"op":"set","at":[],"value":1}]`:                                                                                   "no address",
		`[{"op":"set","at":[0],"value":1}]`:                                                                                  "no write path",
		`[{"op":"set","at":` + long + `,"value":1}]`:                                                                         "65 steps, at most 64",
		`[{"op":"set","at":["input",2],"value":1}]`:                                                                          "no such place",
		`[{"op":"set","at":["input",5],"value":1}]`:                                                                          "no such place",
		`[{"op":"insert","at":["input",3],"value":1}]`:                                                                       "no such place",
		`[{"op":"insert","at":["input"],"value":1}]`:                                                                         "the last step is an index",
		`[{"op":"insert","at":["system",0],"value":1}]`:                                                                      "no such place",
		`[{"op":"set","at":["input",1,"a"],"value":1}]`:                                                                      "no such place",
		`[{"op":"set","at":["input","a"],"value":1}]`:                                                                        "no such place",
		`[{"op":"set","at":["input",0,0],"value":1}]`:                                                                        "no such place",
		`[{"op":"set","at":["input",0,"k",1],"value":1}]`:                                                                    "no such place",
		`[{"op":"set","at":["input",0,"z","z"],"value":1}]`:                                                                  "no such place",
		`[{"op":"set","at":["config","z"],"value":1}]`:                                                                       "no such place",
		`[{"op":"remove","at":["input",2]}]`:                                                                                 "no such place",
		`[{"op":"remove","at":["config"]}]`:                                                                                  "no such place",
		`[{"op":"remove","at":["system"],"value":1}]`:                                                                        "it removes something and has a value",
		`[{"op":"set","at":["system"]}]`:                                                                                     "not one JSON text",
		`[{"op":"move","at":["system"],"value":1}]`:                                                                          `the operation "move" is unknown`,
		`[{"op":"set","at":["twice","a","z"],"value":1}]`:                                                                    `has the member "a" twice`,
		`[{"op":"append","at":["system"],"value":1}]`:                                                                        "messages: edit 0 at [\"system\"]: text can be appended to strings only",
		`[{"op":"append","at":["input",0],"value":"a"}]`:                                                                     "to strings only",
		`[{"op":"append","at":["input",0,"n"],"value":"a"}]`:                                                                 "no such place",
		`[{"op":"append","at":["config"],"value":"a"}]`:                                                                      "no such place",
		`[{"op":"set","at":["config"],"value":"a"},{"op":"append","at":["config"],"value":"a"}]`:                             "no such place",
		`[{"op":"append","at":["system"],"value":"a"},{"op":"set","at":["system"],"value":1}]`:                               "to strings only",
		`[{"op":"append","at":["system"],"value":"a"},{"op":"remove","at":["system"]}]`:                                      "another edit",
		`[{"op":"append","at":["input",1],"value":"a"},{"op":"remove","at":["input",1]}]`:                                    "another edit",
		`[{"op":"append","at":["input",0,"r"],"value":"a"},{"op":"set","at":["input",0],"value":"b"}]`:                       "another edit",
		`[{"op":"set","at":["twice","a"],"value":1}]`:                                                                        `has the member "a" twice`,
		`[{"op":"set","at":["system"],"value":1},{"op":"set","at":["system"],"value":1}]`:                                    `messages: edit 1 at ["system"]: another edit sets or removes ["system"]`,
		`[{"op":"remove","at":["system"]},{"op":"set","at":["system"],"value":1}]`:                                           "another edit",
		`[{"op":"set","at":["input",0,"r"],"value":1},{"op":"remove","at":["input",0]}]`:                                     `edit 0 at ["input",0,"r"]: another edit sets or removes ["input",0]`,
		`[{"op":"set","at":["input"],"value":[]},{"op":"insert","at":["input",0],"value":1}]`:                                "another edit",
		`[{"op":"remove","at":["input",0]},{"op":"insert","at":["input",0],"value":1},{"op":"remove","at":["input",0]}]`:     "another edit",
		`[{"op":"set","at":["config"],"value":{}},{"op":"set","at":["config","z"],"value":1}]`:                               "another edit",
		`[{"op":"remove","at":["input",0]},{"op":"insert","at":["input",0],"value":1},{"op":"remove","at":["input",0,"k"]}]`: "another edit",
	} {
		list, err := editsOf(edits)
		require.NoError(t, err)
		v, err := scanned(t, view, write, doc)
		require.NoError(t, err)
		p, err := v.Plan(answerOf(nil, list))
		var refused *EditError
		require.ErrorAs(t, err, &refused, edits)
		assert.Nil(t, p)
		assert.ErrorContains(t, err, say, edits)
	}
}

// Prompt and messages are looked at together, whether or not the prompt is going to be replaced.
func TestConflictBetweenGroups(t *testing.T) {
	v, err := scanned(t, `[{"path":["a"]}]`, `[["a"]]`, `{"a":[1,2]}`)
	require.NoError(t, err)
	edit := func(op adaptersv2.Op, value string, at ...any) adaptersv2.Edit {
		return adaptersv2.Edit{Op: op, At: addressOf(at), Value: adaptersv2.JSON(value)}
	}
	_, err = v.Plan(answerOf([]adaptersv2.Edit{edit("set", "1", "a")}, []adaptersv2.Edit{edit("set", "1", "a", 0.0)}))
	assert.ErrorContains(t, err, "another edit sets or removes")
	_, err = v.Plan(answerOf([]adaptersv2.Edit{edit("set", "1")}, nil))
	assert.EqualError(t, err, "prompt: edit 0 at []: it has no address")
	p, err := v.Plan(answerOf([]adaptersv2.Edit{edit("insert", "8", "a", 1.0)}, []adaptersv2.Edit{edit("insert", "9", "a", 1.0)}))
	require.NoError(t, err)
	assert.Equal(t, `{"a":[1,8,9,2]}`, string(whole(p.Pieces(PromptPart|MessagesPart))), "the prompt's go first")
	assert.Equal(t, `{"a":[1,9,2]}`, string(whole(p.Pieces(MessagesPart))))
	assert.Equal(t, `{"a":[1,8,2]}`, string(whole(p.Pieces(PromptPart))))
}

func TestBoundsOfAnswers(t *testing.T) {
	v, err := scanned(t, `[{"path":["a"]}]`, `[["a"]]`, `{"a":[]}`)
	require.NoError(t, err)
	many := slices.Repeat([]adaptersv2.Edit{{Op: adaptersv2.OpInsert, At: addressOf([]any{"a", 0.0}), Value: adaptersv2.JSON("1")}}, 1_024)
	p, err := v.Plan(answerOf(many[:24], many[:1_000]))
	require.NoError(t, err)
	assert.Equal(t, `{"a":[`+strings.Repeat("1,", 1_023)+`1]}`, string(whole(p.Pieces(PromptPart|MessagesPart))))
	_, err = v.Plan(answerOf(many[:25], many[:1_000]))
	assert.EqualError(t, err, "edits: there are more than 1024")

	big := func(n int) []adaptersv2.Edit {
		value := adaptersv2.JSON(`"` + strings.Repeat("x", n/2-2) + `"`)
		return []adaptersv2.Edit{{Op: adaptersv2.OpInsert, At: addressOf([]any{"a", 0.0}), Value: value}}
	}
	_, err = v.Plan(answerOf(big(1<<20), big(1<<20)))
	assert.NoError(t, err)
	_, err = v.Plan(answerOf(big(1<<20), big(1<<20+2)))
	assert.ErrorContains(t, err, "1048577 bytes together, at most 1048576")
}
