package guestbuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

var golang = &language{
	name:  "go",
	finds: func(dir string) string { return first(dir, "*.go") },
	owns:  []string{"go.mod"},
	build: withManifest(goModule),
}

// goModule compiles a Go package as a WASI reactor. Names are kept: traces need them, and they are two
// percent of the file.
func goModule(ctx context.Context, j *job) (module []byte, err error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("the go command is needed to build a Go guest: %w; it comes from https://go.dev/dl, on Debian and Ubuntu: apt-get install golang-go", err)
	}
	tmp, err := os.MkdirTemp("", "pintle-build-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	out := filepath.Join(tmp, "guest.wasm")
	cmd := exec.CommandContext(ctx, tool, "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-o", out, ".")
	cmd.Dir = j.dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS="+goFlags())
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		text := strings.TrimSpace(said.String())
		if strings.Contains(text, "missing go.sum entry") || strings.Contains(text, "no required module provides package") ||
			strings.Contains(text, "updates to go.mod needed") {
			text += "\n" + missing(j.dir, text)
		}
		return nil, fmt.Errorf("go build: %w\n%s", err, text)
	}
	j.say(said.Bytes())
	return os.ReadFile(out)
}

// sdkPath is where the SDK is for a guest whose module requires Pintle.
const sdkPath = "github.com/pintle-wasm/pintle/guests/sdk/go"

// missing says what to do about modules that go.mod lacks. A new guest has the SDK in a folder of its own, and an
// example from elsewhere may import it from Pintle's module.
func missing(dir, text string) string {
	tidy := "run `go mod tidy` in the guest's folder first"
	if !strings.Contains(text, sdkPath) {
		return tidy
	}
	if _, err := os.Stat(filepath.Join(dir, "pintle", "value.go")); err != nil {
		return tidy
	}
	file, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return tidy
	}
	name := ""
	for line := range strings.Lines(string(file)) {
		if rest, ok := strings.CutPrefix(line, "module "); ok {
			name = strings.TrimSpace(rest)
			break
		}
	}
	return "the SDK is in the guest's folder pintle: import " + name + "/pintle in place of " + sdkPath
}

// goFlags drops flags that make no sense for a guest or break the build of one: -race has no support
// for Wasm, and -cover changes what is built.
func goFlags() string {
	var kept []string
	for _, f := range strings.Fields(os.Getenv("GOFLAGS")) {
		if !strings.HasPrefix(f, "-race") && !strings.HasPrefix(f, "-cover") {
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, " ")
}
