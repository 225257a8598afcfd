package bridge_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pintle-wasm/pintle/host/bridge"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// A configuration of a thousand providers, and of ten thousand: as it should be, and with a fault in each
// of them, all in one line. The floor is to check that it is JSON, in the same run.
func BenchmarkParseConfig(b *testing.B) {
	for name, entry := range map[string]string{
		"sound":  `{"package":"acme-provider","apiKey":"ACME_KEY","createOptions":{"token":"$apiKey"},"models":[{"id":"a","name":"A"}]}`,
		"faulty": `{"package":"acme-provider","apiKey":"ACME_KEY","createOptions":{"token":"$apiKey"},"models":[{"name":"A"}],"api":5}`,
	} {
		for _, scale := range []int{1, 10} {
			n := 1000 * scale
			data := []byte(`{"providers":[` + strings.Repeat(entry+",", n-1) + entry + `]}`)
			b.Run(fmt.Sprintf("%dx/%s", scale, name), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				var floors time.Duration
				for b.Loop() {
					c, err := bridge.ParseConfig("f.json", data)
					if err != nil || len(c.Providers) != n || (c.Providers[n-1].Err() != nil) != (name == "faulty") {
						b.Fatal(len(c.Providers), err)
					}
					b.StopTimer()
					start := time.Now()
					if !jsonspan.Valid(data) {
						b.Fatal("not JSON")
					}
					floors += time.Since(start)
					b.StartTimer()
				}
				b.ReportMetric(float64(b.Elapsed())/float64(floors), "x-floor")
			})
		}
	}
}
