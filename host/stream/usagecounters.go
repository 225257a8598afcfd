package stream

import (
	"encoding/json"
	"strconv"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A count is a number of tokens; n is 0 if it is not known.
type count struct {
	n     int64
	known bool
}

// countOf reads a count: a safe integer from 0 on. A text is none.
func countOf(raw json.RawMessage) count {
	if n, ok := jsonvalue.WholeOf(raw); ok && n >= 0 {
		return count{n, true}
	}
	return count{}
}

// atMost cuts a count to a limit, if that is known.
func (c count) atMost(limit count) count {
	if limit.known && c.n > limit.n {
		c.n = limit.n
	}
	return c
}

func (c count) pointer() *int64 {
	if !c.known {
		return nil
	}
	return &c.n
}

// put makes a member of an object say the count, and removes it if the count is not known.
func (c count) put(o *ordered.Object, key string) {
	if !c.known {
		o.Delete(key)
		return
	}
	o.Set(key, strconv.AppendInt(nil, c.n, 10))
}

// counters are what a provider reports.
type counters struct {
	input, noCache, cacheRead, cacheWrite count
	output, text, reasoning               count
}

// readCounters reads usage. A number in the place of a nested object is a total.
func readCounters(usage json.RawMessage) counters {
	o, _ := ordered.ParseObject(usage)
	input, inputIs := ordered.ParseObject(o.Get("inputTokens"))
	output, outputIs := ordered.ParseObject(o.Get("outputTokens"))
	c := counters{
		input: countOf(o.Get("inputTokens")), noCache: countOf(input.Get("noCache")),
		cacheRead: countOf(input.Get("cacheRead")), cacheWrite: countOf(input.Get("cacheWrite")),
		output: countOf(o.Get("outputTokens")), text: countOf(output.Get("text")), reasoning: countOf(output.Get("reasoning")),
	}
	if inputIs {
		c.input = countOf(input.Get("total"))
	}
	if outputIs {
		c.output = countOf(output.Get("total"))
	}
	return c
}

// A tally is what follows from counters.
type tally struct {
	input, output                    int64
	cacheRead, cacheWrite, reasoning count
	// exactInput and exactOutput are the totals, caches and reasoning included, where they are known or all
	// their parts are.
	exactInput, exactOutput count
}

func (c *counters) tally() tally {
	t := tally{exactInput: c.input, exactOutput: c.output}
	t.cacheRead = c.cacheRead.atMost(c.input)
	t.cacheWrite = c.cacheWrite.atMost(count{c.input.n - t.cacheRead.n, c.input.known})
	if c.input.known {
		t.input = c.input.n - t.cacheRead.n - t.cacheWrite.n
	} else {
		t.input = c.noCache.n
		if c.noCache.known && c.cacheRead.known && c.cacheWrite.known {
			t.exactInput = count{c.noCache.n + c.cacheRead.n + c.cacheWrite.n, true}
		}
	}
	if c.output.known {
		t.output = c.output.n
	} else {
		t.output = c.text.n + c.reasoning.n
		if c.text.known && c.reasoning.known {
			t.exactOutput = count{t.output, true}
		}
	}
	t.reasoning = c.reasoning.atMost(count{t.output, true})
	return t
}
