package session

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseEvent(t *testing.T) {
	const full = ` {"type":"user\/message","seq":3,"time":-4,"data":{"a":[1]},"sourceEventSeqs":[0,2],"surfaceOp":"append","ignorable":true} `
	e, err := ParseEvent([]byte(full))
	require.NoError(t, err)
	assert.Equal(t, Event{
		Type: UserMessage, Seq: 3, Time: -4, Data: json.RawMessage(`{"a":[1]}`), SurfaceOp: json.RawMessage(`"append"`),
		Sources: []int64{0, 2}, Ignorable: true, raw: json.RawMessage(full[1 : len(full)-1]), sound: true,
	}, e)
	assert.Equal(t, full[1:len(full)-1], string(e.AppendJSON(nil)))

	for text, want := range map[string][2]bool{ // sound, bare
		`{"type":"x","seq":0,"time":1,"data":null}`:                                {true, true},
		`{"type":"x","seq":0,"time":1,"data":null,"ignorable":true}`:               {true, false},
		`{"type":"x","seq":0,"time":1,"data":null,"sourceEventSeqs":[]}`:           {true, false},
		`{"\u0074ype":"x","seq":0,"time":1,"data":null,"surfaceOp":{"op":1}}`:      {true, false},
		`{"type":"x","seq":0,"time":1,"data":null,"more":1}`:                       {},
		`{"type":"x","seq":0,"time":1,"data":null,"data":null}`:                    {},
		`{"type":"x","type":5,"seq":0,"time":1,"data":null}`:                       {},
		`{"type":"x","seq":0,"time":1}`:                                            {},
		`{"type":"","seq":0,"time":1,"data":null}`:                                 {},
		`{"type":"x","seq":0,"time":0.5,"data":null}`:                              {},
		`{"type":"x","seq":0,"time":1,"data":null,"ignorable":false}`:              {},
		`{"type":"x","seq":0,"time":1,"data":null,"sourceEventSeqs":[0.5]}`:        {},
		`{"type":"x","seq":0,"time":1,"data":null,"sourceEventSeqs":{"a":1}}`:      {},
		`{"type":"x","seq":0,"time":1,"data":null,"ignorable":true,"ignorable":1}`: {},
	} {
		e, err := ParseEvent([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, want, [2]bool{e.sound, e.bare}, text)
	}
	// Of several members the last one counts, also if it is wrong.
	e, err = ParseEvent([]byte(`{"type":"x","type":5,"seq":9,"seq":1,"time":3,"time":"","ignorable":true,"ignorable":1,"sourceEventSeqs":[1],"sourceEventSeqs":"","data":1,"data":2}`))
	require.NoError(t, err)
	assert.Equal(t, Event{Seq: 1, Data: json.RawMessage("2"), raw: e.raw}, e)

	for _, text := range []string{``, `{`, `null`, `[]`, `"x"`, `{}`, `{"seq":-1}`, `{"seq":"0"}`, `{"seq":0.5}`, `{"seq":1e300}`, `{"seq":9007199254740992}`, `{"seq":0,"seq":null}`} {
		_, err := ParseEvent([]byte(text))
		assert.Error(t, err, text)
	}
}

// A kind comes from a file: an error shows it in one short line that a terminal does not obey.
func TestErrorsShowKindsSafely(t *testing.T) {
	for kind, want := range map[string]string{
		"a/b c":                   "a/b c at seq 7",
		"\x1b[2J":                 `"\x1b[2J" at seq 7`,
		"":                        ` at seq 7`,
		"two\nlines":              `"two\nlines" at seq 7`,
		strings.Repeat("x", 1000): `"` + strings.Repeat("x", 100) + `…" at seq 7`,
	} {
		e := Event{Type: kind, Seq: 7}
		assert.Equal(t, want, e.describe())
		assert.NotContains(t, e.unsupported().Error(), "\x1b")
	}
}

// However an event came about, it is one line of a log.
func TestEventIsOneLine(t *testing.T) {
	want := `{"type":"x","seq":1,"time":2,"data":{ "a": 1},"surfaceOp": "append"}`
	made := Event{Type: "x", Seq: 1, Time: 2, Data: []byte("{\n\"a\":\n1}"), SurfaceOp: []byte("\n\"append\"")}
	assert.Equal(t, want, string(made.AppendJSON(nil)))
	var read Event
	require.NoError(t, json.Unmarshal([]byte("{\"type\":\"x\",\n\"seq\":1,\"time\":2,\"data\":3}"), &read))
	assert.Equal(t, `{"type":"x", "seq":1,"time":2,"data":3}`, string(read.AppendJSON(nil)))
	out, err := json.Marshal([]Event{made})
	require.NoError(t, err)
	assert.JSONEq(t, "["+want+"]", string(out))
	require.Error(t, json.Unmarshal([]byte(`{"seq":"x"}`), &read))

	var h Header
	require.NoError(t, json.Unmarshal([]byte(headerLine), &h))
	out, err = json.Marshal(h)
	require.NoError(t, err)
	assert.JSONEq(t, headerLine, string(out))
	require.Error(t, json.Unmarshal([]byte(`{}`), &h))
}
