// Command adapters is the guest that puts a turn's prompt and developer messages into provider request
// payloads: one adapter for each of five provider APIs. Payloads are edited as text; nothing that the
// rules do not name is written anew.
//
// Its configuration: compat = "reference" brings back the behaviour of the Pi prompt-envelope
// extension's own adapters, and developerRole = "yes" or "no" says whether the server accepts messages
// of the role developer.
package main

import (
	"slices"

	pintle "github.com/pintle-wasm/pintle/guests/sdk/go"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/developer"
)

// The adapters' ids are the names of their APIs.
func init() {
	for _, api := range []string{
		"openai-codex-responses", "openai-responses", "openai-completions", "anthropic-messages", "google-generative-ai",
	} {
		payload.Handle(api, payload.Adapter{
			Read: func(r *payload.Request) (string, bool) {
				return configured(api).read(r.Payload)
			},
			ReplaceSystem: func(r *payload.Request, text string) []byte {
				return configured(api).replaceSystem(r.Payload, text)
			},
		})
		developer.Handle(api, func(r *payload.Request, messages []developer.Message) []byte {
			own := make([]Message, len(messages))
			for i, m := range messages {
				own[i] = Message(m)
			}
			return configured(api).replaceDeveloper(r.Payload, own)
		})
	}
}

func configured(api string) place {
	compat := choice("compat", "", "reference")
	developerRole := choice("developerRole", "", "automatic", "yes", "no")
	return placeFor(api, compat, developerRole)
}

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
