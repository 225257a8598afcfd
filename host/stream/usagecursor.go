package stream

import (
	"encoding/json"
	"math"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// Cursor reports the usage of one step of a longer run. Its metadata has what the whole run has used
// (inputTokensRaw, outputTokensRaw, cacheReadRaw, cacheWriteRaw, reasoningTokensRaw), and how full the
// context is (context.usedTokens). The run is what is charged; what does not fit into the context was used
// by the provider's own orchestration.

// cursorOccupancyOnly: the part charges nothing.
func (f *finishing) cursorOccupancyOnly() bool { return string(f.said.Get("occupancyOnly")) == "true" }

// cursorCharged is what the run has used, nil if the metadata does not say.
func (f *finishing) cursorCharged() json.RawMessage {
	said := false
	raw := func(key string) float64 {
		n, ok := jsonvalue.NumberOf(f.said.Get(key))
		said = said || ok
		if math.IsInf(n, 0) {
			return 0
		}
		return max(0, math.Trunc(n))
	}
	input, output := raw("inputTokensRaw"), raw("outputTokensRaw")
	cacheRead := min(raw("cacheReadRaw"), input)
	cacheWrite := min(raw("cacheWriteRaw"), input-cacheRead)
	reasoning := min(raw("reasoningTokensRaw"), output)
	if !said {
		return nil
	}
	usage := jsonvalue.Begin(nil)
	usage.Key("inputTokens")
	usage.Out = appendNumbers(usage.Out,
		number{"total", input}, number{"noCache", input - cacheRead - cacheWrite},
		number{"cacheRead", cacheRead}, number{"cacheWrite", cacheWrite})
	usage.Key("outputTokens")
	usage.Out = appendNumbers(usage.Out,
		number{"total", output}, number{"text", output - reasoning}, number{"reasoning", reasoning})
	return usage.End()
}

type number struct {
	key   string
	value float64
}

func appendNumbers(dst []byte, numbers ...number) []byte {
	o := jsonvalue.Begin(dst)
	for _, n := range numbers {
		o.Key(n.key)
		o.Out = ecma.AppendNumber(o.Out, n.value)
	}
	return o.End()
}

// adjustCursor says how full the context is, and moves what does not fit into it to the orchestration.
// Costs stay those of the whole.
func (a *Accounting) adjustCursor(u *Usage, f *finishing) {
	where, _ := ordered.ParseObject(f.said.Get("context"))
	context, ok := finite(where.Get("usedTokens"))
	if !ok || context < 0 {
		return
	}
	tokens := whole(context)
	u.ContextTokens = &tokens
	switch {
	case a.Readme && f.reason != "stop" && f.reason != "tool-calls":
		return
	case f.reason == "error":
		return
	case !f.cursorOccupancyOnly():
		budget := tokens
		if total, ok := finite(f.reported("total")); ok {
			budget = min(budget, whole(total))
		}
		u.fit(budget)
	}
	if a.OccupancyTotal && !a.Readme {
		u.TotalTokens = tokens
	}
}

// fit keeps as much of the input as fits into a number of tokens: input that is new first, then what was
// written to caches, then what was read from them.
func (u *Usage) fit(budget int64) {
	take := func(tokens *int64) (excess int64) {
		kept := min(*tokens, budget)
		excess = *tokens - kept
		*tokens = kept
		budget -= kept
		return excess
	}
	u.Orchestration.Input = take(&u.Input) + take(&u.CacheWrite)
	u.Orchestration.CacheRead = take(&u.CacheRead)
}

func finite(raw json.RawMessage) (float64, bool) {
	n, ok := jsonvalue.NumberOf(raw)
	return n, ok && !math.IsInf(n, 0)
}

// whole is a number without its fraction, from 0 to the greatest int64.
func whole(n float64) int64 {
	if n >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(max(0, n))
}
