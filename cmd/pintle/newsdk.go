package main

import (
	"io/fs"

	assemblyscriptsdk "github.com/pintle-wasm/pintle/guests/sdk/assemblyscript"
	csdk "github.com/pintle-wasm/pintle/guests/sdk/c"
	rustsdk "github.com/pintle-wasm/pintle/guests/sdk/rust"
	typescriptsdk "github.com/pintle-wasm/pintle/guests/sdk/typescript"
)

// sdkSources are the SDKs of which a project has a copy as they are, by language. That for Go gets other import
// paths, see asGoModule.
var sdkSources = map[string]fs.FS{
	"assemblyscript": assemblyscriptsdk.Files,
	"c":              csdk.Files,
	"javascript":     typescriptsdk.Files,
	"rust":           rustsdk.Files,
	"typescript":     typescriptsdk.Files,
}
