package replay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"

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

func ExampleReader_Own() {
	history := make([]message.Message, 1)
	err := json.Unmarshal([]byte(`{"id":"m-1","role":"assistant","content":[],
		"source":{"kind":"model","provider":"northwind","model":"nw-large-3","replayState":{"response":{}}}}`), &history[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := replay.Reader{
		Route:    message.Route{Provider: "harbor", Model: "hb-mini-1"},
		OnReport: func(r replay.Report) { fmt.Printf("%s: message %s: %s\n", r.Code, r.MessageID, &r) },
	}
	request := reader.Own(history, func(provider string) bool { return provider == "harbor" })
	fmt.Println(request[0].Source.ReplayState == nil, history[0].Source.ReplayState == nil)
	// Output:
	// REPLAY_STATE_NOT_OWNED: message m-1: the replay state of northwind/nw-large-3 is of no use to harbor/hb-mini-1 and is not sent
	// true false
}

// A state is looked at without a request, as a program does that checks stored sessions.
func ExampleReader_Validate() {
	m := message.Message{
		ID: "m-1", Role: message.Assistant, Content: []message.Block{{Type: message.Text, Text: "Noted."}},
		Source: message.Source{Kind: message.FromModel, Provider: "northwind", Model: "nw-large-3"},
	}
	m.Source.ReplayState = json.RawMessage(`{"response":{"kind":"pi-ai","version":2,"api":"openai-completions",
		"provider":"northwind","model":"nw-large-3","stopReason":"stop"},"blocks":[{"type":"reasoning"}]}`)
	var reader replay.Reader
	err := reader.Validate(m)
	var d *replay.Diagnostic
	if errors.As(err, &d) {
		fmt.Println(d.Reason, d.At)
	}
	fmt.Println(err)
	// Output:
	// entry-kind-mismatch 0
	// invalid pi-ai replay state: entry 0 is of another kind than the message's block
}

// A whole request in the form that the native layer takes.
func ExampleReader_Context() {
	var history []message.Message
	err := json.Unmarshal([]byte(`[
		{"id":"m-1","role":"user","content":[{"type":"text","text":"When is high water?"}],"source":{"kind":"user"}},
		{"id":"m-2","role":"assistant","content":[{"type":"tool-call","id":"c1","name":"tide","arguments":"{\"port\":\"Brest\"}"}],
			"source":{"kind":"model","provider":"northwind","model":"nw-large-3"}},
		{"id":"m-3","role":"user","content":[{"type":"tool-result","toolCallId":"c1","content":[{"type":"text","text":"14:10"}]}],
			"source":{"kind":"tool","callId":"c1"}}]`), &history)
	if err != nil {
		fmt.Println(err)
		return
	}
	system := "Be brief."
	r := replay.Reader{Route: message.Route{Provider: "northwind", Model: "nw-large-3"}}
	request, err := r.Context(&system, []replay.Tool{{Name: "tide"}}, history)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(*request.SystemPrompt, len(request.Tools))
	for _, m := range request.Messages {
		switch m := m.(type) {
		case replay.UserMessage:
			fmt.Println(m.Role(), m.Content)
		case replay.AssistantMessage:
			fmt.Println(m.Role(), m.Content[0].Name, string(m.Content[0].Arguments))
		case replay.ToolResultMessage:
			fmt.Println(m.Role(), m.ToolName, m.Text)
		}
	}
	// Output:
	// Be brief. 1
	// user When is high water?
	// assistant tide {"port":"Brest"}
	// toolResult tide 14:10
}

// A message that degrades does so on every request. People are told the first time.
func ExampleOnce() {
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	once := &replay.Once{Logger: slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: withoutTime}))}
	r := replay.Reader{OnDiagnostic: once.Diagnostic, OnReport: once.Report}
	withImage := message.Message{
		ID: "m-1", Role: message.Assistant, Source: message.Source{Kind: message.FromPlugin, Plugin: "charts"},
		Content: []message.Block{{Type: message.Image, Attachment: &message.Attachment{MediaType: "image/png"}}},
	}
	for range 2 {
		converted, _, err := r.Assistant(withImage)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(converted.Content[0].Text)
	}
	// Output:
	// level=WARN msg="an image (image/png) is left out: its bytes are not available" code=IMAGE_UNAVAILABLE messageId=m-1
	// [image left out: image/png]
	// [image left out: image/png]
}
