package registry

import "github.com/pintle-wasm/pintle/internal/ecma/wtf8"

// Message is one developer message, or one contextual user message: a text and the id of the
// contribution that it comes from. In JSON {id, content}; lone surrogates survive as WTF-8.
type Message struct {
	ID      string
	Content string
}

// MarshalJSON writes {id, content}.
func (m Message) MarshalJSON() ([]byte, error) {
	out := wtf8.AppendQuote([]byte(`{"id":`), m.ID)
	out = wtf8.AppendQuote(append(out, `,"content":`...), m.Content)
	return append(out, '}'), nil
}

// UnmarshalJSON reads an object; a key that is missing or null gives an empty text, other keys are
// dropped.
func (m *Message) UnmarshalJSON(data []byte) error {
	in, err := openObject(data)
	if err != nil {
		return err
	}
	*m = Message{}
	in.text("id", &m.ID)
	in.text("content", &m.Content)
	return in.err
}
