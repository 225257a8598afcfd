// Package stream turns the answer of a model, as the parts of the AI SDK's language model protocol
// (specification versions 2, 3 and 4), into the assistant-message events of a host of the Pi family.
//
// The rules are those of the provider bridge's specification, sections "Input protocol", "Output
// protocol", "Text and reasoning blocks", "Tool blocks", "Termination", "Usage" and "Reference gaps and
// the sound default". The text of the specification is not part of this repository;
// testdata/vectors/provider-bridge has its cases, testdata/vectors/streams recorded answers.
package stream
