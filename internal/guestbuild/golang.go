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
			text += "\nrun `go mod tidy` in the guest's folder first"
		}
		return nil, fmt.Errorf("go build: %w\n%s", err, text)
	}
	j.say(said.Bytes())
	return os.ReadFile(out)
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
