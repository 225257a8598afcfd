package guestbuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// Options say what to build.
type Options struct {
	Dir    string    // folder with pintle.toml
	Module string    // a module that is already compiled; empty: compile the Go package in Dir
	Out    string    // file to write, with the folders that it needs; empty: Dir's name with .wasm, in Dir
	Stderr io.Writer // the compiler's messages; nil: discarded
}

// Build compiles a guest, writes its manifest into it and checks the result against the contract. The
// file appears only if all went well. It returns what was built. The error is an [*InputError] if there
// was nothing to build from, a [*ContractError] if what was built does not fit its manifest.
func Build(ctx context.Context, opts Options) (out string, a *runtime.Artifact, err error) {
	manifest, err := ReadManifest(opts.Dir)
	if err != nil {
		return "", nil, &InputError{err}
	}
	module, err := compiled(ctx, opts)
	if err != nil {
		return "", nil, err
	}
	file, err := Attach(module, manifest)
	if err != nil && opts.Module != "" {
		return "", nil, &InputError{fmt.Errorf("%s: %w", opts.Module, err)}
	}
	if err != nil {
		return "", nil, err
	}
	out, err = outputPath(opts)
	if err != nil {
		return "", nil, err
	}
	a, err = runtime.Examine(filepath.Base(out), file)
	if err != nil {
		return "", nil, err
	}
	if len(a.Problems) > 0 {
		return "", nil, &ContractError{Name: filepath.Base(out), Problems: a.Problems}
	}
	return out, a, writeFile(out, file)
}

// An InputError says that the folder, its pintle.toml or the module cannot be used, before anything
// was built.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// A ContractError says that what was compiled does not fit its manifest.
type ContractError struct {
	Name     string
	Problems []runtime.Problem
}

func (e *ContractError) Error() string {
	return fmt.Sprintf("%s does not fit its manifest:\n%s", e.Name, runtime.Report(e.Problems))
}

// Attach puts a manifest into a module, in place of one that it had.
func Attach(module []byte, m *abi.Manifest) ([]byte, error) {
	section, err := abi.EncodeManifest(m)
	if err != nil {
		return nil, err
	}
	parsed, err := wasmbin.Parse(module, wasmbin.DefaultLimits())
	if err != nil {
		return nil, err
	}
	return parsed.WithCustomFirst(abi.ManifestSection, section), nil
}

func outputPath(opts Options) (string, error) {
	if opts.Out != "" {
		return opts.Out, nil
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(opts.Dir, filepath.Base(dir)+".wasm"), nil
}

func compiled(ctx context.Context, opts Options) ([]byte, error) {
	if opts.Module != "" {
		module, err := os.ReadFile(opts.Module)
		if err != nil {
			return nil, &InputError{err}
		}
		return module, nil
	}
	sources, err := filepath.Glob(filepath.Join(opts.Dir, "*.go"))
	if err != nil {
		return nil, err
	}
	if len(sources) == 0 {
		return nil, &InputError{fmt.Errorf("%s holds no Go files; compile the module in its own language and pass it with --module", opts.Dir)}
	}
	return goModule(ctx, opts)
}

// goModule compiles a Go package as a WASI reactor. Names are kept: traces need them, and they are two
// percent of the file.
func goModule(ctx context.Context, opts Options) (module []byte, err error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return nil, fmt.Errorf("the go command is needed to build a Go guest: %w", err)
	}
	tmp, err := os.MkdirTemp("", "pintle-build-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	out := filepath.Join(tmp, "guest.wasm")
	cmd := exec.CommandContext(ctx, tool, "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-o", out, ".")
	cmd.Dir = opts.Dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS="+goFlags())
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, strings.TrimSpace(said.String()))
	}
	if opts.Stderr != nil {
		_, _ = opts.Stderr.Write(said.Bytes())
	}
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

// writeFile replaces a file in one step, so that a reader never sees half of one.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
