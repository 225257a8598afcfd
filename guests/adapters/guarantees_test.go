package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
	"github.com/pintle-wasm/pintle/internal/testpayload"
)

var (
	texts = []string{
		"", "Base.", "Other é 😀.", "Two\n\nparagraphs\n", "\n\n", identity,
		`<pi_developer_prompt_message id="open`, "Say\n\n" + `<pi_developer_prompt_message id="q`,
		`<pi_system_prompt_developer_message id="open`, "Say\n\n" + `<pi_system_prompt_developer_message id="q`,
		"Ends </pi_developer_prompt_message>", "Ends\n</pi_system_prompt_developer_message>", "In <pi_developer_prompt_message id=",
	}
	tails = []string{
		segment(Message{"a", "1"}), segment(Message{`<"&>`, "two\n\nparts"}),
		segment(Message{"a", "1"}) + blank + segment(Message{"b", ""}),
		`<pi_system_prompt_developer_message id="o">` + "\n3\n</pi_system_prompt_developer_message>",
		`<pi_developer_prompt_message id="bad</pi_developer_prompt_message>`,
	}
)

// writer draws JSON documents, with odd spacing and escapes.
type writer struct{ t *rapid.T }

func (w writer) chance(percent int) bool { return rapid.IntRange(0, 99).Draw(w.t, "chance") < percent }

func (w writer) pick(from ...string) string { return rapid.SampledFrom(from).Draw(w.t, "pick") }

func (w writer) text() string {
	s := w.pick(texts...)
	switch {
	case w.chance(30):
		return s
	case s == "":
		return w.pick(tails...)
	case w.chance(20):
		return s + blank + w.pick(tails...) + blank + w.pick(tails...)
	case w.chance(60):
		return s + blank + w.pick(tails...)
	}
	return s
}

func (w writer) str(s string) string {
	raw := string(quote(s))
	switch {
	case w.chance(10):
		raw = strings.ReplaceAll(raw, "<", `\u003C`)
	case w.chance(10):
		raw = `"\ud800` + raw[1:]
	}
	return raw
}

func (w writer) object(members ...string) string {
	if w.chance(20) {
		members = append(members, w.pick(`"extra":1e0`, `"cache_control":{"type":"ephemeral"}`))
	}
	if w.chance(15) {
		slices.Reverse(members)
	}
	return "{" + w.pick("", " ") + strings.Join(members, w.pick(",", " , ", ",\n")) + w.pick("", "\n") + "}"
}

func (w writer) list(max int, element func() string) string {
	var out []string
	for range rapid.IntRange(0, max).Draw(w.t, "n") {
		out = append(out, element())
	}
	return "[" + w.pick("", " ") + strings.Join(out, w.pick(",", " , ")) + w.pick("", " ") + "]"
}

func (w writer) part() string {
	return w.pick(
		w.object(`"type":`+w.pick(`"text"`, `"text"`, `"text"`, `"input_text"`, `"image"`, `7`), `"text":`+w.str(w.text())),
		w.object(`"text":`+w.str(w.text())),
		w.object(`"type":"image"`), w.str(w.text()), `null`, `7`,
	)
}

func (w writer) content() string {
	return w.pick(w.str(w.text()), w.str(w.text()), w.list(3, w.part), `null`, `7`, w.object())
}

func (w writer) message() string {
	role := w.pick("system", "developer", "system", "developer", "user", "assistant", "tool")
	return w.pick(w.object(`"role":"`+role+`"`, `"content":`+w.content()), w.object(`"role":"`+role+`"`, `"content":`+w.str(w.text())),
		w.object(`"role":"`+role+`"`), w.object(`"type":"function_call"`), `null`, `"x"`)
}

// field is a member of a record, or nothing.
func (w writer) field(percent int, key, value string) []string {
	if !w.chance(percent) {
		return nil
	}
	return []string{string(quote(key)) + ":" + value}
}

func (w writer) payload(api string) string {
	members := []string{`"model":"m"`, `"temperature":1.0`}
	switch api {
	case codex, responses:
		members = append(members, w.field(50, "instructions", w.pick(w.str(w.text()), `""`, `null`, `5`))...)
		members = append(members, w.field(95, "input", w.pick(w.list(5, w.message), w.list(5, w.message), w.str("q"), `null`))...)
	case completions:
		members = append(members, w.field(95, "messages", w.pick(w.list(5, w.message), w.list(5, w.message), w.list(5, w.message), `"q"`))...)
	case anthropics:
		members = append(members, `"messages":`+w.list(2, w.message))
		members = append(members, w.field(90, "system", w.pick(w.str(w.text()), w.list(4, w.part), w.list(4, w.part), `null`, `7`))...)
	case googles:
		value := func() string {
			return w.pick(w.str(w.text()), w.list(4, w.part), w.object(`"parts":`+w.list(4, w.part)), w.object(`"text":`+w.str(w.text())), `null`, `7`)
		}
		members = append(members, w.field(60, "config", w.object(w.field(80, "systemInstruction", value())...))...)
		// One of both spellings: if the one that counts is removed, the other one is uncovered.
		members = append(members, w.field(60, w.pick("systemInstruction", "system_instruction"), value())...)
	}
	if w.chance(30) {
		members = append(members, `"after":{"a":[1,"\udc00"]}`)
	}
	return "{" + strings.Join(members, w.pick(",", " , ")) + "}"
}

// replaceable are the prompts for which the guarantees hold without reservation: neither empty, nor the identity text,
// nor ending with something that reads as a tail.
func replaceable() []string {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" || s == identity })
}

// elsewhere is the payload without the places that adapters may change.
func elsewhere(t require.TestingT, payload []byte) string {
	var b strings.Builder
	for _, m := range membersOf(t, payload) {
		switch m.key {
		case "instructions", "input", "messages", "system", "systemInstruction", "system_instruction":
		case "config":
			if len(m.value) > 0 && m.value[0] == '{' {
				b.WriteString("config{" + elsewhere(t, m.value) + "}")
				continue
			}
			fallthrough
		default:
			b.WriteString(m.key + ":" + string(m.value) + ";")
		}
	}
	return b.String()
}

func membersOf(t require.TestingT, record []byte) (out []member) {
	dec := json.NewDecoder(strings.NewReader(string(record)))
	_, err := dec.Token()
	require.NoError(t, err)
	for dec.More() {
		key, err := dec.Token()
		require.NoError(t, err)
		var value json.RawMessage
		require.NoError(t, dec.Decode(&value))
		out = append(out, member{key.(string), value})
	}
	return out
}

func TestGuarantees(t *testing.T) {
	for _, api := range testpayload.APIs {
		for _, role := range []string{"", "yes", "no"} {
			p := placeFor(api, "", role)
			t.Run(api+role, rapid.MakeCheck(func(t *rapid.T) {
				w := writer{t}
				payload := []byte(w.payload(api))
				require.True(t, json.Valid(payload), "%s", payload)
				var messages []Message
				for range rapid.IntRange(0, 3).Draw(t, "messages") {
					messages = append(messages, Message{w.pick("a", `x"<`, "environment"), w.pick("1", "", "two\n\nparts", tails[0], "\n")})
				}
				place := func(b []byte) []byte { return p.replaceDeveloper(b, messages) }

				placed, unchanged := apply(t, payload, place)
				assert.NotEqual(t, unchanged, canonical(t, payload) != canonical(t, placed), "unchanged means equal")
				_, unchanged = apply(t, placed, place)
				assert.True(t, unchanged, "placing twice: %s\n%s", payload, placed)
				before, hadPrompt := p.read(payload)
				after, hasPrompt := p.read(placed)
				assert.Equal(t, before, after, "%s\n%s", payload, placed)
				if before != "" {
					assert.Equal(t, hadPrompt, hasPrompt)
				} else {
					assert.False(t, hasPrompt && !hadPrompt)
				}
				assert.Equal(t, elsewhere(t, payload), elsewhere(t, placed))
				for _, r := range []string{"user", "assistant", "tool"} {
					assert.Equal(t, history(t, payload, r), history(t, placed, r), "%s\n%s", payload, placed)
				}

				text := rapid.SampledFrom(replaceable()).Draw(t, "text")
				replace := func(b []byte) []byte { return p.replaceSystem(b, text) }
				replaced, _ := apply(t, placed, replace)
				_, unchanged = apply(t, replaced, replace)
				assert.True(t, unchanged, "replacing twice: %s\n%s", placed, replaced)
				if got, ok := p.read(replaced); ok || canonical(t, replaced) != canonical(t, placed) {
					assert.Equal(t, text, got, "%s\n%s", placed, replaced)
				}
				if hasPrompt {
					got, _ := p.read(replaced)
					assert.Equal(t, text, got)
				}
				assert.Equal(t, elsewhere(t, placed), elsewhere(t, replaced))
				for _, r := range []string{"user", "assistant", "tool"} {
					assert.Equal(t, history(t, placed, r), history(t, replaced, r))
				}

				both, _ := apply(t, replaced, place)
				if got, ok := p.read(both); ok {
					assert.Equal(t, text, got, "%s\n%s", replaced, both)
				}
				_, unchanged = apply(t, both, place)
				assert.True(t, unchanged, "%s\n%s", replaced, both)
				_, unchanged = apply(t, both, replace)
				assert.True(t, unchanged, "%s\n%s", replaced, both)
			}))
		}
	}
}

func TestReferenceGuarantees(t *testing.T) {
	for _, api := range []string{codex, responses, completions} {
		p := placeFor(api, "reference", "")
		t.Run(api, rapid.MakeCheck(func(t *rapid.T) {
			w := writer{t}
			payload := []byte(w.payload(api))
			messages := []Message{{"a", w.pick("1", "two\n\nparts")}, {"b", ""}}
			place := func(b []byte) []byte { return p.replaceDeveloper(b, messages) }
			placed, _ := apply(t, payload, place)
			again, _ := apply(t, placed, place)
			assert.Equal(t, canonical(t, placed), canonical(t, again))
			replaced, _ := apply(t, payload, func(b []byte) []byte { return p.replaceSystem(b, "N") })
			for _, got := range [][]byte{placed, replaced} {
				assert.Equal(t, elsewhere(t, payload), elsewhere(t, got))
				for _, r := range []string{"user", "assistant", "tool"} {
					assert.Equal(t, history(t, payload, r), history(t, got, r))
				}
			}
		}))
	}
}

func FuzzPlaces(f *testing.F) {
	for _, api := range testpayload.APIs {
		f.Add(testpayload.Build(api, 0), "N", "x")
	}
	f.Add([]byte(`{"input":[{"role":"developer","content":[{"text":"\ud800"}]}],"system":[[]],"config":{"systemInstruction":[""]}}`), "", "")
	f.Fuzz(func(t *testing.T, payload []byte, text, content string) {
		for _, api := range testpayload.APIs {
			for _, compat := range []string{"", "reference"} {
				p := placeFor(api, compat, "")
				place := func(b []byte) []byte { return p.replaceDeveloper(b, []Message{{text, content}}) }
				p.read(payload)
				apply(t, payload, func(b []byte) []byte { return p.replaceSystem(b, text) })
				placed, _ := apply(t, payload, place)
				if again, unchanged := apply(t, placed, place); compat == "" && !unchanged {
					t.Fatalf("placing twice: %s\n%s\n%s", payload, placed, again)
				}
			}
		}
	})
}

func BenchmarkPlaces(b *testing.B) {
	messages := []Message{{"tide/mode", "Prefer short answers."}, {"environment", "<environment_context/>"}}
	for _, api := range testpayload.APIs {
		p := placeFor(api, "", "")
		for _, size := range []string{"1MB", "10MB"} {
			payload := testpayload.Large(api, size)
			placed := p.replaceDeveloper(payload, messages)
			request := twinFor(b, api, "").request(b, payload, "N", []edit.Message{edit.Message(messages[0]), edit.Message(messages[1])})
			for name, do := range map[string]func(){
				"read":             func() { p.read(payload) },
				"replaceSystem":    func() { p.replaceSystem(payload, "N") },
				"replaceDeveloper": func() { p.replaceDeveloper(payload, messages) },
				"unchanged":        func() { p.replaceDeveloper(placed, messages) },
				"edits":            func() { _, _ = editsFor(api, "", "", request) },
			} {
				b.Run(api+"/"+size+"/"+name, func(b *testing.B) {
					b.SetBytes(int64(len(payload)))
					b.ReportAllocs()
					for b.Loop() {
						do()
					}
				})
			}
		}
	}
}
