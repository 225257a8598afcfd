//go:build e2e

package e2e

import (
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
)

// order is the order of the events. Where message_end falls is a matter of time in older versions, so only
// its number counts.
func order(events []map[string]any) []string {
	var names []string
	ends := 0
	for _, e := range events {
		if e["event"] == "message_end" {
			ends++
			continue
		}
		names = append(names, fmt.Sprintf("%s: %s", e["at"], e["event"]))
	}
	return append(names, fmt.Sprintf("message_end %d times", ends))
}

// substance is what binds of the events that have content.
func substance(events []map[string]any) []map[string]any {
	var all []map[string]any
	for _, e := range events {
		if len(e) > 2 { // at and event
			all = append(all, bound(e).(map[string]any))
		}
	}
	return all
}

// chance are the keys whose values are what the run made them.
var chance = map[string]bool{"timestamp": true, "id": true, "parentId": true, "durationMs": true,
	"textSignature": true, "prompt_cache_key": true}

// bound copies a value without what is chance. A key that was there still is.
func bound(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := make(map[string]any, len(v))
		_, record := v["role"].(string)
		for key, value := range v {
			if text, ok := value.(string); key == "id" && ok && (record || strings.HasPrefix(text, "m-")) {
				o[key] = text // ids of models and of messages in the prompt
				continue
			}
			if key == "responseId" { // the model's, and not all give one
				continue
			}
			if chance[key] && (key != "timestamp" || value != 0.0) { // that of the context-files message is 0
				value = "…"
			}
			o[key] = bound(value)
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i, member := range v {
			list[i] = bound(member)
		}
		return list
	}
	return v
}

// wire is the body that a payload becomes. Google's SDK has a shape of its own, and its model in the path.
func wire(api string, payload map[string]any) map[string]any {
	if api != mock.Google {
		return payload
	}
	config := map[string]any{}
	for key, value := range payload["config"].(map[string]any) {
		switch key {
		case "abortSignal", "automaticContinuation", "systemInstruction": // the SDK's own, and below
		default:
			config[key] = value
		}
	}
	return map[string]any{
		"contents":         payload["contents"],
		"generationConfig": config,
		"systemInstruction": map[string]any{
			"role": "user", "parts": []any{map[string]any{"text": payload["config"].(map[string]any)["systemInstruction"]}},
		},
	}
}
