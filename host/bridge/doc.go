// Package bridge makes AI SDK providers, which come as plugins, into providers of a host of the Pi
// family: it reads what is configured, chooses what to use of a plugin's package, names the provider,
// lists its models, and calls a model from the host's context to the events of its answer.
//
// The rules are those of the provider bridge's specification:
//
//   - what is used of a package, names, what the host is told, the options of a call: section "Registration
//     and discovery";
//   - the file, where it is looked for, and which host it is: "Config";
//   - where a plugin finds the host's files: "Path bridge"; a provider's own tools: "Isolation" and "Cursor
//     tools";
//   - a call that fails before its answer begins: "Termination";
//   - what differs by host: "Host differences", by package profile;
//   - keys that look like variables, and names that the reference has missed: "Reference gaps and the sound
//     default", rules 10 and 11. The reference's other gaps are those of the packages below.
//
// Models are those of the AI SDK's language model specification, versions V2, V3 and V4 as in
// @ai-sdk/provider 2.0.5, 3.0.19 and 4.0.38. The hosts are pi (@earendil-works/pi-ai and pi-coding-agent
// 1.6.0) and omp (@oh-my-pi/pi-ai 18.2.11, coding agent 18.3.4). The reference is the bridge's newest state
// after its release 0.4.3; the build that its README describes is around 0.4.1.
//
// The text of the specification is not part of this repository; testdata/vectors/provider-bridge has its
// cases.
//
// Plugins are written in JavaScript. What runs them comes in through [Module], [Plugin] and
// [LanguageModel], small structs of functions; what a host has to be told comes out as data, such as
// [Registration] and [PathBridge]. Nothing is read from the environment or the file system but through
// [Environment] and the function that [Load] is given; nothing is written.
//
// An error of a plugin may quote a secret. The [auth.Redactor] of the provider has been through the errors
// that this package returns for what a plugin does, through the notes of a [Registration], and through what
// the message of a call that has failed says of why: ErrorMessage, ErrorTool and Cause. It does not go
// through what a provider sends as its answer: the text, reasoning, tool calls and files of events and
// messages are as they came. A value that holds a secret does not show it when it is printed, logged or
// marshaled.
package bridge
