package wiretest

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// A Direction is where a frame goes.
type Direction string

const (
	ToServer Direction = "client to server"
	ToClient Direction = "server to client"
)

// maxFaults is how many faults are kept.
const maxFaults = 5

// A Wire checks all that passes one connection. Its methods may be called by several goroutines.
//
// What a client asks is checked when it is answered, unless it is refused as wrong: tests ask wrongly on
// purpose. What the sidecar says is always checked.
type Wire struct {
	schema *Schema

	mu     sync.Mutex
	asked  map[string]request // by direction and id
	faults []string
}

type request struct {
	method string
	params json.RawMessage
}

// NewWire makes a wire on which nothing has passed.
func NewWire() (*Wire, error) {
	schema, err := Load()
	return &Wire{schema: schema, asked: map[string]request{}}, err
}

// Faults are the first things that were wrong.
func (w *Wire) Faults() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.faults)
}

// refusals are the codes of errors that say that a request was wrong.
var refusals = []int{-32700, -32600, -32601, -32602, -32002, -32003}

// Frame takes the body of a frame that passes.
func (w *Wire) Frame(to Direction, frame []byte) {
	var m struct {
		ID             json.RawMessage
		Method         string
		Params, Result json.RawMessage
		Error          *struct{ Code int }
	}
	err := json.Unmarshal(frame, &m)
	w.mu.Lock()
	defer w.mu.Unlock()
	if strings.HasPrefix(m.Method, "test/") { // a method that a test adds
		return
	}
	if to == ToClient {
		w.note(err)
		w.note(w.schema.Check("", frame))
	} else if err != nil {
		return
	}
	switch {
	case m.Method != "" && m.ID != nil:
		w.asked[string(to)+string(m.ID)] = request{m.Method, m.Params}
	case m.Method != "":
		if to == ToClient || w.schema.Has(m.Method+".params") && !strings.HasPrefix(m.Method, "$/") {
			w.note(w.schema.Check(m.Method+".params", orEmpty(m.Params)))
		}
	case m.Error != nil:
		if asked, ok := w.answered(to, m.ID); ok && !slices.Contains(refusals, m.Error.Code) {
			w.note(w.schema.Check(asked.method+".params", orEmpty(asked.params)))
		}
	default:
		if asked, ok := w.answered(to, m.ID); ok {
			w.note(w.schema.Check(asked.method+".params", orEmpty(asked.params)))
			w.note(w.schema.Check(asked.method+".result", m.Result))
		}
	}
}

// answered finds the request that an answer belongs to. There is none if its id could not be read.
func (w *Wire) answered(to Direction, id json.RawMessage) (request, bool) {
	from := ToServer
	if to == ToServer {
		from = ToClient
	}
	asked, ok := w.asked[string(from)+string(id)]
	delete(w.asked, string(from)+string(id))
	return asked, ok
}

func (w *Wire) note(err error) {
	if err != nil && len(w.faults) < maxFaults {
		w.faults = append(w.faults, err.Error())
	}
}

func orEmpty(params json.RawMessage) json.RawMessage {
	if params == nil {
		return json.RawMessage("{}")
	}
	return params
}
