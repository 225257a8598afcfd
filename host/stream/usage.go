package stream

import (
	"math"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// Usage is what an answer has cost, as a host counts it.
//
// All numbers of tokens are at least 0. Providers' counts are at most 2^53 - 1 each, so that their sums
// are exact, where a host in JavaScript rounds what is beyond 2^53.
type Usage struct {
	// Input, Output, CacheRead and CacheWrite are numbers of tokens. Input does not count what was read from
	// or written to a cache.
	Input, Output, CacheRead, CacheWrite int64
	// TotalTokens is how many tokens the provider charges, or how many fill the context: see
	// [Accounting.OccupancyTotal].
	TotalTokens int64
	Cost        Costs
	// Reasoning is how many of the output's tokens were reasoning, nil if that is not known.
	Reasoning *int64
	// ContextTokens is how many tokens fill the context, nil if the provider does not say.
	ContextTokens *int64
	// Orchestration is what the provider has used beside the conversation itself.
	Orchestration Orchestration
}

// Costs are amounts of money in the unit of the model's rates.
type Costs struct{ Input, Output, CacheRead, CacheWrite, Total float64 }

// Orchestration are numbers of tokens.
type Orchestration struct{ Input, Output, CacheRead int64 }

// AppendJSON appends the usage as a host has it in a message. What is not known is left out, and so is
// orchestration of 0 tokens.
func (u *Usage) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Whole("input", u.Input)
	o.Whole("output", u.Output)
	o.Whole("cacheRead", u.CacheRead)
	o.Whole("cacheWrite", u.CacheWrite)
	o.Whole("totalTokens", u.TotalTokens)
	o.Key("cost")
	o.Out = u.Cost.appendJSON(o.Out)
	if u.Reasoning != nil {
		o.Whole("reasoning", *u.Reasoning)
	}
	if u.ContextTokens != nil {
		o.Whole("contextTokens", *u.ContextTokens)
	}
	if u.Orchestration != (Orchestration{}) {
		o.Key("orchestration")
		o.Out = u.Orchestration.appendJSON(o.Out)
	}
	return o.End()
}

// MarshalJSON implements [encoding/json.Marshaler].
func (u Usage) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil), nil }

func (c *Costs) appendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	for _, m := range [...]struct {
		key    string
		amount float64
	}{
		{"input", c.Input},
		{"output", c.Output},
		{"cacheRead", c.CacheRead},
		{"cacheWrite", c.CacheWrite},
		{"total", c.Total},
	} {
		o.Key(m.key)
		if math.IsInf(m.amount, 0) || math.IsNaN(m.amount) {
			o.Out = append(o.Out, "null"...) // as JSON.stringify has it
			continue
		}
		o.Out = ecma.AppendNumber(o.Out, m.amount)
	}
	return o.End()
}

func (r *Orchestration) appendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	for _, m := range [...]struct {
		key    string
		tokens int64
	}{{"input", r.Input}, {"output", r.Output}, {"cacheRead", r.CacheRead}} {
		if m.tokens != 0 {
			o.Whole(m.key, m.tokens)
		}
	}
	return o.End()
}
