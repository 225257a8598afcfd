package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// sdkModule is the module that has the SDK for Go.
const sdkModule = "github.com/pintle-wasm/pintle"

// goMod is the go.mod of a guest that is a module of its own.
func goMod(name string) []byte {
	return []byte("module " + name + "\n\ngo 1.26.0\n\nrequire " + sdkModule + " " + sdkVersion() + "\n")
}

var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-(alpha|beta|rc)[.0-9]*)?$`)

// noVersion is that of an SDK which is nowhere to be fetched from.
const noVersion = "v0.0.0"

// sdkVersion is the version of the SDK that goes with this command.
func sdkVersion() string {
	if v := version(); released.MatchString(v) {
		return v
	}
	return noVersion
}

// goModCommands complete a go.mod.
func goModCommands() []string {
	if sdkVersion() == noVersion {
		return []string{"go mod edit -replace " + sdkModule + "=CHECKOUT  # where the sources of this command are: it is a development build", "go mod tidy"}
	}
	return []string{"go mod tidy"}
}

// insideSDKModule tells whether a folder belongs to a Go module that is the SDK's or requires it.
func insideSDKModule(dir string) bool {
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			return requiresSDK(string(text))
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

func requiresSDK(goMod string) bool {
	for line := range strings.Lines(goMod) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(line)
		if len(fields) > 0 && (fields[0] == "module" || fields[0] == "require") {
			fields = fields[1:]
		}
		if len(fields) > 0 && fields[0] == sdkModule {
			return true
		}
	}
	return false
}
