package stream_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/host/stream"
)

func finishPart(reason, usage, metadata string) *stream.Part {
	p := &stream.Part{Type: stream.PartFinish, FinishReason: json.RawMessage(reason)}
	if usage != "" {
		p.Usage = json.RawMessage(usage)
	}
	if metadata != "" {
		p.Metadata = json.RawMessage(metadata)
	}
	return p
}

const (
	stopReason = `{"unified":"stop"}`
	noUsage    = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0`
	// cursorRun is what a Cursor run of 1,000 tokens of input, 300 of them cached and 200 written, has used.
	cursorRun = `"inputTokensRaw":1000,"outputTokensRaw":10,"cacheReadRaw":300,"cacheWriteRaw":200`
)

func TestCursorCharges(t *testing.T) {
	const reported = `{"inputTokens":{"total":100},"outputTokens":{"total":10}}`
	charged := func(input, output string) string {
		return `{"inputTokens":` + input + `,"outputTokens":` + output + `}`
	}
	for metadata, want := range map[string]string{
		`{"cursor":{` + cursorRun + `}}`: charged(`{"total":1000,"noCache":500,"cacheRead":300,"cacheWrite":200}`, `{"total":10,"text":10,"reasoning":0}`),
		// One number is enough, be it infinite or negative; fractions are cut.
		`{"cursor":{"reasoningTokensRaw":1e999}}`:                            charged(`{"total":0,"noCache":0,"cacheRead":0,"cacheWrite":0}`, `{"total":0,"text":0,"reasoning":0}`),
		`{"cursor":{"outputTokensRaw":-3,"inputTokensRaw":"9"}}`:             charged(`{"total":0,"noCache":0,"cacheRead":0,"cacheWrite":0}`, `{"total":0,"text":0,"reasoning":0}`),
		`{"cursor":{"inputTokensRaw":9.9,"cacheWriteRaw":5.9}}`:              charged(`{"total":9,"noCache":4,"cacheRead":0,"cacheWrite":5}`, `{"total":0,"text":0,"reasoning":0}`),
		`{"cursor":{"inputTokensRaw":1e300,"outputTokensRaw":1}}`:            charged(`{"total":1e+300,"noCache":1e+300,"cacheRead":0,"cacheWrite":0}`, `{"total":1,"text":1,"reasoning":0}`),
		`{"cursor":{"outputTokensRaw":4,"reasoningTokensRaw":3}}`:            charged(`{"total":0,"noCache":0,"cacheRead":0,"cacheWrite":0}`, `{"total":4,"text":1,"reasoning":3}`),
		`{"cursor":{"inputTokensRaw":5,"cacheReadRaw":4,"cacheWriteRaw":4}}`: charged(`{"total":5,"noCache":0,"cacheRead":4,"cacheWrite":1}`, `{"total":0,"text":0,"reasoning":0}`),
		`{"cursor":{"inputTokensRaw":1e999,"outputTokensRaw":-1e999}}`:       charged(`{"total":0,"noCache":0,"cacheRead":0,"cacheWrite":0}`, `{"total":0,"text":0,"reasoning":0}`),
		// Otherwise what is reported stands.
		`{"cursor":{"inputTokensRaw":"9","occupancyOnly":"true"}}`: "",
		`{"cursor":{"inputTokensRaw":null}}`:                       "",
		`{"cursor":null}`:                                          "",
		`{"cursor":[{` + cursorRun + `}]}`:                         "",
		`{"devin":{` + cursorRun + `}}`:                            "",
		`[]`:                                                       "",
		`{`:                                                        "",
	} {
		a := stream.Accounting{Integration: stream.Cursor}
		usage, replaced := a.Projected(finishPart(stopReason, reported, metadata))
		if want == "" {
			assert.False(t, replaced, metadata)
			assert.Equal(t, reported, string(usage), metadata)
			continue
		}
		assert.True(t, replaced, metadata)
		assert.Equal(t, want, string(usage), metadata)
	}
	a := stream.Accounting{Integration: stream.Cursor}
	usage, replaced := a.Projected(finishPart(stopReason, reported, `{"cursor":{"occupancyOnly":true,`+cursorRun+`}}`))
	assert.True(t, replaced)
	assert.Nil(t, usage)
	// A run beyond what counts is not counted.
	assert.Equal(t, `{"input":0,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":1,"reasoning":0}`,
		tokensOf(a.Usage(finishPart(stopReason, reported, `{"cursor":{"inputTokensRaw":1e300,"outputTokensRaw":1}}`))))
}

func TestCursorContext(t *testing.T) {
	const whole = `{"input":500,"output":10,"cacheRead":300,"cacheWrite":200,"totalTokens":1010,"reasoning":0`
	for _, c := range []struct {
		name, reason, usage, metadata string
		readme, reference, occupancy  bool
		want                          string
	}{
		{name: "fits", metadata: `{` + cursorRun + `,"context":{"usedTokens":1000.9}}`, want: whole + `,"contextTokens":1000}`},
		{name: "one too many", metadata: `{` + cursorRun + `,"context":{"usedTokens":999}}`,
			want: `{"input":500,"output":10,"cacheRead":299,"cacheWrite":200,"totalTokens":1010,"reasoning":0,"contextTokens":999,"orchestration":{"cacheRead":1}}`},
		{name: "cuts the writes", metadata: `{` + cursorRun + `,"context":{"usedTokens":600}}`,
			want: `{"input":500,"output":10,"cacheRead":0,"cacheWrite":100,"totalTokens":1010,"reasoning":0,"contextTokens":600,"orchestration":{"input":100,"cacheRead":300}}`},
		{name: "cuts the input", metadata: `{` + cursorRun + `,"context":{"usedTokens":100}}`,
			want: `{"input":100,"output":10,"cacheRead":0,"cacheWrite":0,"totalTokens":1010,"reasoning":0,"contextTokens":100,"orchestration":{"input":600,"cacheRead":300}}`},
		{name: "occupancy", occupancy: true, metadata: `{` + cursorRun + `,"context":{"usedTokens":5000}}`,
			want: `{"input":500,"output":10,"cacheRead":300,"cacheWrite":200,"totalTokens":5000,"reasoning":0,"contextTokens":5000}`},

		{name: "no context", occupancy: true, metadata: `{` + cursorRun + `}`, want: whole + `}`},
		{name: "context is a list", metadata: `{` + cursorRun + `,"context":[{"usedTokens":1}]}`, want: whole + `}`},
		{name: "infinite", metadata: `{` + cursorRun + `,"context":{"usedTokens":1e999}}`, want: whole + `}`},
		{name: "barely negative", metadata: `{` + cursorRun + `,"context":{"usedTokens":-0.1}}`, want: whole + `}`},
		{name: "huge", metadata: `{` + cursorRun + `,"context":{"usedTokens":1e20}}`, want: whole + `,"contextTokens":9223372036854775807}`},

		// What is reported as input bounds the context too, if it is a number.
		{name: "reported less", usage: `{"inputTokens":{"total":600.9}}`, metadata: `{` + cursorRun + `,"context":{"usedTokens":900}}`,
			want: `{"input":500,"output":10,"cacheRead":0,"cacheWrite":100,"totalTokens":1010,"reasoning":0,"contextTokens":900,"orchestration":{"input":100,"cacheRead":300}}`},
		{name: "reported more", usage: `{"inputTokens":{"total":950}}`, metadata: `{` + cursorRun + `,"context":{"usedTokens":900}}`,
			want: `{"input":500,"output":10,"cacheRead":200,"cacheWrite":200,"totalTokens":1010,"reasoning":0,"contextTokens":900,"orchestration":{"cacheRead":100}}`},
		{name: "reported negative", usage: `{"inputTokens":{"total":-1}}`, metadata: `{` + cursorRun + `,"context":{"usedTokens":900}}`,
			want: `{"input":0,"output":10,"cacheRead":0,"cacheWrite":0,"totalTokens":1010,"reasoning":0,"contextTokens":900,"orchestration":{"input":700,"cacheRead":300}}`},
		{name: "reported infinite", usage: `{"inputTokens":{"total":-1e999}}`, metadata: `{` + cursorRun + `,"context":{"usedTokens":1000}}`, want: whole + `,"contextTokens":1000}`},
		{name: "reported text", usage: `{"inputTokens":{"total":"1"}}`, metadata: `{` + cursorRun + `,"context":{"usedTokens":1000}}`, want: whole + `,"contextTokens":1000}`},
		{name: "reported flat", usage: `{"inputTokens":600}`, metadata: `{` + cursorRun + `,"context":{"usedTokens":900}}`,
			want: `{"input":500,"output":10,"cacheRead":0,"cacheWrite":100,"totalTokens":1010,"reasoning":0,"contextTokens":900,"orchestration":{"input":100,"cacheRead":300}}`},
		{name: "reported flat, reference", reference: true, usage: `{"inputTokens":600}`, metadata: `{` + cursorRun + `,"context":{"usedTokens":1000}}`,
			want: whole + `,"contextTokens":1000}`},

		// Reasons.
		{name: "error", occupancy: true, reason: `{"unified":"error"}`, metadata: `{` + cursorRun + `,"context":{"usedTokens":1}}`, want: whole + `,"contextTokens":1}`},
		{name: "error of V2", reason: `"error"`, metadata: `{` + cursorRun + `,"context":{"usedTokens":1}}`, want: whole + `,"contextTokens":1}`},
		{name: "error of V2, reference", reference: true, reason: `"error"`, metadata: `{` + cursorRun + `,"context":{"usedTokens":900}}`,
			want: `{"input":500,"output":10,"cacheRead":200,"cacheWrite":200,"totalTokens":1010,"reasoning":0,"contextTokens":900,"orchestration":{"cacheRead":100}}`},
		{name: "no reason", reason: `null`, occupancy: true, metadata: `{` + cursorRun + `,"context":{"usedTokens":900}}`,
			want: `{"input":500,"output":10,"cacheRead":200,"cacheWrite":200,"totalTokens":900,"reasoning":0,"contextTokens":900,"orchestration":{"cacheRead":100}}`},

		// The older integration.
		{name: "readme", readme: true, occupancy: true, metadata: `{` + cursorRun + `,"context":{"usedTokens":900}}`,
			want: `{"input":500,"output":10,"cacheRead":200,"cacheWrite":200,"totalTokens":1010,"reasoning":0,"contextTokens":900,"orchestration":{"cacheRead":100}}`},
		{name: "readme, tool calls of V2", readme: true, reason: `"tool-calls"`, metadata: `{` + cursorRun + `,"context":{"usedTokens":900}}`,
			want: `{"input":500,"output":10,"cacheRead":200,"cacheWrite":200,"totalTokens":1010,"reasoning":0,"contextTokens":900,"orchestration":{"cacheRead":100}}`},
		{name: "readme, length", readme: true, reason: `{"unified":"length"}`, metadata: `{` + cursorRun + `,"context":{"usedTokens":1}}`, want: whole + `,"contextTokens":1}`},
		{name: "readme, no reason", readme: true, reason: `{}`, metadata: `{` + cursorRun + `,"context":{"usedTokens":1}}`, want: whole + `,"contextTokens":1}`},

		// Occupancy only.
		{name: "only", metadata: `{"occupancyOnly":true,` + cursorRun + `,"context":{"usedTokens":1}}`, want: noUsage + `,"contextTokens":1}`},
		{name: "only, occupancy", occupancy: true, metadata: `{"occupancyOnly":true,"context":{"usedTokens":7}}`,
			want: `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":7,"contextTokens":7}`},
		{name: "only, error", occupancy: true, reason: `{"unified":"error"}`, metadata: `{"occupancyOnly":true,"context":{"usedTokens":7}}`, want: noUsage + `,"contextTokens":7}`},
		{name: "only, readme", readme: true, occupancy: true, metadata: `{"occupancyOnly":true,"context":{"usedTokens":7}}`, want: noUsage + `,"contextTokens":7}`},
		{name: "only, no context", occupancy: true, metadata: `{"occupancyOnly":true}`, want: noUsage + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.reason == "" {
				c.reason = stopReason
			}
			a := stream.Accounting{
				Integration: stream.Cursor, Cost: usageRates, OccupancyTotal: c.occupancy, Readme: c.readme, Reference: c.reference,
			}
			part := finishPart(c.reason, c.usage, `{"cursor":`+c.metadata+`}`)
			u := a.Usage(part)
			assert.Equal(t, c.want, tokensOf(u))
			// Costs are those of what is charged, wherever it goes.
			usage, replaced := a.Projected(part)
			if usage != nil || !replaced {
				assert.Equal(t, stream.GenericUsage(usage, usageRates, c.reference).Cost, u.Cost)
			} else {
				assert.Zero(t, u.Cost)
			}
		})
	}
}

func TestDevinCharges(t *testing.T) {
	for _, c := range []struct{ usage, devin, want string }{
		{`{"outputTokens":{"total":9,"x":1}}`, `{"inputTokens":10,"cacheRead":11,"cacheWrite":30}`, `{"inputTokens":{"total":10,"noCache":0,"cacheRead":0,"cacheWrite":10},"outputTokens":{"total":9,"x":1}}`},
		{`{"inputTokens":{"cacheWrite":4}}`, `{"inputTokens":10,"cacheRead":11}`, `{"inputTokens":{"total":10,"noCache":6,"cacheRead":0,"cacheWrite":4}}`},
		{`null`, `{"inputTokens":0,"cacheRead":1}`, `{"inputTokens":{"total":0,"noCache":0,"cacheRead":0,"cacheWrite":0}}`},
	} {
		a := stream.Accounting{Integration: stream.Devin}
		usage, replaced := a.Projected(finishPart(stopReason, c.usage, `{"devin":{"usageCounters":`+c.devin+`}}`))
		assert.True(t, replaced)
		assert.Equal(t, c.want, string(usage))
	}
}

// Without an integration metadata says nothing, whatever is in it.
func TestNoIntegration(t *testing.T) {
	a := stream.Accounting{OccupancyTotal: true}
	part := finishPart(stopReason, `{"inputTokens":{"total":4},"outputTokens":{"total":2}}`,
		`{"cursor":{`+cursorRun+`,"context":{"usedTokens":1}},"devin":{"usageCounters":{"inputTokens":1,"cacheRead":2,"outputTokens":3}}}`)
	assert.Equal(t, `{"input":4,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":6}`, tokensOf(a.Usage(part)))
	_, replaced := a.Projected(part)
	assert.False(t, replaced)
}

func TestDevin(t *testing.T) {
	const reported = `{"inputTokens":{"total":100,"cacheWrite":7},"outputTokens":{"total":9,"reasoning":2},"raw":1}`
	const stands = `{"input":93,"output":9,"cacheRead":0,"cacheWrite":7,"totalTokens":109,"reasoning":2}`
	for _, c := range []struct {
		name, reason, usage, devin string
		occupancy                  bool
		want                       string
	}{
		{name: "snapshot", devin: `{"usageCounters":{"inputTokens":10,"cacheRead":11,"cacheWrite":3,"outputTokens":4}}`,
			want: `{"input":7,"output":9,"cacheRead":0,"cacheWrite":3,"totalTokens":19,"reasoning":2,"contextTokens":25}`},
		{name: "snapshot, occupancy", occupancy: true, devin: `{"usageCounters":{"inputTokens":10,"cacheRead":11,"cacheWrite":3,"outputTokens":4}}`,
			want: `{"input":7,"output":9,"cacheRead":0,"cacheWrite":3,"totalTokens":25,"reasoning":2,"contextTokens":25}`},
		{name: "raw counters where the others are none", devin: `{"usageCounters":null,"rawCounters":{"inputTokens":0,"cacheRead":1,"outputTokens":0}}`,
			want: `{"input":0,"output":9,"cacheRead":0,"cacheWrite":0,"totalTokens":9,"reasoning":2,"contextTokens":1}`},
		{name: "written as reported", devin: `{"rawCounters":{"inputTokens":10,"cacheRead":11,"cacheWrite":-3}}`,
			want: `{"input":3,"output":9,"cacheRead":0,"cacheWrite":7,"totalTokens":19,"reasoning":2}`},
		{name: "written 0", devin: `{"usageCounters":{"inputTokens":10,"cacheRead":11,"cacheWrite":0}}`,
			want: `{"input":10,"output":9,"cacheRead":0,"cacheWrite":0,"totalTokens":19,"reasoning":2}`},
		{name: "written more than there is", devin: `{"usageCounters":{"inputTokens":10,"cacheRead":11,"cacheWrite":30}}`,
			want: `{"input":0,"output":9,"cacheRead":0,"cacheWrite":10,"totalTokens":19,"reasoning":2}`},
		{name: "output does not count", occupancy: true, devin: `{"usageCounters":{"inputTokens":10,"cacheRead":11,"cacheWrite":0,"outputTokens":1.5}}`,
			want: `{"input":10,"output":9,"cacheRead":0,"cacheWrite":0,"totalTokens":19,"reasoning":2}`},
		{name: "error of V2", reason: `"error"`, occupancy: true, devin: `{"usageCounters":{"inputTokens":10,"cacheRead":11,"cacheWrite":0,"outputTokens":1}}`,
			want: `{"input":10,"output":9,"cacheRead":0,"cacheWrite":0,"totalTokens":19,"reasoning":2}`},
		{name: "nothing reported", usage: `null`, devin: `{"usageCounters":{"inputTokens":10,"cacheRead":11,"outputTokens":1}}`,
			want: `{"input":10,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":10,"contextTokens":22}`},
		{name: "flat", usage: `{"inputTokens":5,"outputTokens":6,"reasoningTokens":2}`, devin: `{"usageCounters":{"inputTokens":10,"cacheRead":11,"outputTokens":1}}`,
			want: `{"input":10,"output":6,"cacheRead":0,"cacheWrite":0,"totalTokens":16,"reasoning":2,"contextTokens":22}`},

		{name: "as much as there is", devin: `{"usageCounters":{"inputTokens":10,"cacheRead":10,"outputTokens":1}}`, want: stands},
		{name: "text", devin: `{"usageCounters":{"inputTokens":10,"cacheRead":"11","outputTokens":1}}`, want: stands},
		{name: "no input", devin: `{"usageCounters":{"cacheRead":11,"outputTokens":1}}`, want: stands},
		{name: "empty counters hide the others", devin: `{"usageCounters":{},"rawCounters":{"inputTokens":0,"cacheRead":1}}`, want: stands},
		{name: "no object", devin: `[1]`, want: stands},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.reason == "" {
				c.reason = stopReason
			}
			if c.usage == "" {
				c.usage = reported
			}
			a := stream.Accounting{Integration: stream.Devin, OccupancyTotal: c.occupancy}
			assert.Equal(t, c.want, tokensOf(a.Usage(finishPart(c.reason, c.usage, `{"devin":`+c.devin+`}`))))
		})
	}
}
