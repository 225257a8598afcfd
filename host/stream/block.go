package stream

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// The types of blocks.
const (
	BlockText     = "text"
	BlockThinking = "thinking"
	BlockToolCall = "toolCall"
	BlockImage    = "image"
)

// A Block is one piece of a message's content. Texts hold halves of surrogate pairs as they came, in the
// three bytes that UTF-8 would give them: a character whose halves came in two deltas is two halves here,
// and one character again for whoever reads the block's JSON.
type Block struct {
	Type string
	// ID, Name and Arguments are those of a tool call. Name is "" and Arguments is {} until the call has
	// come. Arguments must not be changed: it may share memory with the part.
	ID, Name  string
	Arguments json.RawMessage
	// ArgumentsError says what is wrong with the arguments, "" for nothing, or for a host whose tool calls
	// cannot say it.
	ArgumentsError string
	// Input is what the model has given where that is no JSON object or list, "" else. It is not part of the
	// block's JSON.
	Input string
	// MediaType and Data are those of an image; Data is base64.
	MediaType, Data string
	// Incomplete says that a tool call is not what the model meant: the call has not come, or its input was
	// no JSON object or list, so that Arguments is {}. Such a call must not be run. It is not part of the
	// block's JSON; hosts that have ArgumentsError find it there, others not at all.
	Incomplete bool

	// called: the call has come. streamed: its input has begun to come before, and was not blank.
	called, streamed bool
	// shown: an event has the block, which therefore must not change.
	shown bool
	// redacts: the host's thinking blocks can say that they are redacted.
	redacts bool

	text     []byte
	metadata *metadata
	// announced is the tool that a call was begun with, nil if the model may not call it.
	announced *tool
}

// Text is that of a text or thinking block so far. It costs nothing.
func (b *Block) Text() string { return view(b.text) }

// Signature is what the provider wants to see again with the block, as JSON text: an object of objects by
// provider, "" for none. It is the textSignature, thinkingSignature or thoughtSignature of the block's
// JSON. It is made when it is asked for.
func (b *Block) Signature() string { return b.metadata.text() }

// Redacted says that a thinking block is empty because the provider hides what it says, in the signature,
// on a host whose blocks can say so.
func (b *Block) Redacted() bool {
	return b.redacts && len(b.text) == 0 && b.metadata.redacted()
}

// AppendJSON appends the block as hosts have it.
func (b *Block) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("type", b.Type)
	signature := ""
	switch b.Type {
	case BlockText:
		o.Text("text", b.Text())
		signature = "textSignature"
	case BlockThinking:
		o.Text("thinking", b.Text())
		signature = "thinkingSignature"
	case BlockToolCall:
		o.Text("id", b.ID)
		o.Text("name", b.Name)
		o.Key("arguments")
		o.Out = appendLine(o.Out, b.Arguments, "{}")
		if b.ArgumentsError != "" {
			o.Text("argumentsError", b.ArgumentsError)
		}
		signature = "thoughtSignature"
	case BlockImage:
		o.Text("data", b.Data)
		o.Text("mimeType", b.MediaType)
	}
	if text := b.Signature(); signature != "" && text != "" {
		o.Text(signature, text)
	}
	if b.Redacted() {
		o.Bool("redacted", true)
	}
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (b *Block) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil), nil }

// slab makes blocks many at a time.
type slab struct {
	free []Block
	next int
}

func (s *slab) block() *Block {
	if len(s.free) == 0 {
		s.next = min(max(2*s.next, 4), 64)
		s.free = make([]Block, s.next)
	}
	b := &s.free[0]
	s.free = s.free[1:]
	return b
}
