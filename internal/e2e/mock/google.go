package mock

import (
	"encoding/json"
	"fmt"
)

// google is the stream of Google's generateContent API. Calls arrive whole, and the last chunk has the
// reason and the usage.
func google(s *stream, r Request, a Answer) {
	s.end = "\r\n"
	var parts []object
	if a.Text != "" {
		for _, p := range pieces(a.Text) {
			parts = append(parts, object{"text": p})
		}
	}
	for _, c := range a.Calls {
		parts = append(parts, object{"functionCall": object{"id": c.ID, "name": c.Name, "args": json.RawMessage(c.Arguments)}})
	}
	for i, p := range parts {
		candidate := object{"index": 0, "content": object{"role": "model", "parts": []any{p}}}
		usage := object{"promptTokenCount": 10, "totalTokenCount": 10}
		if i == len(parts)-1 {
			candidate["finishReason"] = "STOP"
			usage = object{"promptTokenCount": 10, "candidatesTokenCount": 3, "totalTokenCount": 13}
		}
		s.send("", object{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": "mock",
			"responseId": fmt.Sprintf("g%d", r.Number)})
	}
}
