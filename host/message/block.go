package message

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// The block kinds of the protocol. The set is open: a block of any other kind is carried as it is.
const (
	Text       = "text"
	Reasoning  = "reasoning"
	ToolCall   = "tool-call"
	ToolResult = "tool-result"
	Image      = "image"
)

// A Block is one piece of a message's content. Which fields are used depends on Type; a field that has
// another JSON type than it should is empty here and survives in the JSON alone.
type Block struct {
	Type string
	// Text is that of a text or reasoning block.
	Text string
	// ID, Name and Arguments are those of a tool call. Arguments is the text that the model produced,
	// valid JSON or not.
	ID, Name, Arguments string
	// ToolCallID names the call that a tool result answers, Content and IsError are the answer.
	ToolCallID string
	Content    []Block
	IsError    bool
	// Attachment is what an image block refers to.
	Attachment *Attachment

	raw json.RawMessage
}

// An Attachment is a reference to bytes that are kept elsewhere.
type Attachment struct {
	// ID is "sha256:" and 64 hexadecimal digits.
	ID        string
	MediaType string
	// Bytes is a size, Width and Height are pixels.
	Bytes, Width, Height int64
}

// maxNesting is how deep tool results may hold tool results; what lies deeper is carried unread.
const maxNesting = 64

// ParseBlock reads a block: a JSON object whose type is a string. The block keeps data, which must not
// change.
func ParseBlock(data []byte) (Block, error) { return parseBlock(data, maxNesting) }

func parseBlock(data []byte, nesting int) (Block, error) {
	n, err := object(data, 1)
	if err != nil {
		return Block{}, fmt.Errorf("block: %w", err)
	}
	b := Block{raw: data}
	var ok bool
	if b.Type, ok = text(member(n, "type")); !ok {
		return Block{}, errors.New("block: type is not a string")
	}
	switch b.Type {
	case Text, Reasoning:
		b.Text = lenient(member(n, "text"))
	case ToolCall:
		b.ID = lenient(member(n, "id"))
		b.Name = lenient(member(n, "name"))
		b.Arguments = lenient(member(n, "arguments"))
	case ToolResult:
		b.ToolCallID = lenient(member(n, "toolCallId"))
		b.IsError = string(member(n, "isError").Raw()) == "true"
		if nesting > 0 {
			b.Content = parseBlocks(member(n, "content"), nesting-1)
		}
	case Image:
		if a := member(n, "attachment"); a.Kind() == jsonspan.Object {
			b.Attachment = &Attachment{
				ID:        lenient(member(a, "attachmentId")),
				MediaType: lenient(member(a, "mediaType")),
			}
			b.Attachment.Bytes, _ = whole(member(a, "bytes"))
			b.Attachment.Width, _ = whole(member(a, "width"))
			b.Attachment.Height, _ = whole(member(a, "height"))
		}
	}
	return b, nil
}

// parseBlocks reads a list; nil if it is none. What is not a block has a place in it, as a block without
// a type, so that positions stay those of the list.
func parseBlocks(list jsonspan.Node, nesting int) []Block {
	if list.Kind() != jsonspan.Array {
		return nil
	}
	blocks := []Block{}
	for item := list.First(); item.Kind() != jsonspan.Absent; item = item.Next() {
		b, err := parseBlock(item.Raw(), nesting)
		if err != nil {
			b = Block{raw: item.Raw()}
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// AppendJSON appends the block as JSON.
func (b *Block) AppendJSON(dst []byte) []byte {
	if b.raw != nil {
		return append(dst, b.raw...)
	}
	o := builder{append(dst, '{')}
	o.text("type", b.Type)
	switch b.Type {
	case Text, Reasoning:
		o.text("text", b.Text)
	case ToolCall:
		o.text("id", b.ID)
		o.text("name", b.Name)
		o.text("arguments", b.Arguments)
	case ToolResult:
		o.text("toolCallId", b.ToolCallID)
		o.key("content")
		o.out = appendBlocks(o.out, b.Content)
		if b.IsError {
			o.raw("isError", []byte("true"))
		}
	case Image:
		if a := b.Attachment; a != nil {
			o.key("attachment")
			inner := builder{append(o.out, '{')}
			inner.text("attachmentId", a.ID)
			inner.text("mediaType", a.MediaType)
			inner.whole("bytes", a.Bytes)
			inner.whole("width", a.Width)
			inner.whole("height", a.Height)
			o.out = append(inner.out, '}')
		}
	}
	return append(o.out, '}')
}

// MarshalJSON implements [json.Marshaler].
func (b Block) MarshalJSON() ([]byte, error) { return b.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (b *Block) UnmarshalJSON(data []byte) (err error) {
	*b, err = ParseBlock(append([]byte(nil), data...))
	return err
}

func appendBlocks(dst []byte, blocks []Block) []byte {
	dst = append(dst, '[')
	for i := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = blocks[i].AppendJSON(dst)
	}
	return append(dst, ']')
}
