package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
)

var responseMethods = map[string]method{
	"response/assemble": handle(responseAssemble),
}

type responseAssembleParams struct {
	Chunks    []json.RawMessage `json:"chunks"`
	ID        string            `json:"id"`
	Requested message.Route     `json:"requested"`
	// Answered is the route that the call was sent to in the end.
	Answered    *message.Route `json:"answered"`
	Interrupted bool           `json:"interrupted"`
	Reference   bool           `json:"reference"`
}

// responseAssemble makes the durable message of an answer's chunks.
func responseAssemble(_ context.Context, _ *call, p *responseAssembleParams) (assembled, error) {
	chunks := make([]message.Chunk, len(p.Chunks))
	for i, raw := range p.Chunks {
		var err error
		if chunks[i], err = message.ParseChunk(raw); err != nil {
			return assembled{}, invalid("params.chunks."+strconv.Itoa(i), "%v", err)
		}
	}
	a := assembler.Assembler{Reference: p.Reference}
	g := assembler.Grammar{Reference: p.Reference}
	var wrong error
	for i := range chunks {
		if wrong == nil {
			wrong = g.Check(&chunks[i])
		}
		if err := a.Push(&chunks[i]); err != nil {
			return assembled{
				Finish: a.Finish(), Usage: a.Usage(), Violation: violation(wrong),
				Error: &assembleError{Stage: "push", Code: assembleCode(err), At: &i, Message: err.Error()},
			}, nil
		}
	}
	if wrong == nil {
		wrong = g.End()
	}
	how := assembling{id: p.ID, requested: p.Requested, answered: p.Answered, interrupted: p.Interrupted}
	out := how.read(&a)
	out.Violation = violation(wrong)
	return out, nil
}

func violation(err error) *assembler.Violation {
	var v *assembler.Violation
	_ = errors.As(err, &v)
	return v
}
