package mock

import "fmt"

// completions is the stream of OpenAI's Chat Completions API.
func completions(s *stream, r Request, a Answer) {
	chunk := func(more object) {
		more["id"], more["object"] = fmt.Sprintf("c%d", r.Number), "chat.completion.chunk"
		more["created"], more["model"] = 1796000000, "mock"
		s.send("", more)
	}
	choice := func(delta object, finish any) {
		chunk(object{"choices": []any{object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}})
	}
	choice(object{"role": "assistant", "content": "", "refusal": nil}, nil)
	if a.Text != "" {
		for _, p := range pieces(a.Text) {
			choice(object{"content": p}, nil)
		}
	}
	for i, c := range a.Calls {
		choice(object{"tool_calls": []any{object{"index": i, "id": c.ID, "type": "function",
			"function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range halves(c.Arguments) {
			choice(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	finish := "stop"
	if len(a.Calls) > 0 {
		finish = "tool_calls"
	}
	choice(object{}, finish)
	chunk(object{"choices": []any{}, "usage": object{"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13,
		"prompt_tokens_details": object{"cached_tokens": 0}, "completion_tokens_details": object{"reasoning_tokens": 0}}})
	s.send("", "[DONE]")
}
