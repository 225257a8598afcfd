package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
)

// lines reads events, one a line. A line without a seq or time gets those of its place.
func lines(t testing.TB, text string) []session.Event {
	t.Helper()
	var events []session.Event
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !strings.Contains(line, `"seq"`) {
			line = fmt.Sprintf(`{"seq":%d,%s`, len(events), line[1:])
		}
		if !strings.Contains(line, `"time"`) {
			line = fmt.Sprintf(`{"time":%d,%s`, 1000+len(events), line[1:])
		}
		e, err := session.ParseEvent([]byte(line))
		require.NoError(t, err, line)
		events = append(events, e)
	}
	return events
}

// The events that most logs here begin with: seqs 0 to 3.
const opening = `
{"type":"turn/start","data":{"turn":1}}
{"type":"step/start","data":{"turn":1,"step":1}}
{"type":"user/message","data":{"id":"u","role":"user","content":[{"type":"text","text":"hello"}],"source":{"kind":"user"}},"surfaceOp":"append"}
{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"a","role":"assistant","content":[{"type":"tool-call","id":"c1","name":"n","arguments":"{}"}],"source":{"kind":"model","provider":"p","model":"m","replayState":null}}},"surfaceOp":"append"}
`

const result = `{"type":"tool/result","data":{"turn":1,"step":1,"message":{"id":"r","role":"user","content":[{"type":"tool-result","toolCallId":"c1","content":[{"type":"text","text":"done"}],"isError":false}],"source":{"kind":"tool","callId":"c1"}}},"surfaceOp":"append"}
`

func apply(events []session.Event) (*session.State, error) {
	s := session.NewState(session.Header{ID: "s"})
	for i := range events {
		if err := s.Apply(&events[i]); err != nil {
			return s, err
		}
	}
	return s, nil
}

func state(t testing.TB, text string) *session.State {
	t.Helper()
	s, err := apply(lines(t, text))
	require.NoError(t, err)
	return s
}

func texts(messages []message.Message) []string {
	list := []string{}
	for i := range messages {
		list = append(list, string(messages[i].AppendJSON(nil)))
	}
	return list
}

// Every rule on its own: the last line is refused, and the refusal says why.
func TestApplyRefuses(t *testing.T) {
	user := func(message, rest string) string {
		return `{"type":"user/message","data":` + message + rest + `}`
	}
	const hello = `{"id":"u","role":"user","content":[],"source":{"kind":"user"}}`
	const appended = `,"surfaceOp":"append"`
	assistant := func(message string) string {
		return `{"type":"assistant/message","data":{"message":` + message + `},"surfaceOp":"append"}`
	}
	tool := func(source, content string) string {
		return `{"type":"tool/result","data":{"message":{"id":"r","role":"user","content":` + content + `,"source":` + source + `}},"surfaceOp":"append"}`
	}
	const answer = `{"type":"tool-result","toolCallId":"c","content":[]}`
	replace := func(start, end int, sources string) string {
		return user(hello, fmt.Sprintf(`,"surfaceOp":{"op":"replace","start":%d,"end":%d},"sourceEventSeqs":%s`, start, end, sources))
	}
	for _, test := range []struct{ name, last, why string }{
		{"no type", `{"data":1}`, "type is not a text"},
		{"empty type", `{"type":"","data":1}`, "type is not a text"},
		{"type of another kind", `{"type":["turn/start"],"data":1}`, "type is not a text"},
		{"no time", `{"type":"x","data":1,"time":null}`, "time is not an integer"},
		{"a fraction of time", `{"type":"x","data":1,"time":1.5}`, "time is not an integer"},
		{"time as text", `{"type":"x","data":1,"time":"1"}`, "time is not an integer"},
		{"time beyond 2^53", `{"type":"x","data":1,"time":9007199254740993}`, "time is not an integer"},
		{"no data", `{"type":"x"}`, "there is no data"},
		{"ignorable false", `{"type":"x","data":1,"ignorable":false}`, "neither absent nor true"},
		{"ignorable null", `{"type":"x","data":1,"ignorable":null}`, "neither absent nor true"},
		{"ignorable 1", `{"type":"x","data":1,"ignorable":1}`, "neither absent nor true"},
		{"another field", `{"type":"x","data":1,"extra":null}`, `no field "extra"`},
		{"another field, spelled with an escape", `{"type":"x","data":1,"\u0065xtra":null}`, `no field "extra"`},
		{"another field with a quote", `{"type":"x","data":1,"\"type\"":null}`, `no field "\"type\""`},
		{"sources that are none", user(hello, appended+`,"sourceEventSeqs":null`), "not a list of integers"},
		{"sources that are texts", user(hello, appended+`,"sourceEventSeqs":["0"]`), "not a list of integers"},
		{"sources with a fraction", user(hello, appended+`,"sourceEventSeqs":[0.5]`), "not a list of integers"},

		{"header of another kind", `{"type":"request/header","data":"x"}`, "config.provider"},
		{"header without a provider", `{"type":"request/header","data":{"header":{"config":{"model":"m"}}}}`, "config.provider"},
		{"header with an empty provider", `{"type":"request/header","data":{"header":{"config":{"provider":"","model":"m"}}}}`, "config.provider"},
		{"header without a model", `{"type":"request/header","data":{"header":{"config":{"provider":"p"}}}}`, "config.model"},
		{"header with a model that is none", `{"type":"request/header","data":{"header":{"config":{"provider":"p","model":{}}}}}`, "config.model"},

		{"no message", `{"type":"assistant/message","data":{},"surfaceOp":"append"}`, "no message"},
		{"data of another kind", user(`null`, appended), "no message"},
		{"message of another kind", assistant(`[]`), "no message"},
		{"message without id", user(`{"role":"user","content":[],"source":{"kind":"user"}}`, appended), "message's id"},
		{"message with an empty id", user(`{"id":"","role":"user","content":[],"source":{"kind":"user"}}`, appended), "message's id"},
		{"message with a number as its id", user(`{"id":1,"role":"user","content":[],"source":{"kind":"user"}}`, appended), "message's id"},
		{"user message with another role", user(`{"id":"u","role":"assistant","content":[],"source":{"kind":"user"}}`, appended), `role is not "user"`},
		{"system message as a user message", user(`{"id":"u","role":"system","content":[],"source":{"kind":"user"}}`, appended), `role is not "user"`},
		{"assistant message with another role", assistant(`{"id":"a","role":"user","content":[],"source":{"kind":"model","provider":"p","model":"m"}}`), `role is not "assistant"`},
		{"message without source", user(`{"id":"u","role":"user","content":[]}`, appended), "source has no kind"},
		{"message with an empty kind of source", user(`{"id":"u","role":"user","content":[],"source":{"kind":""}}`, appended), "source has no kind"},
		{"message with a text as its source", user(`{"id":"u","role":"user","content":[],"source":"user"}`, appended), "source has no kind"},
		{"message without content", user(`{"id":"u","role":"user","source":{"kind":"user"}}`, appended), "content is not a list"},
		{"message with a text as its content", user(`{"id":"u","role":"user","content":"hi","source":{"kind":"user"}}`, appended), "content is not a list"},
		{"assistant message of a user", assistant(`{"id":"a","role":"assistant","content":[],"source":{"kind":"user"}}`), "not a model"},
		{"assistant message without a provider", assistant(`{"id":"a","role":"assistant","content":[],"source":{"kind":"model","provider":"","model":"m"}}`), "not a model"},
		{"assistant message without a model", assistant(`{"id":"a","role":"assistant","content":[],"source":{"kind":"model","provider":"p"}}`), "not a model"},
		{"tool result of a user", tool(`{"kind":"user"}`, `[`+answer+`]`), "not a tool"},
		{"tool result without a call", tool(`{"kind":"tool"}`, `[`+answer+`]`), "not a tool"},
		{"tool result of nothing", tool(`{"kind":"tool","callId":"c"}`, `[]`), "not one block"},
		{"two tool results", tool(`{"kind":"tool","callId":"c"}`, `[`+answer+`,`+answer+`]`), "not one block"},
		{"text as a tool result", tool(`{"kind":"tool","callId":"c"}`, `[{"type":"text","text":""}]`), "not a tool result"},
		{"tool result of another call", tool(`{"kind":"tool","callId":"d"}`, `[`+answer+`]`), "does not name the call"},
		{"tool result of no call", tool(`{"kind":"tool","callId":""}`, `[{"type":"tool-result","content":[]}]`), "does not name the call"},

		{"a gap", `{"type":"x","data":1,"seq":5}`, "the next seq is 4"},
		{"a repetition", `{"type":"x","data":1,"seq":3}`, "the next seq is 4"},

		{"message without a mark", user(hello, ``), "needs a surfaceOp"},
		{"mark on another event", `{"type":"x","data":1,"surfaceOp":"append"}`, "only messages have a surfaceOp"},
		{"mark that is null on another event", `{"type":"x","data":1,"surfaceOp":null}`, "only messages have a surfaceOp"},
		{"sources on another event", `{"type":"x","data":1,"sourceEventSeqs":[0]}`, "only messages have sourceEventSeqs"},
		{"mark that is null", user(hello, `,"surfaceOp":null`), "surfaceOp is neither"},
		{"unknown mark", user(hello, `,"surfaceOp":"prepend"`), "surfaceOp is neither"},
		{"unknown operation", user(hello, `,"surfaceOp":{"op":"remove","start":2,"end":2}`), "surfaceOp is neither"},
		{"replacement without an end", user(hello, `,"surfaceOp":{"op":"replace","start":2}`), "surfaceOp is neither"},
		{"replacement with more", user(hello, `,"surfaceOp":{"op":"replace","start":2,"end":2,"why":1}`), "surfaceOp is neither"},
		{"replacement from a fraction", user(hello, `,"surfaceOp":{"op":"replace","start":2.5,"end":3}`), "surfaceOp is neither"},
		{"negative source", user(hello, appended+`,"sourceEventSeqs":[-1]`), "names the seq -1"},
		{"source of itself", user(hello, appended+`,"sourceEventSeqs":[4]`), "not an earlier event"},
		{"source that comes later", user(hello, appended+`,"sourceEventSeqs":[0,7]`), "not an earlier event"},
		{"source twice", user(hello, appended+`,"sourceEventSeqs":[2,0,2]`), "names seq 2 twice"},
		{"source twice in order", user(hello, appended+`,"sourceEventSeqs":[0,2,2]`), "names seq 2 twice"},
		{"no sources", user(hello, appended+`,"sourceEventSeqs":[]`), "sourceEventSeqs is empty"},
		{"replacement of what is not on the surface", replace(1, 2, `[0,1,2]`), "seq 1, which is not on the surface"},
		{"replacement up to what is not on the surface", replace(2, 4, `[2,3]`), "seq 4, which is not on the surface"},
		{"replacement from the end to the start", replace(3, 2, `[2,3]`), "comes before it"},
		{"replacement that cites too little", replace(2, 3, `[2]`), "seq 3, which sourceEventSeqs does not name"},
		{"replacement that cites nothing", user(hello, `,"surfaceOp":{"op":"replace","start":2,"end":2}`), "seq 2, which sourceEventSeqs does not name"},
		{"tool result for a user message", strings.Replace(result, `"append"`, `{"op":"replace","start":2,"end":2},"sourceEventSeqs":[2]`, 1), "nothing but the content"},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := lines(t, opening+test.last)
			s, err := apply(events[:4])
			require.NoError(t, err)
			err = s.Apply(&events[4])
			var refusal *session.Error
			require.ErrorAs(t, err, &refusal)
			assert.Equal(t, session.Validation, refusal.Code)
			assert.Contains(t, refusal.Detail, test.why)

			// It changed nothing.
			assert.Equal(t, int64(4), s.Next())
			assert.Equal(t, []int64{2, 3}, s.Surface())
			assert.Len(t, s.Closers(), 3)
			assert.Nil(t, s.RequestHeader())
			require.NoError(t, s.Apply(&lines(t, opening+result)[4]))
		})
	}
}

// Of an event with several faults the first one in the order of the protocol is named.
func TestApplyOrder(t *testing.T) {
	headerAlways := `"data":{"header":{}}`
	for _, test := range []struct {
		line string
		code session.Code
		why  string
	}{
		{`{"type":"request/header-delta","seq":9,"data":1,"extra":1}`, session.Validation, "no field"},
		{`{"type":"request/header-delta","seq":9,"data":1,"surfaceOp":"append"}`, session.LegacyUnsupported, "no longer read"},
		{`{"type":"request/header","seq":9,` + headerAlways + `,"ignorable":0}`, session.Validation, "ignorable"},
		{`{"type":"request/header","seq":9,` + headerAlways + `}`, session.Validation, "config.provider"},
		{`{"type":"user/message","seq":9,"data":{}}`, session.Validation, "id"},
		{`{"type":"user/message","seq":9,"data":{"id":"u","role":"x","content":0}}`, session.Validation, "role"},
		{`{"type":"user/message","seq":9,"data":{"id":"u","role":"user","content":0,"source":{}}}`, session.Validation, "source"},
		{`{"type":"user/message","seq":9,"data":{"id":"u","role":"user","content":0,"source":{"kind":"k"}}}`, session.Validation, "content"},
		{`{"type":"user/message","seq":9,"data":{"id":"u","role":"user","content":[],"source":{"kind":"k"}}}`, session.Validation, "next seq"},
		{`{"type":"x","seq":9,"data":1,"surfaceOp":"append"}`, session.Validation, "next seq"},
	} {
		e, err := session.ParseEvent([]byte(`{"time":1,` + test.line[1:]))
		require.NoError(t, err)
		var refusal *session.Error
		require.ErrorAs(t, session.NewState(session.Header{}).Apply(&e), &refusal)
		assert.Equal(t, test.code, refusal.Code, test.line)
		assert.Contains(t, refusal.Detail, test.why, test.line)
	}
	assertGap := func(found int64) {
		var refusal *session.Error
		require.ErrorAs(t, session.NewState(session.Header{}).Apply(&session.Event{Type: "x", Seq: found, Data: []byte("1")}), &refusal)
		assert.Equal(t, int64(0), refusal.Expected)
		assert.Equal(t, found, refusal.Found)
	}
	assertGap(7)
}

func TestApplyAcceptsOddButSoundEvents(t *testing.T) {
	s := state(t, `
{"type":"x","data":null}
{"time":-5,"type":"y","data":false,"ignorable":true}
{"\u0074ype":"x","type":"\u0079","data":1,"data":{},"time":1e3}
{"type":"request/header","data":{"header":{"config":{"provider":"p","model":"m"}},"reason":17}}
{"type":"user/message","data":{"id":"u","role":"user","content":[1,null,{"type":5}],"source":{"kind":"martian"},"more":{}},"surfaceOp":"\u0061ppend","sourceEventSeqs":[2,0,1]}
{"type":"assistant/message","data":{"message":{"id":"u","role":"assistant","content":[{"type":"x"}],"source":{"kind":"model","provider":"p","model":"m","replayState":{"response":1}}}},"surfaceOp":"append","sourceEventSeqs":[]}
{"type":"tool/result","data":{"message":{"id":"r","role":"user","content":[{"type":"tool-result","toolCallId":"","content":"x"}],"source":{"kind":"tool","callId":""}}},"surfaceOp":"append"}
`)
	assert.Equal(t, []int64{4, 5, 6}, s.Surface())
	assert.Equal(t, `{"response":1}`, string(s.Messages()[1].Source.ReplayState))
}

func TestSurface(t *testing.T) {
	user := func(op, sources string) string {
		return `{"type":"user/message","data":{"id":"u","role":"user","content":[],"source":{"kind":"user"}},"surfaceOp":` + op + `,"sourceEventSeqs":` + sources + `}
`
	}
	add := user(`"append"`, `[0]`)
	start := `{"type":"turn/start","data":{"turn":1}}
`
	s := state(t, start+add+add+add+add)
	assert.Equal(t, []int64{1, 2, 3, 4}, s.Surface())

	// The middle, then what took its place with a neighbour, then the ends, then everything.
	text := start + add + add + add + add + user(`{"op":"replace","start":2,"end":3}`, `[3,2,0]`)
	assert.Equal(t, []int64{1, 5, 4}, state(t, text).Surface())
	text += user(`{"op":"replace","start":5,"end":4}`, `[5,4]`)
	assert.Equal(t, []int64{1, 6}, state(t, text).Surface(), "the order is the surface's, not that of the seqs")
	text += user(`{"op":"replace","start":1,"end":1}`, `[1]`)
	assert.Equal(t, []int64{7, 6}, state(t, text).Surface())
	twice := start + add + add + user(`{"start":9,"op":"replace","start":1,"end":2,"op":"replace"}`, `[1,2]`)
	assert.Equal(t, []int64{3}, state(t, twice).Surface(), "of several members with one key the last one counts")
	text += add
	assert.Equal(t, []int64{7, 6, 8}, state(t, text).Surface())
	text += user(`{"op":"replace","start":7,"end":8}`, `[6,7,8]`)
	assert.Equal(t, []int64{9}, state(t, text).Surface())
	_, err := apply(lines(t, text+user(`{"op":"replace","start":4,"end":4}`, `[4]`)))
	require.ErrorContains(t, err, "seq 4, which is not on the surface")
}

func TestToolResultReplacement(t *testing.T) {
	replacement := strings.Replace(result, `"surfaceOp":"append"`, `"surfaceOp":{"op":"replace","start":4,"end":4},"sourceEventSeqs":[4]`, 1)
	text := opening + result + strings.Replace(replacement, `[{"type":"text","text":"done"}]`, `[]`, 1)
	s := state(t, text)
	assert.Equal(t, []int64{2, 3, 5}, s.Surface())
	assert.Empty(t, s.Messages()[2].Content[0].Content)

	for _, same := range [][2]string{
		{`"done"`, `"pruned"`},
		{`"turn":1,"step":1`, `"turn":2,"step":9,"meta":{}`}, // of the event, not of the message
		{`"type":"tool-result","toolCallId":"c1"`, `"toolCallId":"\u00631","type":"tool-result"`},
		{`"id":"r","role":"user"`, `"role":"user","id":"r"`},
	} {
		_, err := apply(lines(t, opening+result+strings.Replace(replacement, same[0], same[1], 1)))
		require.NoError(t, err, same[1])
	}
	for _, other := range [][2]string{
		{`"id":"r"`, `"id":"r2"`},
		{`"id":"r"`, `"id":"r","extra":1`},
		{`"isError":false`, `"isError":true`},
		{`,"isError":false`, ``},
		{`"isError":false`, `"isError":false,"meta":null`},
		{`"kind":"tool"`, `"kind":"tool","plugin":"x"`},
	} {
		_, err := apply(lines(t, opening+result+strings.Replace(replacement, other[0], other[1], 1)))
		require.ErrorContains(t, err, "nothing but the content", other[1])
	}
	// The same value is the same however it is written.
	extra := func(text, value string) string {
		return strings.Replace(text, `"kind":"tool"`, `"kind":"tool","x":`+value, 1)
	}
	for value, same := range map[string]bool{
		`{"b":"\u0061","a":[1,2.0,true,{}]}`: true,
		`{"a":[1,2,true],"b":"a"}`:           false,
		`{"a":[1,2,true,{},{}],"b":"a"}`:     false,
		`{"a":[1,3,true,{}],"b":"a"}`:        false,
		`{"a":[1,2,false,{}],"b":"a"}`:       false,
		`{"a":[1,2,true,[]],"b":"a"}`:        false,
		`{"a":[1,2,true,{"c":1}],"b":"a"}`:   false,
		`{"a":[1,2,true,{}],"b":"b"}`:        false,
		`{"a":[1,2,true,{}],"c":"a"}`:        false,
	} {
		_, err := apply(lines(t, opening+extra(result, `{"a":[1e0,2,true,{}],"b":"a"}`)+extra(replacement, value)))
		assert.Equal(t, same, err == nil, value)
	}
	// Of one result, not of two.
	second := strings.NewReplacer(`"id":"r"`, `"id":"r2"`).Replace(result)
	both := strings.Replace(replacement, `"end":4},"sourceEventSeqs":[4]`, `"end":5},"sourceEventSeqs":[4,5]`, 1)
	_, err := apply(lines(t, opening+result+second+both))
	require.ErrorContains(t, err, "nothing but the content")
	// Anything else may take the place of results.
	summary := `{"type":"user/message","data":{"id":"sum","role":"user","content":[],"source":{"kind":"plugin","plugin":"p"}},"surfaceOp":{"op":"replace","start":2,"end":4},"sourceEventSeqs":[2,3,4]}`
	assert.Equal(t, []int64{5}, state(t, opening+result+summary).Surface())
}

func TestMessages(t *testing.T) {
	empty := `{"type":"assistant/message","data":{"message":{"id":"e","role":"assistant","content":[],"source":{"kind":"model","provider":"p","model":"m","replayState":{"blocks":[]}}}},"surfaceOp":"append"}
`
	noWords := `{"type":"user/message","data":{"id":"u2","role":"user","content":[],"source":{"kind":"user"}},"surfaceOp":"append"}
`
	s := state(t, opening+empty+noWords)
	assert.Equal(t, []int64{2, 3, 4, 5}, s.Surface())
	assert.Equal(t, []string{
		`{"id":"u","role":"user","content":[{"type":"text","text":"hello"}],"source":{"kind":"user"}}`,
		`{"id":"a","role":"assistant","content":[{"type":"tool-call","id":"c1","name":"n","arguments":"{}"}],"source":{"kind":"model","provider":"p","model":"m","replayState":null}}`,
		`{"id":"u2","role":"user","content":[],"source":{"kind":"user"}}`,
	}, texts(s.Messages()), "as they are stored; only an assistant message without content is left out")
	assert.Equal(t, "null", string(s.Messages()[1].Source.ReplayState), "a null is not the same as none")
}

func TestRequestHeader(t *testing.T) {
	header := func(more string) string {
		return `{"type":"request/header","data":{"header":{"config":{"provider":"p","model":"m"}` + more + `},"reason":"change"}}
`
	}
	s := session.NewState(session.Header{})
	assert.Nil(t, s.RequestHeader())
	for _, test := range [][2]string{
		{``, ``},
		{`,"system":"","tools":[]`, ``},
		{`,"system":" ","tools":[{}]`, `,"system":" ","tools":[{}]`},
		{`,"system":null,"tools":{}`, `,"system":null,"tools":{}`},
		{`,"tools":[ ],"x":1`, `,"x":1`},
		{`,"system":"a","system":""`, ``},
		{`,"system":"","system":"a"`, `,"system":"a"`},
	} {
		got := state(t, header(`,"system":"old"`)+header(test[0])).RequestHeader()
		assert.JSONEq(t, `{"config":{"provider":"p","model":"m"}`+test[1]+`}`, string(got), test[0])
	}
}

func TestStateFacts(t *testing.T) {
	s := session.NewState(session.Header{ID: "s", CreatedAt: 3})
	assert.Equal(t, session.Header{ID: "s", CreatedAt: 3}, s.Header())
	assert.Zero(t, s.Next())
	assert.Empty(t, s.Last())
	turn, open := s.Turn()
	assert.Zero(t, turn)
	assert.False(t, open)
	assert.Empty(t, s.Messages())
	assert.Empty(t, s.Surface())

	s = state(t, opening)
	assert.Equal(t, int64(4), s.Next())
	assert.Equal(t, session.AssistantMessage, s.Last())
	turn, open = s.Turn()
	assert.Equal(t, int64(1), turn)
	assert.True(t, open)
	turn, open = state(t, opening+`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}`).Turn()
	assert.Equal(t, int64(1), turn)
	assert.False(t, open)
}

// The state keeps nothing of what it was given.
func TestStateKeepsItsOwnMemory(t *testing.T) {
	text := `{"type":"user/message","seq":0,"time":1,"data":{"id":"u","role":"user","content":[{"type":"text","text":"hello"}],"source":{"kind":"user"}},"surfaceOp":"append"}`
	data := []byte(text)
	e, err := session.ParseEvent(data)
	require.NoError(t, err)
	s := session.NewState(session.Header{})
	require.NoError(t, s.Apply(&e))
	want := texts(s.Messages())
	clear(data)
	assert.Equal(t, want, texts(s.Messages()))
	assert.Equal(t, "hello", s.Messages()[0].Content[0].Text)
}
