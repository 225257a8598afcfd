package assembler

import (
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// Reason says why a replay envelope was not kept.
type Reason string

const (
	// NotObject: the envelope is not a JSON object.
	NotObject Reason = "envelope-not-object"
	// EntriesNotArray: it has blocks that are not a list.
	EntriesNotArray Reason = "entries-not-array"
	// NoResponse: it has no response.
	NoResponse Reason = "response-missing"
	// EntryCount: it has another number of entries than there were blocks.
	EntryCount Reason = "entry-count"
)

// Discarded has the facts for the report REPLAY_STATE_MISALIGNED.
type Discarded struct {
	Reason Reason `json:"reason"`
	// Seen is the number of blocks of the answer, those included that were dropped from it.
	Seen int `json:"seen"`
	// Entries is the number of entries, 0 if there is no list.
	Entries int `json:"entries"`
}

// String says it in a sentence, for people.
func (d *Discarded) String() string {
	switch d.Reason {
	case NotObject:
		return "the replay envelope is not an object"
	case EntriesNotArray:
		return "the blocks of the replay envelope are not a list"
	case NoResponse:
		return "the replay envelope has no response"
	}
	return fmt.Sprintf("the replay envelope has %d entries for %d blocks", d.Entries, d.Seen)
}

// replayState cuts the envelope of the last finish chunk. A null is none.
func (a *Assembler) replayState(d decision) (json.RawMessage, *Discarded, error) {
	if len(a.state) == 0 {
		return nil, nil, nil
	}
	doc, err := jsonspan.Scan(a.state, 1)
	if err != nil { // of a chunk that was not read from JSON
		return nil, &Discarded{Reason: NotObject, Seen: d.seen}, nil
	}
	if a.Reference {
		state, err := d.referenceState(a.state, doc.Root())
		return state, nil, err
	}
	state, discarded := d.state(a.state, doc.Root())
	return state, discarded, nil
}

func (d decision) state(raw json.RawMessage, envelope jsonspan.Node) (json.RawMessage, *Discarded) {
	discard := Discarded{Seen: d.seen}
	response := jsonvalue.Member(envelope, "response")
	list := jsonvalue.Member(envelope, "blocks")
	var entries []jsonspan.Node
	switch {
	case envelope.Kind() == jsonspan.Null:
		return nil, nil
	case envelope.Kind() != jsonspan.Object:
		discard.Reason = NotObject
	case list.Kind() == jsonspan.Absent:
		if response.Kind() != jsonspan.Absent {
			return raw, nil
		}
		discard.Reason = NoResponse
	case list.Kind() != jsonspan.Array:
		discard.Reason = EntriesNotArray
	default:
		entries = children(list)
		discard.Entries = len(entries)
		switch {
		case response.Kind() == jsonspan.Absent:
			discard.Reason = NoResponse
		case len(entries) != d.seen:
			discard.Reason = EntryCount
		default:
			return d.prune(raw, response, entries), nil
		}
	}
	return nil, &discard
}

// prune cuts a list of entries that is as long as the list of blocks. It takes values as they were
// written, so that numbers, escapes and the order of keys stay.
func (d decision) prune(raw json.RawMessage, response jsonspan.Node, entries []jsonspan.Node) json.RawMessage {
	if !d.drops() {
		return raw
	}
	state := make(json.RawMessage, 0, len(raw)+len(`{"response":,"blocks":[]}`))
	state = append(append(state, `{"response":`...), response.Raw()...)
	state = append(state, `,"blocks":[`...)
	for i, at := range d.kept {
		if i > 0 {
			state = append(state, ',')
		}
		state = append(state, entries[at].Raw()...)
	}
	return append(state, `]}`...)
}

func children(list jsonspan.Node) []jsonspan.Node {
	var nodes []jsonspan.Node
	for n := list.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		nodes = append(nodes, n)
	}
	return nodes
}
