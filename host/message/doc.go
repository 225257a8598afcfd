// Package message has the shapes that the response side of a turn works on: the chunks that a model's
// answer arrives in, and the messages, made of blocks, that are kept of it. They are those of the
// replay-state protocol, sections "Terms and data shapes" and "Chunk vocabulary". The text of the protocol
// is not part of this repository: its sections are named where they are followed, what they ask of a
// program that uses these packages is said here and there, and testdata/vectors/replay has its cases.
//
// # Chunks
//
// An answer is a stream of [Chunk] values. As JSON, one a line:
//
//	{"type":"block-start","index":0,"blockType":"text"}
//	{"type":"text-delta","index":0,"text":"Quay A is free."}
//	{"type":"block-end","index":0,"block":{"type":"text","text":"Quay A is free."}}
//	{"type":"tool-call-delta","index":1,"id":"c1","name":"edit","argumentsDelta":"{\"path\":"}
//	{"type":"usage","usage":{"inputTokens":412,"outputTokens":64}}
//	{"type":"finish","reason":{"kind":"stop"},"replayState":{"response":{},"blocks":[{},{}]}}
//
// Whoever makes a stream has to keep these rules, which a Grammar of package assembler checks:
//
//   - A block has one start, any number of deltas of its own kind, and one end. The block that the end
//     carries counts for more than the deltas.
//   - Indexes tie the chunks of a block together. They are given in the order in which blocks are first
//     seen, one for each block, and not used again.
//   - There is at most one usage, before the finish, and one finish, which is the last chunk.
//   - The arguments of a tool call are the text that the model gave. A provider that returns them parsed
//     writes them as JSON again.
//   - A failure is an error of the stream, or a finish of kind [Failed] or [Aborted] with its [Failure].
//   - An answer that is complete and empty is a failure with the code EMPTY_RESPONSE.
//
// The assembler takes streams that break them too; one that ends without a finish counts as finished with
// [Stop].
//
// # Replay state
//
// What a provider needs, beside the content, to see an answer as its own again (signatures, ids) is its
// replay state: a JSON object, the replay envelope, on the finish chunk. "response" is about the whole
// answer and has to be there. "blocks", if it is, has one entry for each block of the stream, in the
// order in which they were first seen; an entry goes when its block does. Both are the provider's own:
// nothing but the package that wrote them reads them, and the state comes back in the message's [Source]
// when the same provider is asked again. Package replay has one layout for it, that of native pi-ai
// messages.
//
// # Values
//
// Values are not to be changed once they are made. A value that was read from JSON is written as the
// text it was read from, with every field and kind that this package does not know; a rewrite is a new
// value (see [Message.WithContent]).
//
// Texts are JavaScript's: where one holds half a surrogate pair, the Go string carries the half as the
// three bytes that UTF-8 would give its code point (WTF-8), and JSON is written with the half escaped.
package message
