package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/guests/sdk/go/payload"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/developer"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
)

// A Codex request has its prompt in the string instructions and its history in the list input. Developer
// messages are items in front of the others, in tags by which the next request finds and replaces them.

// codexEdits answers from the places that pintle.toml lists: every item that it sees is an old message.
func codexEdits(r *edit.Request) (edit.Answer, error) {
	var a edit.Answer
	for _, found := range r.View {
		switch at := found.At; {
		case len(at) == 0: // no selector leads there
		case len(at) == 2:
			a.Messages = append(a.Messages, edit.Remove(at))
		case at[0].Name == "instructions" && found.Value.Kind == edit.String:
			a.PromptAt = at
			a.Prompt = []edit.Edit{edit.Set(at, edit.Quote(r.SystemPrompt))}
		case at[0].Name == "input" && found.Value.Kind == edit.List:
			for _, m := range r.Messages {
				a.Messages = append(a.Messages, edit.Insert(at.Element(0), codexItem(m.ID, m.Content)))
			}
		}
	}
	return a, nil
}

func codexRead(r *payload.Request) (string, bool) {
	return stringAt(r.Payload, member(r.Payload, "instructions"))
}

func codexReplaceSystem(r *payload.Request, text string) []byte {
	return setMember(r.Payload, "instructions", edit.Quote(text))
}

func codexReplaceDeveloper(r *payload.Request, messages []developer.Message) []byte {
	input := member(r.Payload, "input")
	if !input.begins(r.Payload, '[') {
		return nil
	}
	var before, after [][]byte
	for _, m := range messages {
		after = append(after, codexItem(m.ID, m.Content))
	}
	for _, e := range inside(r.Payload, input) {
		item := r.Payload[e.from:e.to]
		before = append(before, item)
		if !codexManaged(r.Payload, e) {
			after = append(after, item)
		}
	}
	if slices.EqualFunc(before, after, bytes.Equal) {
		return nil
	}
	list := append(append([]byte{'['}, bytes.Join(after, []byte{','})...), ']')
	return slices.Concat(r.Payload[:input.from], list, r.Payload[input.to:])
}

// codexTags are the tags of today and those of older releases.
var codexTags = [][2]string{
	{`<pi_developer_prompt_message id="`, "</pi_developer_prompt_message>"},
	{`<pi_system_prompt_developer_message id="`, "</pi_system_prompt_developer_message>"},
}

// codexManaged tells whether an item is a developer message that an earlier request left.
func codexManaged(doc []byte, item span) bool {
	role, content := span{}, span{}
	for _, m := range inside(doc, item) {
		switch m.key {
		case "role":
			role = m
		case "content":
			content = m
		}
	}
	if r, _ := stringAt(doc, role); r != "developer" {
		return false
	}
	text, _ := stringAt(doc, content)
	return slices.ContainsFunc(codexTags, func(tag [2]string) bool {
		return strings.HasPrefix(text, tag[0]) && strings.HasSuffix(text, tag[1])
	})
}

var codexEscape = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;")

func codexItem(id, content string) []byte {
	text := codexTags[0][0] + codexEscape.Replace(id) + "\">\n" + content + "\n" + codexTags[0][1]
	return slices.Concat([]byte(`{"role":"developer","content":`), edit.Quote(text), []byte{'}'})
}
