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
	finds: func(dir string) string { return first(dir, "*.c", "src/*.c") },
	build: withManifest(cModule),
}

// libraryTargets are the names that wasi-libc goes by, of today and of tomorrow.
var libraryTargets = []string{"wasm32-wasi", "wasm32-wasip1"}

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
	c := &cBuild{clangTools: tools, job: j, tmp: tmp, target: "wasm32"}
	if err := c.findSDK(); err != nil {
		return nil, err
	}
	err = c.compile(ctx)
	for _, target := range libraryTargets {
		missing := (*missingHeader)(nil)
		if !errors.As(err, &missing) || !isLibraryHeader(missing.name) {
			break
		}
		c.target, c.needs = target, missing.name
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
	job    *job
	tmp    string
	sdk    string // folder of the SDK's sources
	target string
	needs  string // the header for which the target has a C library; empty: it has none
	said   bytes.Buffer
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
	for _, dir := range []string{c.job.dir, filepath.Join(c.job.dir, "src"), c.sdk} {
		found, _ := filepath.Glob(filepath.Join(dir, "*.c")) // the error is about the pattern
		slices.Sort(found)
		all = append(all, found...)
	}
	return slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, "_test.c") })
}

func (c *cBuild) object(i int) string { return filepath.Join(c.tmp, fmt.Sprintf("%d.o", i)) }

// compile makes an object of each source. The linker gets no debug information, but functions keep their names.
func (c *cBuild) compile(ctx context.Context) error {
	c.said.Reset()
	flags := []string{"-Os", "-mbulk-memory", "-Wall", "-Wextra", "-Wno-unused-parameter",
		"-Wno-deprecated", "-Wdeprecated-declarations", // newer compilers have another name for the target
		"-I" + c.sdk,
		// What would be called with a wrong signature, and trap, is an error, as newer compilers have it.
		"-Werror=incompatible-pointer-types", "-Werror=implicit-function-declaration", "-Werror=int-conversion",
		"-Werror=return-type",
		// What __FILE__ says does not depend on where the build takes place.
		"-fmacro-prefix-map=" + within(c.sdk) + "=", "-fmacro-prefix-map=" + within(c.job.dir) + "="}
	if c.needs == "" {
		flags = append(flags, "-ffreestanding", "-nostdlibinc")
	}
	for i, source := range c.sources() {
		args := slices.Concat([]string{"--target=" + c.target}, flags, []string{"-c", "-o", c.object(i), source})
		if err := c.run(ctx, args); err != nil {
			return err
		}
	}
	return nil
}

// within is how paths of files in a folder begin.
func within(dir string) string { return filepath.Clean(dir) + string(filepath.Separator) }

// link makes the module. -O stays away from it: clang 14 would run the wasm-opt that it finds, which does not
// know what clang wrote. The stack is in front of the data, so that an overflow leaves memory and traps.
func (c *cBuild) link(ctx context.Context) ([]byte, error) {
	out := filepath.Join(c.tmp, "guest.wasm")
	args := []string{"--target=" + c.target, "-Wno-deprecated", "-fuse-ld=" + c.linker, "-o", out,
		"-Wl,-z,stack-size=65536", "-Wl,--stack-first", "-Wl,--strip-debug", "-Wl,--compress-relocations"}
	if c.needs != "" {
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
	mentions := func(s string) bool { return strings.Contains(said, s) }
	switch {
	case c.needs != "" && (mentions("file not found") || mentions("crt1") || mentions("libclang_rt")):
		text += fmt.Sprintf("\nthe guest includes <%s>, which is a header of wasi-libc; on Debian and Ubuntu:"+
			" apt-get install wasi-libc libclang-rt-%s-dev-wasm32", c.needs, c.version)
	case mentions("wasm-opt"):
		text += "\nclang ran a wasm-opt that does not fit it (the package binaryen): take it off the PATH"
	}
	return text
}

// messages are the compiler's, about the SDK as if it were in the project, and the linker's about sources.
func (c *cBuild) messages() []byte {
	said := c.said.Bytes()
	for i, source := range c.sources() {
		said = bytes.ReplaceAll(said, []byte(c.object(i)), []byte(source))
	}
	return bytes.ReplaceAll(said, []byte(within(c.tmp)), nil)
}
