package assembler_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
)

// An answer that ran into the output limit in the middle of a tool call. The call is not kept, and its
// entry of the provider's replay envelope goes with it.
func Example() {
	const stream = `{"type":"block-start","index":0,"blockType":"text"}
{"type":"text-delta","index":0,"text":"Reading the "}
{"type":"text-delta","index":0,"text":"ledger."}
{"type":"block-end","index":0,"block":{"type":"text","text":"Reading the ledger."}}
{"type":"block-start","index":1,"blockType":"tool-call"}
{"type":"tool-call-delta","index":1,"id":"call_1","name":"ledger_post","argumentsDelta":"{\"row\":7,\"me"}
{"type":"usage","usage":{"inputTokens":9,"outputTokens":4}}
{"type":"finish","reason":{"kind":"max-tokens"},"replayState":{"response":{"id":"r-100"},"blocks":[{"sig":"a"},{"sig":"b"}]}}`

	var a assembler.Assembler
	for line := range strings.Lines(stream) {
		chunk, err := message.ParseChunk([]byte(line))
		if err != nil {
			log.Fatal(err)
		}
		if err := a.Push(&chunk); err != nil {
			log.Fatal(err)
		}
	}
	result, err := a.Result()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Finish().Kind)
	for _, block := range result.Blocks {
		fmt.Println(block.Type, block.Text)
	}
	fmt.Println(string(result.ReplayState))
	// Output:
	// max-tokens
	// text Reading the ledger.
	// {"response":{"id":"r-100"},"blocks":[{"sig":"a"}]}
}

// The same stream breaks a rule: an adapter owes every block its end.
func ExampleGrammar() {
	var g assembler.Grammar
	for _, chunk := range []message.Chunk{
		{Type: message.BlockStart, Index: 0, BlockType: message.ToolCall},
		{Type: message.ToolCallDelta, Index: 0, ID: "call_1", Name: "ledger_post", ArgumentsDelta: `{"row":7,"me`},
		{Type: message.FinishChunk, Reason: &message.Finish{Kind: message.MaxTokens}},
	} {
		if err := g.Check(&chunk); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(g.End())
	// Output: chunk stream at chunk 2: open blocks at the finish: 1 (open-at-finish)
}

// The user has cancelled: what is worth keeping is the text so far, without the call that was under way.
func ExampleAssembler_Interrupted() {
	var a assembler.Assembler
	for _, chunk := range []message.Chunk{
		{Type: message.TextDelta, Index: 0, Text: "Reading the "},
		{Type: message.TextDelta, Index: 0, Text: "ledger."},
		{Type: message.ToolCallDelta, Index: 1, ID: "call_1", Name: "ledger_read", ArgumentsDelta: `{"row":`},
	} {
		if err := a.Push(&chunk); err != nil {
			log.Fatal(err)
		}
	}
	for _, block := range a.Interrupted() {
		fmt.Println(block.Type, block.Text)
	}
	// Output: text Reading the ledger.
}
