package sidecar

import (
	"encoding/json"
	"reflect"

	"github.com/pintle-wasm/pintle/host/bridge"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// invalid says what is wrong with a member of a method's params; at is its path.
func invalid(at, format string, args ...any) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, at+": "+format, args...)
}

// A wideText is a text that keeps halves of surrogate pairs, in WTF-8.
type wideText string

func (t *wideText) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil // as if it were absent
	}
	text, ok := jsonvalue.TextOf(data)
	if !ok {
		return &json.UnmarshalTypeError{Value: valueKind(data[0]), Type: reflect.TypeFor[string]()}
	}
	*t = wideText(text)
	return nil
}

// valueKind names a value, of which the first byte is known, as encoding/json does.
func valueKind(first byte) string {
	switch first {
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}

func (t wideText) MarshalJSON() ([]byte, error) { return wtf8.AppendQuote(nil, string(t)), nil }

// hostProfile is the profile of a host.
func hostProfile(host string) (*profile.Profile, error) {
	found, err := profile.Named(host)
	if err != nil {
		return nil, invalid("params.host", "%s", start(err.Error()))
	}
	return found, nil
}

// excluded are the names of host tools that a provider does not get. Unless the client says which, they are
// those that are private to other packages than the provider's.
func excluded(names []string, pkg string) []string {
	if names != nil {
		return names
	}
	return bridge.Withheld(pkg)
}

type hostTool struct {
	Name        wideText        `json:"name"`
	Description wideText        `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// modelParams name a model as the host does.
type modelParams struct {
	ID       string     `json:"id"`
	API      string     `json:"api"`
	Provider string     `json:"provider"`
	Cost     model.Cost `json:"cost"`
}

// A todo is a row of a todo list.
type todo struct {
	Content wideText `json:"content"`
	Status  string   `json:"status"`
}

func todosOf(rows []todo) []profile.Todo {
	if rows == nil {
		return nil
	}
	todos := make([]profile.Todo, len(rows))
	for i, row := range rows {
		todos[i] = profile.Todo{Content: string(row.Content), Status: row.Status}
	}
	return todos
}

// answered is the route that has served a call, nil if that is the requested one or is not known.
func answered(given *message.Route, requested message.Route) *message.Route {
	if given == nil || *given == requested || given.Provider == "" || given.Model == "" {
		return nil
	}
	return given
}

// notNull is nil for a JSON null.
func notNull(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}
