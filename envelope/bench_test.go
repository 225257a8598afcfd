package envelope

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pintle-wasm/pintle/registry"
)

func BenchmarkCapture20(b *testing.B) {
	var list []registry.Contribution
	for i := range 20 {
		list = append(list, registry.Contribution{ID: fmt.Sprint("ext/", 20-i), Priority: float64(i % 3), Render: registry.Text(strings.Repeat("x", 1024))})
	}
	s := newService(b, list...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Capture(context.Background(), Request{SessionID: "s", CWD: "/w"}); err != nil {
			b.Fatal(err)
		}
	}
}
