package abi

import "slices"

// A Manifest is what a guest says about itself, stored as deterministic CBOR in the custom section
// pintle.manifest and read before anything is compiled. What it asks for is a request: a host grants
// what it likes of it.
type Manifest struct {
	// Transport comes first in the encoding, because an integer key sorts before every text key.
	Transport     uint64         `cbor:"0,keyasint" json:"transport"`
	ID            string         `cbor:"id" json:"id"`
	Version       string         `cbor:"version" json:"version"`
	Description   string         `cbor:"description,omitempty" json:"description,omitempty"`
	Requires      uint64         `cbor:"requires,omitempty" json:"requires,omitempty"` // feature bits that it needs
	Uses          uint64         `cbor:"uses,omitempty" json:"uses,omitempty"`         // feature bits that it can use
	Contributions []Contribution `cbor:"contributions,omitempty" json:"contributions,omitempty"`
	Adapters      []Adapter      `cbor:"adapters,omitempty" json:"adapters,omitempty"`
	Capabilities  []Capability   `cbor:"capabilities,omitempty" json:"capabilities,omitempty"`
	Limits        Limits         `cbor:"limits" json:"limits"`
	State         State          `cbor:"state,omitempty" json:"state,omitempty"` // empty: StateNone
}

// A Contribution is one developer message that the guest renders.
type Contribution struct {
	Interface string  `cbor:"interface" json:"interface"` // DeveloperMessagesV1
	ID        string  `cbor:"id" json:"id"`
	Priority  float64 `cbor:"priority,omitempty" json:"priority,omitempty"`
	// Providers limits the contribution to these provider ids. Absent: every provider; empty: none.
	Providers *[]string `cbor:"providers,omitempty" json:"providers,omitempty"`
	// ActiveTools are the tools that must all be active.
	ActiveTools []string `cbor:"activeTools,omitempty" json:"activeTools,omitempty"`
	// Needs are the context fields that the guest receives; all others are withheld.
	Needs      []ContextField `cbor:"needs,omitempty" json:"needs,omitempty"`
	Volatility Volatility     `cbor:"volatility,omitempty" json:"volatility,omitempty"` // empty: VolatilityTurn
}

// An Adapter reads and rewrites the request payloads of some providers.
type Adapter struct {
	Interface string `cbor:"interface" json:"interface"` // ProviderPayloadAdaptersV1 or V2
	ID        string `cbor:"id" json:"id"`
	// Providers are the provider ids that it stands for. Absent: it is the default for its APIs, used
	// where no adapter stands for the provider.
	Providers []string `cbor:"providers,omitempty" json:"providers,omitempty"`
	// APIs are the APIs whose payloads it understands. Absent: any.
	APIs []string `cbor:"apis,omitempty" json:"apis,omitempty"`
	// Models limits it to these model ids. Absent: every model.
	Models []string `cbor:"models,omitempty" json:"models,omitempty"`
	// Operations lists the optional operations that it has, by export name.
	Operations []string `cbor:"operations,omitempty" json:"operations,omitempty"`
	// View is what it wants to see of a payload, Write where it may edit: at these places and below
	// them. Both are of version 2 alone, which has to have them.
	View  []Selector `cbor:"view,omitempty" json:"view,omitempty"`
	Write []Path     `cbor:"write,omitempty" json:"write,omitempty"`
}

// Has reports whether the adapter lists an optional operation.
func (a *Adapter) Has(export string) bool { return slices.Contains(a.Operations, export) }

// A Capability is something beyond its own memory that the guest asks for.
type Capability struct {
	Name   string   `cbor:"name" json:"name"`
	Reason string   `cbor:"reason" json:"reason"`                 // for the person who grants it
	Keys   []string `cbor:"keys,omitempty" json:"keys,omitempty"` // config: the keys that it reads
}

// The capabilities that this host knows. A manifest may ask for others, which nobody grants here.
const (
	CapabilityLog    = "log"    // the host's log; every guest may write to it
	CapabilityClock  = "clock"  // the real time instead of a virtual one
	CapabilityRandom = "random" // real random numbers instead of seeded ones
	CapabilityConfig = "config" // values that the host holds under the keys that the guest declares
	CapabilityKV     = "kv"     // a small store for each session
)

// Asks reports whether the guest asks for a capability.
func (m *Manifest) Asks(capability string) bool {
	return slices.ContainsFunc(m.Capabilities, func(c Capability) bool { return c.Name == capability })
}

// ConfigKeys returns the configuration keys that the guest declares.
func (m *Manifest) ConfigKeys() []string {
	var keys []string
	for _, c := range m.Capabilities {
		if c.Name == CapabilityConfig {
			keys = append(keys, c.Keys...)
		}
	}
	return keys
}

// Limits are what a guest asks for per call. Zero asks for the host's default, and no host gives more
// than its own cap.
type Limits struct {
	MemoryBytes  uint64 `cbor:"memory,omitempty" json:"memory,omitempty"` // linear memory
	Milliseconds uint64 `cbor:"time,omitempty" json:"time,omitempty"`     // wall clock
	AnswerBytes  uint64 `cbor:"answer,omitempty" json:"answer,omitempty"`
	LogBytes     uint64 `cbor:"log,omitempty" json:"log,omitempty"`
	Fuel         uint64 `cbor:"fuel,omitempty" json:"fuel,omitempty"` // about 1 ns of plain code each
}

// A State says what may pass from one call of a guest to the next.
type State string

// The kinds of state.
const (
	StateNone    State = "none"    // nothing: every call starts from the same image
	StateSession State = "session" // memory lives as long as the session
)

// A Volatility says how often the text of a contribution may change.
type Volatility string

// The kinds of volatility.
const (
	VolatilityNever   Volatility = "never"
	VolatilitySession Volatility = "session"
	VolatilityTurn    Volatility = "turn"
)

// A ContextField names one field of the render context.
type ContextField string

// The context fields of developer-messages/v1.
const (
	FieldProvider            ContextField = "provider"
	FieldActiveTools         ContextField = "activeTools"
	FieldSessionID           ContextField = "sessionId"
	FieldPrompt              ContextField = "prompt"
	FieldSystemPromptOptions ContextField = "systemPromptOptions"
)

// ContextFields returns all fields that a contribution can need.
func ContextFields() []ContextField {
	return []ContextField{FieldProvider, FieldActiveTools, FieldSessionID, FieldPrompt, FieldSystemPromptOptions}
}

// DecodeManifest reads a manifest section and validates it.
func DecodeManifest(section []byte) (*Manifest, error) {
	if len(section) > MaxManifestBytes {
		return nil, &ManifestError{Reason: "it is larger than 64 KiB"}
	}
	// A manifest of another transport may follow other rules than what comes below.
	if n, ok := transportOf(section); ok && n != Transport {
		return nil, &ManifestError{Field: "transport", Reason: unknownTransport(n)}
	}
	var head struct {
		Transport *uint64 `cbor:"0,keyasint"`
	}
	if err := Decode(section, &head); err != nil {
		return nil, &ManifestError{Reason: err.Error()}
	}
	if head.Transport == nil {
		return nil, &ManifestError{Field: "transport", Reason: "is missing (key 0)"}
	}
	var m Manifest
	if err := Decode(section, &m); err != nil {
		return nil, &ManifestError{Reason: err.Error()}
	}
	if !deterministic(section) {
		return nil, &ManifestError{Reason: "its CBOR is not the deterministic encoding (RFC 8949, 4.2.1)"}
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return &m, nil
}

// transportOf reads the number of the transport where every manifest has it: it is the first value.
func transportOf(section []byte) (n uint64, ok bool) {
	c := checker{data: section}
	kind, _, pairs, err := c.head()
	if err != nil || kind != majorMap || pairs == 0 {
		return 0, false
	}
	kind, _, key, err := c.head()
	if err != nil || kind != majorUnsigned || key != 0 {
		return 0, false
	}
	kind, _, n, err = c.head()
	return n, err == nil && kind == majorUnsigned
}

// EncodeManifest validates a manifest and writes it as a section's contents.
func EncodeManifest(m *Manifest) ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	b, err := Encode(m)
	if err != nil {
		return nil, err
	}
	if len(b) > MaxManifestBytes {
		return nil, &ManifestError{Reason: "it is larger than 64 KiB"}
	}
	return b, nil
}
