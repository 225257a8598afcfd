package main

import (
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/internal/testpayload"
)

// The payloads are requests of openai-responses with a history of one kind of content.
const payloadAPI = "openai-responses"

// A content is what the messages of a payload say; the text is the inside of a string of JSON.
type content struct {
	name string
	text func(n int) string
}

var contents = []content{
	{"chat text", chatText},
	{"JSON inside strings", func(n int) string {
		return strings.Repeat(fmt.Sprintf(`{\"path\":\"src/%d.go\",\"line\":%d,\"ok\":true},`, n, n*7), 40)
	}},
	{"many small items", func(n int) string { return fmt.Sprint("ok ", n) }},
}

// chatText is prose and code: a line end every 60 bytes and a quotation mark every 33.
func chatText(n int) string {
	var b strings.Builder
	for i := range 16 {
		fmt.Fprintf(&b, `- step %d of %d: see \"%s\" before the pilot\n  and call the %s with \"%s\" in a row.\n`,
			i, n, "docs/tide-table.md", "harbour office", "the quay number")
	}
	return b.String()
}

// payload builds a request of about so many bytes.
func payload(c content, bytes int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":"gpt-5.5","input":[{"role":"developer","content":%q}`, testpayload.SystemPrompt)
	for n := 0; b.Len() < bytes; n++ {
		fmt.Fprintf(&b, `,{"role":"user","content":[{"type":"input_text","text":"%s"}]}`, c.text(n))
		fmt.Fprintf(&b, `,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"%s","annotations":[]}],`+
			`"status":"completed","id":"msg_%d"}`, c.text(n+1), n)
	}
	b.WriteString(`],"stream":true,"store":false}`)
	return []byte(b.String())
}
