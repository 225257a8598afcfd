package message_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
)

const high, low = "\xed\xa0\xbe", "\xed\xb7\xbe" // the halves of U+1F9FE

func TestParseChunk(t *testing.T) {
	isNaN := math.NaN()
	for raw, want := range map[string]message.Chunk{
		` {"type":"text-delta","index":0,"text":"a\ud83e"} `:                                      {Type: message.TextDelta, Text: "a" + high},
		`{"type":"text-delta","index":-0,"text":"\ud83e\uddfe"}`:                                  {Type: message.TextDelta, Index: math.Copysign(0, -1), Text: "🧾"},
		`{"text":"x","text":"","index":12,"index":1.5e1,"type":"usage","type":"reasoning-delta"}`: {Type: message.ReasoningDelta, Index: 15},
		`{"t\u0079pe":"text-delta","te\u0078t":"<\/>","index":1e999}`:                             {Type: message.TextDelta, Index: math.Inf(1), Text: "</>"},
		`{"type":"t\u0065xt-delta","text":"x","index":"0"}`:                                       {Type: message.TextDelta, Index: isNaN, Text: "x"},
		`{"type":"block-start","blockType":"chart","text":5}`:                                     {Type: message.BlockStart, Index: isNaN, BlockType: "chart"},
		`{"type":"tool-call-delta","index":2,"argumentsDelta":"{"}`:                               {Type: message.ToolCallDelta, Index: 2, NoID: true, ArgumentsDelta: "{"},
		`{"type":"tool-call-delta","index":2,"id":null,"name":null,"argumentsDelta":""}`:          {Type: message.ToolCallDelta, Index: 2, NoID: true},
		`{"type":"tool-call-delta","index":2,"id":"","name":"n","argumentsDelta":""}`:             {Type: message.ToolCallDelta, Index: 2, Name: "n"},
		`{"type":"tool-call-delta","index":2,"id":"c","argumentsDelta":""}`:                       {Type: message.ToolCallDelta, Index: 2, ID: "c"},
		`{"type":"audio-delta","index":1}`:                                                        {Type: "audio-delta"},
		`{"type":"block-end","index":9,"block":{"type":"text","text":"a","x":1}}`: {Type: message.BlockEnd, Index: 9,
			Block: &message.Block{Type: message.Text, Text: "a"}},
		`{"type":"usage","usage":{"inputTokens":1,"outputTokens":2,"reasoningTokens":3,"cacheReadTokens":1.5}}`: {Type: message.UsageChunk,
			Usage: &message.Usage{Input: 1, Output: 2, Reasoning: 3}},
		`{"type":"finish","reason":{"kind":"stop"},"replayState": null }`: {Type: message.FinishChunk,
			Reason: &message.Finish{Kind: message.Stop}, ReplayState: json.RawMessage("null")},
		`{"type":"finish","reason":{"kind":"error","failure":{"message":"m","code":"C","status":99}}}`: {Type: message.FinishChunk,
			Reason: &message.Finish{Kind: message.Failed, Failure: &message.Failure{Message: "m", Code: message.Unknown}}},
	} {
		got, err := message.ParseChunk([]byte(raw))
		require.NoError(t, err, raw)
		if math.IsNaN(want.Index) {
			assert.True(t, math.IsNaN(got.Index), raw)
			want.Index, got.Index = 0, 0
		}
		assert.Equal(t, shownChunk(want), shownChunk(got), raw)
		assert.Equal(t, raw, string(got.AppendJSON(nil)), "what was read is written as it was")
	}
}

func TestParseChunkThatIsNotUTF8(t *testing.T) {
	c, err := message.ParseChunk([]byte("{\"type\":\"text-delta\",\"index\":0,\"text\":\"a\xffb\"}"))
	require.NoError(t, err)
	assert.Equal(t, "a\uFFFDb", c.Text)
	assert.Equal(t, `{"type":"text-delta","index":0,"text":"a`+"\uFFFD"+`b"}`, string(c.AppendJSON(nil)))
}

func TestParseRefuses(t *testing.T) {
	for raw, want := range map[string]string{
		``:                                    "chunk: not a JSON document",
		`{`:                                   "chunk: not a JSON document",
		`{"type":"usage"} {}`:                 "chunk: not a JSON document",
		`[]`:                                  "chunk: not a JSON object",
		`null`:                                "chunk: not a JSON object",
		`{}`:                                  "chunk: type is not a string",
		`{"type":1}`:                          "chunk: type is not a string",
		`{"Type":"usage"}`:                    "chunk: type is not a string",
		`{"type":"text-delta"}`:               "text-delta: text is not a string",
		`{"type":"reasoning-delta","text":1}`: "reasoning-delta: text is not a string",
		`{"type":"tool-call-delta"}`:          "tool-call-delta: argumentsDelta is not a string",
		`{"type":"block-start"}`:              "block-start: blockType is not a string",
		`{"type":"block-end"}`:                "block-end: block",
		`{"type":"block-end","block":{}}`:     "block-end: block: type is not a string",
		`{"type":"usage","usage":[]}`:         "usage: usage: not a JSON object",
		`{"type":"finish"}`:                   "finish: finish reason",
		`{"type":"finish","reason":{}}`:       "finish: finish reason: kind is not a string",
	} {
		_, err := message.ParseChunk([]byte(raw))
		assert.ErrorContains(t, err, want, raw)
		var c message.Chunk
		assert.Error(t, json.Unmarshal([]byte(raw), &c), raw)
	}
	_, err := message.ParseMessage([]byte(`[]`))
	assert.ErrorContains(t, err, "message: not a JSON object")
}

// A delta costs its texts and nothing else.
func TestParseChunkAllocations(t *testing.T) {
	for raw, want := range map[string]float64{
		`{"type":"text-delta","index":0,"text":"ledger "}`:                                1,
		`{"type":"tool-call-delta","index":10,"id":"call","argumentsDelta":"{\"a\":\"b"}`: 3, // unescaping takes one more
		`{"type":"block-start","index":0,"blockType":"text"}`:                             1,
	} {
		data := []byte(raw)
		assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { _, _ = message.ParseChunk(data) }), want, raw)
	}
}

func TestBlocks(t *testing.T) {
	for raw, want := range map[string]message.Block{
		`{"type":"text","text":"a\ud83e"}`:                                    {Type: message.Text, Text: "a" + high},
		`{"type":"tool-call","id":"c","name":"n","arguments":"{"}`:            {Type: message.ToolCall, ID: "c", Name: "n", Arguments: "{"},
		`{"type":"tool-result","toolCallId":"c","content":[],"isError":true}`: {Type: message.ToolResult, ToolCallID: "c", Content: []message.Block{}, IsError: true},
		`{"type":"tool-result","toolCallId":"c","content":[{"type":"text","text":"x"},{"type":""}]}`: {Type: message.ToolResult, ToolCallID: "c",
			Content: []message.Block{{Type: message.Text, Text: "x"}, {}}},
		`{"type":"image","attachment":{"attachmentId":"sha256:00","mediaType":"image/png","bytes":10,"width":2,"height":3}}`: {Type: message.Image,
			Attachment: &message.Attachment{ID: "sha256:00", MediaType: "image/png", Bytes: 10, Width: 2, Height: 3}},
	} {
		assert.Equal(t, raw, string(want.AppendJSON(nil)), "made in Go")
		got, err := message.ParseBlock([]byte(raw))
		require.NoError(t, err)
		assert.Equal(t, shown(want), shown(got), raw)
	}
	odd := `{ "type" : "chart", "text" : 1, "x" : [1.50, "\u0041"] }`
	got, err := message.ParseBlock([]byte(odd))
	require.NoError(t, err)
	assert.Equal(t, odd, string(got.AppendJSON(nil)))
	assert.Equal(t, message.Block{Type: "chart"}, shown(got))

	items := `{"type":"tool-result","content":[1,{"type":"text","text":1}]}`
	got, err = message.ParseBlock([]byte(items))
	require.NoError(t, err)
	require.Len(t, got.Content, 2, "what is not a block keeps its place")
	assert.Equal(t, "1", string(got.Content[0].AppendJSON(nil)))
}

// Deep nesting is carried.
func TestDeepNesting(t *testing.T) {
	const open, end = `{"type":"tool-result","content":[`, `]}`
	raw := strings.Repeat(open, 4000) + strings.Repeat(end, 4000)
	b, err := message.ParseBlock([]byte(raw))
	require.NoError(t, err)
	assert.Equal(t, raw, string(b.AppendJSON(nil)))
}

// Tool results are read 64 deep in one another. Below that nothing is read, and everything kept.
func TestNestingBound(t *testing.T) {
	const open, end = `{"type":"tool-result","toolCallId":"c","content":[`, `]}`
	for results, want := range map[int]struct {
		read int
		text string
	}{
		64: {64, "x"}, // the innermost one holds a text
		65: {65, ""},
		70: {65, ""}, // the 65th is read, but not what it holds
	} {
		raw := strings.Repeat(open, results) + `{"type":"text","text":"x"}` + strings.Repeat(end, results)
		b, err := message.ParseBlock([]byte(raw))
		require.NoError(t, err)
		m, err := message.ParseMessage([]byte(`{"content":[` + raw + `]}`))
		require.NoError(t, err)
		require.Len(t, m.Content, 1)
		for _, outer := range []message.Block{b, m.Content[0]} {
			read, text := 0, ""
			at := outer
			for at.Type == message.ToolResult {
				assert.Equal(t, "c", at.ToolCallID)
				if read++; len(at.Content) == 0 {
					break
				}
				at = at.Content[0]
				text = at.Text
			}
			assert.Equal(t, want.read, read, results)
			assert.Equal(t, want.text, text, results)
			assert.Equal(t, raw, string(outer.AppendJSON(nil)))
			if results > want.read {
				assert.Contains(t, string(at.AppendJSON(nil)), `"text":"x"`)
			}
		}
	}
}

func TestFailure(t *testing.T) {
	for raw, want := range map[string]message.Failure{
		`{"message":"m","code":"c","status":503,"providerRetryAfterMs":1.5,"requestId":"r"}`: {Message: "m", Code: "c", Status: 503, RetryAfterMS: 1.5, RequestID: "r"},
		`{"message":"m","code":""}`:                               {Message: "m", Code: message.Unknown},
		`{"message":"m","code":"c","status":600}`:                 {Message: "m", Code: message.Unknown},
		`{"message":"m","code":"c","status":"503"}`:               {Message: "m", Code: message.Unknown},
		`{"message":"m","code":"c","providerRetryAfterMs":0}`:     {Message: "m", Code: message.Unknown},
		`{"message":"m","code":"c","providerRetryAfterMs":1e999}`: {Message: "m", Code: message.Unknown},
		`{"message":"m","code":"c","requestId":""}`:               {Message: "m", Code: message.Unknown},
		`{"message":"m"}`: {Message: "m", Code: message.Unknown},
		`{"code":"c"}`:    {Message: "the failure gives no reason", Code: message.Unknown},
		`null`:            {Message: "the failure gives no reason", Code: message.Unknown},
	} {
		f := message.ParseFailure([]byte(raw))
		assert.Equal(t, want, message.Failure{Message: f.Message, Code: f.Code, Status: f.Status, RetryAfterMS: f.RetryAfterMS, RequestID: f.RequestID}, raw)
		if want.Code != message.Unknown {
			assert.Equal(t, raw, string(want.AppendJSON(nil)))
		}
	}
	f := message.Failure{Message: "m", Code: "c"}
	assert.EqualError(t, &f, "m (c)")
}

const stored = `{"id":"m1","role":"assistant", "content":[{"type":"text","text":"a"}],
	"source":{"kind":"model","provider":"p","model":"m","replayState":{"response":1.0},"answered":{"provider":"q","model":"n"},"x":1},"y":2}`

func TestParseMessage(t *testing.T) {
	m, err := message.ParseMessage([]byte(stored))
	require.NoError(t, err)
	assert.Equal(t, "m1", m.ID)
	assert.Equal(t, message.Assistant, m.Role)
	assert.Equal(t, message.Route{Provider: "p", Model: "m"}, m.Source.Requested())
	assert.Equal(t, "q/n", m.Source.Serving().String())
	assert.Equal(t, `{"response":1.0}`, string(m.Source.ReplayState))
	assert.Equal(t, stored, string(m.AppendJSON(nil)))

	for raw, want := range map[string]string{
		`{"source":{"kind":"model","provider":"p","model":"m","answered":{"provider":"q"}}}`:            "p/m",
		`{"source":{"kind":"model","provider":"p","model":"m","answered":{"provider":"q","model":""}}}`: "p/m",
		`{"source":{"kind":"model","provider":"p","model":"m","answered":"q"}}`:                         "p/m",
		`{"source":{"kind":"model","provider":"p","model":"m"},"source":{"provider":"r","model":"s"}}`:  "r/s",
		`{"source":[1],"role":7,"content":"no list"}`:                                                   "/",
	} {
		m, err := message.ParseMessage([]byte(raw))
		require.NoError(t, err)
		assert.Equal(t, want, m.Source.Serving().String(), raw)
		assert.Nil(t, m.Source.ReplayState)
		assert.Nil(t, m.Content)
	}
}

func TestMessageMadeInGo(t *testing.T) {
	m := message.Message{ID: "m", Role: message.Assistant, Content: []message.Block{{Type: message.Text, Text: low + "<a>" + high}},
		Source: message.Source{Kind: message.FromModel, Provider: "p", Model: "m", Answered: &message.Route{Provider: "q", Model: "n"},
			ReplayState: json.RawMessage(`null`)}}
	want := `{"id":"m","role":"assistant","content":[{"type":"text","text":"\uddfe<a>\ud83e"}],` +
		`"source":{"kind":"model","provider":"p","model":"m","answered":{"provider":"q","model":"n"},"replayState":null}}`
	assert.Equal(t, want, string(m.AppendJSON(nil)))
	back, err := message.ParseMessage([]byte(want))
	require.NoError(t, err)
	assert.Equal(t, low+"<a>"+high, back.Content[0].Text)
	assert.Equal(t, "null", string(back.Source.ReplayState), "a null is a state")

	bare := m.WithoutReplayState()
	assert.NotContains(t, string(bare.AppendJSON(nil)), "replayState")
	assert.Equal(t, "null", string(m.Source.ReplayState), "the original stays")
	for source, want := range map[string]message.Source{
		`{"kind":"tool","callId":"c"}`:   {Kind: message.FromTool, CallID: "c"},
		`{"kind":"plugin","plugin":"x"}`: {Kind: message.FromPlugin, Plugin: "x"},
		`{"kind":"user"}`:                {Kind: message.FromUser},
	} {
		assert.Equal(t, source, string(want.AppendJSON(nil)))
	}
}

func TestWithoutReplayState(t *testing.T) {
	for raw, want := range map[string]string{
		stored: strings.Replace(stored, `"replayState":{"response":1.0},`, "", 1),
		`{"source":{"replayState":1,"kind":"model","replayState":2,"r\u0065playState":3}}`: `{"source":{"kind":"model"}}`,
		`{"source":{"kind":"model","replayState":null}}`:                                   `{"source":{"kind":"model"}}`,
		`{"source":{"replayState":1},"source":{"kind":"model","replayState":2},"z":[1.0]}`: `{"source":{"replayState":1},"source":{"kind":"model"},"z":[1.0]}`,
		`{"replayState":1,"source":{"kind":"model"}}`:                                      `{"replayState":1,"source":{"kind":"model"}}`,
	} {
		m, err := message.ParseMessage([]byte(raw))
		require.NoError(t, err)
		n := m.WithoutReplayState()
		assert.Nil(t, n.Source.ReplayState)
		assert.Equal(t, want, string(n.AppendJSON(nil)))
		assert.Equal(t, raw, string(m.AppendJSON(nil)), "the original stays")
		again, err := message.ParseMessage(n.AppendJSON(nil))
		require.NoError(t, err)
		assert.Nil(t, again.Source.ReplayState)
	}
}

func TestWithContent(t *testing.T) {
	content := []message.Block{{Type: message.Text, Text: "new"}}
	const written = `[{"type":"text","text":"new"}]`
	for raw, want := range map[string]string{
		`{"id":"a","content":[1],"source":{"replayState":1,"kind":"model"},"x":1}`: `{"id":"a","content":` + written + `,"source":{"kind":"model"},"x":1}`,
		`{"content":[],"content":[{"type":"image"}]}`:                              `{"content":[],"content":` + written + `}`,
		`{"c\u006fntent":null}`: `{"c\u006fntent":` + written + `}`,
		`{"id":"a"}`:            `{"id":"a","content":` + written + `}`,
		`{}`:                    `{"content":` + written + `}`,
	} {
		m, err := message.ParseMessage([]byte(raw))
		require.NoError(t, err)
		n := m.WithContent(content)
		assert.Equal(t, want, string(n.AppendJSON(nil)))
		assert.Equal(t, content, n.Content)
		assert.Equal(t, raw, string(m.AppendJSON(nil)), "the original stays")
		again, err := message.ParseMessage(n.AppendJSON(nil))
		require.NoError(t, err)
		assert.Equal(t, "new", again.Content[0].Text)
	}
}

// Many members with one key cost no more than one look at each.
func TestManyDuplicates(t *testing.T) {
	raw := `{"source":{"kind":"model"` + strings.Repeat(`,"replayState":1`, 200_000) + `}}`
	m, err := message.ParseMessage([]byte(raw))
	require.NoError(t, err)
	m = m.WithoutReplayState()
	assert.Equal(t, `{"source":{"kind":"model"}}`, string(m.AppendJSON(nil)))
}

// encoding/json reads and writes the same values.
func TestEncodingJSON(t *testing.T) {
	line := []byte(`{"type":"block-end","index":1,"block":{"type":"text","text":"a\ud83e","x":1}}`)
	var c message.Chunk
	require.NoError(t, json.Unmarshal(line, &c))
	for i := range line {
		line[i] = 'x' // the value has its own copy
	}
	out, err := json.Marshal(c)
	require.NoError(t, err)
	assert.Equal(t, `{"type":"block-end","index":1,"block":{"type":"text","text":"a\ud83e","x":1}}`, string(out))

	var m message.Message
	require.NoError(t, json.Unmarshal([]byte(stored), &m))
	out, err = json.Marshal(m)
	require.NoError(t, err)
	assert.JSONEq(t, stored, string(out))
	var s message.Source
	require.NoError(t, json.Unmarshal([]byte(`{"kind":"tool","callId":"c"}`), &s))
	assert.Equal(t, "c", s.CallID)
	assert.Error(t, json.Unmarshal([]byte(`[]`), &s))
}
