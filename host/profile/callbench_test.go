package profile_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Beside every figure a floor is measured in the same run: one pass over the arguments that only checks
// that they are JSON. The metric x-floor is the ratio.

func benchTodos(n int) (call profile.Call, known []profile.Todo, stored profile.Call) {
	list := make([]profile.Todo, n)
	items := make([]string, n)
	for i := range list {
		list[i] = profile.Todo{Content: "Enter row " + strconv.Itoa(i) + " into the ledger", Status: "pending"}
		items[i] = strconv.Quote(list[i].Content)
	}
	known = append(known, list...)
	for i := range n / 2 {
		list[i].Status = "completed"
	}
	return todoWrite(list), known, profile.Call{
		Name: "todo", Arguments: json.RawMessage(`{"op":"init","items":[` + strings.Join(items, ",") + `]}`),
	}
}

func BenchmarkToHost(b *testing.B) {
	tools := onOmp(b)
	for _, scale := range []int{1, 10} {
		call, known, _ := benchTodos(20 * scale)
		benchCall(b, fmt.Sprintf("todo-whole-x%d", scale), call, func() { tools.ToHost(call, nil) })
		benchCall(b, fmt.Sprintf("todo-difference-x%d", scale), call, func() { tools.ToHost(call, known) })
		plain := profile.Call{Name: "mcp_weather", Arguments: json.RawMessage(`{"city":"` + strings.Repeat("x", 300*scale) + `"}`)}
		benchCall(b, fmt.Sprintf("plain-x%d", scale), plain, func() { tools.ToHost(plain, nil) })
		write := profile.Call{Name: "write", Arguments: json.RawMessage(`{"filePath":"a","content":"` + strings.Repeat("x", 3000*scale) + `"}`)}
		benchCall(b, fmt.Sprintf("write-x%d", scale), write, func() { tools.ToHost(write, nil) })
	}
}

func BenchmarkToProvider(b *testing.B) {
	tools := onOmp(b)
	for _, scale := range []int{1, 10} {
		_, _, stored := benchTodos(20 * scale)
		benchCall(b, fmt.Sprintf("todo-x%d", scale), stored, func() { tools.ToProvider(stored) })
		plain := profile.Call{Name: "mcp_weather", Arguments: json.RawMessage(`{"city":"` + strings.Repeat("x", 300*scale) + `"}`)}
		benchCall(b, fmt.Sprintf("plain-x%d", scale), plain, func() { tools.ToProvider(plain) })
		write := profile.Call{Name: "write", Arguments: json.RawMessage(`{"path":"a","content":"` + strings.Repeat("x", 3000*scale) + `"}`)}
		benchCall(b, fmt.Sprintf("write-x%d", scale), write, func() { tools.ToProvider(write) })
	}
}

func BenchmarkFoldTodos(b *testing.B) {
	tools := onOmp(b)
	for _, scale := range []int{1, 10} {
		call, known, _ := benchTodos(20 * scale)
		var ops []json.RawMessage
		for _, c := range tools.ToHost(call, known).Calls {
			ops = append(ops, c.Arguments)
		}
		benchCall(b, fmt.Sprintf("x%d", scale), call, func() { profile.FoldTodos(ops, known, nil) })
	}
}

// benchCall measures work, and the floor in front of it.
func benchCall(b *testing.B, name string, call profile.Call, work func()) {
	b.Run(name, func(b *testing.B) {
		runs := 100 + 50_000_000/len(call.Arguments)
		start := time.Now()
		for range runs {
			jsonspan.Valid(call.Arguments)
		}
		floor := float64(time.Since(start)) / float64(runs)
		b.ReportAllocs()
		b.SetBytes(int64(len(call.Arguments)))
		for b.Loop() {
			work()
		}
		b.ReportMetric(float64(b.Elapsed())/float64(b.N)/floor, "x-floor")
	})
}
