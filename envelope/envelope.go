// Package envelope composes what one turn sends besides the conversation: the provider instructions,
// the developer messages and the context files. It follows the Pi prompt-envelope extension: its
// rendering rules, its envelope service, its hooks and its audit entries.
//
// A host begins with a [Service] and calls it where its own hooks are: [Service.SessionStart] when a session
// opens, [Service.BeforeTurn] when a turn begins, [Service.Context] with the history before each call of the
// model, and [Service.Shutdown] in the end. Putting the envelope into a payload is the business of package
// host/payload, which takes the session's state from the service.
package envelope

import (
	"encoding/json"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/registry"
)

const (
	// EnvironmentID is the id of the developer message that ends every envelope.
	EnvironmentID = "environment"
	// ContextID is the id of the contextual user message.
	ContextID = "agents-md"
)

// Envelope is what one turn sends besides the conversation.
type Envelope struct {
	// SystemPrompt is the composed provider instructions.
	SystemPrompt string
	// DeveloperMessages are in the order in which they are sent; the last one is the environment
	// message.
	DeveloperMessages []registry.Message
	// ContextualUserMessages has the context files as one message, or nothing.
	ContextualUserMessages []registry.Message
	// Report explains the envelope. It is not part of its JSON form.
	Report Report
}

// MarshalJSON writes {systemPrompt, developerMessages, contextualUserMessages}.
func (e Envelope) MarshalJSON() ([]byte, error) {
	out := wtf8.AppendQuote([]byte(`{"systemPrompt":`), e.SystemPrompt)
	out = append(out, `,"developerMessages":`...)
	out = appendMessages(out, e.DeveloperMessages)
	out = append(out, `,"contextualUserMessages":`...)
	return append(appendMessages(out, e.ContextualUserMessages), '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Envelope) UnmarshalJSON(data []byte) error {
	var in struct {
		SystemPrompt           text
		DeveloperMessages      []registry.Message
		ContextualUserMessages []registry.Message
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*e = Envelope{
		SystemPrompt:           string(in.SystemPrompt),
		DeveloperMessages:      in.DeveloperMessages,
		ContextualUserMessages: in.ContextualUserMessages,
	}
	return nil
}

func appendMessages(out []byte, messages []registry.Message) []byte {
	out = append(out, '[')
	for i, m := range messages {
		if i > 0 {
			out = append(out, ',')
		}
		raw, _ := m.MarshalJSON() // never fails
		out = append(out, raw...)
	}
	return append(out, ']')
}

// text is a string that keeps lone surrogates through JSON.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	s, err := wtf8.Unquote(data)
	if err == nil {
		*t = text(s)
		return nil
	}
	var plain string // which says it as for all types, and encoding/json adds the key to that
	if plainly := json.Unmarshal(data, &plain); plainly != nil {
		return plainly
	}
	return err
}

func (t text) MarshalJSON() ([]byte, error) { return wtf8.AppendQuote(nil, string(t)), nil }

// Instructions composes the provider instructions from the options and the prompt that the host had
// built (nil counts as empty): a custom prompt, if there is one, with the appended text behind a blank
// line; else the host's prompt as it is. Nothing is trimmed.
func Instructions(options *registry.PromptOptions, built *string) string {
	switch {
	case options.CustomPrompt != "" && options.AppendSystemPrompt != "":
		return options.CustomPrompt + "\n\n" + options.AppendSystemPrompt
	case options.CustomPrompt != "":
		return options.CustomPrompt
	case built != nil:
		return *built
	}
	return ""
}

var idEscaper = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;")

// Serialize writes a developer message as the protocol's tagged text, the form
// in which adapters put it into a request. The content is not escaped.
func Serialize(m registry.Message) string {
	return `<pi_developer_prompt_message id="` + idEscaper.Replace(m.ID) + "\">\n" + m.Content + "\n</pi_developer_prompt_message>"
}
