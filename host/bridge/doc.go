// Package bridge makes AI SDK providers, which come as plugins, into providers of a host of the Pi
// family: it reads what is configured, chooses what to use of a plugin's package, names the provider,
// lists its models, and calls a model from the host's context to the events of its answer.
//
// The rules are those of the provider bridge's specification, sections "Registration and discovery",
// "Config", "Path bridge", "Termination" (failures before streaming) and "Reference gaps and the sound
// default", rules 10 and 11. The text of the specification is not part of this repository;
// testdata/vectors/provider-bridge has its cases.
//
// Plugins are written in JavaScript. What runs them comes in through [Module], [Plugin] and
// [LanguageModel], small structs of functions; what a host has to be told comes out as data, such as
// [Registration] and [PathBridge]. Nothing is read from the environment or the file system but through
// [Environment] and the function that [Load] is given; nothing is written.
//
// An error of a plugin may quote a secret. Every error, event and report of this package has been
// through the [auth.Redactor] of its provider, and a value that holds a secret does not show it when it
// is printed, logged or marshaled.
package bridge
