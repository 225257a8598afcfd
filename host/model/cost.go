package model

import (
	"encoding/json"
	"math"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// Cost are rates for a million tokens, in any unit of money.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// entryCost reads the cost of an entry, whose keys are not those of a host. What is not a number is 0.
func entryCost(raw json.RawMessage) Cost {
	o := jsonvalue.Pick(raw, "input", "output", "cache_read", "cache_write")
	rate := func(at int) float64 {
		n, _ := jsonvalue.NumberOf(o[at])
		if math.IsInf(n, 0) {
			return 0
		}
		return n
	}
	return Cost{Input: rate(0), Output: rate(1), CacheRead: rate(2), CacheWrite: rate(3)}
}

func (c *Cost) appendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	for _, m := range [...]struct {
		key  string
		rate float64
	}{{"input", c.Input}, {"output", c.Output}, {"cacheRead", c.CacheRead}, {"cacheWrite", c.CacheWrite}} {
		o.Key(m.key)
		o.Out = ecma.AppendNumber(o.Out, m.rate)
	}
	return o.End()
}
