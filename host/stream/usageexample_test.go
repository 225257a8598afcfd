package stream_test

import (
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/stream"
)

// The flat usage of specification V2, of which a host wants to know what came from a cache.
func ExampleGenericUsage() {
	usage := json.RawMessage(`{"inputTokens":1200,"outputTokens":80,"totalTokens":1280,"cachedInputTokens":1000}`)
	u := stream.GenericUsage(usage, model.Cost{Input: 3, Output: 15, CacheRead: 0.3}, false)
	fmt.Println(u.Input, u.CacheRead, u.Output, u.TotalTokens)
	fmt.Printf("%.4f\n", u.Cost.Total)
	// Output:
	// 200 1000 80 1280
	// 0.0021
}

// A finish part of Cursor that ends a longer run: all of it is charged, but only what fits into the context
// is the message's own.
func ExampleAccounting() {
	a := stream.Accounting{Integration: stream.Cursor}
	u := a.Usage(&stream.Part{
		Type:         stream.PartFinish,
		FinishReason: json.RawMessage(`{"unified":"stop"}`),
		Usage:        json.RawMessage(`{"inputTokens":{"total":18000},"outputTokens":{"total":1200}}`),
		Metadata:     json.RawMessage(`{"cursor":{"inputTokensRaw":90000,"outputTokensRaw":1200,"context":{"usedTokens":20000}}}`),
	})
	fmt.Println(u.Input, u.Orchestration.Input, *u.ContextTokens, u.TotalTokens)
	// Output: 18000 72000 20000 91200
}

// A provider that reports parts of what it could.
func ExampleNormalizeV3() {
	usage := json.RawMessage(`{"inputTokens":{"noCache":200,"cacheRead":700,"cacheWrite":100},"outputTokens":{"text":5},"raw":{}}`)
	fmt.Println(string(stream.NormalizeV3(usage)))
	// Output: {"inputTokens":{"noCache":200,"cacheRead":700,"cacheWrite":100,"total":1000},"outputTokens":{"text":5},"raw":{}}
}
