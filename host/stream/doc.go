// Package stream turns the answer of a model, as the parts of the AI SDK's language model protocol
// (specification versions V2, V3 and V4 as in @ai-sdk/provider 2.0.5, 3.0.19 and 4.0.38), into the
// assistant-message events of a host of the Pi family: pi (@earendil-works/pi-ai 1.6.0) or omp
// (@oh-my-pi/pi-ai 18.2.11).
//
// [Translate] pulls: it is given parts, for example those of [ReadParts], and gives events. A [Translator]
// is the same for a caller to whom parts come. All events of a stream share one [Message], which grows;
// [Message.Snapshot] keeps what it holds at one moment.
//
// The rules are those of the provider bridge's specification:
//
//   - which parts and events there are, and in which order: sections "Input protocol" and "Output protocol";
//   - blocks, of which each kind has ids of its own: "Text and reasoning blocks" and "Tool blocks";
//   - names and arguments of tools on each host: "Call direction", by package profile;
//   - how an answer ends: "Termination"; what it has cost: "Usage";
//   - what is kept that the reference loses, and is switched off by [Config].Reference: "Reference gaps and
//     the sound default", rules 1 to 7.
//
// The reference is the bridge's newest state after its release 0.4.3; [Config].Readme is the build that its
// README describes, around 0.4.1 (section "Usage", readme era).
//
// The versions of the protocol differ in the shapes of finish reasons (a text in V2, an object since V3; V4
// adds "interrupted"), of usage (flat in V2, nested since V3), of files (base64 or bytes in V2 and V3,
// tagged in V4), and in parts that later versions have added. All are taken in one stream, each by its
// shape. A part or a member that no version has does no harm; [Config].OnIgnored tells of it, and of those
// that hosts have no use for.
//
// The text of the specification is not part of this repository; testdata/vectors/provider-bridge has its
// cases, testdata/vectors/streams recorded answers.
package stream
