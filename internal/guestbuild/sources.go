package guestbuild

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// maxSources bounds how many files of a folder are looked at.
const maxSources = 10_000

// CasesFile is the name of the file with a guest's cases, which is no source.
const CasesFile = "cases.json"

// compiled are the endings and names of the files that a language compiles.
var compiled = map[string][]string{
	golang.name:         {".go", ".s", "go.mod", "go.sum"},
	rust.name:           {".rs", "Cargo.toml", "Cargo.lock"},
	assemblyscript.name: {".ts", "asconfig.json"},
	clang.name:          {".c", ".h"},
	typescript.name:     {".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"},
	javascript.name:     {".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"},
}

// SkipsFolder reports whether a folder of this name inside a guest's holds no sources of the author's.
func SkipsFolder(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "target"
}

// NewerSource returns a source of a guest in a folder that was written after a time, the newest one, and false if
// there is none. Sources are pintle.toml and what the language compiles: the modules that were bundled if the
// guest says which, else files with the language's endings. Data that is compiled into a guest is not known. What
// cannot be read does not count.
func NewerSource(dir string, a *runtime.Artifact, than time.Time) (path string, ok bool) {
	look := func(name string) {
		if info, err := os.Stat(name); err == nil && info.ModTime().After(than) {
			path, ok, than = name, true, info.ModTime()
		}
	}
	look(filepath.Join(dir, ManifestFile))
	if bundled := bundledSources(a); len(bundled) > 0 {
		for _, name := range append(bundled, scriptProject...) { // what is in a bundle depends on both files
			look(filepath.Join(dir, filepath.FromSlash(name)))
		}
		return path, ok
	}
	l, err := languageOf(dir)
	if err != nil {
		return path, ok
	}
	seen := 0
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if seen++; seen > maxSources {
			return fs.SkipAll
		}
		switch {
		case err != nil && name == dir:
			return err
		case err != nil:
		case e.IsDir() && name != dir && SkipsFolder(e.Name()):
			return fs.SkipDir
		case !e.IsDir() && l.compiles(e.Name()):
			look(name)
		}
		return nil
	})
	return path, ok
}

// compiles reports whether a build in the language reads files of a name.
func (l *language) compiles(name string) bool {
	switch {
	case strings.HasPrefix(name, "."), strings.HasSuffix(name, "_test.go"), strings.HasSuffix(name, "_test.c"):
		return false
	}
	return slices.Contains(compiled[l.name], filepath.Ext(name)) || slices.Contains(compiled[l.name], name)
}

// bundledSources are the files that the source map of a bundle names, relative to the guest's folder.
func bundledSources(a *runtime.Artifact) []string {
	sections, _ := a.Module().CustomSection(abi.BundleSection)
	if len(sections) != 1 {
		return nil
	}
	bundle, err := abi.DecodeBundle(sections[0])
	if err != nil {
		return nil
	}
	var sourceMap struct {
		Sources []string `json:"sources"`
	}
	if json.Unmarshal([]byte(bundle.Map), &sourceMap) != nil {
		return nil
	}
	return slices.DeleteFunc(sourceMap.Sources[:min(len(sourceMap.Sources), maxSources)], elsewhere)
}

// elsewhere tells names of files that no guest of this folder is built from, for all that a map may say: others
// than its own and those of packages here or above.
func elsewhere(name string) bool {
	clean := filepath.Clean(filepath.FromSlash(name))
	inside := strings.TrimLeft(filepath.ToSlash(clean), "./")
	return !filepath.IsLocal(clean) && (filepath.IsAbs(clean) || !strings.HasPrefix(inside, "node_modules/"))
}
