package mock

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// object is a JSON object whose keys' order does not matter to anyone.
type object = map[string]any

// stream writes server-sent events, each as soon as it is there.
type stream struct {
	w   http.ResponseWriter
	end string // of a line; Google's servers end them as HTTP does
}

// send writes one event, with a name or without. An agent that has gone is no fault of the mock's.
func (s *stream) send(name string, data any) {
	text, ok := data.(string)
	if !ok {
		b, err := json.Marshal(data)
		if err != nil {
			panic(err) // the mock's own objects
		}
		text = string(b)
	}
	end := s.end
	if end == "" {
		end = "\n"
	}
	if name != "" {
		fmt.Fprintf(s.w, "event: %s%s", name, end)
	}
	fmt.Fprintf(s.w, "data: %s%s%s", text, end, end)
	s.w.(http.Flusher).Flush()
}

// pieces cuts a text where a model's tokens might end.
func pieces(text string) []string {
	return strings.SplitAfter(text, " ")
}

// halves cuts JSON in the middle, as models do.
func halves(text string) []string {
	n := len(text) / 2
	return []string{text[:n], text[n:]}
}
