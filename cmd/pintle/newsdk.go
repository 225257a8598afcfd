package main

import "io/fs"

// sdkSources are the SDKs of which a project has a copy, by language. Go fetches its own.
var sdkSources = map[string]fs.FS{}
