package sidecar

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"github.com/pintle-wasm/pintle/internal/guestlist"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// configuration is what a client's user decides, in the file of settings or in the handshake. A key that
// is missing leaves it to the other place, or to the default.
type configuration struct {
	Guests   []guestlist.Ref `json:"guests,omitempty"`
	Adapters *stockAdapters  `json:"adapters,omitempty"`
	Policy   policy          `json:"policy,omitempty"`
	// AuditEntries are the kinds of messages that are recorded; nil: all.
	AuditEntries []string `json:"auditEntries,omitempty"`
	Lookup       lookup   `json:"lookup,omitempty"`
}

// stockAdapters are the values for the stock adapters. In JSON false leaves the adapters out.
type stockAdapters struct {
	out    bool
	values map[string]string
}

// UnmarshalJSON accepts false and an object.
func (a *stockAdapters) UnmarshalJSON(data []byte) error {
	if string(data) == "false" {
		*a = stockAdapters{out: true}
		return nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	*a = stockAdapters{values: guestlist.Texts(values)}
	return nil
}

type policy string

var policies = []policy{"skip", "fail", "last-good"}

// UnmarshalJSON accepts the policies that may be chosen.
func (p *policy) UnmarshalJSON(data []byte) error { return oneOf(data, p, policies) }

func (p policy) value() registry.FailurePolicy {
	return map[policy]registry.FailurePolicy{"fail": registry.Fail, "last-good": registry.LastGood}[p] // or the default
}

type lookup string

var lookups = []lookup{"0.3.7", "0.3.9"}

// UnmarshalJSON accepts the lines of the adapter protocol.
func (l *lookup) UnmarshalJSON(data []byte) error { return oneOf(data, l, lookups) }

func (l lookup) value() registry.Lookup {
	if l == "0.3.9" {
		return registry.BySpecificity
	}
	return registry.ByProvider
}

// oneOf reads a text that may be one of few. Its error is of the kind to which the path is added.
func oneOf[T ~string](data []byte, to *T, values []T) error {
	var s string
	if string(data) == "null" {
		return nil
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if !slices.Contains(values, T(s)) {
		return &json.UnmarshalTypeError{Value: fmt.Sprintf("%.40q", s), Type: reflect.TypeFor[T]()}
	}
	*to = T(s)
	return nil
}

// over returns the settings with those of a handshake laid over them.
func (c configuration) over(file configuration) configuration {
	if c.Guests == nil {
		c.Guests = file.Guests
	}
	if c.Adapters == nil {
		c.Adapters = file.Adapters
	}
	c.Policy = cmp.Or(c.Policy, file.Policy)
	if c.AuditEntries == nil {
		c.AuditEntries = file.AuditEntries
	}
	c.Lookup = cmp.Or(c.Lookup, file.Lookup)
	return c
}

// rooted makes the paths of guests absolute.
func (c *configuration) rooted(dir string) {
	for i := range c.Guests {
		if path := c.Guests[i].File; !filepath.IsAbs(path) {
			c.Guests[i].File = filepath.Join(dir, path)
		}
	}
}

// maxSettings bounds a file of settings, in bytes.
const maxSettings = 256 << 10

// readSettings reads a file of settings in TOML, with the keys of configuration.
func readSettings(path string) (configuration, error) {
	var c configuration
	text, err := runtime.ReadFile(path) // which waits for no pipe
	if err != nil {
		return c, err
	}
	if len(text) > maxSettings {
		return c, fmt.Errorf("more than %d bytes", maxSettings)
	}
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
			row, column := at.Position()
			return c, fmt.Errorf("line %d, column %d: %w", row, column, err)
		}
		return c, err
	}
	encoded, err := json.Marshal(values)
	if err != nil {
		return c, err
	}
	d := json.NewDecoder(bytes.NewReader(encoded))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return configuration{}, errors.New(misfit("", err))
	}
	return c, nil
}
