package stream_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/stream"
)

var usageRates = model.Cost{Input: 2, Output: 8, CacheRead: 0.5, CacheWrite: 2.5}

// tokensOf writes usage without its costs.
func tokensOf(u stream.Usage) string {
	u.Cost = stream.Costs{}
	const zero = `,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}`
	text := string(u.AppendJSON(nil))
	for i := range text {
		if len(text)-i >= len(zero) && text[i:i+len(zero)] == zero {
			return text[:i] + text[i+len(zero):]
		}
	}
	return text
}

func TestUsageCountsOnlyCounts(t *testing.T) {
	for value, want := range map[string]int64{
		"7": 7, "7.0": 7, "70e-1": 7, "-0": 0, "9007199254740991": 1<<53 - 1,
		"9007199254740992": 0, "7.5": 0, "-7": 0, `"7"`: 0, "null": 0, "true": 0, "[7]": 0, `{"total":7}`: 0, "1e999": 0,
	} {
		u := stream.GenericUsage(json.RawMessage(`{"inputTokens":{"total":`+value+`},"outputTokens":{"total":0}}`), usageRates, false)
		assert.Equal(t, want, u.Input, value)
		assert.Equal(t, want, u.TotalTokens, value)
	}
}

func TestGenericUsage(t *testing.T) {
	for usage, want := range map[string]string{
		// Nothing, and what is no usage.
		``:                                      `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0}`,
		`null`:                                  `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0}`,
		`[1]`:                                   `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0}`,
		`{"inputTokens":`:                       `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0}`,
		`{"inputTokens":[5],"outputTokens":[]}`: `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0}`,
		// A cache that is 0 takes part in the sum as one that is not there does.
		`{"inputTokens":{"noCache":1,"cacheRead":0,"cacheWrite":0},"outputTokens":{"text":2,"reasoning":0}}`: `{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"reasoning":0}`,
		// Known totals win against the parts, unknown ones are the sum of what is known.
		`{"inputTokens":{"total":10,"noCache":99,"cacheRead":4},"outputTokens":{"total":5,"text":99,"reasoning":6}}`: `{"input":6,"output":5,"cacheRead":4,"cacheWrite":0,"totalTokens":15,"reasoning":5}`,
		`{"inputTokens":{"cacheRead":4,"cacheWrite":5},"outputTokens":{}}`:                                           `{"input":0,"output":0,"cacheRead":4,"cacheWrite":5,"totalTokens":9}`,
		`{"inputTokens":{"total":0,"cacheRead":4,"cacheWrite":5},"outputTokens":{"reasoning":3}}`:                    `{"input":0,"output":3,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"reasoning":3}`,
		// The last of two members counts, and white space does not.
		` {"inputTokens":{"total":1},"outputTokens":{"total":1},"inputTokens" : {"total":9,"total":8}} `: `{"input":8,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":9}`,
		// Sums beyond 2^53 are exact.
		`{"inputTokens":{"noCache":9007199254740991,"cacheRead":9007199254740991,"cacheWrite":9007199254740991},"outputTokens":{"text":9007199254740991,"reasoning":9007199254740991}}`: `{"input":9007199254740991,"output":18014398509481982,"cacheRead":9007199254740991,"cacheWrite":9007199254740991,"totalTokens":45035996273704955,"reasoning":9007199254740991}`,
	} {
		assert.Equal(t, want, tokensOf(stream.GenericUsage(json.RawMessage(usage), usageRates, false)), usage)
		assert.Equal(t, want, tokensOf(stream.GenericUsage(json.RawMessage(usage), usageRates, true)), usage)
	}
}

// Flat usage is that of specification V2. The reference takes its totals alone.
func TestFlatUsage(t *testing.T) {
	for usage, want := range map[string][2]string{
		`{"inputTokens":10,"outputTokens":5,"cachedInputTokens":4,"reasoningTokens":2,"totalTokens":99}`: {
			`{"input":6,"output":5,"cacheRead":4,"cacheWrite":0,"totalTokens":15,"reasoning":2}`,
			`{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15}`,
		},
		`{"outputTokens":5,"cachedInputTokens":4}`: {
			`{"input":0,"output":5,"cacheRead":4,"cacheWrite":0,"totalTokens":9}`,
			`{"input":0,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":5}`,
		},
		`{"inputTokens":10,"reasoningTokens":2}`: {
			`{"input":10,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":12,"reasoning":2}`,
			`{"input":10,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":10}`,
		},
		// Any number makes it flat, a count or not.
		`{"inputTokens":1.5,"outputTokens":"5","cachedInputTokens":4}`: {
			`{"input":0,"output":0,"cacheRead":4,"cacheWrite":0,"totalTokens":4}`,
			`{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0}`,
		},
		// Half flat: the side that is an object stays what it is.
		`{"inputTokens":10,"outputTokens":{"total":5,"reasoning":1},"reasoningTokens":3,"cachedInputTokens":null}`: {
			`{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"reasoning":1}`,
			`{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"reasoning":1}`,
		},
		// Without a number it is not flat.
		`{"inputTokens":null,"cachedInputTokens":4,"reasoningTokens":2}`: {
			`{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0}`,
			`{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0}`,
		},
	} {
		assert.Equal(t, want[0], tokensOf(stream.GenericUsage(json.RawMessage(usage), usageRates, false)), usage)
		assert.Equal(t, want[1], tokensOf(stream.GenericUsage(json.RawMessage(usage), usageRates, true)), usage)
	}
}

func TestCosts(t *testing.T) {
	u := stream.GenericUsage(json.RawMessage(`{"inputTokens":{"total":60,"cacheRead":20,"cacheWrite":10},"outputTokens":{"total":7}}`),
		model.Cost{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}, false)
	input, output, read, written := 30/1e6*3.0, 7/1e6*15.0, 20/1e6*0.3, 10/1e6*3.75
	assert.InEpsilon(t, input, u.Cost.Input, 1e-12)
	assert.InEpsilon(t, output, u.Cost.Output, 1e-12)
	assert.InEpsilon(t, read, u.Cost.CacheRead, 1e-12)
	assert.InEpsilon(t, written, u.Cost.CacheWrite, 1e-12)
	assert.Equal(t, u.Cost.Input+u.Cost.Output+u.Cost.CacheRead+u.Cost.CacheWrite, u.Cost.Total)
}

// The order of the sum shows in the last digit.
func TestCostsAreSummedInOrder(t *testing.T) {
	u := stream.GenericUsage(json.RawMessage(`{"inputTokens":{"noCache":1000000,"cacheRead":1000000},"outputTokens":{"total":1000000}}`),
		model.Cost{Input: 0.1, Output: 0.2, CacheRead: 0.3}, false)
	assert.Equal(t, 0.6000000000000001, u.Cost.Total)
}

func TestUsageJSON(t *testing.T) {
	zero, some := int64(0), int64(7)
	u := stream.Usage{
		Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, TotalTokens: 10,
		Cost: stream.Costs{Input: 1e-7, Output: math.Inf(-1), CacheRead: math.Inf(1), CacheWrite: math.NaN(), Total: 1e21},
	}
	const head = `{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"input":1e-7,"output":null,"cacheRead":null,"cacheWrite":null,"total":1e+21}`
	assert.Equal(t, "x"+head+`}`, string(u.AppendJSON([]byte("x"))))
	u.Reasoning, u.ContextTokens = &zero, &some
	assert.Equal(t, head+`,"reasoning":0,"contextTokens":7}`, string(u.AppendJSON(nil)))
	u.Orchestration = stream.Orchestration{Input: 5, CacheRead: 6}
	assert.Equal(t, head+`,"reasoning":0,"contextTokens":7,"orchestration":{"input":5,"cacheRead":6}}`, string(u.AppendJSON(nil)))
	u.Reasoning, u.ContextTokens, u.Orchestration = nil, &zero, stream.Orchestration{Output: 9}
	assert.Equal(t, head+`,"contextTokens":0,"orchestration":{"output":9}}`, string(u.AppendJSON(nil)))
	encoded, err := json.Marshal(u)
	assert.NoError(t, err)
	assert.Equal(t, string(u.AppendJSON(nil)), string(encoded))
}

func TestNormalizeV3(t *testing.T) {
	for usage, want := range map[string]string{
		// Other members stay, at every level and in their place; the new ones come last.
		`{"raw":{"b":1,"a":"\ud83e"},"inputTokens":{"x":[1],"total":10,"y":null},"outputTokens":{"total":5,"z":"é"},"more":1}`: `{"raw":{"b":1,"a":"\ud83e"},"inputTokens":{"x":[1],"total":10,"y":null,"noCache":10},"outputTokens":{"total":5,"z":"é","text":5},"more":1}`,
		// What does not count is removed where it stays unknown.
		`{"inputTokens":{"total":"10","noCache":-1,"cacheRead":null,"cacheWrite":1.5},"outputTokens":{"total":null,"text":"x","reasoning":[]}}`: `{"inputTokens":{"noCache":0},"outputTokens":{}}`,
		// Text is what the total has beside reasoning, also where reasoning is cut.
		`{"inputTokens":{},"outputTokens":{"total":5,"text":1,"reasoning":9}}`: `{"inputTokens":{"noCache":0},"outputTokens":{"total":5,"text":0,"reasoning":5}}`,
		`{"inputTokens":{},"outputTokens":{"text":1,"reasoning":9}}`:           `{"inputTokens":{"noCache":0},"outputTokens":{"text":1,"reasoning":9,"total":10}}`,
		`{"inputTokens":{},"outputTokens":{"reasoning":9}}`:                    `{"inputTokens":{"noCache":0},"outputTokens":{"reasoning":9}}`,
		`{"inputTokens":{"cacheRead":1,"cacheWrite":2},"outputTokens":{}}`:     `{"inputTokens":{"cacheRead":1,"cacheWrite":2,"noCache":0},"outputTokens":{}}`,
		// A total is the sum of its parts only if all of them are known.
		`{"inputTokens":{"noCache":3,"cacheRead":1},"outputTokens":{}}`:                `{"inputTokens":{"noCache":3,"cacheRead":1},"outputTokens":{}}`,
		`{"inputTokens":{"noCache":3,"cacheWrite":1},"outputTokens":{}}`:               `{"inputTokens":{"noCache":3,"cacheWrite":1},"outputTokens":{}}`,
		`{"inputTokens":{"noCache":3,"cacheRead":1,"cacheWrite":0},"outputTokens":{}}`: `{"inputTokens":{"noCache":3,"cacheRead":1,"cacheWrite":0,"total":4},"outputTokens":{}}`,
		`{"inputTokens":{"total":1.0e1,"cacheRead":4,"noCache":0},"outputTokens":{}}`:  `{"inputTokens":{"total":10,"cacheRead":4,"noCache":6},"outputTokens":{}}`,
		// What is of another shape stays as it is.
		`{"inputTokens":10,"outputTokens":5,"cachedInputTokens":4}`: `{"inputTokens":10,"outputTokens":5,"cachedInputTokens":4}`,
		`{"inputTokens":{"total":1}}`:                               `{"inputTokens":{"total":1}}`,
		`{"inputTokens":{"total":1},"outputTokens":[]}`:             `{"inputTokens":{"total":1},"outputTokens":[]}`,
		`{"inputTokens":null,"outputTokens":{}}`:                    `{"inputTokens":null,"outputTokens":{}}`,
		` "text" `:                                                  ` "text" `,
		`null`:                                                      `null`,
		`[{}]`:                                                      `[{}]`,
		`{`:                                                         `{`,
	} {
		assert.Equal(t, want, string(stream.NormalizeV3(json.RawMessage(usage))), usage)
	}
	assert.Equal(t, "null", string(stream.NormalizeV3(nil)))
}
