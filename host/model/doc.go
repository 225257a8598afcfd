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
// The rules are those of the provider bridge's specification, sections "Models and variants" and "Dynamic
// models". The text of the specification is not part of this repository; testdata/vectors/provider-bridge
// has its cases.
package model
