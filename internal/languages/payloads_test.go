package languages_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/languages"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// A payloadWriter writes payloads of the shape that the Codex adapter knows, and of many that it does not, with
// names and strings escaped in every way, members twice, and white space. It always writes the same ones.
type payloadWriter struct {
	rand  *rand.Rand
	out   bytes.Buffer
	twice bool // objects may have a member twice
}

func (w *payloadWriter) one(of ...string) string { return of[w.rand.IntN(len(of))] }

func (w *payloadWriter) space() { w.out.WriteString(w.one("", "", "", " ", "\n\t", "\r\n ")) }

// text writes a string, some of its characters as escapes.
func (w *payloadWriter) text(s string) {
	w.out.WriteByte('"')
	for _, r := range s {
		switch {
		case w.rand.IntN(12) == 0 && r < 0x10000 || r < ' ':
			fmt.Fprintf(&w.out, w.one(`\u%04x`, `\u%04X`), r)
		case r == '"' || r == '\\' || r == '/' && w.rand.IntN(2) == 0:
			w.out.WriteByte('\\')
			fallthrough
		default:
			w.out.WriteRune(r)
		}
	}
	w.out.WriteByte('"')
}

// string writes one that may be managed, or nearly; some have half a surrogate pair in them.
func (w *payloadWriter) string() {
	tag := w.one("pi_developer_prompt_message", "pi_system_prompt_developer_message", "pi_developer_message")
	opening, closing := "<"+tag+` id="`, "</"+tag+">"
	if w.rand.IntN(8) == 0 {
		closing = "</pi_developer_prompt_message>"
	}
	before := w.out.Len()
	w.text(w.one("", "plain", "developer", opening, closing, opening+"x", opening+"a\">\nBe brief.\n"+closing, " "+opening+closing,
		opening+closing, opening+"&quot;\">\n\x01é\u2028 \U0001f6a2\n"+closing, opening+"/"+closing, "\x01é\u2028 \U0001f6a2"))
	if w.rand.IntN(4) == 0 {
		written := w.out.String()[before:]
		w.out.Truncate(before)
		half := w.one(`\ud83d`, `\ud83d\ude00`, `\udc00\ud800`)
		if w.rand.IntN(2) == 0 {
			w.out.WriteString(`"` + half + written[1:])
		} else {
			w.out.WriteString(written[:len(written)-1] + half + `"`)
		}
	}
}

func (w *payloadWriter) list(most int, element func()) {
	w.out.WriteByte('[')
	w.space()
	for i := range w.rand.IntN(most + 1) {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.space()
		element()
		w.space()
	}
	w.out.WriteByte(']')
}

// object writes one with some of these members, each at most once if need be.
func (w *payloadWriter) object(most int, members map[string]func(), names ...string) {
	w.out.WriteByte('{')
	w.space()
	var written []string
	for range w.rand.IntN(most + 1) {
		name := w.one(names...)
		if !w.twice && slices.Contains(written, name) {
			continue
		}
		if len(written) > 0 {
			w.out.WriteByte(',')
		}
		written = append(written, name)
		w.space()
		w.member(name, members[name])
		w.space()
	}
	w.out.WriteByte('}')
}

// member writes one with a value that fits, or with any.
func (w *payloadWriter) member(name string, value func()) {
	w.text(name)
	w.space()
	w.out.WriteByte(':')
	w.space()
	if value == nil || w.rand.IntN(8) == 0 {
		value = w.anything
	}
	value()
}

func (w *payloadWriter) anything() {
	w.out.WriteString(w.one("null", "true", "false", "0", "-1.50e+3", "1E400", "12345678901234567890", `"]}"`, "{}", "[]", "[[ ]]", `{"role":"developer"}`))
}

func (w *payloadWriter) item() {
	role := func() { w.text(w.one("developer", "developer", "developer", "user", "system")) }
	switch w.rand.IntN(6) {
	case 0:
		w.anything()
	case 1, 2, 3:
		w.out.WriteByte('{')
		w.member("role", func() { w.text("developer") })
		w.out.WriteByte(',')
		w.member("content", w.string)
		w.out.WriteByte('}')
	default:
		w.object(4, map[string]func(){"role": role, "content": w.string}, "role", "content", "type", "n")
	}
}

func (w *payloadWriter) payload() []byte {
	w.out.Reset()
	w.space()
	if w.rand.IntN(20) == 0 {
		w.anything()
	} else {
		w.object(6, map[string]func(){"input": func() { w.list(6, w.item) }, "instructions": w.string},
			"input", "input", "instructions", "model", "Input", "n")
	}
	w.space()
	return bytes.Clone(w.out.Bytes())
}

// spelled is a document without white space between its tokens and with all strings spelled alike: every unit of
// UTF-16 as an escape. A guest in JavaScript cannot see how they were spelled, so it may keep the spelling of what it
// replaces by something equal.
func spelled(t *testing.T, document []byte) string {
	t.Helper()
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, document), "%s", document)
	return stringToken.ReplaceAllStringFunc(compact.String(), func(token string) string {
		var out strings.Builder
		inside := token[1 : len(token)-1]
		for inside != "" {
			unit, rest := inside, ""
			if inside[0] == '\\' {
				unit, rest = inside[:2], inside[2:]
				if unit == `\u` {
					unit, rest = inside[:6], inside[6:]
				}
			} else {
				_, n := utf8.DecodeRuneInString(inside)
				unit, rest = inside[:n], inside[n:]
			}
			inside = rest
			if strings.HasPrefix(unit, `\u`) {
				out.WriteString(strings.ToLower(unit))
				continue
			}
			var character string
			require.NoError(t, json.Unmarshal([]byte(`"`+unit+`"`), &character))
			for _, u := range utf16.Encode([]rune(character)) {
				fmt.Fprintf(&out, `\u%04x`, u)
			}
		}
		return `"` + out.String() + `"`
	})
}

var stringToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// observed is what the adapter of version 1 says of payloads. That one is unchanged may be said in several ways.
func observed(t *testing.T, language string, w *payloadWriter, n int) (seen []languages.Observation) {
	g, err := newRuntime(t).Load(t.Context(), language, read(t, languages.Example, language), runtime.GuestOptions{})
	require.NoError(t, err)
	adapter, ok := registry.AdapterOf(g, "codex-v1")
	require.True(t, ok)
	messages := [][]registry.Message{
		nil, {{ID: "a", Content: "Be brief."}}, {{ID: `&"<>'`, Content: "\x01é\u2028"}, {ID: "", Content: ""}},
		{{ID: `" `, Content: "short"}, {ID: `""`, Content: "all of it"}, {ID: "&", Content: "one"}, {ID: "a><&\"b", Content: ""}},
	}
	for i := range n {
		payload := w.payload()
		require.True(t, json.Valid(payload), "%s", payload)
		request := &registry.PayloadRequest{Provider: "openai-codex", API: "openai-codex-responses", Payload: payload}
		note := func(op string, answer []byte, err error) {
			require.NoError(t, err, "%s", payload)
			if answer == nil || jsonspan.Equal(payload, answer) {
				answer = payload
			}
			seen = append(seen, languages.Observation{What: fmt.Sprintf("%d %s of %s", i, op, payload), Seen: spelled(t, answer)})
		}
		text, found, err := adapter.ReadSystemPrompt(t.Context(), request)
		require.NoError(t, err)
		seen = append(seen, languages.Observation{What: fmt.Sprintf("%d read of %s", i, payload), Seen: fmt.Sprint(found, text)})
		answer, err := adapter.ReplaceSystemPrompt(t.Context(), request, strings.Repeat("New \"prompt\" ", i%3))
		note("replaced prompt", answer, err)
		answer, err = adapter.ReplaceDeveloperMessages(t.Context(), request, messages[i%len(messages)])
		note("placed messages", answer, err)
	}
	return seen
}

// Whatever the payload, the adapters of version 1 say the same of it in all languages, but for the spelling of strings.
func TestAdaptersAgreeOnManyPayloads(t *testing.T) {
	sameAsGo(t, func(t *testing.T, language string) []languages.Observation {
		return observed(t, language, &payloadWriter{rand: rand.New(rand.NewPCG(6, 6))}, 400)
	})
}

// Of a member that is there twice the last one counts. A guest in JavaScript reads it so too, but the host, which
// makes its edits, refuses to make one of two.
func TestAdaptersAgreeOnMembersThatAreTwice(t *testing.T) {
	observe := func(t *testing.T, language string) []languages.Observation {
		return observed(t, language, &payloadWriter{rand: rand.New(rand.NewPCG(6, 7)), twice: true}, 200)
	}
	model := observe(t, "go")
	forEachLanguage(t, func(t *testing.T, language string) {
		if language != "typescript" {
			assert.Empty(t, languages.Differences(model, observe(t, language)))
		}
	})
}
