package edit_test

import (
	"fmt"

	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
)

// An adapter for an API that keeps the prompt in the string system and developer messages in the list
// notes, both at the top. Its selectors are ["system"] and ["notes"]. In a guest the call of Handle
// stands in an init function.
func ExampleHandle() {
	edit.Handle("acme-chat", acme)

	// What the host would ask about {"system":"Be kind.","notes":["old"],"turns":[…]}.
	answer, _ := acme(&edit.Request{
		SystemPrompt: "Be brief.",
		Messages:     []edit.Message{{ID: "style", Content: "No lists."}},
		View: []edit.Entry{
			{At: edit.Top("system"), Value: edit.Value{Kind: edit.String, Text: "Be kind."}},
			{At: edit.Top("notes"), Value: edit.Value{Kind: edit.List, Len: 1}},
		},
	})
	for _, e := range append(answer.Prompt, answer.Messages...) {
		fmt.Printf("%s %v %s\n", e.Op, e.At, e.Value)
	}
	// Output:
	// set ["system"] "Be brief."
	// set ["notes"] ["No lists."]
}

func acme(r *edit.Request) (edit.Answer, error) {
	var a edit.Answer
	for _, found := range r.View {
		if found.At[0].Name == "system" && found.Value.Kind == edit.String {
			a.PromptAt = found.At
			a.Prompt = []edit.Edit{edit.Set(found.At, edit.Quote(r.SystemPrompt))}
		}
	}
	notes := []byte{'['}
	for i, m := range r.Messages {
		if i > 0 {
			notes = append(notes, ',')
		}
		notes = append(notes, edit.Quote(m.Content)...)
	}
	a.Messages = []edit.Edit{edit.Set(edit.Top("notes"), append(notes, ']'))}
	return a, nil
}

// A string that is longer than the selector's clip shows its ends.
func ExampleValue() {
	v := edit.Value{Kind: edit.String, Text: "<note id=", Clipped: true, Tail: "</note>", Bytes: 4711}
	if v.Clipped {
		fmt.Println("a string of", v.Bytes, "bytes that begins with", v.Text, "and ends with", v.Tail)
	}
	// Output:
	// a string of 4711 bytes that begins with <note id= and ends with </note>
}

// Where the view does not tell enough, the adapter of version 1 does the work.
func ExampleUseV1() {
	edit.Handle("acme-plain", func(r *edit.Request) (edit.Answer, error) {
		return edit.Answer{}, edit.UseV1("prompt and messages share a string")
	})
}
