package quickjs

import "strings"

// missing says why a guest does not have what a program for browsers or servers may expect, by name, or where the SDK
// has it. None of them is defined, so that a program can find out with typeof.
var missing = map[string]string{
	"fetch":           "a guest has no network: what it works on comes with the request",
	"XMLHttpRequest":  "a guest has no network: what it works on comes with the request",
	"WebSocket":       "a guest has no network: what it works on comes with the request",
	"process":         "a guest has no process: settings come by the capability `config`",
	"Deno":            "a guest does not run in Deno: it has no files, network or environment",
	"Bun":             "a guest does not run in Bun: it has no files, network or environment",
	"require":         "a guest has no modules at run time: import what it needs, and `pintle build` puts it into the bundle",
	"module":          "a guest has no modules at run time: write `export`, and `pintle build` makes the bundle",
	"exports":         "a guest has no modules at run time: write `export`, and `pintle build` makes the bundle",
	"fs":              "a guest has no files",
	"__dirname":       "a guest has no files",
	"__filename":      "a guest has no files",
	"Buffer":          "a guest has no Buffer: use Uint8Array",
	"setTimeout":      "a guest has no timers: its call ends when it has answered",
	"setInterval":     "a guest has no timers: its call ends when it has answered",
	"setImmediate":    "a guest has no timers: use queueMicrotask or a promise",
	"crypto":          "a guest has no crypto: Math.random is random if the capability `random` is granted",
	"TextEncoder":     "a guest has no TextEncoder: texts cross as strings",
	"TextDecoder":     "a guest has no TextDecoder: texts cross as strings",
	"URL":             "a guest has no URL: take addresses apart as strings",
	"Intl":            "a guest has no Intl: it knows one locale, and UTC",
	"WebAssembly":     "a guest has no WebAssembly: it is a module itself",
	"Worker":          "a guest has one thread",
	"AbortController": "a guest has no events: its call ends when it has answered",
	"structuredClone": "a guest has no structuredClone: use JSON.parse(JSON.stringify(value))",
	"localStorage":    "a guest has no localStorage: the capability `kv` keeps things for a session",
	"sessionStorage":  "a guest has no sessionStorage: the capability `kv` keeps things for a session",
	"navigator":       "a guest runs in no browser",
	"window":          "a guest runs in no browser: its global object is globalThis",
	"document":        "a guest runs in no browser",
	"self":            "a guest runs in no browser: its global object is globalThis",
	"global":          "a guest does not run in Node: its global object is globalThis",

	"registerDeveloperMessageContribution": fromSDK,
	"registerPayloadAdapter":               fromSDK,
	"registerSystemPromptPayloadAdapter":   fromSDK,
	"useV1":                                fromSDK,
	"config":                               fromSDK,
	"kv":                                   fromSDK,
	"log":                                  fromSDK,
}

const fromSDK = `a guest imports it from "pintle"`

// withHint explains the error about a name that is not defined, and about a module whose name the bundler did not see.
func withHint(reason string) string {
	if strings.HasPrefix(reason, "Error: Dynamic require of ") ||
		strings.HasPrefix(reason, "ReferenceError: could not load module ") {
		return reason + ": " + missing["require"]
	}
	rest, ok := strings.CutPrefix(reason, "ReferenceError: ")
	name, _, found := strings.Cut(rest, " is not defined")
	if !ok || !found {
		return reason
	}
	name = strings.Trim(name, "'")
	if hint := missing[name]; hint != "" {
		return reason + ": " + hint
	}
	return reason
}
