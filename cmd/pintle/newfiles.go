package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/guests/templates"
)

// A newProject is a guest that is about to be written.
type newProject struct {
	dir            string // absolute
	name           string
	language, kind string
	files          []newFile
}

type newFile struct {
	path string // with slashes
	text []byte
}

// sdkFolder is where a project has the SDK's sources. A build takes them from there.
const sdkFolder = "pintle"

// collect reads the template, and the SDK if it is copied.
func (p *newProject) collect() error {
	template, err := templates.Of(p.language, p.kind)
	if err != nil {
		return err
	}
	// Sources that stand for the name have no other use for this.
	named := strings.NewReplacer("{{name}}", p.name)
	if err := p.add(template, "", func(text string) string { return named.Replace(text) }); err != nil {
		return err
	}
	if copied, ok := sdkSources[p.language]; ok {
		if err := p.add(copied, sdkFolder, func(text string) string { return text }); err != nil {
			return err
		}
	}
	if p.language == "go" && !insideSDKModule(filepath.Dir(p.dir)) {
		if err := p.asGoModule(); err != nil {
			return err
		}
	}
	slices.SortFunc(p.files, func(a, b newFile) int { return strings.Compare(a.path, b.path) })
	return nil
}

func (p *newProject) add(from fs.FS, under string, change func(string) string) error {
	return fs.WalkDir(from, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		p.files = append(p.files, newFile{path.Join(under, name), []byte(change(string(text)))})
		return nil
	})
}

// write makes the folder, which may be there if it is empty, and the files, none of which may.
func (p *newProject) write() error {
	entries, err := os.ReadDir(p.dir)
	switch {
	case err == nil && len(entries) > 0:
		return &usageError{err: fmt.Errorf("%s is not empty: it has %s", p.dir, entries[0].Name()), hint: "take another name, or an empty folder"}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return &usageError{err: err} // it is no folder
	}
	for _, f := range p.files {
		to := filepath.Join(p.dir, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := writeNew(to, f.text); err != nil {
			return err
		}
	}
	return nil
}

func writeNew(to string, text []byte) error {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

func (p *newProject) paths() []string {
	list := make([]string, len(p.files))
	for i, f := range p.files {
		list[i] = f.path
	}
	return list
}

// next are the commands to go on with, for a shell that is where this command was called.
func (p *newProject) next(typed string) []string {
	var commands []string
	if filepath.Clean(typed) != "." {
		commands = append(commands, "cd "+shellWord(typed))
	}
	if p.language == "assemblyscript" {
		commands = append(commands, "npm install  # the compiler")
	}
	commands = append(commands, "pintle build && pintle test && pintle run")
	if p.language == "rust" {
		commands = append(commands, "cargo test  # the handlers' own tests, on this machine")
	}
	return commands
}

// shellWord quotes a word for a shell if it has to be.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./+@:", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 && s[0] != '-' {
		return s
	}
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
