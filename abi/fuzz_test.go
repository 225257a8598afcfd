package abi_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	messages "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	adapters "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
)

// FuzzDecodeManifest: a section that is accepted is the only encoding of what it says.
func FuzzDecodeManifest(f *testing.F) {
	full, err := abi.EncodeManifest(fullManifest())
	require.NoError(f, err)
	f.Add(full)
	f.Add(full[:len(full)/2])
	view, err := abi.EncodeManifest(viewManifest(f))
	require.NoError(f, err)
	f.Add(view)
	f.Add([]byte{0xa1, 0x00, 0x02})
	f.Add([]byte{0xa5, 0x00, 0x01, 0x62, 'i', 'd', 0x61, 'a'})
	f.Fuzz(func(t *testing.T, section []byte) {
		m, err := abi.DecodeManifest(section)
		if err != nil {
			var e *abi.ManifestError
			require.ErrorAs(t, err, &e)
			return
		}
		again, err := abi.EncodeManifest(m)
		require.NoError(t, err)
		m2, err := abi.DecodeManifest(again)
		require.NoError(t, err)
		third, err := abi.EncodeManifest(m2)
		require.NoError(t, err)
		assert.Equal(t, again, third)
	})
}

// FuzzDecodeAnswer: an answer is nothing, a value that can be answered again, or an error.
func FuzzDecodeAnswer(f *testing.F) {
	for _, v := range []any{nil, "text", []byte("{}"), []any{1, map[string]any{"a": nil}}} {
		b, err := abi.EncodeAnswer(v, nil)
		require.NoError(f, err)
		f.Add(b)
	}
	failed, err := abi.EncodeAnswer(nil, &abi.Failure{Code: "c", Message: "m"})
	require.NoError(f, err)
	f.Add(failed)
	f.Add([]byte{0x82, 0x01, 0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := abi.DecodeAnswer(data)
		if err != nil {
			if errors.Is(err, abi.ErrBadAnswer) {
				return
			}
			var failure *abi.Failure
			require.ErrorAs(t, err, &failure)
			again, err := abi.EncodeAnswer(nil, failure)
			require.NoError(t, err)
			_, err = abi.DecodeAnswer(again)
			assert.Equal(t, failure, err)
			return
		}
		text, textErr := abi.Text(value)
		b, bytesErr := abi.Bytes(value)
		if value == nil || textErr != nil && bytesErr != nil {
			return
		}
		require.True(t, (textErr == nil) != (bytesErr == nil), "one of the two")
		again := any(text)
		if bytesErr == nil {
			again = b
		}
		shortest, err := abi.EncodeAnswer(again, nil)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(shortest), len(data))
	})
}

// FuzzMessages: what a request type decodes, it encodes to something that decodes to the same.
func FuzzMessages(f *testing.F) {
	text, list := "hi", []string{"read"}
	payload := adapters.Payload{ID: "codex", Provider: "p", API: "a", Payload: []byte(`{"a":1}`)}
	for kind, request := range []any{
		messages.RenderRequest{ID: "style", Features: 3, Provider: &text, ActiveTools: &list, SessionID: &text, Prompt: &text,
			SystemPromptOptions: map[string]any{"cwd": "/", "skills": []any{map[string]any{"n": 1.5}}}},
		adapters.ReadSystemPromptRequest{Payload: payload},
		adapters.ReplaceSystemPromptRequest{Payload: payload, SystemPrompt: "s"},
		adapters.ReplaceDeveloperMessagesRequest{Payload: payload, Messages: []adapters.Message{{ID: "a", Content: "b"}}},
		adaptersv2.EditRequest{ID: "codex", SystemPrompt: "s", Messages: []adaptersv2.Message{{ID: "a", Content: "b"}}, View: []byte{0x80}},
		adaptersv2.Answer{Prompt: &adaptersv2.PromptEdits{At: adaptersv2.Address{adaptersv2.Member("a"), adaptersv2.Index(1)}},
			Messages: &adaptersv2.MessageEdits{Edits: []adaptersv2.Edit{{Op: adaptersv2.OpSet, Value: adaptersv2.JSON("1")}}}},
	} {
		b, err := abi.Encode(request)
		require.NoError(f, err)
		f.Add(byte(kind), b)
	}
	f.Add(byte(0), []byte{0xa1, 0x62, 'i', 'd', 0x41, 'a'})
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		switch kind % 6 {
		case 0:
			roundTrip[messages.RenderRequest](t, data)
		case 1:
			roundTrip[adapters.ReadSystemPromptRequest](t, data)
		case 2:
			roundTrip[adapters.ReplaceSystemPromptRequest](t, data)
		case 3:
			roundTrip[adapters.ReplaceDeveloperMessagesRequest](t, data)
		case 4:
			roundTrip[adaptersv2.EditRequest](t, data)
		case 5:
			roundTrip[adaptersv2.Answer](t, data)
		}
	})
}

func roundTrip[T any](t *testing.T, data []byte) {
	var first, second T
	if abi.Decode(data, &first) != nil {
		return
	}
	b, err := abi.Encode(first)
	require.NoError(t, err)
	require.NoError(t, abi.Decode(b, &second))
	again, err := abi.Encode(second)
	require.NoError(t, err)
	assert.Equal(t, b, again)
}
