package registry

import (
	"errors"
	"unicode/utf8"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/internal/payloadview"
)

// ErrUseV1 is wrapped by the error of an Adapter's Edit that cannot answer for a payload. The adapter's
// other functions are to be asked instead.
var ErrUseV1 = errors.New("the payload needs an adapter of version 1")

// Errors about payloads that an adapter of version 2 is not asked about. The host sends them as they are.
var (
	// ErrNotJSON: the payload is not one JSON document in UTF-8, nested at most 10,000 lists and objects
	// deep.
	ErrNotJSON = payloadview.ErrNotJSON
	// ErrDuplicateMember: an object has a member twice that the adapter looks for.
	ErrDuplicateMember = payloadview.ErrDuplicate
	// ErrViewTooLarge: the adapter's selectors find more than 1,024 values, or more than 256 KiB of them.
	ErrViewTooLarge = payloadview.ErrTooLarge
)

// Edits are what an adapter of version 2 wants to have changed in one payload. All of them can be carried
// out: their places exist, and none is in another one's way. A nil *Edits changes nothing. They refer to
// the payload, which must not change as long as they are used. They are safe for concurrent use.
type Edits struct{ plan *payloadview.Plan }

// PlanEdits makes the edits of a native adapter out of an answer of provider-payload-adapters/v2. Other
// than a guest's, they may be anywhere in the payload. An error says which of them cannot be carried out,
// or wraps [ErrNotJSON].
func PlanEdits(payload []byte, answer *adaptersv2.Answer) (*Edits, error) {
	view, err := payloadview.Anywhere().Scan(payload)
	if err != nil {
		return nil, err
	}
	plan, err := view.Plan(answer)
	if err != nil {
		return nil, err
	}
	return &Edits{plan}, nil
}

// HasPrompt reports whether there is a string at the place that the adapter names for the prompt.
func (e *Edits) HasPrompt() bool {
	if e == nil {
		return false
	}
	_, ok := e.plan.Prompt()
	return ok
}

// PromptIs reports whether the string at the place of the prompt is this text, half surrogate pairs (as
// WTF-8) included.
func (e *Edits) PromptIs(text string) bool {
	if e == nil {
		return false
	}
	raw, ok := e.plan.Prompt()
	if !ok {
		return false
	}
	if utf8.ValidString(text) {
		return jsonspan.TextIs(raw, text)
	}
	found, err := wtf8.Unquote(raw)
	return err == nil && found == text
}

// Changes reports whether the edits of the prompt, of the messages, or of both make another value of the
// payload. White space, and other spellings of the same texts and numbers, do not count.
func (e *Edits) Changes(prompt, messages bool) bool {
	return e != nil && e.plan.Changes(part(prompt, messages))
}

// Pieces returns the payload with the edits of the prompt, of the messages, or of both: pieces of the
// payload and of new values, to be read one behind the other. They must not be changed. The Edits must not
// be nil.
func (e *Edits) Pieces(prompt, messages bool) [][]byte { return e.plan.Pieces(part(prompt, messages)) }

// List returns the edits of the prompt, of the messages, or of both, in the order of the adapter's answer,
// for those who carry them out on a copy of the payload of another make. All are addressed in the payload
// as it was. The operations are set, insert and remove: what appends to a text is a set of the whole text.
// An insert in front of an element that is removed goes before it, and several at one place keep their
// order. Values must not be changed.
func (e *Edits) List(prompt, messages bool) []adaptersv2.Edit {
	if e == nil {
		return nil
	}
	return e.plan.Edits(part(prompt, messages))
}

func part(prompt, messages bool) (p payloadview.Part) {
	if prompt {
		p |= payloadview.PromptPart
	}
	if messages {
		p |= payloadview.MessagesPart
	}
	return p
}
