package history

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Whatever is JSON gives options that are JSON, and the rows that are known in the end are those that are
// found from the end.
func FuzzCallOptions(f *testing.F) {
	for _, seed := range []string{
		`{"systemPrompt":["Use ` + "`ask`" + `"],"tools":[{"name":"todo"},{"name":"ask"}],"messages":[{"role":"user","content":"q"}]}`,
		`{"messages":[{"role":"system","content":"s","sections":{"a":"b"},"toolsAdded":[{"name":"todo"}],"toolsRemoved":[{"name":"x"}]}]}`,
		`{"tools":[{"name":"todo"}],"messages":[` + asked(op("c#0", `{"op":"done","task":"A"}`)) + `,` + gave("c#0", "todo", "x", "A completed", "B blocked") + `]}`,
		`{"tools":[{"name":"read","parameters":{"type":"object"}}],"messages":` + own(`[{"type":"thinking","thinking":"","thinkingSignature":"{\"a\":{\"b\":\"\ud800\"}}"},
			{"type":"toolCall","id":"c","name":"read","arguments":{"path":"a:1-2"}}]`, `,"providerExecuted":[{"at":1,"toolCallId":"x","toolName":"y","input":{},"result":[1]}]`) + `}`,
		`{"messages":[{"role":"developer","attribution":"agent","content":"<system-notice>background job, resume your work using"},
			{"role":"toolResult","toolCallId":"c","toolName":"plan","content":[{"type":"image","data":"QQ==","mimeType":"image/png"}],"isError":true}]}`,
		`{"messages":[null,5,"x",[],{"role":null},{"role":"assistant","content":[null,{"type":5}]}],"tools":[null],"systemPrompt":[null]}`,
	} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(0xff))
	}
	var profiles []*profile.Profile
	for _, name := range profile.Names() {
		p, err := profile.Named(name)
		require.NoError(f, err)
		profiles = append(profiles, p)
	}
	f.Fuzz(func(t *testing.T, data []byte, flags uint8) {
		c, err := ParseContext(data)
		if err != nil {
			return
		}
		require.True(t, jsonspan.Valid(data))
		notes := &Notes{}
		notes.Remember(c.Messages...)
		config := Config{
			Profile: profiles[flags&1], API: "acme-api", Provider: "acme", Reference: flags&2 != 0, Exclude: []string{"plan"}, Notes: notes,
			Version: []Version{"", V2, V3, V4}[flags>>2&3], Outcomes: map[string]Outcome{"o": {Text: "x"}},
		}
		o, err := config.CallOptions(c, Call{SessionID: "s", ToolChoice: data})
		require.NoError(t, err)
		out := o.AppendJSON(nil)
		require.True(t, jsonspan.Valid(out), "%s", out)
		require.True(t, utf8.Valid(out), "%q", out)

		nodes, err := c.scan()
		require.NoError(t, err)
		b := newBuilder(&config, o.Toolset)
		b.prompt("", nodes)
		assert.Equal(t, b.known, Todos(o.Toolset, c.Messages))
	})
}

func FuzzRestateNames(f *testing.F) {
	for _, seed := range []string{"`find` \\`ask` ``glob``", "- find: x\n  - ask: y", "~~~\n`find`\n~~~ \n`find`", "```find``` ` `` ```\n```", "`x\n- find: y`"} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, items bool) {
		assert.Equal(t, restateNaively(text, hostNames, items), RestateNames(text, hostNames, items))
		assert.Equal(t, text, RestateNames(text, nil, items))
		if !strings.Contains(text, "\x00") {
			marked := RestateNames(text, map[string]string{"find": "\x00"}, items)
			assert.Equal(t, text, strings.ReplaceAll(marked, "\x00", "find"))
		}
	})
}
