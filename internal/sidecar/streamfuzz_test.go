package sidecar

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is pushed, each push is answered with JSON or refused, and nothing comes behind the last event.
func FuzzStreamPush(f *testing.F) {
	for _, seed := range []string{
		`[{"type":"text-start","id":"a"},{"type":"text-delta","id":"a","delta":"x"},{"type":"text-end","id":"a"}]`,
		`[{"type":"tool-input-start","id":"c","toolName":"r"},{"type":"tool-call","toolCallId":"c","toolName":"r","input":"{"}]`,
		`[{"type":"file","mediaType":"image/png","data":"aGk="},{"type":"error","error":{"message":"m"}}]`,
		`[{"type":"finish","finishReason":"tool-calls","usage":{"inputTokens":1e99}}]`, `[{"$throw":7}]`, `[{}]`, `{}`, `[[]]`,
		`[{"type":"text-delta","id":"\ud83d","delta":"\ude00"}]`,
	} {
		f.Add([]byte(seed), []byte(`{"message":"gone"}`), true)
		f.Add([]byte(seed), []byte(`null`), false)
	}
	f.Fuzz(func(t *testing.T, parts, thrown []byte, omp bool) {
		if !json.Valid(parts) || !json.Valid(thrown) {
			return // a frame is JSON
		}
		c := &call{server: &Server{}}
		open := streamOpenParams{Host: "pi", Unchecked: true, Assemble: true, Chunks: true, Model: modelParams{ID: "m", API: "a", Provider: "p"}}
		if omp {
			open.Host = "omp"
		}
		opened, err := streamOpen(context.Background(), c, &open)
		require.NoError(t, err)
		begin := []byte(`{"stream":"` + opened.Stream + `","parts":`)
		for _, more := range [][]byte{[]byte(`}`), append(append([]byte(`,"error":`), thrown...), []byte(`,"end":true}`)...)} {
			var p streamPushParams
			if p.UnmarshalJSON(append(append(begin[:len(begin):len(begin)], parts...), more...)) != nil {
				return
			}
			result, err := streamPush(context.Background(), c, &p)
			if err != nil {
				return
			}
			require.True(t, json.Valid(result), "%s", result)
		}
		require.Empty(t, c.server.streams.open, "it has ended")
		require.Zero(t, c.server.streams.bytes)
	})
}
