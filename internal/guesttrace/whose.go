package guesttrace

import (
	"regexp"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
)

// An owner is who wrote the function of a frame.
type owner int

const (
	author  owner = iota
	runtime       // of the language, its standard library or the SDK
	host          // the meter, and what a guest imports
)

// whose tells by a function's name who wrote it. Names are as compilers write them:
//
//	Rust            faults::sink(), <alloc::vec::Vec<T> as core::ops::drop::Drop>::drop(i32)
//	Go              main.sink(i32) i32, encoding_json.Marshal(i32) i32
//	AssemblyScript  assembly/index/sink(i32) i32, ~lib/rt/itcms/__new(i32,i32) i32
//	C               sink(i32,i32), pintle_panic_at(i32,i32,i32,i32)
//	JavaScript      sink (src/index.ts:13:13), map (native)
//
// What is not known to be of a runtime is the author's. A function without a name, as $49, is one that the host
// added, or tells nothing.
func whose(frame string) owner {
	if script.MatchString(frame) {
		return author
	}
	name, _, _ := strings.Cut(frame, "(")
	switch {
	case strings.HasPrefix(frame, "pintle/"):
		return host
	case name == "~start": // of AssemblyScript: what stands outside of functions, with those that are called only there
		return author
	case strings.HasPrefix(frame, "~"), strings.HasPrefix(frame, "$"), strings.HasSuffix(frame, " (native)"), isExport(name), slices.Contains(plain, name):
		return runtime
	case strings.Contains(name, "::"):
		return ofRust(name)
	case strings.ContainsAny(name, " /"):
		return author
	case strings.HasPrefix(name, "pintle_"), strings.HasPrefix(name, "__"), ofGo(name):
		return runtime
	}
	return author
}

// script is a frame with a place in a file of JavaScript or TypeScript.
var script = regexp.MustCompile(` \([^()]*\.[cm]?[jt]sx?(:\d+)*\)`)

// plain are functions of runtimes whose names say it only to those who know them: of the SDK and the library in
// C, of Rust's panics, and of Go, whose calls go through a function that its linker adds.
var plain = []string{
	"no_memory", "abort", "calloc", "dlfree", "dlmalloc", "free", "malloc", "memchr", "memcmp", "memcpy", "memmove", "memset",
	"printf_core", "qsort", "realloc", "snprintf", "strcmp", "strlen", "vsnprintf",
	"rust_begin_unwind", "rust_panic",
	"cmpbody", "memeqbody", "gcWriteBarrier", "wasm_pc_f_loop", "wasm_pc_f_loop_export", "_rt0_wasm_wasip1",
}

func isExport(name string) bool {
	for _, it := range abi.Interfaces() {
		for _, op := range it.Operations {
			if op.Export == name {
				return true
			}
		}
	}
	return name == abi.InitExport
}

// ofRust goes by the crate: of a method, that of its type, or of its trait where the type is not one of a crate.
func ofRust(name string) owner {
	if strings.HasPrefix(name, "<") {
		of, trait, _ := strings.Cut(name[1:], " as ")
		for _, prefix := range []string{"&", "mut ", "*const ", "*mut ", "[", "dyn "} {
			of = strings.TrimPrefix(of, prefix)
		}
		name = of
		if of, _, _ := strings.Cut(of, ">"); !strings.Contains(of, "::") {
			name = trait
		}
	}
	crate, _, _ := strings.Cut(name, "::")
	if slices.Contains([]string{"alloc", "compiler_builtins", "core", "dlmalloc", "hashbrown", "pintle", "std"}, crate) {
		return runtime
	}
	return author
}

// ofGo tells whether a function is of Go's library or the SDK. Slashes of a package's path are underlines; that of
// another module has a dot in its first part.
func ofGo(name string) bool {
	path, _, qualified := strings.Cut(name, ".")
	if !qualified {
		return false
	}
	first, _, _ := strings.Cut(path, "_")
	return slices.Contains(library, first) || strings.HasPrefix(name, "github.com_pintle_wasm_pintle_guests_sdk_go_") ||
		strings.HasPrefix(name, "type:.") || strings.HasPrefix(name, "go:")
}

// library has the first parts of the paths of Go's packages.
var library = []string{
	"archive", "bufio", "bytes", "cmp", "compress", "container", "context", "crypto", "database", "debug", "embed", "encoding",
	"errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index", "internal", "io", "iter", "log", "maps", "math",
	"mime", "net", "os", "path", "plugin", "reflect", "regexp", "runtime", "slices", "sort", "strconv", "strings", "structs", "sync",
	"syscall", "testing", "text", "time", "unicode", "unique", "unsafe", "vendor", "weak",
}
