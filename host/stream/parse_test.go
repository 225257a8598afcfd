package stream_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

func TestParsePart(t *testing.T) {
	no := false
	for line, want := range map[string]stream.Part{
		`{"type":"text-delta","id":"1","delta":"a\n\ud83d\ude00\ud83d"}`: {
			Type: stream.PartTextDelta, ID: "1", Delta: "a\n😀\xed\xa0\xbd",
		},
		" {\"delta\":\"x\",\n\"id\":\"\u00e9\",\"type\":\"reasoning-delta\"}\t": {Type: stream.PartReasoningDelta, ID: "é", Delta: "x"},
		`{"toolCallId":"c","input":"{\"a\":1}","toolName":"t","type":"tool-call","id":"other","providerExecuted":true}`: {
			Type: stream.PartToolCall, ID: "c", Input: `{"a":1}`, ToolName: "t", ProviderExecuted: true,
		},
		`{"type":"tool-result","toolCallId":"c","result":null,"isError":false,"preliminary":true}`: {
			Type: stream.PartToolResult, ID: "c", Result: json.RawMessage(`null`), IsError: &no, Preliminary: true,
		},
		`{"type":"tool-input-start","id":"i","toolCallId":"c"}`: {Type: stream.PartToolInputStart, ID: "i"},
		`{"type":"file","mediaType":"image/png","data":{"type":"url"}}`: {
			Type: stream.PartFile, MediaType: "image/png", Data: json.RawMessage(`{"type":"url"}`),
		},
		`{"type":"finish","finishReason":"stop","usage":{ "a":1 },"providerMetadata":{"p":{}}}`: {
			Type: stream.PartFinish, FinishReason: json.RawMessage(`"stop"`), Usage: json.RawMessage(`{ "a":1 }`),
			Metadata: json.RawMessage(`{"p":{}}`),
		},
		`{"type":"error","error":[1]}`: {Type: stream.PartError, Error: json.RawMessage(`[1]`)},
		// What the protocol does not know.
		`{}`:                              {},
		`{"type":"weather","id":"w"}`:     {Type: "weather", ID: "w"},
		`{"type":7,"id":["a"],"delta":0}`: {Type: "7", ID: `["a"]`, Delta: "0"},
		`{"type":null,"id":null,"input":null,"providerExecuted":"true","isError":1,"preliminary":1}`: {},
		`{"type":"tool-call","input":{"a":1}}`:                                                       {Type: stream.PartToolCall, Input: `{"a":1}`},
		`{"type":"file","mediaType":null,"data":"AA"}`:                                               {Type: stream.PartFile},
		`{"type":"file","mediaType":"a","mediaType":1,"data":0}`:                                     {Type: stream.PartFile},
		`{"type":"file","mediaType":"","data":0}`:                                                    {Type: stream.PartFile, Data: json.RawMessage(`0`)},
		// The last one of a key counts, however it is written.
		`{"type":"text-end","id":"a","\u0069d":"b","isError":true,"isError":null,"delta":"x","delta":null}`: {
			Type: stream.PartTextEnd, ID: "b",
		},
		`{"\ud83d":1,"\\":2,"i\u0064":"a"}`:            {ID: "a"},
		"{\"id\":\"a\xffb\"}":                          {ID: "a\uFFFDb"},
		`{"type":"text-end","$throw":{"message":"x"}}`: {Type: stream.PartTextEnd},
	} {
		p := stream.Part{Type: "before", ID: "before", Usage: json.RawMessage("1")}
		require.NoError(t, stream.ParsePart([]byte(line), &p), line)
		assert.Equal(t, line, string(p.Raw))
		p.Raw = nil
		assert.Equal(t, want, p, line)
	}
	for _, line := range []string{``, ` `, `[]`, `"a"`, `null`, `{`, `{"type":"x"`, `{"a":1,}`, `{} {}`, `{"type":"a` + "\n" + `"}`} {
		p := stream.Part{Type: "before"}
		assert.Error(t, stream.ParsePart([]byte(line), &p), line)
		assert.Equal(t, stream.Part{}, p, line)
	}
}

func TestParsePartCopies(t *testing.T) {
	line := []byte(`{"type":"text-delta","id":"id","delta":"delta","providerMetadata":{"p":{}}}`)
	var p stream.Part
	require.NoError(t, stream.ParsePart(line, &p))
	clear(line)
	assert.True(t, json.Valid(p.Raw))
	p.Raw = nil
	assert.Equal(t, stream.Part{Type: stream.PartTextDelta, ID: "id", Delta: "delta", Metadata: json.RawMessage(`{"p":{}}`)}, p)
}

func TestThrown(t *testing.T) {
	for line, want := range map[string]stream.Thrown{
		`{"$throw":{"name":"AbortError","message":"gone"}}`: {Name: "AbortError", Message: "gone"},
		`{"$reject":{"name":"E","message":"never"}}`:        {Name: "E", Message: "never", Rejected: true},
		`{"$throw":{}}`:                       {},
		`{"$throw":{"code": 5}}`:              {Message: `{"code":5}`},
		`{"$reject":{"name":"E","status":1}}`: {Name: "E", Message: `{"name":"E","status":1}`, Rejected: true},
		`{"$throw":{"message":5}}`:            {Message: `{"message":5}`},
		`{"$throw":{"message":""}}`:           {},
		`{"$throw":"words"}`:                  {Message: "words"},
		`{"$throw":[1,2]}`:                    {Message: "[1,2]"},
	} {
		var got *stream.Thrown
		require.ErrorAs(t, stream.ParsePart([]byte(line), &stream.Part{}), &got, line)
		assert.JSONEq(t, line[strings.Index(line, ":")+1:len(line)-1], string(got.Value))
		got.Value = nil
		assert.Equal(t, want, *got, line)
		assert.Equal(t, want.Message, got.Error())
	}
}

// The parser against encoding/json.
func FuzzParsePart(f *testing.F) {
	for _, seed := range []string{
		`{"type":"text-delta","id":"1","delta":"a\n\ud83d\ude00"}`,
		`{"type":"tool-call","toolCallId":"c","toolName":"t","input":"{}","providerExecuted":true,"providerMetadata":{"a":{"b":1}}}`,
		`{"type":"tool-result","toolCallId":"c","result":{},"isError":true,"preliminary":false}`,
		`{"type":"file","mediaType":"image/png","data":"AA=="}`, `{"type":"finish","finishReason":"stop","usage":{}}`,
		`{"type":"error","error":null,"id":[1, 2],"delta":null,"\u0069d":0}`, `{"$throw":{"name":"a","message":"b"}}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var got stream.Part
		err := stream.ParsePart(line, &got)
		if thrown := (*stream.Thrown)(nil); errorsAs(err, &thrown) {
			return
		}
		want, ok := slowPart(line)
		require.Equal(t, ok, err == nil, "%v", err)
		if ok {
			require.Equal(t, string(line), string(got.Raw))
			got.Raw = nil
		}
		require.Equal(t, want, got)
	})
}

// slowPart reads a part in the obvious way.
func slowPart(line []byte) (p stream.Part, ok bool) {
	if !json.Valid(line) || !jsonspan.Valid(line) {
		return p, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(line, &members) != nil || members == nil {
		return p, false
	}
	text := func(key string) string {
		raw := members[key]
		switch {
		case raw == nil || string(raw) == "null":
			return ""
		case raw[0] == '"':
			return unquoteSlowly(raw)
		}
		return string(raw)
	}
	p = stream.Part{
		Type: text("type"), ID: text("id"), Delta: text("delta"), ToolName: text("toolName"), Input: text("input"),
		ProviderExecuted: string(members["providerExecuted"]) == "true", Preliminary: string(members["preliminary"]) == "true",
		Result: members["result"], Data: members["data"], FinishReason: members["finishReason"], Usage: members["usage"],
		Error: members["error"], Metadata: members["providerMetadata"],
	}
	if media := members["mediaType"]; len(media) > 0 && media[0] == '"' {
		p.MediaType = text("mediaType")
	} else if p.Type == stream.PartFile {
		p.Data = nil
	}
	if raw := string(members["isError"]); raw == "true" || raw == "false" {
		is := raw == "true"
		p.IsError = &is
	}
	if p.Type == stream.PartToolCall || p.Type == stream.PartToolResult {
		p.ID = text("toolCallId")
	}
	return p, true
}
