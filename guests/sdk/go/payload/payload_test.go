package payload

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	v1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"
)

func TestReadAndReplace(t *testing.T) {
	Handle("a", Adapter{
		Read: func(r *Request) (string, bool) { return string(r.Payload), len(r.Payload) > 0 },
		ReplaceSystem: func(r *Request, text string) []byte {
			if text == "" {
				return nil
			}
			return append(bytes.Clone(r.Payload), text...)
		},
	})
	common := func(body string) v1.Payload {
		return v1.Payload{ID: "a", Provider: "p", API: "x", Payload: []byte(body)}
	}
	encode := func(v any) []byte {
		b, err := abi.Encode(v)
		require.NoError(t, err)
		return b
	}
	value, err := abi.DecodeAnswer(call.Handle(encode(v1.ReadSystemPromptRequest{Payload: common("body")}), read))
	require.NoError(t, err)
	s, err := abi.Text(value)
	require.NoError(t, err)
	assert.Equal(t, "body", s)

	value, err = abi.DecodeAnswer(call.Handle(encode(v1.ReadSystemPromptRequest{Payload: common("")}), read))
	require.NoError(t, err)
	assert.Nil(t, value)

	value, err = abi.DecodeAnswer(call.Handle(encode(v1.ReplaceSystemPromptRequest{Payload: common("a"), SystemPrompt: "b"}), replaceSystem))
	require.NoError(t, err)
	b, err := abi.Bytes(value)
	require.NoError(t, err)
	assert.Equal(t, "ab", string(b))

	value, err = abi.DecodeAnswer(call.Handle(encode(v1.ReplaceSystemPromptRequest{Payload: common("a")}), replaceSystem))
	require.NoError(t, err)
	assert.Nil(t, value)

	unknown := common("")
	unknown.ID = "b"
	_, err = abi.DecodeAnswer(call.Handle(encode(v1.ReadSystemPromptRequest{Payload: unknown}), read))
	require.EqualError(t, err, "no handler for adapter b; there are handlers for: a")
}
