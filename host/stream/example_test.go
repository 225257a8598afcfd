package stream_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// A recorded answer becomes the events of a host. The model was Claude, behind the AI SDK's package for
// Anthropic, of specification V4.
func ExampleTranslate() {
	omp, err := profile.Named("omp")
	if err != nil {
		log.Fatal(err)
	}
	tools := omp.Bind([]profile.Tool{{Name: "add"}, {Name: "multiply"}}, profile.Options{})
	recording, err := os.Open("../../testdata/vectors/streams/anthropic.parallel-tools.v4.parts.ndjson")
	if err != nil {
		log.Fatal(err)
	}
	defer recording.Close()

	cfg := &stream.Config{Toolset: tools, Model: stream.Model{ID: "claude", API: "acme-bridge", Provider: "acme"}}
	for event := range stream.Translate(context.Background(), cfg, stream.ReadParts(recording)) {
		switch event.Type {
		case stream.EventTextEnd:
			fmt.Printf("block %d: %.40s…\n", event.ContentIndex, event.Content)
		case stream.EventToolCallEnd:
			fmt.Printf("block %d: %s %s\n", event.ContentIndex, event.Block.Name, event.Block.Arguments)
		case stream.EventDone, stream.EventError:
			m := event.Message
			fmt.Println(m.StopReason, m.Usage.Input, m.Usage.Output, m.ErrorMessage)
		}
	}
	// Output:
	// block 0: I'll add and multiply the numbers 2 and …
	// block 1: add {"a": 2, "b": 3}
	// block 2: multiply {"a": 2, "b": 3}
	// toolUse 502 137
}

// A caller to whom the parts come gives them to a Translator, which never gives more events than one part
// makes.
func ExampleTranslator() {
	pi, err := profile.Named("pi")
	if err != nil {
		log.Fatal(err)
	}
	cfg := &stream.Config{Toolset: pi.Bind([]profile.Tool{{Name: "find"}}, profile.Options{})}
	show := func(e stream.Event) bool {
		fmt.Println(string(e.AppendJSON(nil, false)))
		return true
	}
	t := stream.NewTranslator(context.Background(), cfg)
	t.Part(&stream.Part{Type: stream.PartToolCall, ID: "1", ToolName: "glob", Input: `{"pattern":"*.go"}`}, show)
	t.End(errors.New("the connection is gone"), show)
	// Output:
	// {"type":"start"}
	// {"type":"toolcall_start","contentIndex":0}
	// {"type":"toolcall_end","contentIndex":0,"toolCall":{"type":"toolCall","id":"1","name":"find","arguments":{"pattern":"*.go"}}}
	// {"type":"error","reason":"error"}
}

func ExampleReadParts() {
	lines := strings.NewReader(`{"type":"text-delta","id":"1","delta":"Hello"}` + "\n" + `{"$throw":{"name":"TypeError","message":"terminated"}}`)
	for part, err := range stream.ReadParts(lines) {
		if err != nil {
			fmt.Println("failed:", err)
			break
		}
		fmt.Println(part.Type, part.Delta)
	}
	// Output:
	// text-delta Hello
	// failed: terminated
}

func ExampleParsePart() {
	var part stream.Part
	if err := stream.ParsePart([]byte(`{"type":"finish","finishReason":"stop","usage":{}}`), &part); err != nil {
		log.Fatal(err)
	}
	fmt.Println(part.Type, string(part.FinishReason))
	// Output: finish "stop"
}

// The events of a host become the chunks of a durable message, which package assembler puts together.
func ExampleChunker() {
	pi, err := profile.Named("pi")
	if err != nil {
		log.Fatal(err)
	}
	cfg := &stream.Config{
		Toolset: pi.Bind([]profile.Tool{{Name: "find"}}, profile.Options{}),
		Model:   stream.Model{ID: "claude", API: "acme-bridge", Provider: "acme"},
	}
	parts := stream.ReadParts(strings.NewReader(
		`{"type":"text-delta","id":"1","delta":"Looking.","providerMetadata":{"acme":{"signature":"c2ln"}}}` + "\n" +
			`{"type":"tool-call","toolCallId":"c","toolName":"glob","input":"{\"pattern\":\"*.go\"}"}` + "\n" +
			`{"type":"finish","finishReason":"tool-calls","usage":{"inputTokens":5,"outputTokens":7}}`))
	var chunker stream.Chunker
	var durable assembler.Assembler
	for chunk, err := range chunker.Chunks(stream.Translate(context.Background(), cfg, parts)) {
		if err == nil {
			err = durable.Push(&chunk)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	result, err := durable.Result()
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range result.Blocks {
		fmt.Printf("%s: %s\n", b.Type, b.Text+b.Name+b.Arguments)
	}
	fmt.Println(durable.Finish().Kind, durable.Usage().Input, strings.Contains(string(result.ReplayState), "c2ln"))
	// Output:
	// text: Looking.
	// tool-call: find{"pattern":"*.go"}
	// tool-calls 5 true
}

// What a message holds now, for a consumer that looks at it later.
func ExampleMessage_Snapshot() {
	parts := stream.ReadParts(strings.NewReader(
		`{"type":"text-delta","id":"1","delta":"one"}` + "\n" + `{"type":"text-delta","id":"1","delta":" two"}` + "\n" +
			`{"type":"finish","finishReason":"stop","usage":{}}`))
	var kept []*stream.Message
	for event := range stream.Translate(context.Background(), &stream.Config{}, parts) {
		if event.Type == stream.EventTextDelta {
			kept = append(kept, event.Message.Snapshot())
		}
	}
	for _, m := range kept {
		fmt.Println(m.Content[0].Text())
	}
	// Output:
	// one
	// one two
}

// Files that a model has generated are written only where the caller says.
func ExampleFilesIn() {
	folder, err := os.MkdirTemp("", "generated-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	cfg := &stream.Config{Files: stream.FilesIn(folder)}
	parts := stream.ReadParts(strings.NewReader(
		`{"type":"file","mediaType":"text/plain","data":"aGk="}` + "\n" + `{"type":"finish","finishReason":"stop","usage":{}}`))
	for event := range stream.Translate(context.Background(), cfg, parts) {
		if event.Type == stream.EventTextEnd {
			fmt.Println(strings.ReplaceAll(event.Content, folder, "FOLDER"))
		}
	}
	// Output: Generated file (text/plain): FOLDER/8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4.txt
}

// What a provider has signed comes back to it with the next request. The bridge keeps it as JSON text, by
// provider.
func ExampleBlock_Signature() {
	parts := stream.ReadParts(strings.NewReader(
		`{"type":"reasoning-start","id":"1","providerMetadata":{"anthropic":{"signature":""}}}` + "\n" +
			`{"type":"reasoning-delta","id":"1","delta":"Let me see."}` + "\n" +
			`{"type":"reasoning-end","id":"1","providerMetadata":{"anthropic":{"signature":"c2ln"}}}` + "\n" +
			`{"type":"finish","finishReason":"stop","usage":{}}`))
	for event := range stream.Translate(context.Background(), &stream.Config{}, parts) {
		if event.Type == stream.EventDone {
			fmt.Println(event.Message.Content[0].Signature())
		}
	}
	// Output: {"anthropic":{"signature":"c2ln"}}
}
