// Package testpayload builds the large request payloads of the conformance kit for tests and
// benchmarks, by the recipe in testdata/vectors/payloads/large-recipe.md: five provider APIs, made-up
// histories of any length, the same bytes every time.
package testpayload

import (
	"fmt"
	"strconv"
	"strings"
)

// APIs lists the provider APIs that payloads can be built for.
var APIs = []string{
	"openai-codex-responses", "openai-responses", "openai-completions", "anthropic-messages", "google-generative-ai",
}

// SystemPrompt is the prompt in every payload.
const SystemPrompt = "You are Harbour, a careful assistant for the ferry timetable project.\n\n" +
	"Tools are listed separately.\nCurrent working directory: /srv/ferry"

const (
	cacheKey = "0199c0de-0000-7000-8000-000000000001"
	alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
)

var words = strings.Fields(`ferry quay tide harbour timetable winter summer deck bridge cargo pilot anchor
	signal channel mooring beacon`)

// turns is how many turns make a payload of just over 1 MB and 10 MB.
var turns = map[string]map[string]int{
	"1MB": {
		"openai-codex-responses": 77, "openai-responses": 77, "openai-completions": 77, "anthropic-messages": 77,
		"google-generative-ai": 77,
	},
	"10MB": {
		"openai-codex-responses": 781, "openai-responses": 781, "openai-completions": 785, "anthropic-messages": 781,
		"google-generative-ai": 789,
	},
}

// Large builds the payload of an API whose size is "1MB" or "10MB". It panics for anything else.
func Large(api, size string) []byte {
	n, ok := turns[size][api]
	if !ok {
		panic(fmt.Sprintf("testpayload: no payload of size %q for api %q", size, api))
	}
	return Build(api, n)
}

// Build builds the payload of an API with the given number of turns. It panics for an API that is not
// in [APIs].
func Build(api string, turns int) []byte {
	var b strings.Builder
	text := strconv.Quote(SystemPrompt) // the prompt is ASCII, for which JSON and Go agree
	switch api {
	case "openai-codex-responses":
		b.WriteString(`{"model":"gpt-5.6-sol","store":false,"stream":true,"instructions":` + text + `,"input":[`)
		history(&b, turns, "", responsesTurn)
		b.WriteString(`],"text":{"verbosity":"low"},"include":["reasoning.encrypted_content"],"prompt_cache_key":"` +
			cacheKey + `","tool_choice":"auto","parallel_tool_calls":true}`)
	case "openai-responses":
		b.WriteString(`{"model":"gpt-5.5","input":[`)
		history(&b, turns, `{"role":"developer","content":`+text+`}`, responsesTurn)
		b.WriteString(`],"stream":true,"prompt_cache_key":"` + cacheKey + `","store":false}`)
	case "openai-completions":
		b.WriteString(`{"model":"qwen3-coder","messages":[`)
		history(&b, turns, `{"role":"system","content":`+text+`}`, completionsTurn)
		b.WriteString(`],"stream":true,"stream_options":{"include_usage":true},"store":false,` +
			`"max_completion_tokens":32000}`)
	case "anthropic-messages":
		b.WriteString(`{"model":"claude-sonnet-4-5","messages":[`)
		history(&b, turns, "", anthropicTurn)
		b.WriteString(`],"max_tokens":32000,"stream":true,"system":[{"type":"text","text":` + text +
			`,"cache_control":{"type":"ephemeral"}}]}`)
	case "google-generative-ai":
		b.WriteString(`{"model":"gemini-2.5-pro","contents":[`)
		history(&b, turns, "", googleTurn)
		b.WriteString(`],"config":{"maxOutputTokens":32000,"systemInstruction":` + text + `}}`)
	default:
		panic(fmt.Sprintf("testpayload: unknown api %q", api))
	}
	return []byte(b.String())
}

// turn is what one turn of a history says. image is empty in turns without one.
type turn struct {
	n                              int
	question, image, output, reply string
}

func history(b *strings.Builder, turns int, first string, write func(*strings.Builder, turn)) {
	b.WriteString(first)
	for i := range turns {
		if i > 0 || first != "" {
			b.WriteByte(',')
		}
		n := uint32(i)
		t := turn{n: i, question: prose(1000+n, 120), output: prose(2000+n, 2000), reply: prose(3000+n, 300)}
		if i%4 == 0 {
			t.image = base64(4000+n, 40000)
		}
		write(b, t)
	}
}

func responsesTurn(b *strings.Builder, t turn) {
	fmt.Fprintf(b, `{"role":"user","content":[{"type":"input_text","text":"%s"}`, t.question)
	if t.image != "" {
		fmt.Fprintf(b, `,{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,%s"}`, t.image)
	}
	fmt.Fprintf(b, `]},{"type":"function_call","id":"fc_%d","call_id":"call_%[1]d","name":"bash",`+
		`"arguments":"{\"command\":\"step %[1]d\"}"},`, t.n)
	fmt.Fprintf(b, `{"type":"function_call_output","call_id":"call_%d","output":"%s"},`, t.n, t.output)
	fmt.Fprintf(b, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"%s",`+
		`"annotations":[]}],"status":"completed","id":"msg_pi_%d"}`, t.reply, t.n)
}

func completionsTurn(b *strings.Builder, t turn) {
	fmt.Fprintf(b, `{"role":"user","content":[{"type":"text","text":"%s"}`, t.question)
	if t.image != "" {
		fmt.Fprintf(b, `,{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}`, t.image)
	}
	fmt.Fprintf(b, `]},{"role":"assistant","content":"","tool_calls":[{"id":"call_%d","type":"function",`+
		`"function":{"name":"bash","arguments":"{\"command\":\"step %[1]d\"}"}}]},`, t.n)
	fmt.Fprintf(b, `{"role":"tool","content":"%s","tool_call_id":"call_%d"},`, t.output, t.n)
	fmt.Fprintf(b, `{"role":"assistant","content":"%s"}`, t.reply)
}

func anthropicTurn(b *strings.Builder, t turn) {
	fmt.Fprintf(b, `{"role":"user","content":[{"type":"text","text":"%s"}`, t.question)
	if t.image != "" {
		fmt.Fprintf(b, `,{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}`, t.image)
	}
	fmt.Fprintf(b, `]},{"role":"assistant","content":[{"type":"tool_use","id":"call_%d","name":"bash",`+
		`"input":{"command":"step %[1]d"}}]},`, t.n)
	fmt.Fprintf(b, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_%d","content":"%s",`+
		`"is_error":false}]},`, t.n, t.output)
	fmt.Fprintf(b, `{"role":"assistant","content":[{"type":"text","text":"%s"}]}`, t.reply)
}

func googleTurn(b *strings.Builder, t turn) {
	fmt.Fprintf(b, `{"role":"user","parts":[{"text":"%s"}`, t.question)
	if t.image != "" {
		fmt.Fprintf(b, `,{"inlineData":{"mimeType":"image/png","data":"%s"}}`, t.image)
	}
	fmt.Fprintf(b, `]},{"role":"model","parts":[{"functionCall":{"name":"bash","args":{"command":"step %d"}}}]},`, t.n)
	fmt.Fprintf(b, `{"role":"user","parts":[{"functionResponse":{"name":"bash","response":{"output":"%s"}}}]},`, t.output)
	fmt.Fprintf(b, `{"role":"model","parts":[{"text":"%s"}]}`, t.reply)
}

// random is the recipe's generator: linear congruential over 32 bits, of which the upper 16 are used.
type random uint32

func (r *random) next() int {
	*r = *r*1664525 + 1013904223
	return int(*r >> 16)
}

func prose(seed uint32, n int) string {
	r := random(seed)
	var b strings.Builder
	for b.Len() < n {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[r.next()%len(words)])
	}
	return b.String()[:n]
}

func base64(seed uint32, n int) string {
	r := random(seed)
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[r.next()%len(alphabet)]
	}
	return string(out)
}
