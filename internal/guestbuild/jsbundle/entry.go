package jsbundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// extensions of modules, in the order in which they are looked for.
var extensions = []string{".ts", ".mts", ".tsx", ".js", ".mjs", ".jsx"}

// Entry finds the file of a folder in which a guest begins, with slashes: the "source" of package.json, then
// index.*, src/index.*, main.* and src/main.*, then the "main" of package.json. It answers "" if there is
// none.
func Entry(dir string) (string, error) {
	manifest, err := readPackage(dir)
	if err != nil {
		return "", err
	}
	if manifest.Source != "" {
		return named(dir, "source", manifest.Source)
	}
	for _, base := range []string{"index", "src/index", "main", "src/main"} {
		for _, ext := range extensions {
			if isFile(filepath.Join(dir, filepath.FromSlash(base+ext))) {
				return base + ext, nil
			}
		}
	}
	if manifest.Main != "" {
		return named(dir, "main", manifest.Main)
	}
	return "", nil
}

// TypeScript reports whether a file is TypeScript by its name.
func TypeScript(file string) bool {
	switch path.Ext(file) {
	case ".ts", ".mts", ".cts", ".tsx":
		return true
	}
	return false
}

type packageFile struct {
	Source string `json:"source"`
	Main   string `json:"main"`
}

func readPackage(dir string) (packageFile, error) {
	var p packageFile
	name := filepath.Join(dir, "package.json")
	text, err := os.ReadFile(name)
	if err != nil {
		return p, nil // there need not be one
	}
	var (
		syntax *json.SyntaxError
		wrong  *json.UnmarshalTypeError
	)
	switch err := json.Unmarshal(text, &p); {
	case errors.As(err, &syntax):
		before := text[:min(int(syntax.Offset), len(text))]
		return p, fmt.Errorf("%s:%d: %w", name, bytes.Count(before, []byte("\n"))+1, err)
	case errors.As(err, &wrong) && wrong.Field == "":
		return p, fmt.Errorf("%s: it is no JSON object", name)
	case errors.As(err, &wrong):
		return p, fmt.Errorf("%s: %q is not a text", name, wrong.Field)
	case err != nil:
		return p, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

func named(dir, key, file string) (string, error) {
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	for _, ext := range append([]string{""}, extensions...) {
		if isFile(filepath.Join(dir, filepath.FromSlash(file+ext))) {
			return file + ext, nil
		}
	}
	return "", fmt.Errorf("%s: %q names the file %s, which is not there", filepath.Join(dir, "package.json"), key, file)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

var exported = regexp.MustCompile(`(?m)^export const (\w+)`)

// Exports lists what guests can import from "pintle", besides types.
func Exports() []string {
	text, err := preludeFiles.ReadFile("prelude/pintle.js")
	if err != nil {
		return nil
	}
	var names []string
	for _, found := range exported.FindAllSubmatch(text, -1) {
		names = append(names, string(found[1]))
	}
	return names
}
