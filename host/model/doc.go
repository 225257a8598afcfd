// Package model has the models of a provider as a host lists them: entries, variants and the levels of
// thinking that they offer, costs, and lists that are fetched anew.
//
// A provider describes each model by an entry, an object of JSON in the form of OpenCode's configuration
// and of models.dev. [Expand] makes the variants of an entry to models of their own, [Rows] puts them into
// the host's form, [Harvest] and [List] do so for all models of a provider or a document, and [Dynamic]
// asks for the list again while the host runs.
//
// The order of members is information in entries, in their variants and in lists of models: it decides
// which variant counts, and it is kept. Keys that are array indexes come first, as JavaScript has them.
// The JSON that functions are given is kept by what they return and must not change.
//
// The rules are those of the provider bridge's specification:
//
//   - entries, variants, levels of thinking and the options of a call: section "Models and variants";
//   - lists that are fetched anew, and when the stored one stands: "Dynamic models";
//   - the cost of an answer: "Usage" (generic);
//   - the fields that differ between the hosts: "Host differences", by package profile.
//
// The hosts are pi (@earendil-works/pi-ai and pi-coding-agent 1.6.0) and omp (@oh-my-pi/pi-ai 18.2.11,
// coding agent 18.3.4), the reference is the bridge's newest state after its release 0.4.3. Models are
// those of the AI SDK's language model specification, of any of its versions V2, V3 and V4
// (@ai-sdk/provider 2.0.5, 3.0.19 and 4.0.38), which say nothing of lists of models.
//
// The text of the specification is not part of this repository; testdata/vectors/provider-bridge has its
// cases.
package model
