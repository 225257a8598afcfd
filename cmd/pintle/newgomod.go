package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/guests/sdk"
)

// sdkModule is the module that has the SDK for Go.
const sdkModule = "github.com/pintle-wasm/pintle"

// asGoModule makes the guest a module of its own that requires no other one: the SDK is a folder of it, so that
// nothing has to be fetched. Paths that begin with "example" are for that; with a bare name the module would meet
// packages of the standard library.
func (p *newProject) asGoModule() error {
	module := "example/" + p.name
	copied, err := sdk.Go(module + "/" + sdkFolder)
	if err != nil {
		return err
	}
	for i, f := range p.files {
		if strings.HasSuffix(f.path, ".go") {
			p.files[i].text = bytes.ReplaceAll(f.text, []byte(`"`+sdk.Module), []byte(`"`+module+"/"+sdkFolder))
		}
	}
	for name, text := range copied {
		p.files = append(p.files, newFile{sdkFolder + "/" + name, []byte(text)})
	}
	p.files = append(p.files, newFile{"go.mod", []byte("module " + module + "\n\ngo 1.26.0\n")})
	return nil
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
