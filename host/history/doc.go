// Package history turns the conversation that a host of the Pi family keeps into the options of a call of
// an AI SDK language model (specification versions 2, 3 and 4): the prompt, the tools, the tool choice and
// the headers. It is the way back of package stream: what that package makes of a provider's answer, this
// one gives back to the provider in its own words.
//
// The rules are those of the provider bridge's specification, sections "Host context → call options",
// "History direction" (folding), "Isolation", and "Reference gaps and the sound default", rules 1, 3, 4
// and 8. The text of the specification is not part of this repository; the cases context-prompt,
// prompt-names and session-header in testdata/vectors/provider-bridge are.
//
// A host's messages are open: kinds and members that are not known are left out of the prompt and are never
// an error. Building the options of a call costs time and memory in proportion to the context.
package history
