package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// The chunk types, a closed set.
const (
	BlockStart     = "block-start"
	TextDelta      = "text-delta"
	ReasoningDelta = "reasoning-delta"
	ToolCallDelta  = "tool-call-delta"
	BlockEnd       = "block-end"
	UsageChunk     = "usage"
	FinishChunk    = "finish"
)

// A Chunk is one step of a model's answer. Which fields are used depends on Type.
type Chunk struct {
	Type string
	// Index ties the chunks of one block together: of a block start, a delta and a block end. It is an
	// integer from 0 in a legal stream, and any double, or NaN for none at all, in others.
	Index float64
	// BlockType is the kind of the block that a block start opens.
	BlockType string
	// Text is the fragment of a text or reasoning delta.
	Text string
	// ID and Name are the call that a tool-call delta belongs to. NoID says that it carries no id at all,
	// as against an empty one; an empty Name is the same as none.
	ID   string
	NoID bool
	Name string
	// ArgumentsDelta is the fragment of a tool-call delta.
	ArgumentsDelta string
	// Block is the whole block that a block end carries.
	Block *Block
	// Usage is that of a usage chunk.
	Usage *Usage
	// Reason is that of a finish chunk, and ReplayState its replay envelope, nil if it has none.
	Reason      *Finish
	ReplayState json.RawMessage
	// Answered is, on a finish chunk, the route that the provider says has answered, nil if it does not
	// say. It is for the turn's loop and not part of the chunk's JSON.
	Answered *Route

	raw json.RawMessage
}

// ParseChunk reads a chunk: a JSON object whose type is a string, with the fields that this type needs.
// A chunk of a type that is not of the protocol is no error here. The chunk keeps data, which must not
// change.
func ParseChunk(data []byte) (Chunk, error) {
	data = wtf8.Repair(data) // a log takes nothing but UTF-8
	c := Chunk{raw: data}
	var m chunkMembers
	if !jsonspan.Members(data, m.note) {
		_, err := scanObject(data, 1)
		return Chunk{}, fmt.Errorf("chunk: %w", err)
	}
	var ok bool
	if c.Type, ok = chunkType(m.typ); !ok {
		return Chunk{}, errors.New("chunk: type is not a string")
	}
	if err := c.read(&m); err != nil {
		return Chunk{}, fmt.Errorf("%s: %w", c.Type, err)
	}
	return c, nil
}

// chunkMembers are the values of a chunk's members; of several with one key the last one counts.
type chunkMembers struct {
	typ, index, blockType, text, id, name, argumentsDelta, block, usage, reason, replayState []byte
}

func (m *chunkMembers) note(key, value []byte) {
	switch string(key) {
	case `"type"`:
		m.typ = value
	case `"index"`:
		m.index = value
	case `"blockType"`:
		m.blockType = value
	case `"text"`:
		m.text = value
	case `"id"`:
		m.id = value
	case `"name"`:
		m.name = value
	case `"argumentsDelta"`:
		m.argumentsDelta = value
	case `"block"`:
		m.block = value
	case `"usage"`:
		m.usage = value
	case `"reason"`:
		m.reason = value
	case `"replayState"`:
		m.replayState = value
	default:
		if bytes.IndexByte(key, '\\') >= 0 {
			if plain := jsonspan.Text(key); bytes.IndexByte([]byte(plain), '\\') < 0 {
				m.note([]byte(`"`+plain+`"`), value)
			}
		}
	}
}

// chunkType reads a type, one of the protocol without making a string of it.
func chunkType(raw []byte) (string, bool) {
	switch string(raw) {
	case `"` + TextDelta + `"`:
		return TextDelta, true
	case `"` + ReasoningDelta + `"`:
		return ReasoningDelta, true
	case `"` + ToolCallDelta + `"`:
		return ToolCallDelta, true
	case `"` + BlockStart + `"`:
		return BlockStart, true
	case `"` + BlockEnd + `"`:
		return BlockEnd, true
	}
	return jsonvalue.TextOf(raw)
}

func (c *Chunk) read(m *chunkMembers) (err error) {
	switch c.Type {
	case BlockStart, TextDelta, ReasoningDelta, ToolCallDelta, BlockEnd:
		var ok bool
		if c.Index, ok = jsonvalue.NumberOf(m.index); !ok {
			c.Index = math.NaN()
		}
	}
	switch c.Type {
	case BlockStart:
		c.BlockType, err = need(m.blockType, "blockType")
	case TextDelta, ReasoningDelta:
		c.Text, err = need(m.text, "text")
	case ToolCallDelta:
		c.ID, _ = jsonvalue.TextOf(m.id)
		c.NoID = m.id == nil || string(m.id) == "null"
		c.Name, _ = jsonvalue.TextOf(m.name)
		c.ArgumentsDelta, err = need(m.argumentsDelta, "argumentsDelta")
	case BlockEnd:
		var b Block
		b, err = ParseBlock(m.block)
		c.Block = &b
	case UsageChunk:
		var u Usage
		u, err = ParseUsage(m.usage)
		c.Usage = &u
	case FinishChunk:
		var f Finish
		f, err = ParseFinish(m.reason)
		c.Reason = &f
		c.ReplayState = m.replayState
	}
	return err
}

// AppendJSON appends the chunk as JSON.
func (c *Chunk) AppendJSON(dst []byte) []byte {
	if c.raw != nil {
		return append(dst, c.raw...)
	}
	o := jsonvalue.Begin(dst)
	o.Text("type", c.Type)
	switch c.Type {
	case BlockStart, TextDelta, ReasoningDelta, ToolCallDelta, BlockEnd:
		if !math.IsNaN(c.Index) && !math.IsInf(c.Index, 0) {
			o.Key("index")
			o.Out = ecma.AppendNumber(o.Out, c.Index)
		}
	}
	switch c.Type {
	case BlockStart:
		o.Text("blockType", c.BlockType)
	case TextDelta, ReasoningDelta:
		o.Text("text", c.Text)
	case ToolCallDelta:
		if !c.NoID {
			o.Text("id", c.ID)
		}
		if c.Name != "" {
			o.Text("name", c.Name)
		}
		o.Text("argumentsDelta", c.ArgumentsDelta)
	case BlockEnd:
		if c.Block != nil {
			o.Key("block")
			o.Out = c.Block.AppendJSON(o.Out)
		}
	case UsageChunk:
		if c.Usage != nil {
			o.Key("usage")
			o.Out = c.Usage.AppendJSON(o.Out)
		}
	case FinishChunk:
		if c.Reason != nil {
			o.Key("reason")
			o.Out = c.Reason.AppendJSON(o.Out)
		}
		if c.ReplayState != nil {
			o.Raw("replayState", c.ReplayState)
		}
	}
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (c Chunk) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Chunk) UnmarshalJSON(data []byte) (err error) {
	*c, err = ParseChunk(append([]byte(nil), data...))
	return err
}
