package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/guestlist"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// A turnFile describes one turn: the request of the envelope service and, beside its keys, the guests
// to load and the payload to adapt. Paths are relative to the file.
type turnFile struct {
	envelope.Request
	turnExtras
	dir     string
	profile *profile.Profile // of Host
}

type turnExtras struct {
	Guests []guestlist.Ref `json:"guests"`
	// Adapters configures the stock adapters; false leaves them out.
	Adapters json.RawMessage `json:"adapters"`
	Payload  string          `json:"payload"`
	// Session is the file of the session's log, Responses are recorded answers of the model, and Tools
	// are those that the model may call, by name.
	Session   string              `json:"session"`
	Responses []string            `json:"responses"`
	Tools     map[string]turnTool `json:"tools"`
	// Host is the host whose tools these are, its name or the path of its table, for answers that are parts
	// of the AI SDK.
	Host string `json:"host"`
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
	decode := func(text []byte, r *envelope.Request, extras *turnExtras) error {
		if err := json.Unmarshal(text, r); err != nil {
			return err
		}
		return json.Unmarshal(text, extras)
	}
	if err := checkObject(path, text, turnKeys, func(one []byte) error {
		return decode(one, &envelope.Request{}, &turnExtras{})
	}); err != nil {
		return nil, noTurn(path, text, err)
	}
	if err := decode(text, &t.Request, &t.turnExtras); err != nil {
		return nil, &usageError{err: fmt.Errorf("%s: %w", path, err)}
	}
	if t.SessionID == "" {
		t.SessionID = defaultSession
	}
	if t.CWD == "" {
		t.CWD = t.Options.CWD
	}
	return t, nil
}

// noTurn says what a file that is no turn file seems to be.
func noTurn(path string, text []byte, err error) error {
	usage := (*usageError)(nil)
	if !errors.As(err, &usage) || usage.hint != "" {
		return err
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(text, " \t\r\n"), []byte("\n"))
	switch name := inputName(path); {
	case isLog(first):
		usage.hint = fmt.Sprintf("%s is the log of a session: `pintle session show` shows it, and --session is how a turn goes on in it", name)
	case lineKind(first) != anyLine:
		usage.hint = fmt.Sprintf("%s is the answer of a model: --response is how a turn gets it", name)
	}
	return err
}

// defaultSession is the id of a session that the turn file does not name.
const defaultSession = "turn"

// turnKeys are the keys of a turn file: those of envelope.Request and of turnExtras.
var turnKeys = []string{"sessionId", "provider", "api", "model", "activeTools", "prompt", "cwd", "piSystemPrompt",
	"systemPromptOptions", "guests", "adapters", "payload", "session", "responses", "tools", "host"}

// openHost opens a host with the command's cache. What guests log goes to standard error.
func openHost(cmd *cobra.Command) *host.Host {
	return host.Open(host.Options{Engine: chosenEngine(cmd), CacheDir: cacheDir(cmd), Grants: grantsOf(),
		Logger: standardLogger(cmd)})
}

// standardLogger writes to standard error, what is for debugging with --verbose.
func standardLogger(cmd *cobra.Command) *slog.Logger {
	least := slog.LevelInfo
	if verbose(cmd) {
		least = slog.LevelDebug
	}
	return slog.New(newLogHandler(cmd.ErrOrStderr(), least))
}

func verbose(cmd *cobra.Command) bool {
	yes, _ := cmd.Flags().GetBool("verbose")
	return yes
}

// cacheDir is the folder for compiled guests, "" for none.
func cacheDir(cmd *cobra.Command) string {
	dir, _ := cmd.Flags().GetString("cache-dir")
	switch dir {
	case "off":
		dir = ""
	case "":
		dir, _ = wazero.DefaultCacheDir() // without one nothing is cached
	}
	return dir
}

// A guestLoader loads a guest. The path is "" for one from within the command.
type guestLoader func(ctx context.Context, path, name string, file []byte, opts runtime.GuestOptions) (*registry.Guest, error)

// loading loads guests into a host.
func loading(h *host.Host) guestLoader {
	return func(ctx context.Context, _, name string, file []byte, opts runtime.GuestOptions) (*registry.Guest, error) {
		return h.Load(ctx, name, file, opts)
	}
}

// loadGuest loads a guest from a file, or from within the command if the path is "", and says what it has
// to do without.
func loadGuest(cmd *cobra.Command, load guestLoader, name, path string, file []byte, config map[string]string) (*runtime.Guest, error) {
	opts := runtime.GuestOptions{Config: config}
	if path != "" {
		var err error
		if opts.Source, err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	done := slow(cmd.ErrOrStderr(), "compiling "+name)
	entry, err := load(cmd.Context(), path, name, file, opts)
	done()
	if err != nil {
		return nil, err
	}
	g := entry.Runtime()
	if without := notGranted(g); len(without) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s asks for %s, which it is not granted\n", oneLine(g.Name(), 80), strings.Join(without, ", "))
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: hint: `pintle grant %s` shows why, and grants it\n", oneLine(path, 400))
	}
	return g, nil
}

// notGranted returns the capabilities that a guest asks for and a grant would give.
func notGranted(g *runtime.Guest) []string {
	names := []string{}
	for _, c := range g.Withheld() {
		if slices.Contains(runtime.Grantable(), c.Name) && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// A loadedGuest is one line of the report about guests.
type loadedGuest struct {
	File          string        `json:"file"`
	Name          string        `json:"name"`
	SHA256        string        `json:"sha256"`
	Contributions int           `json:"contributions"`
	Adapters      int           `json:"adapters"`
	Load          time.Duration `json:"loadNs"` // 0: not known, another build was put in its place
	Ran           time.Duration `json:"ranNs"`  // in this turn
	Granted       []string      `json:"granted"`
	NotGranted    []string      `json:"notGranted"`

	manifest *abi.Manifest
}

// load loads the guests of a turn file, and the stock adapters if asked for.
func (t *turnFile) load(cmd *cobra.Command, loader guestLoader, withAdapters bool) ([]loadedGuest, error) {
	loaded := []loadedGuest{} // a list in JSON too
	add := func(name, path string, config map[string]string, read func() ([]byte, error)) error {
		file, err := read()
		if err != nil {
			return &usageError{err: err, hint: "build guests with `pintle build`, or `make guests` for those of this repository"}
		}
		start := time.Now()
		g, err := loadGuest(cmd, loader, name, path, file, config)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(loaded, func(l loadedGuest) bool { return l.Name == g.Name() }) {
			fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s is listed twice; the later one counts\n", oneLine(g.Name(), 80))
		}
		loaded = append(loaded, describe(name, g, time.Since(start)))
		return nil
	}
	// The stock adapters come first, so that a guest of the turn can take their place.
	if withAdapters && string(t.Adapters) != "false" {
		var config map[string]json.RawMessage
		if len(t.Adapters) > 0 && json.Unmarshal(t.Adapters, &config) != nil {
			return nil, &usageError{err: errors.New("adapters: want false or the configuration of the stock adapters, {compat, developerRole}")}
		}
		if err := add(stock.AdaptersName, "", guestlist.Texts(config), stock.Adapters); err != nil {
			return nil, err
		}
	}
	for _, ref := range t.Guests {
		paths, folder, err := t.files(ref.File)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			err := add(filepath.Base(path), path, ref.Config, func() ([]byte, error) { return runtime.ReadFile(path) })
			if err != nil && folder && cmd.Context().Err() == nil {
				// One bad file of a folder does not keep the others out.
				fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: left out of the turn: %s\n", indentRest(err.Error()))
				continue
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return loaded, nil
}

// files returns the guests that a path of a turn file stands for, and whether it is a folder.
func (t *turnFile) files(path string) (paths []string, folder bool, err error) {
	paths, folder, err = guestlist.Files(t.path(path))
	if err != nil && !folder {
		return nil, false, &usageError{err: err, hint: "paths are relative to the turn file; build guests with `pintle build`, or `make guests` for those of this repository"}
	}
	if err != nil {
		return nil, true, &usageError{err: err}
	}
	return paths, folder, nil
}

func (t *turnFile) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(t.dir, p)
}

func describe(file string, g *runtime.Guest, took time.Duration) loadedGuest {
	a := g.Artifact()
	return loadedGuest{File: file, Name: g.Name(), SHA256: a.Digest(), Load: took, manifest: a.Manifest,
		Granted: append([]string{}, g.Granted()...), NotGranted: notGranted(g),
		Contributions: len(a.Manifest.Contributions), Adapters: len(a.Manifest.Adapters)}
}
