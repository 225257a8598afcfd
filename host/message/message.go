package message

import (
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// The roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
)

// A Message is one durable message of a session.
type Message struct {
	// ID is given when the message is made and kept for life.
	ID      string
	Role    string
	Content []Block
	Source  Source

	raw json.RawMessage
}

// The kinds of sources. The set is open.
const (
	FromUser   = "user"
	FromPlugin = "plugin"
	FromTool   = "tool"
	FromModel  = "model"
)

// A Source is where a message comes from.
type Source struct {
	Kind string
	// Plugin is that of a plugin source, CallID that of a tool source.
	Plugin, CallID string
	// Provider and Model are, of a model source, the route that the request named.
	Provider, Model string
	// Answered is the route that has answered if it is another one, nil if it is not.
	Answered *Route
	// ReplayState is the provider's metadata beside the content, any JSON. nil means that there is none,
	// which a JSON null is not.
	ReplayState json.RawMessage

	raw json.RawMessage
}

// A Route is a model at a provider.
type Route struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

func (r Route) String() string { return r.Provider + "/" + r.Model }

// Requested is the route that the request named.
func (s *Source) Requested() Route { return Route{s.Provider, s.Model} }

// Serving is the route that has answered: Answered if it is set, else the requested one.
func (s *Source) Serving() Route {
	if s.Answered != nil {
		return *s.Answered
	}
	return s.Requested()
}

// ParseMessage reads a message: a JSON object. Fields that have another type than they should are empty
// here and survive in the JSON alone; what is not a block is one without a type in Content. The message
// keeps data, which must not change.
func ParseMessage(data []byte) (Message, error) {
	n, err := scanObject(data, 2)
	if err != nil {
		return Message{}, fmt.Errorf("message: %w", err)
	}
	m := Message{
		ID:   jsonvalue.String(jsonvalue.Member(n, "id")),
		Role: jsonvalue.String(jsonvalue.Member(n, "role")),
		raw:  data,
	}
	m.Content = parseBlocks(jsonvalue.Member(n, "content"), maxNesting)
	if source := jsonvalue.Member(n, "source"); source.Kind() == jsonspan.Object {
		m.Source = readSource(source)
	}
	return m, nil
}

func readSource(n jsonspan.Node) Source {
	s := Source{
		Kind:     jsonvalue.String(jsonvalue.Member(n, "kind")),
		Plugin:   jsonvalue.String(jsonvalue.Member(n, "plugin")),
		CallID:   jsonvalue.String(jsonvalue.Member(n, "callId")),
		Provider: jsonvalue.String(jsonvalue.Member(n, "provider")),
		Model:    jsonvalue.String(jsonvalue.Member(n, "model")),
		raw:      n.Raw(),
	}
	if state := jsonvalue.Member(n, "replayState"); state.Kind() != jsonspan.Absent {
		s.ReplayState = state.Raw()
	}
	if a := jsonvalue.Member(n, "answered"); a.Kind() == jsonspan.Object {
		r := Route{jsonvalue.String(jsonvalue.Member(a, "provider")), jsonvalue.String(jsonvalue.Member(a, "model"))}
		if r.Provider != "" && r.Model != "" {
			s.Answered = &r
		}
	}
	return s
}

// WithoutReplayState returns the message without its replay state; everything else stays.
func (m Message) WithoutReplayState() Message {
	if m.Source.ReplayState == nil {
		return m
	}
	m.Source.ReplayState = nil
	if m.Source.raw != nil {
		m.Source.raw = jsonvalue.Without(m.Source.raw, "replayState")
	}
	if m.raw != nil {
		m.raw = with(m.raw, "source", m.Source.AppendJSON(nil))
	}
	return m
}

// WithContent returns the message with other content and, as replay state describes the content it came
// with, without its replay state.
func (m Message) WithContent(content []Block) Message {
	m = m.WithoutReplayState()
	m.Content = content
	if m.raw != nil {
		m.raw = with(m.raw, "content", appendBlocks(nil, content))
	}
	return m
}

// with sets the member of an object that counts, the last one with the key.
func with(data []byte, key string, value []byte) []byte {
	doc, err := jsonspan.Scan(data, 1)
	if err != nil {
		return data
	}
	edit := doc.Edit()
	if m := jsonvalue.Member(doc.Root(), key); m.Kind() != jsonspan.Absent {
		edit.Set(m, value)
	} else {
		edit.AddMember(doc.Root(), key, value)
	}
	if changed, err := edit.Bytes(); err == nil {
		return changed
	}
	return data
}

// AppendJSON appends the source as JSON.
func (s *Source) AppendJSON(dst []byte) []byte {
	if s.raw != nil {
		return append(dst, s.raw...)
	}
	o := jsonvalue.Begin(dst)
	o.Text("kind", s.Kind)
	switch s.Kind {
	case FromPlugin:
		o.Text("plugin", s.Plugin)
	case FromTool:
		o.Text("callId", s.CallID)
	case FromModel:
		o.Text("provider", s.Provider)
		o.Text("model", s.Model)
		if s.Answered != nil {
			o.Key("answered")
			inner := jsonvalue.Begin(o.Out)
			inner.Text("provider", s.Answered.Provider)
			inner.Text("model", s.Answered.Model)
			o.Out = inner.End()
		}
		if s.ReplayState != nil {
			o.Raw("replayState", s.ReplayState)
		}
	}
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (s Source) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Source) UnmarshalJSON(data []byte) error {
	n, err := scanObject(append([]byte(nil), data...), 1)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	*s = readSource(n)
	return nil
}

// AppendJSON appends the message as JSON.
func (m *Message) AppendJSON(dst []byte) []byte {
	if m.raw != nil {
		return append(dst, m.raw...)
	}
	o := jsonvalue.Begin(dst)
	o.Text("id", m.ID)
	o.Text("role", m.Role)
	o.Key("content")
	o.Out = appendBlocks(o.Out, m.Content)
	o.Key("source")
	o.Out = m.Source.AppendJSON(o.Out)
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (m Message) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (m *Message) UnmarshalJSON(data []byte) (err error) {
	*m, err = ParseMessage(append([]byte(nil), data...))
	return err
}
