package mock

import (
	"encoding/json"
	"fmt"
)

// messages is the stream of Anthropic's Messages API.
func messages(s *stream, r Request, a Answer) {
	event := func(name string, data object) {
		data["type"] = name
		s.send(name, data)
	}
	index := 0
	block := func(start object, deltas []object) {
		event("content_block_start", object{"index": index, "content_block": start})
		if index == 0 {
			event("ping", object{})
		}
		for _, d := range deltas {
			event("content_block_delta", object{"index": index, "delta": d})
		}
		event("content_block_stop", object{"index": index})
		index++
	}
	event("message_start", object{"message": object{
		"id": fmt.Sprintf("m%d", r.Number), "type": "message", "role": "assistant", "model": "mock", "content": []any{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1},
	}})
	if a.Text != "" {
		var deltas []object
		for _, p := range pieces(a.Text) {
			deltas = append(deltas, object{"type": "text_delta", "text": p})
		}
		block(object{"type": "text", "text": ""}, deltas)
	}
	for _, c := range a.Calls {
		deltas := []object{{"type": "input_json_delta", "partial_json": ""}}
		for _, p := range halves(c.Arguments) {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": p})
		}
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage("{}")}, deltas)
	}
	reason := "end_turn"
	if len(a.Calls) > 0 {
		reason = "tool_use"
	}
	event("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 3}})
	event("message_stop", object{})
}
