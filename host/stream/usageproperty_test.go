package stream_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// counter draws a counter as a provider may report it; nil says that there is none.
func drawCounter(t *rapid.T, label string) *int64 {
	switch rapid.IntRange(0, 5).Draw(t, label+" kind") {
	case 0:
		return nil
	case 1:
		n := rapid.Int64Range(0, 1<<53-1).Draw(t, label)
		return &n
	default:
		n := rapid.Int64Range(0, 30).Draw(t, label)
		return &n
	}
}

// object writes counters, and values that do not count in the place of some that are not there.
func drawObject(t *rapid.T, counters map[string]*int64, order ...string) string {
	var members []string
	for _, key := range order {
		switch n := counters[key]; {
		case n != nil:
			members = append(members, fmt.Sprintf(`%q:%d`, key, *n))
		case rapid.Bool().Draw(t, "junk"):
			junk := rapid.SampledFrom([]string{"null", `"5"`, "-1", "1.5", "[]", "{}", "1e300", "1e999"}).Draw(t, "junk "+key)
			members = append(members, fmt.Sprintf(`%q:%s`, key, junk))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func reportedUsage(t *rapid.T) (usage json.RawMessage, counters map[string]*int64) {
	counters = map[string]*int64{}
	for _, key := range []string{"in.total", "noCache", "cacheRead", "cacheWrite", "out.total", "text", "reasoning"} {
		counters[key] = drawCounter(t, key)
	}
	input := map[string]*int64{"total": counters["in.total"], "noCache": counters["noCache"], "cacheRead": counters["cacheRead"], "cacheWrite": counters["cacheWrite"]}
	output := map[string]*int64{"total": counters["out.total"], "text": counters["text"], "reasoning": counters["reasoning"]}
	return json.RawMessage(`{"inputTokens":` + drawObject(t, input, "total", "noCache", "cacheRead", "cacheWrite") +
		`,"outputTokens":` + drawObject(t, output, "total", "text", "reasoning") + `}`), counters
}

func valueOf(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func TestUsageAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		usage, c := reportedUsage(t)
		u := stream.GenericUsage(usage, usageRates, rapid.Bool().Draw(t, "reference"))
		in := u.Input + u.CacheRead + u.CacheWrite
		if total := c["in.total"]; total != nil {
			require.Equal(t, *total, in, "a known total is shared out")
			require.LessOrEqual(t, u.CacheRead, valueOf(c["cacheRead"]))
			require.LessOrEqual(t, u.CacheWrite, valueOf(c["cacheWrite"]))
			require.True(t, u.CacheWrite == 0 || u.CacheRead == valueOf(c["cacheRead"]), "reads come before writes")
		} else {
			require.Equal(t, [3]int64{valueOf(c["noCache"]), valueOf(c["cacheRead"]), valueOf(c["cacheWrite"])}, [3]int64{u.Input, u.CacheRead, u.CacheWrite})
		}
		if total := c["out.total"]; total != nil {
			require.Equal(t, *total, u.Output)
		} else {
			require.Equal(t, valueOf(c["text"])+valueOf(c["reasoning"]), u.Output)
		}
		require.Equal(t, in+u.Output, u.TotalTokens)
		require.Equal(t, c["reasoning"] != nil, u.Reasoning != nil)
		if u.Reasoning != nil {
			require.Equal(t, min(*c["reasoning"], u.Output), *u.Reasoning)
		}
		require.Nil(t, u.ContextTokens)
		require.Zero(t, u.Orchestration)
		require.InDelta(t, u.Cost.Total, u.Cost.Input+u.Cost.Output+u.Cost.CacheRead+u.Cost.CacheWrite, 0)
		require.True(t, jsonspan.Valid(u.AppendJSON(nil)))
	})
}

// What is filled in follows from what is there: the usage is counted as before, and filling in again
// changes nothing.
func TestNormalizeV3KeepsTheMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		usage, c := reportedUsage(t)
		normal := stream.NormalizeV3(usage)
		require.Equal(t, stream.GenericUsage(usage, usageRates, false), stream.GenericUsage(normal, usageRates, false))
		if sums := valueOf(c["noCache"]) + valueOf(c["cacheRead"]) + valueOf(c["cacheWrite"]); sums < 1<<53 && valueOf(c["text"])+valueOf(c["reasoning"]) < 1<<53 {
			once := stream.NormalizeV3(normal)
			require.Equal(t, stream.NormalizeV3(once), once)
		}
	})
}

// Whatever fits into the context and whatever does not are together what was charged.
func TestCursorMovesAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		usage, _ := reportedUsage(t)
		raw := map[string]*int64{}
		keys := []string{"inputTokensRaw", "outputTokensRaw", "cacheReadRaw", "cacheWriteRaw", "reasoningTokensRaw"}
		for _, key := range keys {
			raw[key] = drawCounter(t, key)
		}
		context := drawCounter(t, "context")
		metadata := drawObject(t, raw, keys...)
		if context != nil {
			metadata = metadata[:len(metadata)-1] + fmt.Sprintf(`,"context":{"usedTokens":%d}}`, *context)
			metadata = strings.Replace(metadata, "{,", "{", 1)
		}
		reason := rapid.SampledFrom([]string{`"stop"`, `"error"`, `{"unified":"tool-calls"}`, `{"unified":"error"}`, `{"unified":"length"}`, `null`}).Draw(t, "reason")
		a := stream.Accounting{
			Integration: stream.Cursor, Cost: usageRates, OccupancyTotal: rapid.Bool().Draw(t, "occupancy"),
			Readme: rapid.Bool().Draw(t, "readme"), Reference: rapid.Bool().Draw(t, "reference"),
		}
		part := finishPart(reason, string(usage), `{"cursor":`+metadata+`}`)
		u := a.Usage(part)
		charged, _ := a.Projected(part)
		all := stream.GenericUsage(charged, usageRates, a.Reference)
		require.Equal(t, all.Cost, u.Cost)
		require.Equal(t, all.Output, u.Output)
		require.Equal(t, all.Input+all.CacheRead+all.CacheWrite,
			u.Input+u.CacheRead+u.CacheWrite+u.Orchestration.Input+u.Orchestration.CacheRead)
		require.Equal(t, context != nil, u.ContextTokens != nil)
		if u.Orchestration != (stream.Orchestration{}) {
			require.LessOrEqual(t, u.Input+u.CacheRead+u.CacheWrite, *context)
		}
		if u.TotalTokens != all.TotalTokens {
			require.True(t, a.OccupancyTotal && !a.Readme)
			require.Equal(t, *context, u.TotalTokens)
		}
	})
}

// FuzzAccounting counts any finish part.
func FuzzAccounting(f *testing.F) {
	for _, s := range [][3]string{
		{stopReason, `{"inputTokens":{"total":10,"cacheRead":4},"outputTokens":{"total":5}}`, `{"cursor":{` + cursorRun + `,"context":{"usedTokens":1}}}`},
		{`"error"`, `{"inputTokens":10,"outputTokens":5,"cachedInputTokens":4}`, `{"cursor":{"occupancyOnly":true,"context":{"usedTokens":1e300}}}`},
		{`null`, `{"inputTokens":{},"outputTokens":{}}`, `{"devin":{"usageCounters":{"inputTokens":1,"cacheRead":9007199254740991,"outputTokens":9007199254740991}}}`},
		{`{"unified":"\ud83e"}`, `{"inputTokens":{"total":-0.0},"\ud83e":[{}]}`, strings.Repeat("[", 20_000)},
		{``, `1e999`, `{"cursor":{"inputTokensRaw":-1e999}}`},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, reason, usage, metadata string) {
		part := finishPart(reason, usage, metadata)
		for _, i := range []stream.Integration{stream.NoIntegration, stream.Cursor, stream.Devin} {
			for bits := range 8 {
				a := stream.Accounting{Integration: i, Cost: usageRates, OccupancyTotal: bits&1 != 0, Readme: bits&2 != 0, Reference: bits&4 != 0}
				u := a.Usage(part)
				for _, n := range []int64{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.TotalTokens, u.Orchestration.Input, u.Orchestration.CacheRead} {
					require.GreaterOrEqual(t, n, int64(0))
				}
				require.True(t, jsonspan.Valid(u.AppendJSON(nil)))
				if projected, replaced := a.Projected(part); replaced && projected != nil {
					require.True(t, jsonspan.Valid(projected))
				}
			}
		}
		if normal := stream.NormalizeV3(part.Usage); jsonspan.Valid(part.Usage) {
			require.True(t, jsonspan.Valid(normal))
		}
	})
}
