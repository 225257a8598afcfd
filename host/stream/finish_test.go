package stream_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

func TestReasons(t *testing.T) {
	for reason, want := range map[string][2]string{ // by default and for the reference
		`{"unified":"stop"}`: {"stop", "stop"}, `{"unified":"length"}`: {"length", "length"},
		`{"unified":"tool-calls","raw":"stop"}`: {"toolUse", "toolUse"}, `{"unified":"error"}`: {"error", "error"},
		`{"unified":"content-filter"}`: {"stop", "stop"}, `{"unified":"other"}`: {"stop", "stop"},
		`{"unified":"interrupted"}`: {"error interrupted", "stop"}, `{"unified":7}`: {"stop", "stop"}, `{"raw":"length"}`: {"stop", "stop"},
		`"stop"`: {"stop", "stop"}, `"length"`: {"length", "stop"}, `"tool-calls"`: {"toolUse", "stop"}, `"error"`: {"error", "stop"},
		`"content-filter"`: {"stop", "stop"}, `"unknown"`: {"stop", "stop"}, `"other"`: {"stop", "stop"}, `"interrupted"`: {"error interrupted", "stop"},
		`null`: {"stop", "stop"}, `["length"]`: {"stop", "stop"}, `7`: {"stop", "stop"}, `{"\u0075nified":"length"}`: {"length", "length"},
		`{"unified":"length","unified":"error"}`: {"error", "error"},
	} {
		for i, reference := range []bool{false, true} {
			cfg := configFor(t, "pi", "ls")
			cfg.Reference = reference
			cfg.Model.Cost = model.Cost{Input: 1e6}
			r := translate(t, cfg, `{"type":"text-delta","id":"1","delta":"x"}`,
				`{"type":"finish","usage":{"inputTokens":{"total":3}},"finishReason":`+reason+`}`, `{"type":"text-delta","id":"1","delta":"late"}`)
			stop, kind, _ := strings.Cut(want[i], " ")
			assert.Equal(t, stop, r.final.StopReason, "%s %v", reason, reference)
			assert.Equal(t, kind, string(r.final.Failure), "%s %v", reason, reference)
			assert.Equal(t, kind != "", r.final.ErrorMessage != "")
			assert.Equal(t, int64(3), r.final.Usage.Input, "usage is kept")
			assert.Equal(t, 3.0, r.final.Usage.Cost.Total)
			last := r.raw[len(r.raw)-1]
			assert.Equal(t, stop, last.Reason)
			assert.Equal(t, stop == "error", last.Type == stream.EventError)
			assert.Equal(t, "x", r.final.Content[0].Text())
		}
	}
	r := translate(t, configFor(t, "pi"), `{"type":"finish"}`)
	assert.Equal(t, "stop", r.final.StopReason)
}

func TestErrorText(t *testing.T) {
	deep := strings.Repeat("[", 9000) + `"x"` + strings.Repeat("]", 9000)
	for value, want := range map[string][2]string{ // by default and for the reference
		`"words"`: {"words", "words"}, `""`: {"", ""}, `503`: {"503", "503"}, `1e21`: {"1e+21", "1e+21"}, `-0`: {"0", "0"}, `1e999`: {"Infinity", "Infinity"},
		`true`: {"true", "true"}, `null`: {"null", "null"}, `"\ud83d"`: {"\xed\xa0\xbd", "\xed\xa0\xbd"},
		`{"message":"inner","code":1}`: {"inner", "[object Object]"}, `{"message":""}`: {"", "[object Object]"},
		`{"message":{"a":1}}`: {`{"message":{"a":1}}`, "[object Object]"},
		`{"code": 1.0e1}`:     {`{"code":10}`, "[object Object]"}, "{\"code\":\n1}": {`{"code":1}`, "[object Object]"},
		`{"message":"a","message":"b"}`: {"b", "[object Object]"}, `{}`: {"{}", "[object Object]"}, `[]`: {"[]", ""},
		`["message",null,[1,[],[2,"x"]],{"a":[3]},true]`: {`["message",null,[1,[],[2,"x"]],{"a":[3]},true]`, "message,,1,,2,x,[object Object],true"},
		`[null]`: {"[null]", ""}, `[[null,null],null]`: {"[[null,null],null]", ",,"}, deep: {deep, "x"},
	} {
		for i, reference := range []bool{false, true} {
			cfg := configFor(t, "omp")
			cfg.Reference = reference
			r := translate(t, cfg, `{"type":"error","error":`+value+`}`)
			assert.Equal(t, want[i], r.final.ErrorMessage, "%.80s %v", value, reference)
			assert.Equal(t, stream.Reported, r.final.Failure)
		}
	}
	assert.Equal(t, "undefined", translate(t, configFor(t, "omp"), `{"type":"error"}`).final.ErrorMessage)
}

func TestEndings(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	text := `{"type":"text-delta","id":"1","delta":"x"}`
	for _, c := range []struct {
		name    string
		aborted bool
		parts   []string
		err     error
		stop    string
		kind    stream.FailureKind
		message string // "*" for any
	}{
		{"no finish", false, nil, nil, "error", stream.MissingFinish, "*"},
		{"no finish, aborted", true, nil, nil, "aborted", "", ""},
		{"broken", false, nil, errBroken, "error", stream.Reported, "the line is dead"},
		{"broken, aborted", true, nil, errBroken, "aborted", "", ""},
		{"thrown", false, nil, fmt.Errorf("x: %w", &stream.Thrown{Name: "E", Message: "m"}), "error", stream.Reported, "m"},
		{"without words", false, nil, errors.New(""), "error", stream.Reported, ""},
		{"error part, aborted", true, []string{`{"type":"error","error":"e"}`}, errBroken, "error", stream.Reported, "e"},
		{"finish, aborted", true, []string{finishStop}, errBroken, "stop", "", ""},
		{"refused", false, []string{call("c", "no", "")}, nil, "error", stream.UnadvertisedTool, "*"},
		{"refused, aborted", true, []string{call("c", "no", "")}, nil, "aborted", "", ""},
	} {
		ctx := context.Background()
		if c.aborted {
			ctx = cancelled
		}
		tr := stream.NewTranslator(ctx, configFor(t, "pi"))
		r := &ran{}
		for _, p := range parse(t, append([]string{text}, c.parts...)...) {
			tr.Part(&p, r.take)
		}
		tr.End(c.err, r.take)
		tr.End(errors.New("again"), r.take)
		assert.False(t, tr.Part(&parse(t, finishStop)[0], r.take), "nothing is wanted any more")
		require.Len(t, r.events, 4, c.name)
		assert.Equal(t, c.stop, r.final.StopReason, c.name)
		assert.Equal(t, c.kind, r.final.Failure, c.name)
		if c.message != "*" {
			assert.Equal(t, c.message, r.final.ErrorMessage, c.name)
		}
		assert.Equal(t, "x", r.final.Content[0].Text(), c.name)
		if c.stop != "stop" {
			assert.Equal(t, stream.Usage{}, r.final.Usage)
		}
	}
}

func TestEndWithoutParts(t *testing.T) {
	r := &ran{}
	stream.NewTranslator(context.Background(), configFor(t, "pi")).End(errBroken, r.take)
	assert.Equal(t, []string{`{"type":"start"}`, `{"type":"error","reason":"error"}`}, r.events)
}

func withYield(t *testing.T) *stream.Config {
	omp, err := profile.Named("omp")
	require.NoError(t, err)
	schema := json.RawMessage(`{"type":"object","properties":{"type":{},"data":{}}}`)
	cfg := configFor(t, "omp")
	cfg.Toolset = omp.Bind([]profile.Tool{{Name: "yield", Parameters: schema}, {Name: "ls"}, {Name: "todo"}, {Name: "read"}}, profile.Options{})
	_, ok := cfg.Toolset.Terminal()
	require.True(t, ok)
	return cfg
}

func TestResultIsGivenBack(t *testing.T) {
	said := `{"type":"text-delta","id":"1","delta":"done"}`
	for name, c := range map[string]struct {
		parts []string
		given bool
	}{
		"text":                   {[]string{said}, true},
		"blank":                  {[]string{`{"type":"text-delta","id":"1","delta":" \u00a0\ufeff\n"}`}, false},
		"a blank and a text":     {[]string{`{"type":"text-delta","id":"2","delta":" "}`, said}, true},
		"nothing":                {nil, false},
		"reasoning":              {[]string{`{"type":"reasoning-delta","id":"1","delta":"hm"}`}, false},
		"a call":                 {[]string{said, call("c", "ls", "{}")}, false},
		"a call begun":           {[]string{said, `{"type":"tool-input-start","id":"c","toolName":"ls"}`}, false},
		"a call fanned out":      {[]string{said, call("c", "read", `{"filePath":"/a;/b"}`)}, false},
		"a call of the provider": {[]string{said, `{"type":"tool-call","toolCallId":"c","toolName":"ls","providerExecuted":true}`}, true},
		"input of such a call": {[]string{said, `{"type":"tool-input-start","id":"c","toolName":"ls"}`,
			`{"type":"tool-call","toolCallId":"c","toolName":"ls","providerExecuted":true}`}, true},
	} {
		for _, reason := range []string{`{"unified":"stop"}`, `"stop"`, `{"unified":"other"}`, `{"unified":"length"}`} {
			r := translate(t, withYield(t), append(c.parts, `{"type":"finish","finishReason":`+reason+`}`)...)
			given := c.given && strings.Contains(reason, "stop")
			last := (*stream.Block)(nil)
			if n := len(r.final.Content); n > 0 {
				last = r.final.Content[n-1]
			}
			if !given {
				assert.False(t, last != nil && last.Name == "yield", "%s %s", name, reason)
				continue
			}
			require.Equal(t, "yield", last.Name, "%s %s", name, reason)
			assert.NotEmpty(t, last.ID)
			assert.JSONEq(t, `{"type":"result"}`, string(last.Arguments))
			assert.False(t, last.Incomplete)
			assert.Equal(t, "toolUse", r.final.StopReason)
			n := len(r.raw)
			assert.Equal(t, []string{stream.EventToolCallStart, stream.EventToolCallEnd, stream.EventDone},
				[]string{r.raw[n-3].Type, r.raw[n-2].Type, r.raw[n-1].Type})
		}
	}
	// A fan-out frees the id of the call that was begun, however often.
	cfg := withYield(t)
	cfg.Todos = []profile.Todo{{Content: "A", Status: "pending"}}
	begun := `{"type":"tool-input-start","id":"c","toolName":"todowrite"}`
	done := call("c", "todowrite", `{"todos":[{"content":"A","status":"completed"}]}`)
	r := translate(t, cfg, said, begun, begun, done, finishStop)
	assert.Equal(t, "c#0", r.final.Content[2].ID)
	assert.Equal(t, "yield", r.final.Content[3].Name)
	r = translate(t, cfg, said, done, finishStop)
	assert.Equal(t, "c#0", r.final.Content[1].ID)
	require.Len(t, r.final.Content, 3)
	assert.Equal(t, "yield", r.final.Content[2].Name)

	ids := map[string]bool{}
	for range 20 {
		r := translate(t, withYield(t), said, finishStop)
		ids[r.final.Content[1].ID] = true
	}
	assert.Len(t, ids, 20)
}

// The older build counts a step of Cursor that was cut in another way.
func TestReadmeUsage(t *testing.T) {
	finish := `{"type":"finish","finishReason":"length","usage":{},"providerMetadata":{"cursor":{"inputTokensRaw":10,` +
		`"outputTokensRaw":1,"context":{"usedTokens":4}}}}`
	for readme, want := range map[bool]int64{false: 4, true: 10} {
		cfg := configFor(t, "pi")
		cfg.Integration, cfg.Readme = stream.Cursor, readme
		assert.Equal(t, want, translate(t, cfg, finish).final.Usage.Input)
	}
}
