package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
	"github.com/pintle-wasm/pintle/internal/testpayload"
)

// same checks that version 2 does what version 1 does, wherever it answers at all, and nothing the second
// time. It tells whether it answered.
func (w twin) same(t require.TestingT, payload []byte, base, prompt string, messages []Message) bool {
	once, handled := w.once(t, payload, base, prompt, messages)
	if !handled {
		return false
	}
	twice, handled := w.once(t, once, base, prompt, messages)
	if own, _ := split(prompt); handled && prompt != base && own > 0 && own == len(prompt) && prompt != identity {
		require.Equal(t, canonical(t, once), canonical(t, twice), "a second time")
	}
	return true
}

func (w twin) once(t require.TestingT, payload []byte, base, prompt string, messages []Message) (result []byte, handled bool) {
	got, handled := w.adapt(t, payload, base, prompt, messages)
	if handled {
		want := adaptV1(placeFor(w.offer.ID, "", w.role), payload, base, prompt, messages)
		require.Equal(t, canonical(t, want), canonical(t, got), "%s\nbase %q, prompt %q\n%s", payload, base, prompt, got)
	}
	return got, handled
}

// The cases of the conformance kit, with the prompt that is in the payload as base and with another one.
func TestEditsVectors(t *testing.T) {
	for _, file := range []string{"sound-adapters.json", "codex-adapter.json", "openai-adapters-v039.json"} {
		handled, all := 0, 0
		for _, c := range loadVectors(t, file) {
			if c.Mode != "" {
				continue
			}
			t.Run(c.Name, func(t *testing.T) {
				if c.Input.API == "" {
					c.Input.API = codex
				}
				role := ""
				if r := c.Input.DeveloperRole; r != nil {
					role = map[bool]string{true: "yes", false: "no"}[*r]
				}
				w := twinFor(t, c.Input.API, role)
				prompt, messages := "Another prompt.", []Message{{"a", "b"}}
				if c.Input.SystemPrompt != nil {
					prompt = *c.Input.SystemPrompt
				}
				if c.Input.Messages != nil {
					messages = *c.Input.Messages
				}
				for _, base := range []string{"no such base", textOr(c.Expect.Read, "none")} {
					all++
					if w.same(t, c.Input.Payload, base, prompt, messages) {
						handled++
					}
				}
			})
		}
		t.Log(file, handled, "of", all)
		assert.Greater(t, handled, all/3, "version 2 hardly does anything")
	}
}

func textOr(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}

var placedMessages = []Message{{"tide/mode", "Prefer <short> answers."}, {"environment", "é\n\u2028\x01"}}

// Version 2 answers for every payload that a real Pi produced.
func TestEditsOfRecordedPayloads(t *testing.T) {
	files, err := filepath.Glob(vectors + "payloads/pi-*/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		file := loadRecorded(t, name)
		for _, role := range []string{"", "yes", "no"} {
			w, p := twinFor(t, file.API, role), placeFor(file.API, "", role)
			text, _ := p.read(file.Payload)
			for _, base := range []string{"another", text} {
				assert.True(t, w.same(t, file.Payload, base, "New.", placedMessages), "%s with role %q", name, role)
				assert.True(t, w.same(t, file.Payload, base, "New.", nil), "%s with role %q, no messages", name, role)
			}
		}
	}
}

func loadRecorded(t *testing.T, name string) (file recorded) {
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &file))
	return file
}

// prompts for which version 2 has to be careful are among these.
func (w writer) prompt() string { return w.pick(append(slices.Clone(texts), w.text(), tails[0])...) }

func (w writer) messages() (messages []Message) {
	for range rapid.IntRange(0, 3).Draw(w.t, "messages") {
		messages = append(messages, Message{w.pick("a", `x"<`, "environment"), w.pick("1", "", "two\n\nparts", tails[0], "\n", strings.Repeat("long ", 30))})
	}
	return messages
}

// base is the prompt in the payload as often as not.
func (w writer) base(p place, payload []byte) string {
	text, ok := p.read(payload)
	if ok && w.chance(60) {
		return text
	}
	return w.pick("no such base", "", "Base.")
}

func TestEditsAreThoseOfVersion1(t *testing.T) {
	for _, api := range testpayload.APIs {
		for _, role := range []string{"", "yes", "no"} {
			adapter, p := twinFor(t, api, role), placeFor(api, "", role)
			handled, all := 0, 0
			t.Run(api+role, rapid.MakeCheck(func(t *rapid.T) {
				w := writer{t}
				payload := []byte(w.payload(api))
				all++
				if adapter.same(t, payload, w.base(p, payload), w.prompt(), w.messages()) {
					handled++
				}
			}))
			t.Logf("%s%s: %d of %d", api, role, handled, all)
			assert.Greater(t, handled, all/10)
		}
	}
}

// Recorded payloads with something else somewhere in them.
func TestEditsOfMutatedPayloads(t *testing.T) {
	files, err := filepath.Glob(vectors + "payloads/pi-*/*.json")
	require.NoError(t, err)
	var all []recorded
	for _, name := range files {
		all = append(all, loadRecorded(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		w := writer{t}
		file := rapid.SampledFrom(all).Draw(t, "file")
		doc := parseTree(t, file.Payload)
		for range rapid.IntRange(1, 4).Draw(t, "mutations") {
			w.mutate(doc)
		}
		payload := []byte(doc.String())
		role := w.pick("", "yes", "no")
		p := placeFor(file.API, "", role)
		twinFor(t, file.API, role).same(t, payload, w.base(p, payload), w.pick("New.", w.prompt()), w.messages())
	})
}

// mutate changes one place that adapters look at.
func (w writer) mutate(doc *tree) {
	v := doc
	for _, key := range []string{w.pick("input", "messages", "system", "config", "systemInstruction"), w.pick("systemInstruction", "")} {
		if m := v.member(key, new(bool)); m != nil {
			v = m
		}
	}
	for v.open != 0 && len(v.inside) > 0 && w.chance(60) {
		v = v.inside[min(len(v.inside)-1, rapid.IntRange(0, 5).Draw(w.t, "where"))]
	}
	fresh := func() *tree {
		return parseTree(w.t, []byte(w.pick(w.message(), w.part(), w.content(), w.str(w.text()), w.str(w.pick(tails...)))))
	}
	i := 0
	if len(v.inside) > 0 {
		i = rapid.IntRange(0, len(v.inside)-1).Draw(w.t, "which")
	}
	switch {
	case v.open == '[' && w.chance(70):
		v.inside = slices.Insert(v.inside, i, fresh())
	case v.open == '{' && len(v.inside) > 0 && w.chance(50):
		v.inside[i] = fresh()
	case v.open != 0 && len(v.inside) > 0 && w.chance(50):
		v.inside = slices.Delete(v.inside, i, i+1)
		if v.open == '{' {
			v.keys = slices.Delete(v.keys, i, i+1)
		}
	case v != doc:
		*v = *fresh()
	}
}

func FuzzEdits(f *testing.F) {
	for _, api := range testpayload.APIs {
		f.Add(testpayload.Build(api, 0), testpayload.SystemPrompt, "N", "x")
	}
	f.Add([]byte(`{"input":[{"role":"developer","content":[{"text":"\ud800"}]}],"system":[[]],"config":{"systemInstruction":[""]}}`), "", "", "")
	f.Fuzz(func(t *testing.T, payload []byte, base, prompt, content string) {
		if !json.Valid(payload) {
			return
		}
		base, prompt, content = strings.ToValidUTF8(base, ""), strings.ToValidUTF8(prompt, ""), strings.ToValidUTF8(content, "")
		for _, api := range testpayload.APIs {
			twinFor(t, api, "").same(t, payload, base, prompt, []Message{{"m", content}})
		}
	})
}

// A view of any shape is answered.
func TestEditsOfAnyView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := writer{t}
		var value func(depth int) edit.Value
		value = func(depth int) edit.Value {
			v := edit.Value{Kind: edit.Kind(rapid.IntRange(0, 7).Draw(t, "kind")), Text: w.text(), Clipped: w.chance(30), Tail: w.text(),
				Bytes: rapid.IntRange(-1, 200).Draw(t, "bytes"), Len: rapid.IntRange(-1, 5).Draw(t, "len")}
			for range rapid.IntRange(0, max(0, 3-depth)).Draw(t, "members") {
				v.Members = append(v.Members, edit.Member{Name: w.pick("role", "content", "text", "type", "parts"), Value: value(depth + 1)})
			}
			return v
		}
		var r edit.Request
		for range rapid.IntRange(0, 5).Draw(t, "entries") {
			var at edit.Address
			for range rapid.IntRange(0, 4).Draw(t, "steps") {
				if w.chance(60) {
					at = at.Member(w.pick("input", "instructions", "messages", "system", "config", "systemInstruction", "content", "text", "parts"))
				} else {
					at = at.Element(rapid.IntRange(-1, 5).Draw(t, "index"))
				}
			}
			r.View = append(r.View, edit.Entry{At: at, Value: value(0)})
		}
		r.SystemPrompt = w.text()
		for _, api := range testpayload.APIs {
			_, err := editsFor(api, "", "", &r)
			if err != nil {
				assert.Equal(t, edit.UseV1(err.Error()), err)
			}
		}
	})
}
