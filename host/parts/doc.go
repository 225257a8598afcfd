// Package parts makes providers of package turn out of models that speak the AI SDK's language model
// protocol: a call is a prompt and tools, an answer is a stream of parts. What is written for one SDK is
// then no more than the two translations between its words and those of the protocol; the history, with
// what the provider wants to see again, the events, the chunks and the failures are the same for all.
//
// On the way there stored messages are read by package replay and become a prompt as package history says.
// On the way back package stream makes events of the parts, and chunks of those. Nothing here links an
// engine.
package parts
