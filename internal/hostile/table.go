package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// A Corpus is the table of guests and the folder that it is in.
type Corpus struct {
	Dir string `toml:"-"`
	// Attacks are what the corpus has to have a guest for, by name, in words.
	Attacks map[string]string `toml:"attacks"`
	Guests  []Entry           `toml:"guest"`
	// Fuel is what guests get where the table says nothing; Open sets it to DefaultFuel. With less of it
	// the whole corpus takes less time.
	Fuel uint64 `toml:"-"`
	// Patience is how long a goroutine may take to end. Open sets it to DefaultPatience.
	Patience time.Duration `toml:"-"`

	generators map[string]generator
	scenarios  map[string]scenario
}

// An Entry is a line of the table.
type Entry struct {
	Name    string   `toml:"name"`
	Does    string   `toml:"does"`
	Attacks []string `toml:"attacks"`

	// What must happen. Kind and Reason belong to the error; all words of Reason are in it.
	Outcome Outcome      `toml:"outcome"`
	Kind    runtime.Kind `toml:"kind"`
	Reason  []string     `toml:"reason"`

	// Endless says that nothing but the host ends it: it is run a second time with fuel that never ends and
	// a short time.
	Endless bool `toml:"endless"`
	// Always says that it attacks whatever it is asked. The others answer requests without a prompt.
	Always bool `toml:"always"`
	// Once says that with session state it attacks once in a session: what it did is there in the next call.
	Once bool `toml:"once"`

	Fuel      uint64 `toml:"fuel"`       // default DefaultFuel
	MemoryMiB uint64 `toml:"memory-mib"` // linear memory, default 16
	HostMiB   uint64 `toml:"host-mib"`   // what the process may grow by, default 112
	// NsPerUnit is what a unit of fuel may take to compute, default 2; OnWasmtime the same on the second
	// engine, where it is more.
	NsPerUnit    uint64   `toml:"ns-per-unit"`
	OnWasmtime   uint64   `toml:"wasmtime-ns-per-unit"`
	Capabilities []string `toml:"capabilities"`
}

// An Outcome is what becomes of a guest.
type Outcome string

// The outcomes of guests. Any is for files that are changed at random: they are refused, or their calls
// end in any way at all.
const (
	Refused Outcome = "refused" // it is not loaded
	Fails   Outcome = "fails"   // its calls fail
	Works   Outcome = "works"   // it answers, always the same
	Any     Outcome = "any"
)

// What guests get where the table says nothing. DefaultTime is long, so that a busy machine does not turn
// the end of the fuel into the end of the time; ShortTime is that of the second run of endless guests.
const (
	DefaultFuel = 50_000_000
	DefaultTime = 30 * time.Second
	ShortTime   = 100 * time.Millisecond

	defaultMemoryMiB = 16
	defaultHostMiB   = 112
	defaultNsPerUnit = 2
)

// TableFile is the name of the table in the folder of a corpus.
const TableFile = "table.toml"

// Open reads the table of a folder and checks that every line has what it needs.
func Open(dir string) (*Corpus, error) {
	text, err := os.ReadFile(filepath.Join(dir, TableFile))
	if err != nil {
		return nil, err
	}
	c := &Corpus{Dir: dir, Fuel: DefaultFuel, Patience: DefaultPatience, generators: generators(), scenarios: scenarios()}
	d := toml.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("%s: %w", TableFile, err)
	}
	var faults []error
	seen := map[string]bool{}
	for i := range c.Guests {
		e := &c.Guests[i]
		e.defaults()
		if err := c.check(e, seen); err != nil {
			faults = append(faults, fmt.Errorf("%s: %s: %w", TableFile, e.Name, err))
		}
		seen[e.Name] = true
	}
	return c, errors.Join(faults...)
}

func (e *Entry) defaults() {
	if e.MemoryMiB == 0 {
		e.MemoryMiB = defaultMemoryMiB
	}
	if e.NsPerUnit == 0 {
		e.NsPerUnit = defaultNsPerUnit
	}
	if e.HostMiB == 0 {
		e.HostMiB = defaultHostMiB
	}
}

func (c *Corpus) check(e *Entry, seen map[string]bool) error {
	sources := 0
	for _, has := range []bool{c.assembled(e), c.generators[e.Name] != nil, c.scenarios[e.Name] != nil} {
		if has {
			sources++
		}
	}
	switch failing := e.Outcome == Refused || e.Outcome == Fails; {
	case seen[e.Name]:
		return errors.New("there are two of it")
	case sources != 1:
		return fmt.Errorf("it has %d sources: it needs one file, generator or scenario", sources)
	case e.Does == "" || len(e.Attacks) == 0:
		return errors.New("it needs does and attacks")
	case !slices.Contains([]Outcome{Refused, Fails, Works, Any}, e.Outcome):
		return fmt.Errorf("unknown outcome %q", e.Outcome)
	case failing != (e.Kind != "") || len(e.Reason) > 0 && !failing:
		return errors.New("kind and reason belong to what is refused or fails, and to nothing else")
	case failing && len(e.Reason) == 0 && c.generators[e.Name] == nil:
		return errors.New("it needs words of the reason")
	}
	for _, a := range e.Attacks {
		if c.Attacks[a] == "" {
			return fmt.Errorf("unknown attack %q", a)
		}
	}
	return nil
}

// Missing returns the attacks for which there is no guest, in alphabetical order.
func (c *Corpus) Missing() []string {
	missing := maps.Clone(c.Attacks)
	for _, e := range c.Guests {
		for _, a := range e.Attacks {
			delete(missing, a)
		}
	}
	return slices.Sorted(maps.Keys(missing))
}

// Assembled returns the entries that have a source in WebAssembly text.
func (c *Corpus) Assembled() []Entry {
	return slices.DeleteFunc(slices.Clone(c.Guests), func(e Entry) bool { return !c.assembled(&e) })
}

func (c *Corpus) assembled(e *Entry) bool {
	_, err := os.Stat(c.Path(e, ".wat"))
	return !errors.Is(err, fs.ErrNotExist)
}

// Path returns the name of a file of an entry: .wat for the source, .wasm for what was built from it.
func (c *Corpus) Path(e *Entry, suffix string) string { return filepath.Join(c.Dir, e.Name+suffix) }

// Manifest returns the manifest of an entry's guest.
func (e *Entry) Manifest() *abi.Manifest {
	m := &abi.Manifest{Transport: abi.Transport, ID: "hostile/" + e.Name, Version: "1.0.0", State: abi.StateNone,
		Contributions: []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: e.Name, Needs: []abi.ContextField{abi.FieldPrompt}}}}
	for _, name := range e.Capabilities {
		c := abi.Capability{Name: name, Reason: "to attack"}
		if name == abi.CapabilityConfig {
			c.Keys = []string{"key"}
		}
		m.Capabilities = append(m.Capabilities, c)
	}
	return m
}
