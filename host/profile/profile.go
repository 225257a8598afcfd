package profile

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Profile is the table of one host. It does not change and is safe for concurrent use.
type Profile struct {
	// Name is how the host is called: "pi", "omp".
	Name string `json:"name"`
	// Package is the npm package by whose presence the host is recognised.
	Package string `json:"package"`
	// Probe is when hosts with embedded tables are looked for by their packages: the lowest number first, 0
	// for last. A host that may have the package of another one comes before that.
	Probe int `json:"probe"`
	// Answer is what the host's assistant messages can hold.
	Answer Answer `json:"answer"`
	// Context is how the host gives a conversation to a model.
	Context Context `json:"context"`
	// Models is how the host lists models.
	Models Models `json:"models"`
	// Keys is how the host is given an API key.
	Keys Keys `json:"keys"`
	// Reserved are the names of the host's own providers.
	Reserved Reserved `json:"reserved"`
	// Paths is where the host keeps its files.
	Paths Paths `json:"paths"`
	// SessionTools are tools that are made active when a session starts, as far as the host has them.
	SessionTools []string `json:"sessionTools"`
	// Actions are what the host does when a private tool is called, see [PrivateTools].
	Actions []Action `json:"actions"`

	tools tools
}

// Answer is what a host's assistant messages can hold.
type Answer struct {
	// Images: image blocks, with an event image_end. Other hosts get a file and a text that names it.
	Images bool `json:"images"`
	// Redacted: thinking blocks can say that they are redacted.
	Redacted bool `json:"redacted"`
	// ArgumentErrors: a tool call can say what is wrong with its arguments (argumentsError).
	ArgumentErrors bool `json:"argumentErrors"`
	// OccupancyTotal: totalTokens is how full the context is, where a provider tells it.
	OccupancyTotal bool `json:"occupancyTotal"`
}

// Context is how a host gives a conversation to a model.
type Context struct {
	// WakeNotices: notices of finished background jobs are turns of the user.
	WakeNotices bool `json:"wakeNotices"`
	// HiddenNotes: messages of extensions that are not displayed arrive as the user's.
	HiddenNotes bool `json:"hiddenNotes"`
}

// Models is how a host lists models.
type Models struct {
	// Thinking is the declaration of what a model can think: "efforts" or "levelMap".
	Thinking string `json:"thinking"`
	// Dynamic is the host's function that lists models anew: "fetchDynamicModels" or "refreshModels".
	Dynamic string `json:"dynamic"`
	// Cached: that function is given what was stored before, and stores what it finds.
	Cached bool `json:"cached"`
}

// Keys is how a host is given an API key.
type Keys struct {
	// Variables: "$NAME", "${NAME}" and "!command" are not keys but where to find one.
	Variables bool `json:"variables"`
}

// Reserved are the names of a host's own providers and protocols, which others may not take.
type Reserved struct {
	Providers []string `json:"providers"`
	APIs      []string `json:"apis"`
	// MoreProviders and MoreAPIs are those that the reference has missed.
	MoreProviders []string `json:"moreProviders"`
	MoreAPIs      []string `json:"moreAPIs"`
}

// Paths is where a host keeps its files.
type Paths struct {
	// Folder is the name of the host's folder in a project and in the user's home.
	Folder string `json:"folder"`
	// Config are the folders in the user's home that may hold a configuration file, in order of search.
	Config []string `json:"config"`
}

//go:embed tables/*.json
var tables embed.FS

// Names are the hosts that have an embedded table, sorted.
func Names() []string {
	files, _ := tables.ReadDir("tables") // of an embedded folder
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = strings.TrimSuffix(file.Name(), ".json")
	}
	return names
}

// Embedded returns the profiles of all [Names], in the order in which hosts are looked for: by Probe, and
// those without one last, by their names. The profiles must not be changed.
func Embedded() []*Profile {
	var list []*Profile
	for _, name := range Names() {
		list = append(list, embedded()[name])
	}
	slices.SortStableFunc(list, func(a, b *Profile) int {
		return cmp.Compare(uint(a.Probe-1), uint(b.Probe-1)) // 0 is the highest
	})
	return list
}

// ErrUnknownHost is returned for a host without a table.
var ErrUnknownHost = errors.New("unknown host")

// Named returns the embedded profile of a host, one of [Names]: always the same one, which must not be
// changed. The error is [ErrUnknownHost].
func Named(name string) (*Profile, error) {
	if p := embedded()[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%w %q: the hosts are %q", ErrUnknownHost, name, Names())
}

// embedded are the profiles of all tables, by name. A table that is bad is a fault of the program.
var embedded = sync.OnceValue(func() map[string]*Profile {
	profiles := map[string]*Profile{}
	for _, name := range Names() {
		table, err := tables.ReadFile("tables/" + name + ".json")
		if err == nil {
			profiles[name], err = Parse(table)
		}
		if err != nil {
			panic(fmt.Errorf("embedded table %s.json: %w", name, err))
		}
	}
	return profiles
})

// Parse reads the table of a host: one JSON object of the form that tables/README.md describes. Unknown keys
// and shapes are errors, and what contradicts itself, and a shape whose argument no alias leads to. The error
// says in which line and where it is wrong, what was expected, and which keys and shapes there are.
func Parse(table []byte) (*Profile, error) {
	var whole struct {
		Profile
		Tools tools `json:"tools"`
	}
	f := form{table: table, places: map[string]int{}}
	err := f.read(&whole)
	p := &whole.Profile
	p.tools = whole.Tools
	if err == nil {
		err = p.check()
	}
	if err != nil {
		return nil, fmt.Errorf("host profile: %w", f.locate(err))
	}
	return p, nil
}
