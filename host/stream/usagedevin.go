package stream

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// Devin may report the size of the whole context as tokens read from a cache. Its metadata has the
// counters behind that (usageCounters or rawCounters, with inputTokens, cacheRead, cacheWrite and
// outputTokens), by which such a snapshot is told: it is greater than the input.

// devinCounters are the counters, and whether they are those of a snapshot.
func (f *finishing) devinCounters() (c ordered.Object, snapshot bool) {
	c, ok := ordered.ParseObject(f.said.Get("usageCounters"))
	if !ok {
		c, _ = ordered.ParseObject(f.said.Get("rawCounters"))
	}
	input, read := countOf(c.Get("inputTokens")), countOf(c.Get("cacheRead"))
	return c, input.known && read.known && read.n > input.n
}

// devinCharged is what is charged if a snapshot was reported, else nil.
func (f *finishing) devinCharged() json.RawMessage {
	c, snapshot := f.devinCounters()
	if !snapshot {
		return nil
	}
	input, written := countOf(c.Get("inputTokens")), countOf(c.Get("cacheWrite"))
	if !written.known {
		written = countOf(f.reported("cacheWrite"))
	}
	written = written.atMost(input)
	usage := jsonvalue.Begin(nil)
	usage.Key("inputTokens")
	tokens := jsonvalue.Begin(usage.Out)
	tokens.Whole("total", input.n)
	tokens.Whole("noCache", input.n-written.n)
	tokens.Whole("cacheRead", 0)
	tokens.Whole("cacheWrite", written.n)
	usage.Out = tokens.End()
	if reported, _ := ordered.ParseObject(f.usage); reported.Has("outputTokens") {
		usage.Raw("outputTokens", reported.Get("outputTokens"))
	}
	return usage.End()
}

// adjustDevin says how full the context is if a snapshot was reported.
func (a *Accounting) adjustDevin(u *Usage, f *finishing) {
	c, snapshot := f.devinCounters()
	output := countOf(c.Get("outputTokens"))
	if !snapshot || !output.known || f.reason == "error" {
		return
	}
	tokens := countOf(c.Get("inputTokens")).n + countOf(c.Get("cacheRead")).n + output.n
	u.ContextTokens = &tokens
	if a.OccupancyTotal {
		u.TotalTokens = tokens
	}
}
