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

	rustsdk "github.com/pintle-wasm/pintle/guests/sdk/rust"
	"github.com/pintle-wasm/pintle/internal/rustname"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

var rust = &language{
	name:  "rust",
	finds: func(dir string) string { return first(dir, "Cargo.toml", "src/lib.rs", "lib.rs") },
	owns:  []string{"Cargo.toml"},
	build: withManifest(rustModule),
}

// rustFlags make a small module without debug information but with names. Copies of memory are instructions,
// which the compiler's own library of 1.63 does not use by itself.
var rustFlags = []string{
	"--target", rustTarget, "-C", "opt-level=s", "-C", "panic=abort", "-C", "codegen-units=1",
	"-C", "target-feature=+bulk-memory",
}

// rustLinkFlags are those of the guest alone. The stack is 64 KiB, in front of the data, where rustc puts it.
var rustLinkFlags = []string{"-C", "lto", "-C", "strip=debuginfo", "-C", "link-arg=-zstack-size=65536"}

// rustModule compiles a crate: by the compiler alone if it depends on nothing but the SDK, else by cargo. The
// compiler's symbols become the paths that traces show.
func rustModule(ctx context.Context, j *job) (module []byte, err error) {
	crate, err := readCrate(j.dir)
	if err != nil {
		return nil, &InputError{err}
	}
	rustc, err := findRustc(ctx, systemFolders)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "pintle-build-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	b := &rustBuild{job: j, crate: crate, rustc: rustc, tmp: tmp}
	if crate.cargo != "" {
		module, err = b.byCargo(ctx)
	} else {
		module, err = b.byCompiler(ctx)
	}
	if err != nil {
		return nil, err
	}
	parsed, err := wasmbin.Parse(module, wasmbin.DefaultLimits())
	if err != nil {
		return nil, err
	}
	return parsed.RenameFunctions(rustname.Demangle), nil
}

type rustBuild struct {
	job   *job
	crate crate
	rustc string
	tmp   string
}

// byCompiler compiles the SDK and then the crate. Both run in their own folder, so what they say of places
// begins there, and the module does not tell where it was built.
func (b *rustBuild) byCompiler(ctx context.Context) ([]byte, error) {
	sdk, err := b.sdk()
	if err != nil {
		return nil, err
	}
	library, out := filepath.Join(b.tmp, "libpintle.rlib"), filepath.Join(b.tmp, "guest.wasm")
	err = b.compile(ctx, sdk, []string{"--crate-name", "pintle", "--crate-type", "rlib", "--edition", "2021", "--cap-lints", "allow",
		"--remap-path-prefix", "src=pintle/src", "-o", library, "src/lib.rs"})
	if err != nil {
		return nil, err
	}
	args := append([]string{"--crate-name", b.crate.name, "--crate-type", "cdylib", "--edition", b.crate.edition,
		"--extern", "pintle=" + library, "-o", out, b.crate.source}, rustLinkFlags...)
	if err := b.compile(ctx, b.job.dir, args); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// sdk returns the folder of the project's copy of the SDK, or unpacks the command's own.
func (b *rustBuild) sdk() (string, error) {
	own, err := filepath.Abs(filepath.Join(b.job.dir, projectSDK))
	if err != nil || has(own, "src/lib.rs") {
		return own, err
	}
	unpacked := filepath.Join(b.tmp, projectSDK)
	return unpacked, os.CopyFS(unpacked, rustsdk.Files)
}

func (b *rustBuild) compile(ctx context.Context, dir string, args []string) error {
	cmd := exec.CommandContext(ctx, b.rustc, append(args, rustFlags...)...)
	// What a crate asks of cargo about itself it gets here as well.
	cmd.Env = append(os.Environ(), "CARGO_PKG_NAME="+b.crate.pkg, "CARGO_PKG_VERSION="+b.crate.version)
	return b.run(cmd, dir)
}

func (b *rustBuild) run(cmd *exec.Cmd, dir string) error {
	var said bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &said
	// A compiler that the PATH does not lead to has its linker beside it.
	path := append(filepath.SplitList(os.Getenv("PATH")), filepath.Dir(b.rustc))
	cmd.Env = append(cmd.Environ(), "PATH="+strings.Join(path, string(filepath.ListSeparator)))
	err := cmd.Run()
	if err == nil {
		b.job.say(said.Bytes())
		return nil
	}
	text := fmt.Sprintf("%s: %v\n%s", filepath.Base(cmd.Path), err, strings.TrimSpace(said.String()))
	switch {
	case strings.Contains(text, "linker `rust-lld` not found"):
		text += "\nthe linker comes with rustup's compilers; on Debian and Ubuntu: apt-get install lld-14" +
			" (the lld of the LLVM that rustc was built with)"
	case strings.Contains(text, "to learn about target-specific information"):
		text += "\nthis cargo is of another release than " + b.rustc + "; on Debian and Ubuntu: apt-get install cargo"
	}
	return errors.New(text)
}
