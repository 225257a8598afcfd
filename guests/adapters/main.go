// Command adapters is the guest that puts a turn's prompt and developer messages into provider request
// payloads, for each of five provider APIs. Payloads are edited as text; nothing that the rules do not
// name is written anew.
//
// Each API has two adapters. The one of version 2 sees a few places of a payload, by the selectors in
// pintle.toml, and answers edits. Where these places do not tell it enough, as when messages of an earlier
// request stand behind the prompt in one string, the host asks the one of version 1, which gets the whole
// payload. Both follow the same rules, written once for each API.
//
// The guest's configuration: compat = "reference" brings back the behaviour of the Pi prompt-envelope
// extension's own adapters, and developerRole = "yes" or "no" says whether the server accepts messages
// of the role developer.
package main

import (
	"slices"

	pintle "github.com/pintle-wasm/pintle/guests/sdk/go"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/developer"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
)

// The adapters' ids are the names of their APIs, those of version 1 with a suffix.
func init() {
	for _, api := range []string{
		"openai-codex-responses", "openai-responses", "openai-completions", "anthropic-messages", "google-generative-ai",
	} {
		edit.Handle(api, func(r *edit.Request) (edit.Answer, error) {
			return editsFor(api, compat(), developerRole(), r)
		})
		payload.Handle(api+"-v1", payload.Adapter{
			Read: func(r *payload.Request) (string, bool) {
				return placeFor(api, compat(), developerRole()).read(r.Payload)
			},
			ReplaceSystem: func(r *payload.Request, text string) []byte {
				return placeFor(api, compat(), developerRole()).replaceSystem(r.Payload, text)
			},
		})
		developer.Handle(api+"-v1", func(r *payload.Request, messages []developer.Message) []byte {
			own := make([]Message, len(messages))
			for i, m := range messages {
				own[i] = Message(m)
			}
			return placeFor(api, compat(), developerRole()).replaceDeveloper(r.Payload, own)
		})
	}
}

func compat() string { return choice("compat", "", "reference") }

func developerRole() string { return choice("developerRole", "", "automatic", "yes", "no") }

// choice reads a value of the configuration. One that is not known counts as not set, and says so.
func choice(key string, known ...string) string {
	value, _ := pintle.Config(key)
	if !slices.Contains(known, value) {
		pintle.Log(pintle.Warn, "configuration "+key+": "+value+" is not known and counts as not set")
		return ""
	}
	return value
}

func main() {}
