package guestbuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	csdk "github.com/pintle-wasm/pintle/guests/sdk/c"
)

var clang = &language{
	name:  "c",
	finds: func(dir string) bool { return has(dir, "*.c", "src/*.c") },
	build: withManifest(cModule),
}

// projectSDK is the folder of a project that has a copy of its language's SDK.
const projectSDK = "pintle"

// cModule compiles the C files of a folder and its folder src with the SDK: without a library, or as a
// reactor with wasi-libc if they include one of its headers.
func cModule(ctx context.Context, j *job) (module []byte, err error) {
	tools, err := findClang(ctx)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "pintle-build-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	c := &cBuild{clangTools: tools, job: j, tmp: tmp}
	if err := c.findSDK(); err != nil {
		return nil, err
	}
	err = c.compile(ctx)
	if missing := (*missingHeader)(nil); errors.As(err, &missing) && isLibraryHeader(missing.name) {
		c.libc = true
		c.needs = missing.name
		err = c.compile(ctx)
	}
	if err == nil {
		module, err = c.link(ctx)
	}
	if err != nil {
		return nil, err
	}
	j.say(c.messages())
	return module, nil
}

type cBuild struct {
	clangTools
	job   *job
	tmp   string
	sdk   string // folder of the SDK's sources
	libc  bool
	needs string // the header that made libc true
	said  bytes.Buffer
}

// findSDK looks for the project's copy of the SDK and unpacks the command's own if there is none.
func (c *cBuild) findSDK() error {
	c.sdk = filepath.Join(c.job.dir, projectSDK)
	if has(c.sdk, "*.c") {
		return nil
	}
	c.sdk = filepath.Join(c.tmp, projectSDK)
	return os.CopyFS(c.sdk, csdk.Files)
}

// sources are the C files in an order that is always the same. Tests for the author's own machine are none.
func (c *cBuild) sources() []string {
	var all []string
	for _, pattern := range []string{filepath.Join(c.job.dir, "*.c"), filepath.Join(c.job.dir, "src", "*.c"), filepath.Join(c.sdk, "*.c")} {
		found, _ := filepath.Glob(pattern) // the error is about the pattern
		slices.Sort(found)
		all = append(all, found...)
	}
	return slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, "_test.c") })
}

func (c *cBuild) object(i int) string { return filepath.Join(c.tmp, fmt.Sprintf("%d.o", i)) }

// compile makes an object of each source. The linker gets no debug information, but functions keep their names.
func (c *cBuild) compile(ctx context.Context) error {
	c.said.Reset()
	flags := []string{"-Os", "-mbulk-memory", "-Wall", "-Wextra", "-I" + c.sdk,
		// What __FILE__ says does not depend on where the build takes place.
		"-fmacro-prefix-map=" + c.sdk + "/=", "-fmacro-prefix-map=" + c.job.dir + "/="}
	if !c.libc {
		flags = append(flags, "-ffreestanding", "-nostdlibinc")
	}
	for i, source := range c.sources() {
		args := slices.Concat(c.target(), flags, []string{"-c", "-o", c.object(i), source})
		if err := c.run(ctx, args); err != nil {
			return err
		}
	}
	return nil
}

func (c *cBuild) target() []string {
	if c.libc {
		return []string{"--target=wasm32-wasi"}
	}
	return []string{"--target=wasm32"}
}

// link makes the module. -O stays away from it: clang 14 would run the wasm-opt that it finds, which does not
// know what clang wrote. The stack is in front of the data, so that an overflow leaves memory and traps.
func (c *cBuild) link(ctx context.Context) ([]byte, error) {
	out := filepath.Join(c.tmp, "guest.wasm")
	args := append(c.target(), "-fuse-ld="+c.linker, "-Wl,-z,stack-size=65536", "-Wl,--stack-first", "-Wl,--strip-debug",
		"-Wl,--compress-relocations", "-o", out)
	if c.libc {
		args = append(args, "-mexec-model=reactor")
	} else {
		args = append(args, "-nostdlib", "-Wl,--no-entry")
	}
	for i := range c.sources() {
		args = append(args, c.object(i))
	}
	if err := c.run(ctx, args); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

func (c *cBuild) run(ctx context.Context, args []string) error {
	cmd := c.command(ctx, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	c.said.Write(said.Bytes())
	if err == nil {
		return nil
	}
	if name, ok := headerNotFound(said.String()); ok {
		return &missingHeader{name: name, text: c.failed(err)}
	}
	return errors.New(c.failed(err))
}

// failed is the text of an error: what the compiler said, and what may be missing.
func (c *cBuild) failed(err error) string {
	text := fmt.Sprintf("clang: %v\n%s", err, strings.TrimSpace(string(c.messages())))
	said := c.said.String()
	switch {
	case c.libc && (strings.Contains(said, "file not found") || strings.Contains(said, "crt1") || strings.Contains(said, "libclang_rt")):
		text += fmt.Sprintf("\nthe guest includes <%s>, which is a header of wasi-libc; on Debian and Ubuntu:"+
			" apt-get install wasi-libc libclang-rt-%s-dev-wasm32", c.needs, c.version)
	case strings.Contains(said, "wasm-opt"):
		text += "\nclang ran the wasm-opt of the package binaryen, which is older or newer than clang: take it off the PATH"
	}
	return text
}

// messages are the compiler's, about the SDK as if it were in the project.
func (c *cBuild) messages() []byte {
	return bytes.ReplaceAll(c.said.Bytes(), []byte(c.tmp+string(filepath.Separator)), nil)
}
