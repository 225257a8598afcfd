package replay

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
)

// Calls that a provider ran itself ride in the state and come back with the message. The reference knows
// nothing of them.
func TestCallsOfTheProviderComeBack(t *testing.T) {
	const list = `[{"at":0,"toolCallId":"s","toolName":"search","input":{}}]`
	done := func(ran string) json.RawMessage {
		return json.RawMessage(`{"type":"done","reason":"stop","message":{"role":"assistant","content":[{"type":"text","text":"x"}],` +
			`"api":"a","provider":"p","model":"m","usage":{},"stopReason":"stop"` + ran + `}}`)
	}
	for _, c := range []struct {
		ran, want           string
		writesRef, readsRef bool
	}{
		{`,"providerExecuted":` + list, list, false, false},
		{`,"providerExecuted":` + list, "", true, false},
		{`,"providerExecuted":` + list, "", false, true},
		{`,"providerExecuted":{"at":0}`, "", false, false},
		{``, "", false, false},
	} {
		w := Writer{Reference: c.writesRef}
		_, err := w.Event(json.RawMessage(`{"type":"text_start","contentIndex":0}`))
		require.NoError(t, err)
		chunks, err := w.Event(done(c.ran))
		require.NoError(t, err)
		stored := message.Message{
			Role: message.Assistant, Content: []message.Block{{Type: message.Text, Text: "x"}},
			Source: message.Source{Kind: message.FromModel, Provider: "p", Model: "m", ReplayState: chunks[1].ReplayState},
		}
		got, native, err := (&Reader{Reference: c.readsRef}).Assistant(stored)
		require.NoError(t, err)
		assert.True(t, native)
		assert.Equal(t, c.want, string(got.ProviderExecuted), "%+v", c)
		if c.want != "" {
			assert.Contains(t, string(got.AppendJSON(nil)), `"providerExecuted":`+list)
		} else {
			assert.NotContains(t, string(got.AppendJSON(nil)), "providerExecuted")
		}
	}
}

// What is no list in the place of such calls costs nothing.
func TestNoListOfCallsIsNoFault(t *testing.T) {
	stored := message.Message{
		Role: message.Assistant, Content: []message.Block{{Type: message.Text, Text: "x"}},
		Source: message.Source{Kind: message.FromModel, Provider: "p", Model: "m", ReplayState: json.RawMessage(
			`{"response":{"kind":"pi-ai","version":2,"api":"a","provider":"p","model":"m","stopReason":"stop","providerExecuted":7},` +
				`"blocks":[{"type":"text"}]}`)},
	}
	got, native, err := new(Reader).Assistant(stored)
	require.NoError(t, err)
	assert.True(t, native)
	assert.Nil(t, got.ProviderExecuted)
}
