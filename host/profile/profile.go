package profile

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Profile is the table of one host. It does not change and is safe for concurrent use.
type Profile struct {
	// Name is how the host is called: "pi", "omp".
	Name string `json:"name"`
	// Package is the npm package by whose presence the host is recognised.
	Package string `json:"package"`
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

// ErrUnknownHost is returned for a host without a table.
var ErrUnknownHost = errors.New("unknown host")

// Named returns the embedded profile of a host, one of [Names].
func Named(name string) (*Profile, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("%w %q: the hosts are %q", ErrUnknownHost, name, Names())
	}
	table, err := tables.ReadFile("tables/" + name + ".json")
	if err != nil {
		return nil, err
	}
	return Parse(table)
}

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
