package stream_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/host/stream"
)

// ignoring translates lines and returns what was ignored, a line each: "?" marks what is not known.
func ignoring(t *testing.T, cfg *stream.Config, lines ...string) []string {
	var told []string
	cfg.OnIgnored = func(i stream.Ignored) {
		line := i.Part
		if i.Member != "" {
			line += "." + i.Member
		}
		if i.Unknown {
			line += "?"
		}
		told = append(told, line+" "+string(i.Raw))
	}
	translate(t, cfg, lines...)
	return told
}

func TestIgnored(t *testing.T) {
	// Of each line, what is told of it.
	for line, want := range map[string][]string{
		`{"type":"stream-start","warnings":[{"type":"other"}]}`: {`stream-start {"type":"stream-start","warnings":[{"type":"other"}]}`},
		` {"type":"source","id":"s"}` + "\r":                    {`source {"type":"source","id":"s"}`},
		`{"type":"response-metadata"}`:                          {`response-metadata {"type":"response-metadata"}`},
		`{"type":"raw"}`:                                        {`raw {"type":"raw"}`},
		`{"type":"custom"}`:                                     {`custom {"type":"custom"}`},
		`{"type":"reasoning-file"}`:                             {`reasoning-file {"type":"reasoning-file"}`},
		`{"type":"ping"}`:                                       {`ping {"type":"ping"}`},
		`{"type":"tool-approval-request"}`:                      {`tool-approval-request {"type":"tool-approval-request"}`},
		`{"type":"weather","id":"w"}`:                           {`weather? {"type":"weather","id":"w"}`},
		`{"id":"w"}`:                                            {`? {"id":"w"}`},

		`{"type":"text-start","id":"n","providerMetadata":{}}`:        nil,
		`{"type":"text-delta","id":"1","text":"x","delta":"y"}`:       {`text-delta.text? "x"`},
		`{"type":"text-delta","id":"1","delta":"y","toolName":"t"}`:   {`text-delta.toolName? "t"`},
		`{"type":"text-end","id":"1","citations":[1],"citation":[2]}`: {`text-end.citations [1]`, `text-end.citation? [2]`},
		`{"type":"text-end","id":"1","citations":null}`:               nil,
		`{"type":"text-end","id":"1","c\u0069tations":2}`:             {`text-end.citations 2`},
		`{"type":"text-end","id":"other","citations":1}`:              {`text-end {"type":"text-end","id":"other","citations":1}`},
		`{"type":"reasoning-start","id":"r","x":1}`:                   {`reasoning-start.x? 1`},
		`{"type":"reasoning-end","id":"1"}`:                           {`reasoning-end {"type":"reasoning-end","id":"1"}`},
		`{"type":"tool-input-start","id":"i","toolName":"ls","providerExecuted":false,"dynamic":true,"title":"List","inputEncoding":"json"}`: {
			`tool-input-start.dynamic true`, `tool-input-start.title "List"`, `tool-input-start.inputEncoding "json"`,
		},
		`{"type":"tool-input-delta","id":"i","delta":"{"}`: nil,
		`{"type":"tool-input-end","id":"c"}`:               nil,
		`{"type":"tool-input-end","id":"s"}`:               nil,
		`{"type":"tool-input-end","id":"d"}`:               {`tool-input-end {"type":"tool-input-end","id":"d"}`},
		`{"type":"tool-call","toolCallId":"d","toolName":"ls","input":"{}","dynamic":false,"args":{}}`: {
			`tool-call.dynamic false`, `tool-call.args? {}`,
		},
		`{"type":"tool-result","toolCallId":"s","toolName":"x","result":1,"isError":true,"preliminary":true,"providerMetadata":{"p":{}}}`: {
			`tool-result.providerMetadata {"p":{}}`,
		},
		`{"type":"tool-result","toolCallId":"c","result":1}`:                         {`tool-result {"type":"tool-result","toolCallId":"c","result":1}`},
		`{"type":"tool-result","toolCallId":"e","result":1,"providerExecuted":true}`: {`tool-result.result 1`},
		`{"type":"file","mediaType":"a/b","data":"AQI=","providerMetadata":{"p":1}}`: {`file.providerMetadata {"p":1}`},
		`{"type":"file","mediaType":"a/b","data":{"type":"url","url":"u"}}`:          nil,
		`{"type":"file","mediaType":"image/png","data":"?"}`:                         {`file {"type":"file","mediaType":"image/png","data":"?"}`},
		`{"type":"file","mediaType":"a/b","data":""}`:                                {`file {"type":"file","mediaType":"a/b","data":""}`},
		`{"type":"error","error":"e","code":1}`:                                      {`error.code? 1`},
		`{"type":"finish","finishReason":"stop","usage":{"x":1},"providerMetadata":{"p":{}},"rawFinishReason":"s"}`: {
			`finish.providerMetadata {"p":{}}`, `finish.rawFinishReason? "s"`,
		},
	} {
		told := ignoring(t, configFor(t, "pi", "ls"),
			`{"type":"text-delta","id":"1","delta":"x"}`, call("c", "ls", "{}"),
			`{"type":"tool-call","toolCallId":"s","toolName":"x","input":"{}","providerExecuted":true}`, line, finishStop)
		assert.Equal(t, want, told, line)
	}
}

// A result says whose its id is, even if its call has not come. What it holds is lost then, and told of.
func TestIgnoredResultOfNoCall(t *testing.T) {
	delta := `{"type":"tool-input-delta","id":"a","delta":"{}"}`
	result := `{"type":"tool-result","toolCallId":"a","toolName":"x","result":{"y":1},"isError":false,"providerExecuted":true}`
	lines := []string{delta, result, delta, result, call("a", "ls", "{}"), finishTools}
	assert.Equal(t, []string{`tool-result.toolName "x"`, `tool-result.result {"y":1}`, `tool-result.isError false`, `tool-result ` + result},
		ignoring(t, configFor(t, "pi", "ls"), lines...))
	r := translate(t, configFor(t, "pi", "ls"), lines...)
	assert.Equal(t, 1, count(r, stream.EventToolCallDelta), "what follows the result is of a call of the provider's")
	assert.Len(t, r.final.Content, 2, "and what came before it is not of the host's call")
	assert.Equal(t, "", r.final.Content[0].Name)
	assert.Equal(t, "ls", r.final.Content[1].Name)

	lines[1] = `{"type":"tool-result","toolCallId":"a","result":1}` // does not say so
	assert.Len(t, translate(t, configFor(t, "pi", "ls"), lines[:2]...).final.Content, 1)
	r = translate(t, configFor(t, "pi", "ls"), delta, lines[1], delta, call("a", "ls", "{}"), finishTools)
	assert.Len(t, r.final.Content, 1)
	assert.Equal(t, 2, count(r, stream.EventToolCallDelta))
}

// What has an effect depends on the host and on how it is translated.
func TestIgnoredDepends(t *testing.T) {
	image := `{"type":"file","mediaType":"image/png","data":"?"}`
	assert.Empty(t, ignoring(t, configFor(t, "omp"), image, finishStop))

	finish := `{"type":"finish","finishReason":"stop","usage":{},"providerMetadata":{"cursor":{}}}`
	cfg := configFor(t, "pi")
	cfg.Integration = stream.Cursor
	assert.Empty(t, ignoring(t, cfg, finish))

	cfg = configFor(t, "omp", "ls")
	cfg.Reference = true
	assert.Equal(t, []string{
		`file ` + image, `text-start.providerMetadata {"p":{}}`, `tool-result {"type":"tool-result","toolCallId":"c"}`,
	}, ignoring(t, cfg, image, `{"type":"text-start","id":"1","providerMetadata":{"p":{}}}`,
		`{"type":"tool-call","toolCallId":"c","toolName":"ls","input":"{}","providerExecuted":true}`,
		`{"type":"tool-result","toolCallId":"c"}`, finishStop))
}

// What is not read is not told of, and what is told of comes before the events of its part.
func TestIgnoredInOrder(t *testing.T) {
	cfg := configFor(t, "pi")
	var told []string
	cfg.OnIgnored = func(i stream.Ignored) { told = append(told, i.Part) }
	for e := range stream.Translate(t.Context(), cfg, valuesOf(parse(t, `{"type":"ping"}`,
		`{"type":"finish","finishReason":"stop","x":1}`, `{"type":"raw"}`))) {
		told = append(told, e.Type)
	}
	assert.Equal(t, []string{"start", "ping", "finish", "done"}, told)
}

// Parts that were not read from JSON have no other members than those of Part.
func TestIgnoredOfValues(t *testing.T) {
	cfg := configFor(t, "pi")
	var told []stream.Ignored
	cfg.OnIgnored = func(i stream.Ignored) { told = append(told, i) }
	tr := stream.NewTranslator(t.Context(), cfg)
	tr.Part(&stream.Part{Type: "source"}, func(stream.Event) bool { return true })
	tr.Part(&stream.Part{Type: stream.PartTextStart, Raw: []byte(`{"x":`)}, func(stream.Event) bool { return true })
	tr.Part(&stream.Part{Type: "new"}, func(stream.Event) bool { return true })
	assert.Equal(t, []stream.Ignored{{Part: "source"}, {Part: "new", Unknown: true}}, told)
}

// To be told changes nothing.
func TestIgnoredChangesNothing(t *testing.T) {
	lines := []string{
		`{"type":"text-delta","id":"1","delta":"x"}`, `{"type":"tool-result","toolCallId":"s","result":1,"providerExecuted":true}`,
		`{"type":"tool-input-delta","id":"s","delta":"{"}`, `{"type":"tool-input-end","id":"h","providerExecuted":true}`,
		call("h", "ls", "{}"), `{"type":"file","mediaType":"a/b","data":"AQI="}`, `{"type":"text-end","id":"1"}`, finishTools,
	}
	quiet := translate(t, configFor(t, "pi", "ls"), lines...)
	cfg := configFor(t, "pi", "ls")
	cfg.OnIgnored = func(stream.Ignored) {}
	assert.Equal(t, quiet.events, translate(t, cfg, lines...).events)
	assert.Equal(t, string(quiet.final.AppendJSON(nil)), string(translate(t, cfg, lines...).final.AppendJSON(nil)))
}

func TestKnownPart(t *testing.T) {
	for _, kind := range []string{stream.PartTextStart, stream.PartToolResult, stream.PartFinish, "source", "ping", "stream-start"} {
		assert.True(t, stream.KnownPart(kind), kind)
	}
	for _, kind := range []string{"", "text", "text_start", "Finish", "block-start"} {
		assert.False(t, stream.KnownPart(kind), kind)
	}
}

// A host that wants to know what an answer had beside what its messages can say.
func ExampleConfig_onIgnored() {
	cfg := &stream.Config{OnIgnored: func(i stream.Ignored) {
		switch {
		case i.Unknown:
			fmt.Println("not known:", i.Part, i.Member)
		case i.Part == "stream-start":
			fmt.Println("warnings:", string(i.Raw))
		default:
			fmt.Println("ignored:", i.Part, i.Member)
		}
	}}
	parts := stream.ReadParts(strings.NewReader(
		`{"type":"stream-start","warnings":[{"type":"unsupported","feature":"seed"}]}` + "\n" +
			`{"type":"text-delta","id":"1","delta":"Hello"}` + "\n" +
			`{"type":"text-end","id":"1","citations":[{"url":"https://example.com"}],"rating":5}` + "\n" +
			`{"type":"finish","finishReason":{"unified":"stop"},"usage":{}}`))
	for range stream.Translate(context.Background(), cfg, parts) {
	}
	// Output:
	// warnings: {"type":"stream-start","warnings":[{"type":"unsupported","feature":"seed"}]}
	// ignored: text-end citations
	// not known: text-end rating
}
