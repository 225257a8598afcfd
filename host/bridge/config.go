package bridge

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A Config is what a configuration file holds.
type Config struct {
	// Path is the file, "" if there is none.
	Path string
	// Providers are the entries in order.
	Providers []Entry
}

// Load reads the configuration file: the first of [SearchPaths] for which read does not return an error
// that is [fs.ErrNotExist]. read is [os.ReadFile] or works like it. Without a file the Config is empty.
// A file that cannot be read or has a fault is an *[Error] and no other is looked for; so is a file that
// PI_BRIDGE_CONFIG names and that does not exist. hosts are as for [SearchPaths].
func Load(
	env Environment, read func(path string) ([]byte, error), hosts ...*profile.Profile,
) (Config, error) {
	named := env.get(configVariable) != ""
	for _, path := range SearchPaths(env, hosts...) {
		switch data, err := read(path); {
		case err == nil:
			return ParseConfig(path, data)
		case named && errors.Is(err, fs.ErrNotExist):
			return Config{}, &Error{Kind: ConfigRead, File: path, Text: "the file that " + configVariable +
				" names does not exist: create it, or unset the variable", Err: err}
		case !errors.Is(err, fs.ErrNotExist):
			return Config{}, &Error{Kind: ConfigRead, File: path, Text: "read the configuration", Err: err}
		}
	}
	return Config{}, nil
}

// ParseConfig reads a configuration, strict JSON without comments, trailing commas or a byte order
// mark:
//
//	{"providers":[{"package":"…", …}, …]}
//
// Each provider needs a string package, or packageSpecifier, which is taken if package is missing or
// empty. The error is an *[Error] of kind ConfigParse or ConfigShape; path is for its message. What is
// wrong with another field of a provider is that [Entry]'s alone.
func ParseConfig(path string, data []byte) (Config, error) {
	f := file{path: path, data: data, line: 1, column: 1}
	doc, err := jsonspan.Scan(data, 4)
	if err != nil {
		return Config{}, f.syntaxFault(err)
	}
	fault := func(n jsonspan.Node, text string) (Config, error) { return Config{}, f.fault(n.Span().From, text) }
	root := doc.Root()
	if root.Kind() != jsonspan.Object {
		return fault(root, `the configuration must be an object: {"providers": [{"package": "…"}]}`)
	}
	list := jsonvalue.Member(root, "providers")
	switch list.Kind() {
	case jsonspan.Absent:
		return fault(root, `"providers" is missing: add "providers": [{"package": "…"}]`+slipOf(root, "providers"))
	case jsonspan.Array:
	default:
		return fault(list, `"providers" must be a list: [{"package": "…"}]`)
	}
	c := Config{Path: path, Providers: []Entry{}}
	for n := list.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		at := "providers[" + strconv.Itoa(len(c.Providers)) + "]"
		if n.Kind() != jsonspan.Object {
			return fault(n, at+` must be an object: {"package": "…"}`)
		}
		entry, ok := parseEntry(&f, n)
		if !ok {
			return fault(n, at+` needs a "package": the name, path or URL of an npm package, as a string`+
				slipOf(n, "package", "packageSpecifier"))
		}
		c.Providers = append(c.Providers, entry)
	}
	return c, nil
}

// Reveal is the configuration as JSON with nothing but its providers, secrets included.
func (c *Config) Reveal() json.RawMessage {
	w := jsonvalue.Begin(nil)
	w.Key("providers")
	w.Out = append(w.Out, '[')
	for i := range c.Providers {
		if i > 0 {
			w.Out = append(w.Out, ',')
		}
		w.Out = append(w.Out, c.Providers[i].Reveal()...)
	}
	w.Out = append(w.Out, ']')
	return w.End()
}
