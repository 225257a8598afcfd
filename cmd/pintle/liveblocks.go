package main

import (
	"math"

	"github.com/pintle-wasm/pintle/host/message"
)

// A liveBlock is a block of an answer that is still arriving.
type liveBlock struct {
	position int    // in first-seen order
	kind     string // the declared one, or that of the block that closed it
	closed   bool
}

// liveBlocks follows the blocks of an answer for those who watch: the assembler says at the end what
// became of them.
type liveBlocks struct {
	byIndex map[uint64]*liveBlock
	list    []*liveBlock
}

// see takes a chunk in and returns its block; nil if the chunk belongs to none, or has no effect since
// its block is closed.
func (b *liveBlocks) see(c *message.Chunk) *liveBlock {
	kind := ""
	switch c.Type {
	case message.BlockStart:
		kind = c.BlockType
	case message.TextDelta:
		kind = message.Text
	case message.ReasoningDelta:
		kind = message.Reasoning
	case message.ToolCallDelta:
		kind = message.ToolCall
	case message.BlockEnd:
		kind = c.Block.Type
	default:
		return nil
	}
	key := indexKey(c.Index)
	block := b.byIndex[key]
	switch {
	case block == nil:
		block = &liveBlock{position: len(b.list), kind: kind}
		if b.byIndex == nil {
			b.byIndex = map[uint64]*liveBlock{}
		}
		b.byIndex[key] = block
		b.list = append(b.list, block)
	case block.closed:
		return nil
	}
	if c.Type == message.BlockEnd {
		block.kind, block.closed = kind, true
	}
	return block
}

func indexKey(index float64) uint64 { return math.Float64bits(index + 0) } // both zeros are one index

// at is the block of an index, nil if there is none.
func (b *liveBlocks) at(index float64) *liveBlock { return b.byIndex[indexKey(index)] }

// words puts a block's kind into words.
func (b *liveBlock) words() string {
	if b.kind == message.ToolCall {
		return "tool call"
	}
	return b.kind
}

// calls are the tool calls among the blocks.
func (b *liveBlocks) calls() []*liveBlock {
	var calls []*liveBlock
	for _, block := range b.list {
		if block.kind == message.ToolCall {
			calls = append(calls, block)
		}
	}
	return calls
}
