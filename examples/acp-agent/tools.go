package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coder/acp-go-sdk"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/registry"
)

const (
	// maxFile and maxShown bound a file that is read and what is given to the model at once, in bytes.
	maxFile  = 8 << 20
	maxShown = 64 << 10
	// maxEntries bounds a folder.
	maxEntries = 1000
)

const (
	readFile  = "read_file"
	listFiles = "list_files"
)

// kindOf says to the editor what a tool does.
func kindOf(name string) acp.ToolKind {
	switch name {
	case readFile:
		return acp.ToolKindRead
	case listFiles:
		return acp.ToolKindSearch
	}
	return acp.ToolKindOther
}

// fileTools look at files in a folder, and nowhere else: names and links that lead out of it are refused.
func fileTools(cwd string) []turn.Tool {
	return []turn.Tool{{
		Tool: replay.Tool{
			Name: readFile,
			Description: "Read a text file of the project. What is too long is cut, and the result says so: " +
				"go on with a later first line.",
			Parameters: json.RawMessage(`{"type":"object","properties":{` +
				`"path":{"type":"string","description":"relative to the working directory"},` +
				`"line":{"type":"integer","minimum":1,"description":"the first line to read, 1 if left out"}},` +
				`"required":["path"]}`),
		},
		Run: in(cwd, readLines),
	}, {
		Tool: replay.Tool{
			Name:        listFiles,
			Description: "List a folder of the project. Folders end in a slash.",
			Parameters: json.RawMessage(`{"type":"object","properties":{` +
				`"path":{"type":"string","description":"relative to the working directory, which it is if left out"}}}`),
		},
		Run: in(cwd, list),
	}}
}

// arguments are those of both tools.
type arguments struct {
	Path string `json:"path"`
	Line int    `json:"line"`
}

// in makes a tool's work out of a function on a folder.
func in(cwd string, work func(*os.Root, arguments) (string, error)) func(context.Context, json.RawMessage) ([]message.Block, error) {
	return func(_ context.Context, raw json.RawMessage) ([]message.Block, error) {
		var args arguments
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, fmt.Errorf("the arguments do not fit: %w", err)
		}
		root, err := os.OpenRoot(cwd)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		if filepath.IsAbs(args.Path) {
			if args.Path, err = filepath.Rel(cwd, args.Path); err != nil {
				return nil, err
			}
		}
		text, err := work(root, args)
		if err != nil {
			return nil, err
		}
		return []message.Block{{Type: message.Text, Text: text}}, nil
	}
}

// readText reads a file that is text.
func readText(root *os.Root, path string, most int64) (string, error) {
	info, err := root.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular(): // a pipe would be waited for
		return "", fmt.Errorf("%s is not a file", path)
	}
	file, err := root.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return "", err
	case int64(len(data)) > most:
		return "", fmt.Errorf("%s is larger than %d bytes", path, most)
	case !utf8.Valid(data):
		return "", fmt.Errorf("%s is not text in UTF-8", path)
	}
	return string(data), nil
}

func readLines(root *os.Root, args arguments) (string, error) {
	text, err := readText(root, args.Path, maxFile)
	if err != nil {
		return "", err
	}
	line := max(args.Line, 1)
	for n := 1; n < line; n++ {
		_, rest, found := strings.Cut(text, "\n")
		if !found || rest == "" {
			return "", fmt.Errorf("%s has no line %d: it has %d", args.Path, line, n)
		}
		text = rest
	}
	if len(text) <= maxShown {
		return text, nil
	}
	cut := strings.LastIndexByte(text[:maxShown], '\n') + 1
	if cut == 0 { // one very long line
		return strings.ToValidUTF8(text[:maxShown], "") + "\n[the rest of this line is left out]", nil
	}
	next := line + strings.Count(text[:cut], "\n")
	return fmt.Sprintf("%s[cut here; go on with line %d]", text[:cut], next), nil
}

func list(root *os.Root, args arguments) (string, error) {
	if args.Path == "" {
		args.Path = "."
	}
	info, err := root.Stat(args.Path)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s is not a folder", args.Path)
	}
	dir, err := root.Open(args.Path)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	more := len(entries) > maxEntries
	entries = entries[:min(len(entries), maxEntries)]
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var text strings.Builder
	for _, e := range entries {
		text.WriteString(strings.ToValidUTF8(e.Name(), "\uFFFD"))
		if e.IsDir() {
			text.WriteByte('/')
		}
		text.WriteByte('\n')
	}
	if more {
		fmt.Fprintf(&text, "[there are more than these %d]\n", maxEntries)
	}
	return text.String(), nil
}

// notesName is the file in which a project tells agents how to work in it.
const notesName = "AGENTS.md"

// projectNotes reads the project's notes. They are read anew for each turn.
func projectNotes(cwd string) (registry.ContextFile, error) {
	root, err := os.OpenRoot(cwd)
	if err != nil {
		return registry.ContextFile{}, err
	}
	defer root.Close()
	text, err := readText(root, notesName, maxShown)
	return registry.ContextFile{Path: filepath.Join(cwd, notesName), Content: text}, err
}
