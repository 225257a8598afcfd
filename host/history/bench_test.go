package history_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/profile"
)

// The work is a conversation as long sessions have it: 400 turns, once and ten times, each with a question,
// reasoning with a signature, a call, its result of 2 KiB and an answer; every tenth one writes the todo
// list in two operations, each of which tells the whole list. Beside every figure a floor is measured in
// the same run: encoding/json's check that the context is JSON. The metric x-floor is the ratio.

// longContext makes the JSON of a context.
func longContext(turns int) []byte {
	type object = map[string]any
	prose := strings.Repeat("The ledger for March has one row too many — see \"sums\".\n", 10)
	listing := strings.Repeat("2026-03-01\t12,50\trent\tpaid\n", 73)
	var messages []any
	answer := func(blocks ...any) {
		messages = append(messages, object{
			"role": "assistant", "content": blocks, "api": "acme-bridge", "provider": "acme", "model": "m-1",
			"usage": object{"input": 900, "output": 25, "totalTokens": 925}, "stopReason": "stop", "timestamp": len(messages),
		})
	}
	result := func(id, tool, text string, more object) {
		messages = append(messages, object{
			"role": "toolResult", "toolCallId": id, "toolName": tool, "isError": false, "timestamp": len(messages),
			"content": []any{object{"type": "text", "text": text}}, "details": more,
		})
	}
	for i := range turns {
		id := fmt.Sprintf("call_%d", i)
		messages = append(messages, object{"role": "user", "content": "Find the row that is too many. " + id, "timestamp": i})
		answer(
			object{"type": "thinking", "thinking": prose, "thinkingSignature": `{"acme":{"signature":"` + strings.Repeat("c2ln", 60) + `"}}`},
			object{"type": "toolCall", "id": id, "name": "read", "arguments": object{"path": fmt.Sprintf("ledger/%d.tsv:%d-%d", i, i+1, i+40)}},
		)
		result(id, "read", listing, nil)
		if i%10 == 0 {
			answer(
				object{"type": "toolCall", "id": "todo_" + id + "#0", "name": "todo", "arguments": object{"op": "done", "task": "row 3"}},
				object{"type": "toolCall", "id": "todo_" + id + "#1", "name": "todo", "arguments": object{"op": "start", "task": "row 4"}},
			)
			var tasks []any
			for row := range 12 {
				tasks = append(tasks, object{"content": fmt.Sprintf("row %d", row), "status": "pending"})
			}
			for n := range 2 {
				result(fmt.Sprintf("todo_%s#%d", id, n), "todo", "ok", object{"phases": []any{object{"tasks": tasks}}})
			}
		}
		answer(object{"type": "text", "text": prose})
	}
	raw, err := json.Marshal(object{
		"systemPrompt": []any{"You keep books.", "Ask with `ask`.\n- read: opens\n- todo: plans\n"},
		"tools":        []any{object{"name": "read"}, object{"name": "todo"}, object{"name": "ask"}}, "messages": messages,
	})
	if err != nil {
		panic(err)
	}
	return raw
}

// measure runs work on bytes of JSON beside the floor.
func measure(b *testing.B, raw []byte, floor func(), work func()) {
	b.Helper()
	work()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	var floors time.Duration
	runs, beside := 0, 0
	for b.Loop() {
		work()
		if runs++; runs%8 == 1 {
			b.StopTimer()
			start := time.Now()
			floor()
			floors += time.Since(start)
			beside++
			b.StartTimer()
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(runs)*float64(beside)/float64(floors), "x-floor")
}

func BenchmarkCallOptions(b *testing.B) {
	p, err := profile.Named("omp")
	if err != nil {
		b.Fatal(err)
	}
	config := history.Config{Profile: p, API: "acme-bridge", Provider: "acme"}
	for _, scale := range []int{1, 10} {
		raw := longContext(400 * scale)
		valid := func() {
			if !json.Valid(raw) {
				b.Fatal("not JSON")
			}
		}
		options := func() *history.CallOptions {
			hostContext, err := history.ParseContext(raw)
			if err != nil {
				b.Fatal(err)
			}
			o, err := config.CallOptions(hostContext, history.Call{})
			if err != nil {
				b.Fatal(err)
			}
			return o
		}
		b.Run(fmt.Sprintf("%dx/options", scale), func(b *testing.B) { measure(b, raw, valid, func() { options() }) })
		b.Run(fmt.Sprintf("%dx/json", scale), func(b *testing.B) {
			var out []byte
			measure(b, raw, valid, func() { out = options().AppendJSON(out[:0]) })
		})
	}
}

// Rows are looked for from the newest result on, however long the history is. The floor is the check of one
// message.
func BenchmarkTodos(b *testing.B) {
	p, err := profile.Named("omp")
	if err != nil {
		b.Fatal(err)
	}
	tools := p.Bind([]profile.Tool{{Name: "todo"}}, profile.Options{})
	for _, scale := range []int{1, 10} {
		hostContext, err := history.ParseContext(longContext(400 * scale))
		if err != nil {
			b.Fatal(err)
		}
		message := hostContext.Messages[len(hostContext.Messages)-1]
		b.Run(fmt.Sprintf("%dx", scale), func(b *testing.B) {
			measure(b, message, func() { json.Valid(message) }, func() {
				if history.Todos(tools, hostContext.Messages) == nil {
					b.Fatal("no rows")
				}
			})
		})
	}
}

// The floor knows nothing of Markdown: it replaces the names with their backticks wherever they are.
func BenchmarkRestateNames(b *testing.B) {
	renames := map[string]string{"find": "glob", "subagent": "task"}
	floor := strings.NewReplacer("`find`", "`glob`", "`subagent`", "`task`", "- find: ", "- glob: ", "- subagent: ", "- task: ")
	for _, scale := range []int{1, 10} {
		for _, text := range [][2]string{
			{"prompt", strings.Repeat("- find: looks for files\n\nUse `find` before `grep`; a \\` is only that.\n```sh\nfind .\n```\n", 200*scale)},
			{"hostile", strings.Repeat("\\``", 6000*scale) + "`"},
		} {
			b.Run(fmt.Sprintf("%dx/%s", scale, text[0]), func(b *testing.B) {
				measure(b, []byte(text[1]), func() { floor.Replace(text[1]) }, func() { history.RestateNames(text[1], renames, true) })
			})
		}
	}
}
