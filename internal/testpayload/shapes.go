package testpayload

import (
	"fmt"
	"strconv"
	"strings"
)

// Shapes lists what [Shaped] can fill a payload with.
var Shapes = []string{"prose", "chat", "nested", "items"}

// Shaped builds a payload of the Anthropic Messages API of just over n bytes, with the key system behind
// a history that is one of:
//
//   - prose: texts almost without escapes.
//   - chat: prose and source code in turn, and one message in four a tool call with code as JSON in a
//     string.
//   - nested: tool calls whose arguments are tables of JSON in a string.
//   - items: many small objects.
//
// It panics for another shape.
func Shaped(shape string, n int) []byte {
	write, ok := map[string]func(*strings.Builder, int){
		"prose": func(b *strings.Builder, i int) { said(b, prose(uint32(i), 1500)) },
		"chat":  chatItem, "nested": nestedItem, "items": smallItem,
	}[shape]
	if !ok {
		panic(fmt.Sprintf("testpayload: no shape %q", shape))
	}
	var b strings.Builder
	b.WriteString(`{"model":"claude-sonnet-4-5","messages":[`)
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		write(&b, i)
	}
	b.WriteString(`],"max_tokens":32000,"system":[{"type":"text","text":` + strconv.Quote(SystemPrompt) + `}]}`)
	return []byte(b.String())
}

func said(b *strings.Builder, text string) {
	b.WriteString(`{"role":"user","content":[{"type":"text","text":` + strconv.Quote(text) + `}]}`)
}

func chatItem(b *strings.Builder, i int) {
	switch i % 4 {
	case 0, 2:
		said(b, prose(uint32(i), 1500))
	case 1:
		said(b, code(uint32(i), 1500))
	default:
		called(b, `{"path":"cmd/main.go","content":`+strconv.Quote(code(uint32(i), 1500))+`}`)
	}
}

// code is a text like the source of a program.
func code(seed uint32, n int) string {
	r := random(seed)
	var b strings.Builder
	for b.Len() < n {
		w, v := words[r.next()%len(words)], words[r.next()%len(words)]
		fmt.Fprintf(&b, "\tif err := %s.Do(ctx, \"%s\"); err != nil {\n\t\treturn fmt.Errorf(\"%s: %%w\", err)\n\t}\n", w, v, w)
	}
	return b.String()
}

func nestedItem(b *strings.Builder, i int) {
	r := random(uint32(i))
	var table strings.Builder
	table.WriteString(`[`)
	for k := range 40 {
		if k > 0 {
			table.WriteByte(',')
		}
		fmt.Fprintf(&table, `{"id":%d,"name":"%s","ok":true}`, r.next()%1000, words[r.next()%len(words)])
	}
	called(b, table.String()+"]")
}

// called writes a tool call whose arguments are JSON in a string.
func called(b *strings.Builder, arguments string) {
	b.WriteString(`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":` +
		`{"name":"write_file","arguments":` + strconv.Quote(arguments) + `}}]}`)
}

func smallItem(b *strings.Builder, i int) {
	fmt.Fprintf(b, `{"id":%d,"type":"ping","ok":%t,"at":[%d,2]}`, i, i%2 == 0, i%7)
}
