package profile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// BenchmarkCatalog binds the host's own tools and many others, and asks for the catalog, as every call of a
// model does. The floor checks in the same run that all schemas are JSON.
func BenchmarkCatalog(b *testing.B) {
	p, err := profile.Named("omp")
	if err != nil {
		b.Fatal(err)
	}
	for _, scale := range []int{1, 10} {
		var tools []profile.Tool
		for _, name := range ompTools {
			tools = append(tools, profile.Tool{
				Name: name, Description: "# Available Agents\n- `scout`: looks around\n- `reviewer`\n",
				Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"command":{},"i":{}},"required":["i"]}`),
			})
		}
		for n := range 50 * scale {
			var fields []string
			for k := range 10 {
				fields = append(fields, fmt.Sprintf(`"field_%d":{"type":"string","description":"What the field %d is for."}`, k, k))
			}
			tools = append(tools, profile.Tool{
				Name: fmt.Sprintf("mcp__server__tool_%d", (n*7919)%(50*scale)), Description: "Does something.",
				Parameters: json.RawMessage(`{"type":"object","properties":{` + strings.Join(fields, ",") + `}}`),
			})
		}
		b.Run(fmt.Sprintf("x%d", scale), func(b *testing.B) {
			var floors time.Duration
			runs, beside := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				p.Bind(tools, profile.Options{}).Catalog()
				if runs++; runs%8 == 1 {
					b.StopTimer()
					start := time.Now()
					for i := range tools {
						jsonspan.Valid(tools[i].Parameters)
					}
					floors += time.Since(start)
					beside++
					b.StartTimer()
				}
			}
			each := float64(b.Elapsed()) / float64(runs)
			b.ReportMetric(each/float64(len(tools)), "ns/tool")
			b.ReportMetric(each*float64(beside)/float64(floors), "x-floor")
		})
	}
}
