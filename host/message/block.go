package message

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
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
	n, err := scanObject(data, 1)
	if err != nil {
		return Block{}, fmt.Errorf("block: %w", err)
	}
	b := Block{raw: data}
	var ok bool
	if b.Type, ok = jsonvalue.Text(jsonvalue.Member(n, "type")); !ok {
		return Block{}, errors.New("block: type is not a string")
	}
	switch b.Type {
	case Text, Reasoning:
		b.Text = jsonvalue.String(jsonvalue.Member(n, "text"))
	case ToolCall:
		b.ID = jsonvalue.String(jsonvalue.Member(n, "id"))
		b.Name = jsonvalue.String(jsonvalue.Member(n, "name"))
		b.Arguments = jsonvalue.String(jsonvalue.Member(n, "arguments"))
	case ToolResult:
		b.ToolCallID = jsonvalue.String(jsonvalue.Member(n, "toolCallId"))
		b.IsError = string(jsonvalue.Member(n, "isError").Raw()) == "true"
		if nesting > 0 {
			b.Content = parseBlocks(jsonvalue.Member(n, "content"), nesting-1)
		}
	case Image:
		if a := jsonvalue.Member(n, "attachment"); a.Kind() == jsonspan.Object {
			b.Attachment = &Attachment{
				ID:        jsonvalue.String(jsonvalue.Member(a, "attachmentId")),
				MediaType: jsonvalue.String(jsonvalue.Member(a, "mediaType")),
			}
			b.Attachment.Bytes, _ = jsonvalue.Whole(jsonvalue.Member(a, "bytes"))
			b.Attachment.Width, _ = jsonvalue.Whole(jsonvalue.Member(a, "width"))
			b.Attachment.Height, _ = jsonvalue.Whole(jsonvalue.Member(a, "height"))
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
	o := jsonvalue.Begin(dst)
	o.Text("type", b.Type)
	switch b.Type {
	case Text, Reasoning:
		o.Text("text", b.Text)
	case ToolCall:
		o.Text("id", b.ID)
		o.Text("name", b.Name)
		o.Text("arguments", b.Arguments)
	case ToolResult:
		o.Text("toolCallId", b.ToolCallID)
		o.Key("content")
		o.Out = appendBlocks(o.Out, b.Content)
		if b.IsError {
			o.Raw("isError", []byte("true"))
		}
	case Image:
		if a := b.Attachment; a != nil {
			o.Key("attachment")
			inner := jsonvalue.Begin(o.Out)
			inner.Text("attachmentId", a.ID)
			inner.Text("mediaType", a.MediaType)
			inner.Whole("bytes", a.Bytes)
			inner.Whole("width", a.Width)
			inner.Whole("height", a.Height)
			o.Out = inner.End()
		}
	}
	return o.End()
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
