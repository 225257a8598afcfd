package mock

import "fmt"

// responses is the stream of OpenAI's Responses API, and of the Codex backend.
func responses(s *stream, r Request, a Answer) {
	w := &responsesWriter{stream: s, id: fmt.Sprintf("resp_%d", r.Number)}
	w.event("response.created", object{"response": w.response("in_progress", nil)})
	w.event("response.in_progress", object{"response": w.response("in_progress", nil)})
	var output []any
	if a.Text != "" {
		output = append(output, w.text(fmt.Sprintf("msg_%d", r.Number), a.Text))
	}
	for _, c := range a.Calls {
		output = append(output, w.call(len(output), c))
	}
	w.event("response.completed", object{"response": w.response("completed", output)})
}

type responsesWriter struct {
	*stream
	id  string
	seq int
}

func (w *responsesWriter) event(name string, data object) {
	data["type"], data["sequence_number"] = name, w.seq
	w.seq++
	w.send(name, data)
}

func (w *responsesWriter) response(status string, output []any) object {
	r := object{"id": w.id, "object": "response", "created_at": 1796000000, "model": "mock", "status": status, "output": output}
	if output == nil {
		r["output"] = []any{}
	}
	if status == "completed" {
		r["usage"] = object{
			"input_tokens": 10, "input_tokens_details": object{"cached_tokens": 0},
			"output_tokens": 3, "output_tokens_details": object{"reasoning_tokens": 0},
			"total_tokens": 13,
		}
	}
	return r
}

func (w *responsesWriter) text(id, text string) object {
	item := func(status string, content ...any) object {
		if content == nil {
			content = []any{}
		}
		return object{"type": "message", "id": id, "role": "assistant", "status": status, "content": content}
	}
	part := func(text string) object {
		return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
	}
	at := func(more object) object {
		more["item_id"], more["output_index"], more["content_index"] = id, 0, 0
		return more
	}
	w.event("response.output_item.added", object{"output_index": 0, "item": item("in_progress")})
	w.event("response.content_part.added", at(object{"part": part("")}))
	for _, p := range pieces(text) {
		w.event("response.output_text.delta", at(object{"delta": p, "logprobs": []any{}}))
	}
	w.event("response.output_text.done", at(object{"text": text, "logprobs": []any{}}))
	w.event("response.content_part.done", at(object{"part": part(text)}))
	w.event("response.output_item.done", object{"output_index": 0, "item": item("completed", part(text))})
	return item("completed", part(text))
}

func (w *responsesWriter) call(index int, c Call) object {
	item := func(status, arguments string) object {
		return object{"type": "function_call", "id": "fc_" + c.ID, "call_id": c.ID, "name": c.Name,
			"arguments": arguments, "status": status}
	}
	at := func(more object) object {
		more["item_id"], more["output_index"] = "fc_"+c.ID, index
		return more
	}
	w.event("response.output_item.added", object{"output_index": index, "item": item("in_progress", "")})
	for _, p := range halves(c.Arguments) {
		w.event("response.function_call_arguments.delta", at(object{"delta": p}))
	}
	w.event("response.function_call_arguments.done", at(object{"arguments": c.Arguments, "name": c.Name}))
	w.event("response.output_item.done", object{"output_index": index, "item": item("completed", c.Arguments)})
	return item("completed", c.Arguments)
}
