package developer

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	v1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"
	"github.com/pintle-wasm/pintle/guests/sdk/go/payload"
)

func TestReplace(t *testing.T) {
	payload.Handle("a", payload.Adapter{})
	Handle("a", func(r *payload.Request, messages []Message) []byte {
		if len(messages) == 0 {
			return nil
		}
		assert.Equal(t, payload.Request{ID: "a", Provider: "p", API: "x", Payload: []byte("{}")}, *r)
		return []byte(messages[0].ID + messages[1].Content)
	})
	answer := func(id string, messages ...v1.Message) ([]byte, error) {
		request, err := abi.Encode(v1.ReplaceDeveloperMessagesRequest{
			Payload:  v1.Payload{ID: id, Provider: "p", API: "x", Payload: []byte("{}")},
			Messages: messages,
		})
		require.NoError(t, err)
		return abi.DecodeAnswer(call.Handle(request, replace))
	}
	value, err := answer("a", v1.Message{ID: "one", Content: "1"}, v1.Message{ID: "two", Content: "2"})
	require.NoError(t, err)
	b, err := abi.Bytes(value)
	require.NoError(t, err)
	assert.Equal(t, "one2", string(b))

	value, err = answer("a")
	require.NoError(t, err)
	assert.Nil(t, value, "unchanged")
	_, err = answer("b")
	require.EqualError(t, err, "no developer message handler for adapter b; there are handlers for: a")
}
