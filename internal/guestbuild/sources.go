package guestbuild

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// maxSources bounds how many files of a folder are looked at.
const maxSources = 10_000

// sourceExtensions are those of files that a build may read.
var sourceExtensions = []string{".toml", ".lock", ".json", ".go", ".mod", ".sum", ".rs", ".c", ".h", ".s",
	".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".txt", ".md", ".html"}

// others are files about a guest, of which no build takes anything.
var others = []string{CasesFile, "README.md", "CHANGELOG.md", "LICENSE.md", "LICENSE.txt"}

// IsSource reports whether a build of a guest may read a file of this name. It may be wrong about data that is
// compiled into a guest under a name of its own.
func IsSource(name string) bool {
	return slices.Contains(sourceExtensions, filepath.Ext(name)) && !slices.Contains(others, name) && !strings.HasPrefix(name, ".")
}

// SkipsFolder reports whether a folder of this name inside a guest's holds no sources of the author's.
func SkipsFolder(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "target"
}

// CasesFile is the name of the file with a guest's cases, which is no source.
const CasesFile = "cases.json"

// NewerSource returns a source in a folder that was written after a time, the newest one, and false if there
// is none. What cannot be read does not count.
func NewerSource(dir string, than time.Time) (path string, ok bool) {
	seen := 0
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if seen++; seen > maxSources {
			return fs.SkipAll
		}
		switch {
		case err != nil && name == dir:
			return err
		case err != nil:
			return nil
		case e.IsDir() && name != dir && SkipsFolder(e.Name()):
			return fs.SkipDir
		case e.IsDir() || !IsSource(e.Name()):
			return nil
		}
		if info, err := os.Stat(name); err == nil && info.ModTime().After(than) {
			path, ok, than = name, true, info.ModTime()
		}
		return nil
	})
	return path, ok
}
