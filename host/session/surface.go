package session

import (
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A node is a message on the surface, under the seq of its event.
type node = item[int64, *held]

// checkSurface checks how an event enters the surface. An event that replaces comes with the first and
// the last node that it replaces.
func (s *State) checkSurface(e *Event, h *held) (first, last *node, err *Error) {
	switch {
	case h == nil && e.SurfaceOp != nil:
		return nil, nil, e.invalid("only messages have a surfaceOp")
	case h == nil && e.Sources != nil:
		return nil, nil, e.invalid("only messages have sourceEventSeqs")
	case h == nil:
		return nil, nil, nil
	case e.SurfaceOp == nil:
		return nil, nil, e.invalid("a message needs a surfaceOp")
	}
	sources, err := checkSources(e)
	if err != nil {
		return nil, nil, err
	}
	at, err := surfaceOp(e)
	if err != nil || at == nil {
		return nil, nil, err
	}
	if first, last = s.surface.find(at.start), s.surface.find(at.end); first == nil || last == nil {
		missing := at.end
		if first == nil {
			missing = at.start
		}
		return nil, nil, e.invalid("it replaces seq %d, which is not on the surface", missing)
	}
	for n := first; ; n = n.next {
		if n == nil {
			return nil, nil, e.invalid("it replaces from seq %d to %d, which comes before it", at.start, at.end)
		}
		if _, cited := slices.BinarySearch(sources, n.key); !cited {
			return nil, nil, e.invalid("it replaces seq %d, which sourceEventSeqs does not name", n.key)
		}
		if n == last {
			break
		}
	}
	if e.Type == ToolResult && (first != last || !sameButResult(first.value, h)) {
		return nil, nil, e.invalid("a tool result can replace nothing but the content of one tool result")
	}
	return first, last, nil
}

// checkSources checks what a message says that it was made of, and returns it in ascending order.
func checkSources(e *Event) ([]int64, *Error) {
	if e.Sources != nil && len(e.Sources) == 0 && e.Type != AssistantMessage {
		return nil, e.invalid("sourceEventSeqs is empty: only an assistant message can be made of nothing")
	}
	previous := int64(-1)
	ascending := true
	for _, seq := range e.Sources {
		switch {
		case seq < 0:
			return nil, e.invalid("sourceEventSeqs names the seq %d", seq)
		case seq >= e.Seq:
			return nil, e.invalid("sourceEventSeqs names seq %d, which is not an earlier event", seq)
		case seq <= previous:
			ascending = false
		}
		previous = seq
	}
	if ascending {
		return e.Sources, nil
	}
	sorted := slices.Sorted(slices.Values(e.Sources))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return nil, e.invalid("sourceEventSeqs names seq %d twice", sorted[i])
		}
	}
	return sorted, nil
}

// span is the range of a surface that an event replaces.
type span struct{ start, end int64 }

// surfaceOp reads how a message enters the history: nil for an append.
func surfaceOp(e *Event) (*span, *Error) {
	doc, err := jsonspan.Scan(e.SurfaceOp, 1)
	if err != nil {
		return nil, e.invalid("surfaceOp is not JSON")
	}
	n := doc.Root()
	if n.Is("append") {
		return nil, nil
	}
	start, okStart := jsonvalue.Whole(jsonvalue.Member(n, "start"))
	end, okEnd := jsonvalue.Whole(jsonvalue.Member(n, "end"))
	exact := n.Kind() == jsonspan.Object && jsonvalue.Member(n, "op").Is("replace") && okStart && okEnd
	for m := n.First(); exact && m.Kind() != jsonspan.Absent; m = m.Next() {
		key := m.Key() // of a key that is there twice the last one counts, so they cannot be counted
		exact = key == "op" || key == "start" || key == "end"
	}
	if !exact {
		return nil, e.invalid(`surfaceOp is neither "append" nor {"op":"replace","start","end"}`)
	}
	return &span{start, end}, nil
}

// sameButResult says whether two messages of tool results differ in the content of the result alone.
func sameButResult(a, b *held) bool {
	if a.kind != ToolResult {
		return false
	}
	blockA, okA := resultBlock(a.raw)
	blockB, okB := resultBlock(b.raw)
	return okA && okB && sameMembers(a.raw, b.raw, "content") && sameMembers(blockA, blockB, "content")
}

func resultBlock(raw []byte) ([]byte, bool) {
	doc, err := jsonspan.Scan(raw, 2)
	if err != nil {
		return nil, false
	}
	return jsonvalue.Member(doc.Root(), "content").First().Raw(), true
}
