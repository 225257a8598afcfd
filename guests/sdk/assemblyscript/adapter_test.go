package assemblyscriptsdk_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
)

func member(names ...string) adaptersv2.Address {
	var at adaptersv2.Address
	for _, name := range names {
		at = append(at, adaptersv2.Member(name))
	}
	return at
}

func TestEdit(t *testing.T) {
	g := load(t, probe, options{})
	list := adaptersv2.Address{adaptersv2.Member("all"), adaptersv2.Index(3), adaptersv2.Member("a\"é")}
	view, err := abi.Encode([]adaptersv2.Entry{
		{At: member("all"), Value: adaptersv2.List{Len: 70_000}},
		{At: list, Value: adaptersv2.Object{Members: map[string]any{"a": "text", "b": adaptersv2.Clipped{Head: "he", Tail: "é", Bytes: 9},
			"c": adaptersv2.Object{Members: map[string]any{}}, "d": adaptersv2.List{Len: 0}, "e": nil}}, Clipped: true},
		{At: member("all", "n"), Value: -1.5}, {At: member("all", "t"), Value: true}, {At: member("all", "f"), Value: false}, {At: member("all", "z")},
		{At: member("all", "i"), Value: 7}, {At: member("all", ""), Value: ""},
	})
	require.NoError(t, err)
	request := adaptersv2.EditRequest{ID: "view", Provider: "acme", API: "probe", View: view,
		Messages: []adaptersv2.Message{{ID: "a", Content: "1"}, {ID: "b", Content: "2"}}}
	value, err := g.ask(abi.EditV2, request, 0)
	require.NoError(t, err)
	var answer adaptersv2.Answer
	require.NoError(t, abi.Decode(value, &answer))
	shown := `"acme probe\na: 1\nb: 2\n[\"all\"] all list 70000\n` +
		`[\"all\",3,\"a\\\"é\"] all/3/a\"é {a:<text>true b:<he...é> 9 c:{} d:list 0 e:null}\n` +
		`[\"all\",\"n\"] all/n -1.5\n[\"all\",\"t\"] all/t true\n[\"all\",\"f\"] all/f false\n[\"all\",\"z\"] all/z null\n` +
		`[\"all\",\"i\"] all/i 7.0\n[\"all\",\"\"] all/ <>true"`
	all := member("all")
	assert.Equal(t, adaptersv2.Answer{
		Prompt: &adaptersv2.PromptEdits{At: member("all", "prompt"), Edits: []adaptersv2.Edit{
			{Op: adaptersv2.OpSet, At: member("all", "prompt"), Value: adaptersv2.JSON(shown)}}},
		Messages: &adaptersv2.MessageEdits{Edits: []adaptersv2.Edit{
			{Op: adaptersv2.OpInsert, At: append(member("all", "list"), adaptersv2.Index(300)), Value: adaptersv2.JSON("1.0")},
			{Op: adaptersv2.OpRemove, At: append(member("all"), adaptersv2.Index(70_000))},
			{Op: adaptersv2.OpAppend, At: all, Value: adaptersv2.JSON(
				`"\u0000\u001f\"\\\b\f\n\r\t/` + "\u007f\u2028" + ` é 🚢 \ud800 \udfff"`)},
		}},
	}, answer)

	request.SystemPrompt = "nothing"
	value, err = g.ask(abi.EditV2, request, 0)
	require.NoError(t, err)
	assert.Nil(t, value)

	request.SystemPrompt = "v1"
	_, err = g.ask(abi.EditV2, request, 0)
	var failure *abi.Failure
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, abi.Failure{Code: "use-v1", Message: "needs all of it"}, *failure)
}

// The addresses are those of the probe's adapter: names of members, as they are after unescaping.
func TestRead(t *testing.T) {
	g := load(t, probe, options{})
	payload := []byte(` { "a" : "x\u00e9\n\"\/\\\ud83d\ude00\ud800!" , "\u0062" : [ 1.0 , {"c":-0e1}, "é🚢" ], "a\ud800b":3,"é":4,"twice":1,"twice":2, "":[]}` + "\n")
	for address, want := range map[string]string{
		"/a": "xé\n\"/\\😀�!", "/b/0": "1.0", "/b/1/c": "-0e1", "/b/1": `{"c":-0e1}`, "/b/2": "é🚢", "/é": "4", "/twice": "2", "/": "[]", "": strings.TrimSpace(string(payload)),
	} {
		text, ok := g.read(payload, address)
		assert.True(t, ok, address)
		assert.Equal(t, want, text, address)
	}
	for _, address := range []string{"/A", "/aa", "/b/3", "/c", "/b/0/x", "/twic", "/twice2"} {
		_, ok := g.read(payload, address)
		assert.False(t, ok, address)
	}
}

// An adapter of version 1 gets the whole payload and answers one as large.
func TestLargePayload(t *testing.T) {
	g := load(t, example, options{})
	for _, size := range []int{1 << 10, 1 << 20, 4 << 20} {
		turn := `{"role":"user","content":[{"type":"input_text","text":"tide \u00e9\ud800 \"7:40\" ` + strings.Repeat("é🚢 quay ", 100) + `","n":1.0}]}`
		input := strings.Repeat(turn+",", size/len(turn)) + turn
		payload := `{"model":"m","instructions":"old","input":[{"role":"dev\u0065loper","content":"<pi_developer_prompt_message id=\"a\">\nx\n</pi_developer_prompt_message>"},` +
			input + `],"zeta":1e400}`
		q := adaptersv1.Payload{ID: "codex-v1", Payload: []byte(payload)}
		value, err := g.ask(abi.ReplaceDeveloperMessagesV1, adaptersv1.ReplaceDeveloperMessagesRequest{Payload: q,
			Messages: []adaptersv1.Message{{ID: "<", Content: "New."}}}, len(payload))
		require.NoError(t, err)
		got, err := abi.Bytes(value)
		require.NoError(t, err)
		want := `{"model":"m","instructions":"old","input":[{"role":"developer","content":"<pi_developer_prompt_message id=\"&lt;\">\nNew.\n</pi_developer_prompt_message>"},` +
			input + `],"zeta":1e400}`
		require.True(t, want == string(got), "of %d bytes", len(payload))

		value, err = g.ask(abi.ReadSystemPromptV1, adaptersv1.ReadSystemPromptRequest{Payload: q}, len(payload))
		require.NoError(t, err)
		text, err := abi.Text(value)
		require.NoError(t, err)
		assert.Equal(t, "old", text)
	}
}
