// Package guestbuild turns an author's folder into a guest: it reads pintle.toml, runs the language's
// compiler and writes the manifest into the module.
package guestbuild

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/pintle-wasm/pintle/abi"
)

// ManifestFile is the name of the manifest in the author's folder.
const ManifestFile = "pintle.toml"

// file is the shape of pintle.toml. It follows the manifest, with what is obvious left out and sizes
// and times in units for people.
type file struct {
	path   string // empty: it is not from a folder
	text   []byte
	places map[string]int // see keyCheck

	ID            string         `toml:"id"`
	Version       string         `toml:"version"`
	Description   string         `toml:"description"`
	State         string         `toml:"state"`
	Requires      uint64         `toml:"requires"`
	Uses          uint64         `toml:"uses"`
	Contributions []contribution `toml:"contributions"`
	Adapters      []adapter      `toml:"adapters"`
	Capabilities  []capability   `toml:"capabilities"`
	Limits        limits         `toml:"limits"`
}

type contribution struct {
	Interface   string    `toml:"interface"`
	ID          string    `toml:"id"`
	Priority    *float64  `toml:"priority"`
	Providers   *[]string `toml:"providers"`
	ActiveTools []string  `toml:"activeTools"`
	Needs       []string  `toml:"needs"`
	Volatility  string    `toml:"volatility"`
}

type adapter struct {
	Interface  string     `toml:"interface"`
	ID         string     `toml:"id"`
	Providers  []string   `toml:"providers"`
	APIs       []string   `toml:"apis"`
	Models     []string   `toml:"models"`
	Operations []string   `toml:"operations"`
	View       []selector `toml:"view"`
	Write      [][]any    `toml:"write"`
}

type capability struct {
	Name   string   `toml:"name"`
	Reason string   `toml:"reason"`
	Keys   []string `toml:"keys"`
}

type limits struct {
	Memory size   `toml:"memory"`
	Time   length `toml:"time"`
	Answer size   `toml:"answer"`
	Log    size   `toml:"log"`
	Fuel   uint64 `toml:"fuel"`
}

// A size is a number of bytes: 65536, 0x10000, "64KiB", "16MiB".
type size struct{ bytes uint64 }

func (s *size) UnmarshalText(text []byte) error {
	digits := strings.TrimSpace(string(text))
	unit := uint64(1)
	for suffix, n := range map[string]uint64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if rest, ok := strings.CutSuffix(digits, suffix); ok {
			digits, unit = strings.TrimSpace(rest), n
			break
		}
	}
	base := 10
	if strings.ContainsAny(digits, "xob_") { // as TOML writes numbers
		base = 0
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), base, 64)
	if err != nil || n > 1<<40/unit {
		return fmt.Errorf("%q is not a size; write it as \"64KiB\" or \"16MiB\"", text)
	}
	s.bytes = n * unit
	return nil
}

// A length is a duration in whole milliseconds: "200ms", "1s". A bare number would leave the unit open.
type length struct{ milliseconds uint64 }

func (l *length) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 || d%time.Millisecond != 0 {
		return fmt.Errorf("%q is not a duration in whole milliseconds; write it as \"200ms\" or \"1s\"", text)
	}
	l.milliseconds = uint64(d.Milliseconds())
	return nil
}

// ParseManifest reads the contents of a pintle.toml. Unknown keys are errors.
func ParseManifest(text []byte) (*abi.Manifest, error) {
	f, err := parseFile(text)
	if err != nil {
		return nil, err
	}
	return f.valid()
}

func parseFile(text []byte) (*file, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // as some editors write it
	places, err := checkKeys(text)
	if err != nil {
		return nil, err
	}
	f := &file{text: text, places: places}
	if err := toml.Unmarshal(text, f); err != nil {
		return nil, readable(err)
	}
	return f, nil
}

// valid returns the manifest if it is one.
func (f *file) valid() (*abi.Manifest, error) {
	m, err := f.manifest()
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		return nil, f.located(err)
	}
	return m, nil
}

// readable keeps the position that the TOML library gives, which its plain error text leaves out.
func readable(err error) error {
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, column := at.Position()
		return &TOMLError{Faults: []Fault{{row, column, strings.TrimPrefix(at.Error(), "toml: ")}}}
	}
	return err
}

func (f *file) manifest() (*abi.Manifest, error) {
	m := &abi.Manifest{
		Transport: abi.Transport, ID: f.ID, Version: f.Version, Description: f.Description,
		Requires: f.Requires, Uses: f.Uses, State: abi.State(f.State),
		Limits: abi.Limits{
			MemoryBytes:  f.Limits.Memory.bytes,
			Milliseconds: f.Limits.Time.milliseconds,
			AnswerBytes:  f.Limits.Answer.bytes,
			LogBytes:     f.Limits.Log.bytes,
			Fuel:         f.Limits.Fuel,
		},
	}
	for _, c := range f.Contributions {
		out := abi.Contribution{
			Interface: or(c.Interface, abi.DeveloperMessagesV1), ID: c.ID,
			Providers: c.Providers, ActiveTools: c.ActiveTools, Volatility: abi.Volatility(c.Volatility),
		}
		if c.Priority != nil {
			out.Priority = *c.Priority
		}
		for _, need := range c.Needs {
			out.Needs = append(out.Needs, abi.ContextField(need))
		}
		m.Contributions = append(m.Contributions, out)
	}
	for i, a := range f.Adapters {
		out := abi.Adapter{
			Interface: or(a.Interface, abi.ProviderPayloadAdaptersV1), ID: a.ID,
			Providers: a.Providers, APIs: a.APIs, Models: a.Models,
		}
		if err := a.places(&out); err != nil {
			return nil, below(fmt.Sprintf("adapters[%d]", i), err)
		}
		for _, op := range a.Operations {
			out.Operations = append(out.Operations, exportName(out.Interface, op))
		}
		m.Adapters = append(m.Adapters, out)
	}
	for _, c := range f.Capabilities {
		m.Capabilities = append(m.Capabilities, abi.Capability{Name: c.Name, Reason: c.Reason, Keys: c.Keys})
	}
	return m, nil
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// exportName completes the short name of an operation: authors write replace_developer_messages.
func exportName(interfaceID, op string) string {
	it, _ := abi.LookupInterface(interfaceID)
	family := strings.NewReplacer("-", "_", "/", "_").Replace(it.ID) + "_"
	for _, known := range it.Operations {
		if known.Export == op || known.Export == family+op {
			return known.Export
		}
	}
	return op
}

// ReadManifest reads the pintle.toml of a folder.
func ReadManifest(dir string) (*abi.Manifest, error) {
	f, err := readFile(dir)
	if err != nil {
		return nil, err
	}
	return f.valid()
}

func readFile(dir string) (*file, error) {
	path := filepath.Join(dir, ManifestFile)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s is a file; name the folder of a guest, which has a %s", dir, ManifestFile)
	}
	text, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		if other := otherCase(dir); other != "" {
			return nil, fmt.Errorf("%s has a file %s, which has to be named %s", dir, other, ManifestFile)
		}
		if above := filepath.Join(dir, ".."); has(above, ManifestFile) {
			return nil, fmt.Errorf("%s has no %s, and the folder above it has one: build %s", dir, ManifestFile, above)
		}
		return nil, fmt.Errorf("%s has no %s, which names what the guest offers: %w", dir, ManifestFile, err)
	}
	if err != nil {
		return nil, err
	}
	f, err := parseFile(text)
	if err != nil {
		return nil, in(path, err)
	}
	f.path = path
	return f, nil
}

// otherCase is the name of a file that is ManifestFile but for its case, "" if there is none.
func otherCase(dir string) string {
	entries, _ := os.ReadDir(dir) // that it cannot be read is told already
	for _, e := range entries {
		if strings.EqualFold(e.Name(), ManifestFile) {
			return e.Name()
		}
	}
	return ""
}

// maxTOML bounds a pintle.toml. The manifest that becomes of it has at most 64 KiB.
const maxTOML = 1 << 20

// readRegular reads a file that has an end, and for which nobody has to wait.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.Unwrap(err)}
	}
	if mode := info.Mode(); !mode.IsRegular() && !mode.IsDir() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if info.Size() > maxTOML && !info.IsDir() {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are allowed", path, info.Size(), maxTOML)
	}
	return os.ReadFile(path)
}
