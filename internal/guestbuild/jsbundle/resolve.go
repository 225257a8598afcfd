package jsbundle

import (
	"github.com/evanw/esbuild/pkg/api"
)

// sdk lets guests import "pintle", and tells those that still import the reference extension what to do.
func sdk() api.Plugin {
	return api.Plugin{Name: "pintle", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^pintle$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: "pintle", Namespace: namespace}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: "^pintle$", Namespace: namespace}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			return preludeFile("pintle.js")
		})
		build.OnResolve(api.OnResolveOptions{Filter: reference}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Errors: []api.Message{{Text: a.Path + `: in a guest it is called "pintle"; change the import`}}}, nil
		})
	}}
}

// reference matches the names that the reference extension has had.
const reference = `^(@[^/]+/)?pi-(developer-messages|developer-prompt)$`

// What a guest does not have, by the modules of Node that would give it. Other modules of Node have no
// reason of their own.
var withoutHost = map[string]string{
	"fs": "a guest has no files", "fs/promises": "a guest has no files",
	"path": "a guest has no files, and so no paths of them",
	"http": noNetwork, "https": noNetwork, "http2": noNetwork, "net": noNetwork, "tls": noNetwork, "dns": noNetwork,
	"dns/promises": noNetwork, "dgram": noNetwork, "undici": noNetwork, "node-fetch": noNetwork,
	"child_process": "a guest starts no processes", "cluster": "a guest starts no processes",
	"worker_threads": "a guest has one thread",
	"process":        "a guest has no process: no environment, no arguments, no exit",
	"os":             "a guest does not see the machine that it runs on",
	"crypto":         "a guest has no cryptography of the host; take a package that is written in JavaScript",
	"timers":         noTimers, "timers/promises": noTimers,
	"readline": noTerminal, "readline/promises": noTerminal, "tty": noTerminal, "repl": noTerminal,
}

const (
	noNetwork  = "a guest has no network"
	noTimers   = "a guest has no timers"
	noTerminal = "a guest has no terminal"
)

// Modules of Node for which npm has a package of the same name that does without Node.
var onNPM = map[string]bool{
	"assert": true, "buffer": true, "events": true, "punycode": true, "querystring": true, "string_decoder": true,
	"url": true, "util": true,
}

// The rest of Node's modules.
var ofNode = map[string]bool{
	"async_hooks": true, "console": true, "constants": true, "diagnostics_channel": true, "domain": true,
	"inspector": true, "module": true, "perf_hooks": true, "sqlite": true, "stream": true, "stream/promises": true,
	"stream/web": true, "sys": true, "test": true, "trace_events": true, "v8": true, "vm": true, "wasi": true, "zlib": true,
}
