// Package model has the models of a provider as a host lists them: entries, variants and the levels of
// thinking that they offer, costs, and lists that are fetched anew.
//
// The rules are those of the provider bridge's specification, sections "Models and variants" and "Dynamic
// models". The text of the specification is not part of this repository; testdata/vectors/provider-bridge
// has its cases.
package model
