package assembler

import "strconv"

// Code is the kind of an [Error].
type Code string

const (
	// UnknownChunk: a chunk of a type that the protocol does not have.
	UnknownChunk Code = "UNKNOWN_CHUNK"
	// MalformedChunk: a chunk without the part that its type is about. Chunks that were read from JSON
	// always have it.
	MalformedChunk Code = "MALFORMED_CHUNK"
	// UnassemblableBlock: a block of a kind that cannot be made from deltas was never closed.
	UnassemblableBlock Code = "UNASSEMBLABLE_BLOCK"
	// UnusableState: the replay envelope has a shape that the reference fails on; in reference mode only.
	UnusableState Code = "UNUSABLE_REPLAY_STATE"
)

// An Error says why a chunk was refused or the blocks cannot be read. The assembler is as it was before
// the call, and can be used on.
type Error struct {
	Code Code
	// Type is the chunk's type, or the kind of the block.
	Type string
	// Index is that of the block that cannot be assembled.
	Index float64
}

func (e *Error) Error() string {
	switch e.Code {
	case UnknownChunk:
		return "chunk of the unknown type " + strconv.Quote(e.Type)
	case MalformedChunk:
		return "chunk of the type " + strconv.Quote(e.Type) + " without its content"
	case UnusableState:
		return "the replay envelope is malformed"
	}
	return "block " + string(appendIndex(nil, e.Index)) + " of the kind " + strconv.Quote(e.Type) +
		" was not closed, and only text, reasoning and tool calls can be made from deltas"
}
