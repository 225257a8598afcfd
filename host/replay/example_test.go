package replay_test

import (
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
)

// A message whose state does not fit it, here one of the old flat form that was left behind by an
// answer cut in a call, goes without its state, and the hook says why.
func ExampleReader() {
	stored, err := message.ParseMessage([]byte(`{"id":"m-7","role":"assistant",
		"content":[{"type":"text","text":"Reading the ledger."}],
		"source":{"kind":"model","provider":"northwind","model":"nw-large-3","replayState":{
			"kind":"pi-ai","version":1,"api":"openai-completions","provider":"northwind","model":"nw-large-3",
			"stopReason":"length","blocks":[{"type":"text","textSignature":"c2ln"},{"type":"tool-call"}]}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r := replay.Reader{
		Route: message.Route{Provider: "northwind", Model: "nw-large-3"},
		OnDiagnostic: func(d replay.Diagnostic) {
			fmt.Printf("%s: message %s: %v\n", d.Code, d.MessageID, &d)
		},
	}
	converted, native, err := r.Assistant(stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(native, converted.API, converted.Content[0].Text)
	// Output:
	// INVALID_REPLAY_STATE: message m-7: invalid pi-ai replay state: response is not an object
	// false dsh-foreign Reading the ledger.
}

// The write side: native events become chunks, an assembler makes blocks and a state of them, and the
// message that is stored of it is native again on the next request. The call was cut, so it is gone from
// the content and from the state alike.
func ExampleWriter() {
	route := message.Route{Provider: "northwind", Model: "nw-large-3"}
	w := replay.Writer{Requested: route}
	var a assembler.Assembler
	for _, event := range []string{
		`{"type":"text_start","contentIndex":0}`,
		`{"type":"text_delta","contentIndex":0,"delta":"Reading the ledger."}`,
		`{"type":"text_end","contentIndex":0,"content":"Reading the ledger."}`,
		`{"type":"toolcall_start","contentIndex":1}`,
		`{"type":"toolcall_delta","contentIndex":1,"delta":"{\"row\":7,\"me"}`,
		`{"type":"done","reason":"length","message":{"api":"openai-completions","provider":"northwind","model":"nw-large-3",
			"stopReason":"length","usage":{"input":12,"output":9,"cacheRead":0,"cacheWrite":0},"content":[
			{"type":"text","text":"Reading the ledger.","textSignature":"c2ln"},
			{"type":"toolCall","id":"c1","name":"ledger_read","arguments":{}}]}}`,
	} {
		chunks, err := w.Event(json.RawMessage(event))
		if err != nil {
			fmt.Println(err)
			return
		}
		for i := range chunks {
			if err := a.Push(&chunks[i]); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	if err := w.End(); err != nil {
		fmt.Println(err)
		return
	}
	answer, err := a.Result()
	if err != nil {
		fmt.Println(err)
		return
	}
	stored := message.Message{ID: "m-8", Role: message.Assistant, Content: answer.Blocks, Source: message.Source{
		Kind: message.FromModel, Provider: route.Provider, Model: route.Model,
		Answered: a.Answered(), ReplayState: answer.ReplayState,
	}}
	converted, native, err := new(replay.Reader).Assistant(stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Finish().Kind, len(stored.Content), native, converted.StopReason)
	fmt.Println(converted.Content[0].Text, *converted.Content[0].Signature)
	// Output:
	// max-tokens 1 true length
	// Reading the ledger. c2ln
}

func ExampleOwn() {
	history := make([]message.Message, 1)
	err := json.Unmarshal([]byte(`{"id":"m-1","role":"assistant","content":[],
		"source":{"kind":"model","provider":"northwind","model":"nw-large-3","replayState":{"response":{}}}}`), &history[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	serving := message.Route{Provider: "harbor", Model: "hb-mini-1"}
	owned := func(provider string) bool { return provider == "harbor" }
	request := replay.Own(history, owned, serving, false, func(r replay.Report) {
		fmt.Printf("%s: message %s: %s\n", r.Code, r.MessageID, &r)
	})
	fmt.Println(request[0].Source.ReplayState == nil, history[0].Source.ReplayState == nil)
	// Output:
	// REPLAY_STATE_NOT_OWNED: message m-1: the replay state of northwind/nw-large-3 is of no use to harbor/hb-mini-1 and is not sent
	// true false
}
