package jsonspan

import (
	"encoding/json"
	"testing"

	"github.com/pintle-wasm/pintle/internal/testpayload"
)

// Each benchmark runs the same work on about 1 MB and 10 MB, and encoding/json beside it.
func benchmark(b *testing.B, work map[string]func([]byte)) {
	for _, size := range []string{"1MB", "10MB"} {
		data := testpayload.Large("openai-responses", size)
		for name, do := range work {
			b.Run(size+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					do(data)
				}
			})
		}
	}
}

func BenchmarkValid(b *testing.B) {
	benchmark(b, map[string]func([]byte){
		"jsonspan":      func(data []byte) { Valid(data) },
		"encoding-json": func(data []byte) { json.Valid(data) },
	})
}

func BenchmarkScan(b *testing.B) {
	benchmark(b, map[string]func([]byte){
		"jsonspan": func(data []byte) {
			if _, err := Scan(data, 3); err != nil {
				b.Fatal(err)
			}
		},
		"encoding-json": func(data []byte) {
			var top map[string]json.RawMessage
			var items []map[string]json.RawMessage
			if json.Unmarshal(data, &top) != nil || json.Unmarshal(top["input"], &items) != nil {
				b.Fatal("not a payload")
			}
		},
	})
}

func BenchmarkEqual(b *testing.B) {
	benchmark(b, map[string]func([]byte){"jsonspan": func(data []byte) { Equal(data, data) }})
}

func BenchmarkReplaceFirstItem(b *testing.B) {
	benchmark(b, map[string]func([]byte){
		"jsonspan": func(data []byte) {
			d, err := Scan(data, 3)
			if err != nil {
				b.Fatal(err)
			}
			input, _ := d.Root().Member("input")
			e := d.Edit()
			e.Set(input.First(), []byte(`{"role":"developer","content":"new"}`))
			if _, err := e.Bytes(); err != nil {
				b.Fatal(err)
			}
		},
		"encoding-json": func(data []byte) {
			var top map[string]json.RawMessage
			var items []json.RawMessage
			if json.Unmarshal(data, &top) != nil || json.Unmarshal(top["input"], &items) != nil {
				b.Fatal("not a payload")
			}
			items[0] = json.RawMessage(`{"role":"developer","content":"new"}`)
			top["input"], _ = json.Marshal(items)
			if _, err := json.Marshal(top); err != nil {
				b.Fatal(err)
			}
		},
	})
}
