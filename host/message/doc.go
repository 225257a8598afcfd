// Package message has the shapes that the response side of a turn works on: the chunks that a model's
// answer arrives in, and the messages, made of blocks, that are kept of it. They are those of the
// replay-state protocol, sections "Terms and data shapes" and "Chunk vocabulary".
//
// Values are not to be changed once they are made. A value that was read from JSON is written as the
// text it was read from, with every field and kind that this package does not know; a rewrite is a new
// value (see [Message.WithContent]).
//
// Texts are JavaScript's: where one holds half a surrogate pair, the Go string carries the half as the
// three bytes that UTF-8 would give its code point (WTF-8), and JSON is written with the half escaped.
package message
