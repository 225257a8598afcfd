package jsbundle

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/pintle-wasm/pintle/internal/spelling"
)

// A SourceError says what is wrong with a guest's sources.
type SourceError struct{ Problems []Problem }

// A Problem is one fault and its place.
type Problem struct {
	File   string // relative to the guest's folder, with slashes; empty if it is in no file
	Line   int    // from 1
	Column int    // from 1, in characters
	Text   string
	Source string // the line
	length int    // how many characters are meant
}

func (e *SourceError) Error() string {
	texts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		texts[i] = p.String()
	}
	return strings.Join(texts, "\n")
}

// String writes file:line:column, the text, and below it the line with a mark.
func (p Problem) String() string {
	if p.File == "" {
		return p.Text
	}
	out := fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
	if strings.TrimSpace(p.Source) == "" {
		return out
	}
	// Tabs stay tabs, so that the mark stands below its place however wide they are.
	before := []rune(p.Source)[:min(p.Column-1, utf8.RuneCountInString(p.Source))]
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(before))
	return out + "\n    " + p.Source + "\n    " + indent + strings.Repeat("^", max(p.length, 1))
}

// sourceError tells what is wrong with a tsconfig.json first: imports that lead nowhere may come of it.
func sourceError(dir string, result api.BuildResult) error {
	var first, others []Problem
	isFirst := func(p Problem) bool { return path.Base(p.File) == "tsconfig.json" }
	for _, m := range result.Warnings {
		if p := describe(dir, m); isFirst(p) {
			first = append(first, p)
		}
	}
	for _, m := range result.Errors {
		if p := describe(dir, m); isFirst(p) {
			first = append(first, p)
		} else {
			others = append(others, p)
		}
	}
	return &SourceError{append(first, others...)}
}

func describe(dir string, m api.Message) Problem {
	p := Problem{Text: explain(m)}
	l := m.Location
	if l == nil || strings.HasPrefix(l.File, startFile) {
		return p
	}
	p.File = strings.TrimPrefix(filepath.ToSlash(l.File), filepath.ToSlash(dir)+"/")
	p.Line = l.Line
	p.Source = l.LineText
	before, marked := l.LineText, ""
	if l.Column <= len(before) {
		before, marked = before[:l.Column], before[l.Column:]
	}
	p.Column = utf8.RuneCountInString(before) + 1
	p.length = utf8.RuneCountInString(marked[:min(max(l.Length, 0), len(marked))])
	return p
}

var unresolved = regexp.MustCompile(`^Could not resolve "(.*)"$`)

// explain puts what esbuild says into words for the author of a guest.
func explain(m api.Message) string {
	if found := unresolved.FindStringSubmatch(m.Text); found != nil {
		return missingModule(found[1])
	}
	if strings.HasPrefix(m.Text, "Top-level await is currently not supported") {
		return "await outside of a function: what a guest offers has to be registered without waiting; await inside its functions"
	}
	if strings.HasPrefix(m.Text, `"import.meta" is not available`) {
		return "import.meta is empty: a guest is one file, which knows no address of its own"
	}
	if found := noMatch.FindStringSubmatch(m.Text); found != nil {
		return notExported(found[1])
	}
	if found := noLoader.FindStringSubmatch(m.Text); found != nil {
		return fmt.Sprintf("%s: a guest can import TypeScript, JavaScript, .json, .txt, .md and .html, and no %s", found[2], found[1])
	}
	text := strings.TrimSuffix(m.Text, ".")
	for _, note := range m.Notes {
		if note.Location == nil && note.Text != "" {
			text += ". " + strings.TrimSuffix(note.Text, ".")
		}
	}
	return text
}

var noLoader = regexp.MustCompile(`^No loader is configured for "(.*)" files: (.*)$`)

var noMatch = regexp.MustCompile(`^No matching export in "pintle:pintle" for import "(.*)"$`)

// notExported is for a name that "pintle" does not export.
func notExported(name string) string {
	near := spelling.Nearest(name, Exports())
	var begins []string
	for _, export := range Exports() {
		if strings.HasPrefix(export, name) {
			begins = append(begins, export)
		}
	}
	if near == "" && len(begins) == 1 {
		near = begins[0]
	}
	if near != "" {
		return fmt.Sprintf("%q is not among what \"pintle\" exports; did you mean %s?", name, near)
	}
	return fmt.Sprintf("%q is not among what \"pintle\" exports: %s", name, strings.Join(Exports(), ", "))
}

func missingModule(name string) string {
	bare := strings.TrimPrefix(name, "node:")
	if reason := withoutHost[bare]; reason != "" {
		return name + ": " + reason
	}
	switch {
	case strings.HasPrefix(name, "pintle/"):
		return name + `: the SDK is one module; import from "pintle"`
	case onNPM[bare] && name == bare:
		return fmt.Sprintf("%s: a guest has no modules of Node; npm has a package of that name that does without: `npm install %s`", name, bare)
	case ofNode[bare], onNPM[bare], name != bare:
		return name + ": a guest has no modules of Node"
	case strings.HasPrefix(name, "."), strings.HasPrefix(name, "/"), strings.HasPrefix(name, "#"):
		return name + ": there is no such file"
	}
	return fmt.Sprintf("%s: not installed; `npm install %s` in the guest's folder", name, packageOf(name))
}

// packageOf is the part of an import that names the package.
func packageOf(name string) string {
	parts := strings.SplitN(name, "/", 3)
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
