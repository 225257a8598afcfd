// Command {{name}} is a guest that puts the prompt and the developer messages into requests of one API.
// As it stands that is a made-up one, acme-chat, with the prompt in a string and everything else a turn:
//
//	{"model":"acme-1","prompt":"Be kind.","turns":[{"from":"user","text":"hi"}]}
//
// Developer messages are turns in front of the others, from "notice", with [agent/ID] before the text.
package main

import "github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"

// The id is that of pintle.toml.
func init() { edit.Handle("{{name}}", adapt) }

func main() {}

// adapt answers edits of the payload, which itself stays in the host: it sees what the selectors of
// pintle.toml find.
func adapt(r *edit.Request) (edit.Answer, error) {
	var a edit.Answer
	for _, found := range r.View {
		switch at := found.At; {
		case at[0].Name == "prompt" && found.Value.Kind == edit.String:
			// Carried out only if the prompt there is the one that the host had built.
			a.PromptAt = at
			a.Prompt = []edit.Edit{edit.Set(at, edit.Quote(r.SystemPrompt))}
		case len(at) == 2: // a message of an earlier request
			a.Messages = append(a.Messages, edit.Remove(at))
		case at[0].Name == "turns" && found.Value.Kind == edit.List:
			for _, m := range r.Messages {
				a.Messages = append(a.Messages, edit.Insert(at.Element(0), turn(m)))
			}
		}
	}
	return a, nil
}

func turn(m edit.Message) []byte {
	text := edit.Quote("[agent/" + m.ID + "] " + m.Content)
	return append(append([]byte(`{"from":"notice","text":`), text...), '}')
}
