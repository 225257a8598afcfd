package conformance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// families are the suites by folder name.
func families() map[string]Suite {
	return map[string]Suite{
		"developer-messages": developerMessages(),
		"replay":             replayState(),
		"provider-bridge":    providerBridge(),
	}
}

// find lists the vector files of a path.
func find(path string) []FileResult {
	info, err := os.Stat(path)
	if err != nil {
		return []FileResult{{Path: path, Err: err}}
	}
	if !info.IsDir() {
		return []FileResult{vectorFile(path)}
	}
	known := families()
	name := familyName(path)
	if _, ok := known[name]; ok {
		return folder(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return []FileResult{{Path: path, Err: err}}
	}
	var files, others []FileResult
	for _, e := range entries {
		inner := filepath.Join(path, e.Name())
		if info, err := os.Stat(inner); err != nil || !info.IsDir() {
			continue
		}
		if _, ok := known[e.Name()]; ok {
			files = append(files, folder(inner)...)
		} else {
			others = append(others, FileResult{Path: inner, LeftOut: "not a family of vectors"})
		}
	}
	if files == nil {
		return folder(path)
	}
	return append(files, others...)
}

func folder(path string) []FileResult {
	entries, err := os.ReadDir(path)
	if err != nil {
		return []FileResult{{Path: path, Err: err}}
	}
	var files []FileResult
	for _, e := range entries {
		inner := filepath.Join(path, e.Name())
		switch {
		case e.IsDir():
			files = append(files, FileResult{Path: inner, LeftOut: "a folder inside a family is for information"})
		case filepath.Ext(e.Name()) == ".json":
			files = append(files, vectorFile(inner))
		}
	}
	if !slices.ContainsFunc(files, func(r FileResult) bool { return r.Operation != "" }) {
		return []FileResult{{Path: path, Err: fmt.Errorf("%s: no vector file (*.json) in this folder", path)}}
	}
	return files
}

func familyName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}

// vectorFile finds the operation of a file: in the family that its folder names, else in the one family
// that has it.
func vectorFile(path string) FileResult {
	r := FileResult{Path: path, Operation: strings.TrimSuffix(filepath.Base(path), ".json")}
	known := families()
	r.Family = familyName(filepath.Dir(path))
	suite, ok := known[r.Family]
	if !ok {
		r.Family = ""
		for family, s := range known {
			if _, has := s[r.Operation]; has {
				r.Family, suite = family, s
			}
		}
	}
	op, has := suite[r.Operation]
	if !has {
		r.Err = fmt.Errorf("%s: unknown operation %q: the file's name selects it", path, r.Operation)
	}
	r.LeftOut = op.leftOut
	return r
}

const maxFile = 64 << 20

func load(path string) (Value, error) {
	f, err := os.Open(path)
	if err != nil {
		return Value{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return Value{}, err
	}
	if len(data) > maxFile {
		return Value{}, fmt.Errorf("larger than %d bytes", maxFile)
	}
	cases, err := ParseValue(data)
	if err != nil {
		return Value{}, err
	}
	if cases.kind != jsonspan.Array {
		return Value{}, errors.New("not a list of cases")
	}
	return cases, nil
}
