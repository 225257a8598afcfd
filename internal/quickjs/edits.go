package quickjs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/cborout"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/payloadview"
)

// An editsAnswer is an answer of provider-payload-adapters/v2 in JSON.
type editsAnswer struct {
	Prompt *struct {
		At    address `json:"at"`
		Edits []edit  `json:"edits"`
	} `json:"prompt"`
	Messages *struct {
		Edits []edit `json:"edits"`
	} `json:"messages"`
}

// An edit has its value as the text of a JSON string, so that it crosses as the program wrote it.
type edit struct {
	Op    string  `json:"op"`
	At    address `json:"at"`
	Value *string `json:"value"`
}

type address adaptersv2.Address

// UnmarshalJSON reads a list of names and indices.
func (a *address) UnmarshalJSON(data []byte) error {
	var steps []json.RawMessage
	if err := json.Unmarshal(data, &steps); err != nil {
		return err
	}
	*a = make(address, len(steps))
	for i, raw := range steps {
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &(*a)[i].Member); err != nil {
				return err
			}
			continue
		}
		n, err := strconv.ParseUint(string(raw), 10, 64)
		if err != nil {
			return errors.New("a step of an address is a text or a number from 0")
		}
		(*a)[i] = adaptersv2.Index(n)
	}
	return nil
}

func (e *editsAnswer) answer() *adaptersv2.Answer {
	a := &adaptersv2.Answer{}
	if e.Prompt != nil {
		a.Prompt = &adaptersv2.PromptEdits{At: adaptersv2.Address(e.Prompt.At), Edits: plain(e.Prompt.Edits)}
		if a.Prompt.At == nil {
			a.Prompt.At = adaptersv2.Address{}
		}
	}
	if e.Messages != nil {
		a.Messages = &adaptersv2.MessageEdits{Edits: plain(e.Messages.Edits)}
	}
	return a
}

func plain(edits []edit) []adaptersv2.Edit {
	out := make([]adaptersv2.Edit, len(edits))
	for i, e := range edits {
		out[i] = adaptersv2.Edit{Op: adaptersv2.Op(e.Op), At: adaptersv2.Address(e.At)}
		if out[i].At == nil {
			out[i].At = adaptersv2.Address{}
		}
		if e.Value != nil {
			out[i].Value = adaptersv2.JSON(*e.Value)
		}
	}
	return out
}

// rewrite answers the payload of the request with edits applied, nothing if there are none.
func (r *reply) rewrite(out []byte, edits []edit) ([]byte, error) {
	if r.payload == nil {
		return nil, &Fault{BadAnswer, "it answered edits to " + r.op + ", which has no payload"}
	}
	if len(edits) == 0 {
		return append(out, nothing...), nil
	}
	pieces, err := rewritten(r.payload, edits)
	if err != nil {
		return nil, &Fault{BadAnswer, err.Error()}
	}
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	if size > r.limit {
		return nil, &Fault{TooLarge, fmt.Sprintf("the answer has %d bytes, at most %d are allowed", size, r.limit)}
	}
	out = cborout.AppendBytes(append(out, answered...), size)
	for _, p := range pieces {
		out = append(out, p...)
	}
	return out, nil
}

// rewritten returns a payload with edits as pieces to be read one after the other.
func rewritten(payload []byte, edits []edit) ([][]byte, error) {
	if first := edits[0]; len(edits) == 1 && first.Op == string(adaptersv2.OpSet) && len(first.At) == 0 {
		if first.Value == nil || !jsonspan.Valid([]byte(*first.Value)) {
			return nil, errors.New("edits: the new document is not one JSON text")
		}
		return [][]byte{bytes.TrimSpace([]byte(*first.Value))}, nil
	}
	for i, e := range edits {
		// Any number of them may append to one text, which would be copied as often.
		if e.Op == string(adaptersv2.OpAppend) {
			return nil, fmt.Errorf("edits: edit %d: a payload is rewritten by set, insert and remove", i)
		}
	}
	view, err := payloadview.Rewriting().Scan(payload)
	if err != nil {
		return nil, err
	}
	plan, err := view.Plan(&adaptersv2.Answer{Messages: &adaptersv2.MessageEdits{Edits: plain(edits)}})
	if err != nil {
		return nil, err
	}
	return plan.Pieces(payloadview.MessagesPart), nil
}
