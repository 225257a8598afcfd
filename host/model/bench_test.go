package model_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// measure runs work over data beside a floor in the same run: one pass that only checks the JSON. items
// is how many things the data describes.
func measure(b *testing.B, data []byte, items int, work func()) {
	b.Helper()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var floors time.Duration
	runs := 0
	for b.Loop() {
		work()
		runs++
		b.StopTimer()
		start := time.Now()
		if !jsonspan.Valid(data) {
			b.Fatal("not JSON")
		}
		floors += time.Since(start)
		b.StartTimer()
	}
	perRun := float64(b.Elapsed()) / float64(runs)
	b.ReportMetric(perRun/float64(items), "ns/item")
	b.ReportMetric(perRun*float64(runs)/float64(floors), "x-floor")
}

var scales = []int{1, 10}

// Variants of three dimensions, one of which makes half of them models of their own, and options beside
// the parameters; then one variant of as many parameters.
func BenchmarkExpand(b *testing.B) {
	for _, scale := range scales {
		n := 1000 * scale
		var e strings.Builder
		e.WriteString(`{"variants":{`)
		for i := range n {
			if i > 0 {
				e.WriteByte(',')
			}
			fmt.Fprintf(&e, `"label-%d":{"model":"wire-%d","parameters":[{"id":"effort","value":"low"},{"id":"fast","value":"%d"},{"id":"thinking","value":"%t"}]}`, i, i, i/2, i%2 == 0)
		}
		e.WriteString(`}}`)
		entry := json.RawMessage(e.String())
		b.Run(fmt.Sprintf("%dx/variants", scale), func(b *testing.B) {
			measure(b, entry, n, func() {
				if got := len(model.Expand("m", entry, nil)); got != n/2 {
					b.Fatal(got)
				}
			})
		})
		wide := make([]string, n)
		for i := range wide {
			wide[i] = fmt.Sprintf("p%d=1", i)
		}
		entry2 := entryOf(strings.Join(wide, " "), strings.ReplaceAll(strings.Join(wide, " "), "=1", "=true"))
		b.Run(fmt.Sprintf("%dx/parameters", scale), func(b *testing.B) {
			measure(b, entry2, n, func() {
				if got := len(model.Expand("m", entry2, nil)); got != 1 {
					b.Fatal(got)
				}
			})
		})
	}
}

// A document of the kind of models.dev.
func BenchmarkList(b *testing.B) {
	pi := host(b, "pi")
	for _, scale := range scales {
		providers, models := 10*scale, 20
		var d strings.Builder
		for i := range providers {
			fmt.Fprintf(&d, `,"provider-%d":{"id":"provider-%d","env":["KEY"],"models":{`, i, i)
			for j := range models {
				if j > 0 {
					d.WriteByte(',')
				}
				fmt.Fprintf(&d, `"model-%d":{"id":"model-%d","name":"Model %d","attachment":true,"reasoning":true,"tool_call":true,"release_date":"2025-01-01",`+
					`"modalities":{"input":["text","image","pdf"],"output":["text"]},"cost":{"input":3,"output":15,"cache_read":0.3,"cache_write":3.75},"limit":{"context":200000,"output":64000},`+
					`"variants":{"low":%s,"high":%s}}`, j, j, j, optionsOf("effort=low"), optionsOf("effort=high"))
			}
			d.WriteString("}}")
		}
		document := []byte("{" + d.String()[1:] + "}")
		b.Run(fmt.Sprintf("%dx", scale), func(b *testing.B) {
			measure(b, document, providers*models, func() {
				list, err := model.List(document, model.Options{Profile: pi})
				if err != nil || len(list) != providers {
					b.Fatal(len(list), err)
				}
			})
		})
	}
}
