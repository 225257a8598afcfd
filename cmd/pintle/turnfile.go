package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// A turnFile describes one turn: the request of the envelope service and, beside its keys, the guests
// to load and the payload to adapt. Paths are relative to the file.
type turnFile struct {
	envelope.Request
	turnExtras
	dir string
}

type turnExtras struct {
	Guests []guestRef `json:"guests"`
	// Adapters configures the stock adapters; false leaves them out.
	Adapters json.RawMessage `json:"adapters"`
	Payload  string          `json:"payload"`
}

// A guestRef names a guest's file, or a folder of them, and its configuration.
type guestRef struct {
	File   string
	Config map[string]string
}

// UnmarshalJSON accepts a path, or {file, config}. Values of the configuration are texts; numbers,
// truth values and structures are handed over as their JSON.
func (g *guestRef) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &g.File) == nil {
		return nil
	}
	var full struct {
		File   string                     `json:"file"`
		Config map[string]json.RawMessage `json:"config"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&full); err != nil {
		return fmt.Errorf("a guest is a path or {file, config}: %w", err)
	}
	g.File, g.Config = full.File, configTexts(full.Config)
	return nil
}

func configTexts(raw map[string]json.RawMessage) map[string]string {
	config := map[string]string{}
	for key, value := range raw {
		var s string
		if json.Unmarshal(value, &s) != nil {
			s = string(value)
		}
		config[key] = s
	}
	return config
}

// readTurn reads a turn file; "-" is standard input, with paths relative to the working directory.
func readTurn(cmd *cobra.Command, path string) (*turnFile, error) {
	text, err := readInput(cmd, path)
	if err != nil {
		return nil, err
	}
	t := &turnFile{dir: "."}
	if path != "-" {
		t.dir = filepath.Dir(path)
	}
	if err := json.Unmarshal(text, &t.Request); err != nil {
		return nil, badFile(path, text, err)
	}
	if err := json.Unmarshal(text, &t.turnExtras); err != nil {
		return nil, badFile(path, text, err)
	}
	if err := unknownKeys(text, turnKeys); err != nil {
		return nil, badFile(path, text, err)
	}
	if t.SessionID == "" {
		t.SessionID = "turn"
	}
	return t, nil
}

// turnKeys are the keys of a turn file: those of envelope.Request and of turnExtras.
var turnKeys = []string{"sessionId", "provider", "api", "model", "activeTools", "prompt", "cwd", "piSystemPrompt",
	"systemPromptOptions", "guests", "adapters", "payload"}

// unknownKeys finds misspelt keys, which would otherwise have no effect and no message.
func unknownKeys(text []byte, known []string) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(text, &keys); err != nil {
		return err
	}
	for _, k := range known {
		delete(keys, k)
	}
	for k := range keys {
		return fmt.Errorf("unknown key %q; known: %v", k, known)
	}
	return nil
}

func readInput(cmd *cobra.Command, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &usageError{err: err}
	}
	return text, nil
}

// badFile says where in a JSON file a mistake is.
func badFile(path string, text []byte, err error) error {
	at := ""
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(-1)
	if errors.As(err, &syntax) {
		offset = syntax.Offset
	} else if errors.As(err, &kind) && kind.Offset > 0 {
		offset = kind.Offset
	}
	if offset >= 0 && offset <= int64(len(text)) {
		before := text[:offset]
		line := bytes.Count(before, []byte("\n")) + 1
		at = ":" + strconv.Itoa(line)
	}
	return &usageError{err: fmt.Errorf("%s%s: %w", path, at, err)}
}

// openHost opens a host with the command's cache. What guests log goes to standard error.
func openHost(cmd *cobra.Command) *host.Host {
	dir, _ := cmd.Flags().GetString("cache-dir")
	switch dir {
	case "off":
		dir = ""
	case "":
		dir, _ = wazero.DefaultCacheDir() // without one nothing is cached
	}
	return host.Open(host.Options{CacheDir: dir, Logger: slog.New(newLogHandler(cmd.ErrOrStderr()))})
}

// A loadedGuest is one line of the report about guests.
type loadedGuest struct {
	File          string        `json:"file"`
	Name          string        `json:"name"`
	SHA256        string        `json:"sha256"`
	Contributions int           `json:"contributions"`
	Adapters      int           `json:"adapters"`
	Load          time.Duration `json:"loadNs"`
	Ran           time.Duration `json:"ranNs"` // in this turn
}

// load loads the guests of a turn file, and the stock adapters if asked for.
func (t *turnFile) load(ctx context.Context, cmd *cobra.Command, h *host.Host, withAdapters bool) ([]loadedGuest, error) {
	var loaded []loadedGuest
	add := func(name string, config map[string]string, read func() ([]byte, error)) error {
		file, err := read()
		if err != nil {
			return &usageError{err: err, hint: "build guests with `pintle build`, or `make guests` for those of this repository"}
		}
		defer slow(cmd.ErrOrStderr(), "compiling "+name)()
		start := time.Now()
		entry, err := h.Load(ctx, name, file, config)
		if err != nil {
			return err
		}
		loaded = append(loaded, describe(name, entry.Runtime(), time.Since(start)))
		return nil
	}
	// The stock adapters come first, so that a guest of the turn can take their place.
	if withAdapters && string(t.Adapters) != "false" {
		var config map[string]json.RawMessage
		if len(t.Adapters) > 0 && json.Unmarshal(t.Adapters, &config) != nil {
			return nil, &usageError{err: errors.New("adapters: want false or the configuration of the stock adapters, {compat, developerRole}")}
		}
		if err := add(stock.AdaptersName, configTexts(config), stock.Adapters); err != nil {
			return nil, err
		}
	}
	for _, ref := range t.Guests {
		paths, err := t.files(ref.File)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if err := add(filepath.Base(path), ref.Config, func() ([]byte, error) { return os.ReadFile(path) }); err != nil {
				return nil, err
			}
		}
	}
	return loaded, nil
}

// files returns the guests that a path of a turn file stands for.
func (t *turnFile) files(path string) ([]string, error) {
	full := t.path(path)
	info, err := os.Stat(full)
	if err != nil {
		return nil, &usageError{err: err, hint: "build guests with `pintle build`, or `make guests` for those of this repository"}
	}
	if !info.IsDir() {
		return []string{full}, nil
	}
	entries, err := os.ReadDir(full)
	if err != nil {
		return nil, &usageError{err: err}
	}
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".wasm" {
			paths = append(paths, filepath.Join(full, e.Name()))
		}
	}
	return paths, nil
}

func (t *turnFile) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(t.dir, p)
}

func describe(file string, g *runtime.Guest, took time.Duration) loadedGuest {
	a := g.Artifact()
	return loadedGuest{File: file, Name: g.Name(), SHA256: a.Digest(), Load: took,
		Contributions: len(a.Manifest.Contributions), Adapters: len(a.Manifest.Adapters)}
}
