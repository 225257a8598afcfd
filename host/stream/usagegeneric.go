package stream

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// GenericUsage counts the usage of a finish part: that of specification V3 and V4,
// {inputTokens: {total, noCache, cacheRead, cacheWrite}, outputTokens: {total, text, reasoning}}, or the
// flat one of V2. Only safe integers from 0 on count; every other value, text included, is as if it were
// not there. The totals are believed: what was read from and written to caches is cut to them, and the
// rest of the input is what the caches have not had. usage may be nil or anything else, which are zeros.
//
// With reference, flat usage has its two totals alone. See the provider bridge's specification, section
// "Generic (latest)", and rule 4 of "Reference gaps and the sound default".
func GenericUsage(usage json.RawMessage, cost model.Cost, reference bool) Usage {
	if !reference {
		usage = nestUsage(usage)
	}
	c := readCounters(usage)
	t := c.tally()
	u := Usage{
		Input: t.input, Output: t.output, CacheRead: t.cacheRead.n, CacheWrite: t.cacheWrite.n,
		// Of totals that are known this is the sum, too.
		TotalTokens: t.input + t.cacheRead.n + t.cacheWrite.n + t.output,
		Reasoning:   t.reasoning.pointer(),
	}
	u.Cost = costOf(&u, cost)
	return u
}

func costOf(u *Usage, rates model.Cost) Costs {
	c := Costs{
		Input:     amount(u.Input, rates.Input),
		Output:    amount(u.Output, rates.Output),
		CacheRead: amount(u.CacheRead, rates.CacheRead), CacheWrite: amount(u.CacheWrite, rates.CacheWrite),
	}
	c.Total = c.Input + c.Output + c.CacheRead + c.CacheWrite
	return c
}

// amount is rounded before it is added to others: a fused operation would give other digits.
func amount(tokens int64, rate float64) float64 { return float64(float64(tokens) / 1e6 * rate) }

// NormalizeV3 fills in what is missing in the usage of a finish part of specification V3 and can be
// known from the rest; a total that is not known stays unknown. Members with values that do not count are
// removed, all others are kept. What is not of the V3 shape, flat usage included, is returned as it is,
// and null for nil. See the provider bridge's specification, section "Generic (latest)".
func NormalizeV3(usage json.RawMessage) json.RawMessage {
	if usage == nil {
		return json.RawMessage("null")
	}
	whole, ok := ordered.ParseObject(usage)
	input, ok1 := ordered.ParseObject(whole.Get("inputTokens"))
	output, ok2 := ordered.ParseObject(whole.Get("outputTokens"))
	if !ok || !ok1 || !ok2 {
		return usage
	}
	c := readCounters(usage)
	t := c.tally()
	t.exactInput.put(&input, "total")
	count{t.input, true}.put(&input, "noCache")
	t.cacheRead.put(&input, "cacheRead")
	t.cacheWrite.put(&input, "cacheWrite")
	text := c.text
	if t.exactOutput.known {
		text = count{t.exactOutput.n - t.reasoning.n, true}
	}
	t.exactOutput.put(&output, "total")
	text.put(&output, "text")
	t.reasoning.put(&output, "reasoning")
	whole.Set("inputTokens", input.JSON())
	whole.Set("outputTokens", output.JSON())
	return whole.JSON()
}

// nestUsage gives flat usage the shape of V3: inputTokens or outputTokens is a number.
func nestUsage(usage json.RawMessage) json.RawMessage {
	flat, ok := ordered.ParseObject(usage)
	if !ok {
		return usage
	}
	_, input := jsonvalue.NumberOf(flat.Get("inputTokens"))
	_, output := jsonvalue.NumberOf(flat.Get("outputTokens"))
	if !input && !output {
		return usage
	}
	nested := jsonvalue.Begin(nil)
	side := func(key, part, counter string) {
		value := flat.Get(key)
		nested.Key(key)
		if _, ok := ordered.ParseObject(value); ok { // the other side is of V3 already
			nested.Out = append(nested.Out, value...)
			return
		}
		o := jsonvalue.Begin(nested.Out)
		if value != nil {
			o.Raw("total", value)
		}
		if flat.Has(counter) {
			o.Raw(part, flat.Get(counter))
		}
		nested.Out = o.End()
	}
	side("inputTokens", "cacheRead", "cachedInputTokens")
	side("outputTokens", "reasoning", "reasoningTokens")
	return nested.End()
}
