// Command adapter is a guest that adapts requests of a made-up API, acme-chat, in which the prompt is
// the text of an object and everything else a turn:
//
//	{"model":"acme-1","prompt":{"text":"Be kind."},"turns":[{"from":"user","text":"hi"}]}
//
// Developer messages become turns of their own in front of the others, from "notice" and with
// [agent/ID] before the text. The payload itself stays in the host, whatever its size.
package main

import "github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"

func init() { edit.Handle("acme-chat", adapt) }

func main() {}

func adapt(r *edit.Request) (edit.Answer, error) {
	var a edit.Answer
	for _, found := range r.View {
		switch at := found.At; {
		case at[0].Name == "prompt" && found.Value.Kind == edit.String:
			a.PromptAt = at
			a.Prompt = []edit.Edit{edit.Set(at, edit.Quote(r.SystemPrompt))}
		case at[0].Name == "turns" && len(at) == 2: // a notice of an earlier turn
			a.Messages = append(a.Messages, edit.Remove(at))
		case at[0].Name == "turns" && found.Value.Kind == edit.List:
			for _, m := range r.Messages {
				a.Messages = append(a.Messages, edit.Insert(at.Element(0), notice(m)))
			}
		}
	}
	return a, nil
}

func notice(m edit.Message) []byte {
	text := edit.Quote("[agent/" + m.ID + "] " + m.Content)
	return append(append([]byte(`{"from":"notice","text":`), text...), '}')
}
