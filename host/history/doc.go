// Package history turns the conversation that a host of the Pi family keeps into the options of a call of
// an AI SDK language model (specification versions V2, V3 and V4 as in @ai-sdk/provider 2.0.5, 3.0.19 and
// 4.0.38): the prompt, the tools, the tool choice and the headers. It is the way back of package stream: what
// that package makes of a provider's answer, this one gives back to the provider in its own words. The
// hosts' messages are those of pi (@earendil-works/pi-ai and pi-coding-agent 1.6.0) and omp
// (@oh-my-pi/pi-ai 18.2.11, coding agent 18.3.4).
//
// The rules are those of the provider bridge's specification:
//
//   - the two forms of a context, the prompt, the names in it, hidden notes and wake notices, headers: section
//     "Host context → call options"; names and arguments of tools on the way: "History direction", by
//     package profile, which has "Catalog and roles" too;
//   - operations on a todo list that become one call again: "History direction" (folding);
//   - tools that are another provider's own: "Isolation"; results of delegated work: "omp delegated results";
//   - what goes back to the provider that gave it, and is switched off by [Config].Reference: "Reference gaps
//     and the sound default", rules 1, 3, 4 and 8.
//
// The versions of the protocol differ in the items of results and files ([Version] says how). The reference
// is the bridge's newest state after its release 0.4.3; [Config].Readme is the build that its README
// describes, around 0.4.1 (section "Headers").
//
// The text of the specification is not part of this repository; the cases context-prompt, prompt-names and
// session-header in testdata/vectors/provider-bridge are.
//
// A host's messages are open: kinds and members that are not known are left out of the prompt and are never
// an error. Building the options of a call costs time and memory in proportion to the context.
package history
