package stream_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/host/stream"
)

func TestProviderExecuted(t *testing.T) {
	cfg := configFor(t, "omp", "ls")
	r := translate(t, cfg,
		`{"type":"tool-input-start","id":"a","toolName":"ls","providerExecuted":true}`,
		`{"type":"tool-input-delta","id":"a","delta":"{}"}`, `{"type":"tool-input-end","id":"a"}`,
		`{"type":"tool-result","toolCallId":"a","result":"too early"}`,
		`{"type":"text-delta","id":"t","delta":"x"}`,
		`{"type":"tool-call","toolCallId":"a","toolName":"ls","input":"[1]","providerExecuted":true}`,
		`{"type":"tool-call","toolCallId":"b","toolName":"web","input":"nonsense","providerExecuted":true}`,
		`{"type":"tool-result","toolCallId":"a","result":1,"isError":true,"preliminary":true}`,
		`{"type":"tool-result","toolCallId":"a","result":2}`,
		`{"type":"tool-result","toolCallId":"c","result":3,"providerExecuted":true}`,
		`{"type":"tool-result","toolCallId":"d","result":4}`,
		`{"type":"tool-call","toolCallId":"a","toolName":"again","input":"","providerExecuted":true}`,
		`{"type":"tool-result","toolCallId":"a","result":null,"isError":false}`, finishStop)
	assert.Equal(t, []string{
		`{"type":"start"}`, `{"type":"text_start","contentIndex":0}`, `{"type":"text_delta","contentIndex":0,"delta":"x"}`,
		`{"type":"done","reason":"stop"}`,
	}, r.events)
	assert.Contains(t, string(r.final.AppendJSON(nil)), `"providerExecuted":[`+
		`{"at":1,"toolCallId":"a","toolName":"ls","input":[1],"result":2},`+
		`{"at":1,"toolCallId":"b","toolName":"web","input":{}},`+
		`{"at":1,"toolCallId":"a","toolName":"again","input":{},"result":null,"isError":false}]`)
	// A snapshot does not get what comes later.
	assert.Empty(t, r.snapshots[2].ProviderExecuted)
}

func TestProviderExecutedForTheReference(t *testing.T) {
	cfg := configFor(t, "omp", "ls")
	cfg.Reference = true
	r := translate(t, cfg, `{"type":"tool-input-start","id":"a","toolName":"ls","providerExecuted":true}`,
		`{"type":"tool-call","toolCallId":"a","toolName":"ls","input":"[1]","providerExecuted":true}`,
		`{"type":"tool-result","toolCallId":"a","result":1,"providerExecuted":true}`, finishStop)
	assert.Equal(t, `{"type":"toolCall","id":"a","name":"ls","arguments":[1]}`, content(r.final))
	assert.Empty(t, r.final.ProviderExecuted)
	// Its input is streamed as that of any call.
	r = translate(t, cfg, `{"type":"tool-input-start","id":"a","toolName":"ls","providerExecuted":true}`,
		`{"type":"tool-input-delta","id":"a","delta":"{}","providerExecuted":true}`, finishStop)
	assert.Equal(t, []string{
		`{"type":"start"}`, `{"type":"toolcall_start","contentIndex":0}`, `{"type":"toolcall_delta","contentIndex":0,"delta":"{}"}`,
		`{"type":"done","reason":"stop"}`,
	}, r.events)
}

// A call that the host has got stays its call when the provider says that it runs one with the same id:
// delegated work that has called a tool is not given back as a text.
func TestProviderExecutedWithAnIdOfTheHost(t *testing.T) {
	r := translate(t, withYield(t), `{"type":"text-delta","id":"1","delta":"done"}`, call("c", "ls", "{}"),
		`{"type":"tool-call","toolCallId":"c","toolName":"web","input":"{}","providerExecuted":true}`, finishStop)
	assert.Len(t, r.final.Content, 2)
	assert.Len(t, r.final.ProviderExecuted, 1)
	assert.Equal(t, stream.StopStop, r.final.StopReason)
}

// A provider that says only with the call that it runs it has opened a block. It is not the host's call.
func TestProviderExecutedLate(t *testing.T) {
	cfg := configFor(t, "omp", "ls", "yield")
	cfg.Unchecked = true
	r := translate(t, cfg,
		`{"type":"tool-input-start","id":"a","toolName":"ls"}`, `{"type":"tool-input-delta","id":"a","delta":"{"}`,
		`{"type":"tool-call","toolCallId":"a","toolName":"ls","input":"{}","providerExecuted":true}`,
		`{"type":"tool-input-delta","id":"a","delta":"}"}`, `{"type":"text-delta","id":"t","delta":"done"}`, finishStop)
	assert.Equal(t, `{"type":"toolCall","id":"a","name":"","arguments":{}}`, content(r.final)[:len(`{"type":"toolCall","id":"a","name":"","arguments":{}}`)])
	assert.Len(t, r.final.ProviderExecuted, 1)
	assert.Equal(t, 1, r.final.ProviderExecuted[0].At)
	assert.Equal(t, 1, count(r, stream.EventToolCallDelta))
}

// The host's own call may have the id of one of the provider's.
func TestHostCallWithAnIdOfTheProvider(t *testing.T) {
	r := translate(t, configFor(t, "pi", "ls"),
		`{"type":"tool-call","toolCallId":"a","toolName":"x","input":"{}","providerExecuted":true}`, call("a", "ls", `{"b":1}`), finishTools)
	assert.Equal(t, `{"type":"toolCall","id":"a","name":"ls","arguments":{"b":1}}`, content(r.final))
}

func count(r *ran, kind string) (n int) {
	for _, e := range r.raw {
		if e.Type == kind {
			n++
		}
	}
	return n
}
