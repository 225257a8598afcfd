// Package v2 holds the messages of the interface provider-payload-adapters/v2. It is frozen: a change
// of the messages is a new version in a package of its own.
package v2

import (
	"errors"

	"github.com/fxamacker/cbor/v2"
)

// An EditRequest asks for the edits of one payload, of which the guest sees what its selectors name. The
// answer is an [Answer], or nothing if the payload is unchanged.
type EditRequest struct {
	ID           string    `cbor:"id"`       // which of the guest's adapters
	Features     uint64    `cbor:"features"` // feature bits that the host grants
	Provider     string    `cbor:"provider"`
	API          string    `cbor:"api"`          // empty if the host does not know it
	SystemPrompt string    `cbor:"systemPrompt"` // that shall be in the payload
	Messages     []Message `cbor:"messages"`     // that shall be in it, in order
	// View is a list of [Entry]: selectors in manifest order, values of one selector in document order.
	View cbor.RawMessage `cbor:"view"`
}

// A Message is one developer message.
type Message struct {
	ID      string `cbor:"id"`
	Content string `cbor:"content"`
}

// An Entry is one value that a selector found.
type Entry struct {
	At Address `cbor:"at"`
	// Value is a text, a [Clipped] text, a number, true, false, null, a [List] or an [Object].
	Value   any  `cbor:"value"`
	Clipped bool `cbor:"clipped,omitempty"` // a text in the value is clipped
}

// A Clipped text is one that is longer than the selector's clip.
type Clipped struct {
	Head  string `cbor:"head"`
	Tail  string `cbor:"tail"`
	Bytes uint64 `cbor:"bytes"` // of the whole text, as UTF-8
}

// A List stands for a list.
type List struct {
	Len uint64 `cbor:"list"`
}

// An Object stands for an object: the wanted members that it has. Their values are those of an [Entry],
// an object among them without members.
type Object struct {
	Members map[string]any `cbor:"object"`
}

// An Answer says what to change.
type Answer struct {
	Prompt   *PromptEdits  `cbor:"prompt,omitempty"`
	Messages *MessageEdits `cbor:"messages,omitempty"`
}

// PromptEdits are applied only if the value at At is a string equal to the prompt that the host had built.
type PromptEdits struct {
	At    Address `cbor:"at"`
	Edits []Edit  `cbor:"edits"`
}

// MessageEdits are applied in any case.
type MessageEdits struct {
	Edits []Edit `cbor:"edits"`
}

// An Edit changes one place of the payload. Addresses mean the payload as it was before any edit.
type Edit struct {
	Op    Op      `cbor:"op"`
	At    Address `cbor:"at"`
	Value JSON    `cbor:"value,omitempty"` // not of OpRemove
}

// JSON is one JSON text. In CBOR it is a byte string.
type JSON []byte

// UnmarshalCBOR reads a byte string and nothing else.
func (j *JSON) UnmarshalCBOR(data []byte) error {
	const (
		byteString = 2 // the major type
		null       = 0xf6
	)
	switch {
	case len(data) == 1 && data[0] == null: // counts as absent
		*j = nil
		return nil
	case len(data) == 0 || data[0]>>5 != byteString:
		return errors.New("the value of an edit is a byte string")
	}
	return cbor.Unmarshal(data, (*[]byte)(j))
}

// An Op is a kind of edit.
type Op string

// The kinds of edits.
const (
	// OpSet replaces a value. A member that its object does not have is added at the object's end.
	OpSet Op = "set"
	// OpInsert puts an element into a list in front of the one at the address. The index that is the
	// list's length stands for its end.
	OpInsert Op = "insert"
	// OpRemove takes an element out of its list, or a member with its name out of its object.
	OpRemove Op = "remove"
	// OpAppend puts the text of a JSON string behind the string at the address, or behind the one that
	// another edit sets there.
	OpAppend Op = "append"
)
