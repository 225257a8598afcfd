package quickjs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
)

// rewriting answers form 4 to a payload.
func rewriting(payload []byte, limit int, edits string) (string, error) {
	r := reply{op: abi.ReplaceSystemPromptV1, payload: payload, limit: limit}
	out, err := r.fromJSON(nil, formRewrite, []byte(edits))
	if err != nil {
		return "", err
	}
	value, err := abi.DecodeAnswer(out)
	if err != nil || value == nil {
		return "nothing", err
	}
	body, err := abi.Bytes(value)
	return string(body), err
}

func TestRewrite(t *testing.T) {
	const payload = `{"system": "Be kind.", "n":1.0, "b":1e400,"list":[1, 2 ,3]}`
	for edits, want := range map[string]string{
		`[]`: "nothing",
		`[{"op":"set","at":["system"],"value":"\"Be brief.\""}]`:                         `{"system": "Be brief.", "n":1.0, "b":1e400,"list":[1, 2 ,3]}`,
		`[{"op":"remove","at":["list",1]},{"op":"insert","at":["list",1],"value":"{}"}]`: `{"system": "Be kind.", "n":1.0, "b":1e400,"list":[1,{},3]}`,
		`[{"op":"set","at":[],"value":" [1.0] "}]`:                                       `[1.0]`,
		`[{"op":"set","at":["new"],"value":"\"\\ud800\"","more":1}]`:                     `{"system": "Be kind.", "n":1.0, "b":1e400,"list":[1, 2 ,3],"new":"\ud800"}`,
	} {
		got, err := rewriting([]byte(payload), 1000, edits)
		require.NoError(t, err, edits)
		assert.Equal(t, want, got)
	}
	for edits, want := range map[string]string{
		`{}`:  "cannot be read: it has another type (object)",
		`[1]`: "cannot be read: it has another type (number)",
		`[{"op":"set","at":["system"],"value":1}]`:                                   `cannot be read: "value" has another type (number)`,
		`[{"op":"set","at":["system",-1],"value":"1"}]`:                              "a step of an address is a text or a number from 0",
		`[{"op":"set","at":["list",1.5],"value":"1"}]`:                               "a step of an address is a text or a number from 0",
		`[{"op":"set","at":["system"],"value":"x"}]`:                                 "its value is not one JSON text",
		`[{"op":"set","at":["system"]}]`:                                             "its value is not one JSON text",
		`[{"op":"set","at":[],"value":"x"}]`:                                         "the new document is not one JSON text",
		`[{"op":"set","at":[]}]`:                                                     "the new document is not one JSON text",
		`[{"op":"set","at":[],"value":"1"},{"op":"remove","at":["n"]}]`:              "it has no address",
		`[{"op":"remove","at":["none"]}]`:                                            "there is no such place",
		`[{"op":"append","at":["system"],"value":"\"x\""}]`:                          "by set, insert and remove",
		`[{"op":"shout","at":["system"],"value":"1"}]`:                               "is unknown",
		`[{"op":"set","at":["n"],"value":"1"},{"op":"remove","at":["n"]}]`:           "another edit sets or removes",
		`[{"op":"set","at":["system"],"value":"` + strings.Repeat("1", 1000) + `"}]`: "at most 1000 are allowed",
	} {
		_, err := rewriting([]byte(payload), 1000, edits)
		assert.ErrorContains(t, err, want, edits)
	}
	_, err := rewriting(nil, 1000, `[]`)
	assert.ErrorContains(t, err, "which has no payload")
	got, err := rewriting([]byte(`{"a":1,"a":2}`), 1000, `[{"op":"set","at":["a"],"value":"3"}]`)
	require.NoError(t, err)
	assert.Equal(t, `{"a":1,"a":3}`, got, "of two members the last one is what JSON.parse has")
	_, err = rewriting([]byte(`{`), 1000, `[{"op":"set","at":["a"],"value":"1"}]`)
	assert.Error(t, err)
}

// Edits may be as many as the answer has room for.
func TestRewriteManyPlaces(t *testing.T) {
	const n = 50_000
	var edits strings.Builder
	for i := range n {
		fmt.Fprintf(&edits, `,{"op":"remove","at":["list",%d]}`, 2*i)
	}
	payload := `{"list":[` + strings.Repeat("0,1,", n)[:4*n-1] + `]}`
	got, err := rewriting([]byte(payload), len(payload), "["+edits.String()[1:]+"]")
	require.NoError(t, err)
	assert.Equal(t, `{"list":[`+strings.Repeat("1,", n)[:2*n-1]+`]}`, got)
}

func TestEditsOfV2(t *testing.T) {
	r := reply{op: abi.EditV2, limit: 1000}
	out, err := r.fromJSON(nil, formEdits, []byte(`{"prompt":{"at":["a",0],"edits":[{"op":"set","at":["a",0],"value":"1.0"}]},"messages":{"edits":[{"op":"remove","at":["b"]}]},"more":1}`))
	require.NoError(t, err)
	value, err := abi.DecodeAnswer(out)
	require.NoError(t, err)
	var got adaptersv2.Answer
	require.NoError(t, abi.Decode(value, &got))
	at := adaptersv2.Address{adaptersv2.Member("a"), adaptersv2.Index(0)}
	assert.Equal(t, adaptersv2.Answer{
		Prompt:   &adaptersv2.PromptEdits{At: at, Edits: []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: at, Value: adaptersv2.JSON("1.0")}}},
		Messages: &adaptersv2.MessageEdits{Edits: []adaptersv2.Edit{{Op: adaptersv2.OpRemove, At: adaptersv2.Address{adaptersv2.Member("b")}}}},
	}, got)
	for _, text := range []string{`{}`, `{"prompt":null}`, `{"messages":{}}`, `{"messages":{"edits":[{}]}}`} {
		out, err := r.fromJSON(nil, formEdits, []byte(text))
		require.NoError(t, err)
		_, err = abi.DecodeAnswer(out)
		require.NoError(t, err)
	}
}

// Whatever a program answers is a CBOR answer or a fault.
func FuzzReply(f *testing.F) {
	for _, s := range []string{"0", "1x\xed\xa0\x80", `2{"code":"x"}`, `3{"prompt":{"at":["a",0],"edits":[{"op":"set","at":["a"],"value":"1"}]}}`,
		`4[{"op":"remove","at":["a","b",0]},{"op":"set","at":["a","c"],"value":"{}"}]`, `4[{"op":"set","at":[],"value":"1"}]`, ".", "+"} {
		f.Add(s, `{"a":{"b":[1,2],"b":[3]},"a":{"b":[4]}}`)
	}
	f.Fuzz(func(t *testing.T, answer, payload string) {
		if answer == "" {
			return
		}
		v := &VM{machine: free{}}
		r := &reply{op: abi.ReplaceSystemPromptV1, payload: []byte(payload), limit: 1000}
		err := v.form(r, answer[0], []byte(answer[1:]))
		if err != nil {
			require.IsType(t, &Fault{}, err)
			return
		}
		value, err := abi.DecodeAnswer(v.answer)
		if answer[0] == formRewrite && err == nil && value != nil && json.Valid([]byte(payload)) {
			body, err := abi.Bytes(value)
			require.NoError(t, err)
			require.True(t, json.Valid(body), "%s", body)
		}
	})
}

func FuzzStack(f *testing.F) {
	f.Add("    at f (guest.js:1:24)\n    at map (native)\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, frame := range ParseStack(text) {
			require.NotContains(t, frame.String(), "\n")
			require.True(t, utf8.ValidString(frame.String()))
		}
	})
}
