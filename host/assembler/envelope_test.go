package assembler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/assembler"
)

// Three blocks are seen: text, a call that is cut, reasoning.
const three = `[{"type":"text-delta","index":5,"text":"a"},{"type":"tool-call-delta","index":0,"id":"c","argumentsDelta":"{"},
	{"type":"reasoning-delta","index":3,"text":"b"}`

func assembled(t *testing.T, reference bool, finish, state string) (assembler.Result, error) {
	t.Helper()
	a := assembler.Assembler{Reference: reference}
	pushed(t, &a, three+`,{"type":"finish","reason":{"kind":"`+finish+`"},"replayState":`+state+`}]`)
	r, err := a.Result()
	again, err2 := a.Result()
	require.Equal(t, err, err2)
	require.Equal(t, r, again)
	return r, err
}

// What is the same in both modes.
func TestEnvelope(t *testing.T) {
	for name, c := range map[string]struct{ finish, state, want string }{
		"no entries":                 {"stop", `{"response":1}`, `{"response":1}`},
		"no entries, blocks dropped": {"max-tokens", `{ "response" : 1, "x":2 }`, `{ "response" : 1, "x":2 }`},
		"aligned":                    {"stop", `{"x":1.0, "blocks":[1,2,3],"response":null}`, `{"x":1.0, "blocks":[1,2,3],"response":null}`},
		"aligned, a call dropped": {"max-tokens", `{"x":1, "blocks":[ {"b":1,"a":"\ud83e"} , 2,1.50],"response": {"z":1,"a":1e400} }`,
			`{"response":{"z":1,"a":1e400},"blocks":[{"b":1,"a":"\ud83e"},1.50]}`},
		"entries are any JSON":         {"max-tokens", `{"response":"r","blocks":[null,[],[[{}]]]}`, `{"response":"r","blocks":[null,[[{}]]]}`},
		"the last of duplicates":       {"max-tokens", `{"response":1,"blocks":[1],"response":2,"blocks":[4,5,6]}`, `{"response":2,"blocks":[4,6]}`},
		"keys with escapes":            {"max-tokens", `{"r\u0065sponse":2,"\u0062locks":[4,5,6]}`, `{"response":2,"blocks":[4,6]}`},
		"other finishes drop nothing":  {"error", `{"response":2,"blocks":[4,5,6]}`, `{"response":2,"blocks":[4,5,6]}`},
		"too few":                      {"stop", `{"response":2,"blocks":[4,6]}`, ``},
		"as many as are kept":          {"max-tokens", `{"response":2,"blocks":[4,6]}`, ``},
		"too many":                     {"stop", `{"response":2,"blocks":[1,2,3,4]}`, ``},
		"none for blocks that are not": {"stop", `{"response":2,"blocks":[]}`, ``},
		"an object for a list":         {"stop", `{"response":2,"blocks":{}}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reference := range []bool{false, true} {
				r, err := assembled(t, reference, c.finish, c.state)
				require.NoError(t, err)
				assert.Equal(t, c.want, string(r.ReplayState))
				assert.Equal(t, c.want == "", r.ReplayState == nil)
				if reference {
					assert.Nil(t, r.Discarded, "the reference discards in silence")
				} else {
					assert.Equal(t, c.want == "", r.Discarded != nil)
				}
				kept := 3
				if c.finish == "max-tokens" {
					kept = 2
				}
				assert.Len(t, r.Blocks, kept)
			}
		})
	}
}

func TestEverythingDropped(t *testing.T) {
	var a assembler.Assembler
	pushed(t, &a, `[{"type":"tool-call-delta","index":0,"argumentsDelta":""},{"type":"finish","reason":{"kind":"max-tokens"},"replayState":{"response":1,"blocks":[1],"x":1}}]`)
	r, err := a.Result()
	require.NoError(t, err)
	assert.Equal(t, `{"blocks":[],"replayState":{"response":1,"blocks":[]}}`, string(r.AppendJSON(nil)))
}

func TestBlocksAfterTheFinishMisalign(t *testing.T) {
	var a assembler.Assembler
	pushed(t, &a, `[{"type":"text-delta","index":0,"text":""},{"type":"finish","reason":{"kind":"stop"},"replayState":{"response":1,"blocks":[1]}}]`)
	r, err := a.Result()
	require.NoError(t, err)
	assert.NotNil(t, r.ReplayState)
	pushed(t, &a, `[{"type":"text-delta","index":1,"text":""}]`)
	r, err = a.Result()
	require.NoError(t, err)
	assert.Nil(t, r.ReplayState)
	assert.Equal(t, assembler.Discarded{Reason: assembler.EntryCount, Seen: 2, Entries: 1}, *r.Discarded)
}

// Malformed envelopes are discarded with a reason, whether anything is dropped or not.
func TestMalformedEnvelopes(t *testing.T) {
	for state, want := range map[string]assembler.Discarded{
		`"abc"`:                                {Reason: assembler.NotObject},
		`[1,2,3]`:                              {Reason: assembler.NotObject},
		`0`:                                    {Reason: assembler.NotObject},
		`false`:                                {Reason: assembler.NotObject},
		`{}`:                                   {Reason: assembler.NoResponse},
		`{"blocks":[1,2,3]}`:                   {Reason: assembler.NoResponse, Entries: 3},
		`{"Response":1,"blocks":[1]}`:          {Reason: assembler.NoResponse, Entries: 1},
		`{"response":1,"blocks":null}`:         {Reason: assembler.EntriesNotArray},
		`{"response":1,"blocks":"abc"}`:        {Reason: assembler.EntriesNotArray},
		`{"response":1,"blocks":{"length":3}}`: {Reason: assembler.EntriesNotArray},
		`{"response":1,"blocks":3}`:            {Reason: assembler.EntriesNotArray},
		`{"response":1,"blocks":[1,2,3],"blocks":0}`: {Reason: assembler.EntriesNotArray},
		`{"response":1,"blocks":[1,2]}`:              {Reason: assembler.EntryCount, Entries: 2},
	} {
		for _, finish := range []string{"stop", "max-tokens"} {
			want.Seen = 3
			r, err := assembled(t, false, finish, state)
			require.NoError(t, err, state)
			assert.Nil(t, r.ReplayState, state)
			require.NotNil(t, r.Discarded, state)
			assert.Equal(t, want, *r.Discarded, state)
			assert.NotEmpty(t, r.Discarded.String())
			assert.JSONEq(t, `{"blocks":`+written(t, r.Blocks)+`,"discarded":`+jsonOf(t, want)+`}`, string(r.AppendJSON(nil)))
		}
	}
	r, err := assembled(t, false, "stop", " null")
	require.NoError(t, err)
	assert.Nil(t, r.ReplayState)
	assert.Nil(t, r.Discarded, "a null is no state")
}

// An envelope that is not JSON can only come from Go.
func TestEnvelopeThatIsNotJSON(t *testing.T) {
	for state, discarded := range map[string]bool{"": false, "{": true} {
		for _, reference := range []bool{false, true} {
			a := assembler.Assembler{Reference: reference}
			c := parsed(t, `[`+stop+`]`)[0]
			c.ReplayState = []byte(state)
			require.NoError(t, a.Push(&c))
			r, err := a.Result()
			require.NoError(t, err)
			assert.Nil(t, r.ReplayState)
			assert.Equal(t, discarded, r.Discarded != nil)
		}
	}
}

// What the reference does with malformed envelopes; "fails" stands for an error.
func TestReferenceEnvelopes(t *testing.T) {
	const fails = "fails"
	for state, want := range map[string]struct{ stop, maxTokens string }{
		`null`:                                   {`null`, `null`},
		`"abc"`:                                  {`"abc"`, `"abc"`},
		`[1]`:                                    {`[1]`, `[1]`},
		`{}`:                                     {`{}`, `{}`},
		`{"response":1,"blocks":null}`:           {fails, fails},
		`{"response":1,"blocks":"a🧾"}`:           {`{"response":1,"blocks":"a🧾"}`, fails},
		`{"response":1,"blocks":"abé"}`:          {`{"response":1,"blocks":"abé"}`, fails},
		`{"response":1,"blocks":"ab"}`:           {"", ""},
		`{"response":1,"blocks":{"length":3}}`:   {`{"response":1,"blocks":{"length":3}}`, fails},
		`{"response":1,"blocks":{"length":"3"}}`: {"", ""},
		`{"response":1,"blocks":3}`:              {"", ""},
		`{"blocks":[1,2,3]}`:                     {`{"blocks":[1,2,3]}`, fails},
		`{"blocks":[1,2]}`:                       {"", ""},
	} {
		for finish, want := range map[string]string{"stop": want.stop, "max-tokens": want.maxTokens} {
			r, err := assembled(t, true, finish, state)
			if want == fails {
				var failure *assembler.Error
				require.ErrorAs(t, err, &failure, "%s %s", finish, state)
				assert.Equal(t, assembler.UnusableState, failure.Code)
				assert.NotEmpty(t, err.Error())
				continue
			}
			require.NoError(t, err, "%s %s", finish, state)
			assert.Equal(t, want, string(r.ReplayState), "%s %s", finish, state)
		}
	}
}
