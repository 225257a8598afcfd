package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

var payloadMethods = map[string]method{
	"payload/adapt": handle(payloadAdapt).inOrderOf("sessionId"),
}

// payloadAdaptParams have the payload as the bytes of the frame.
type payloadAdaptParams struct {
	SessionID sessionID       `json:"sessionId"`
	Provider  wideText        `json:"provider"` // "" is unknown, as for API and Model
	API       wideText        `json:"api"`
	Model     wideText        `json:"model"`
	Payload   json.RawMessage `json:"payload"`
}

// UnmarshalJSON reads the params without a copy of the payload.
func (p *payloadAdaptParams) UnmarshalJSON(data []byte) error {
	values := jsonvalue.Pick(data, "sessionId", "provider", "api", "model", "payload")
	for i, to := range []*wideText{(*wideText)(&p.SessionID), &p.Provider, &p.API, &p.Model} {
		if raw := notNull(values[i]); raw != nil && to.UnmarshalJSON(raw) != nil {
			return invalid("params."+[...]string{"sessionId", "provider", "api", "model"}[i], "want a text")
		}
	}
	p.Payload = values[4]
	return nil
}

type payloadAdaptResult struct {
	// Answered: the payload is to be changed by the edits, which may be none.
	Answered bool   `json:"answered"`
	Edits    []edit `json:"edits"`
	// Reason is why nothing was done, if no step ran.
	Reason payload.Reason `json:"reason,omitempty"`
	Result payload.Result `json:"result"`
	Error  *adaptFault    `json:"error,omitempty"` // the adapter failed; the payload goes out as it is
}

type adaptFault struct {
	Message wideText `json:"message"` // the adapter's own words
}

// edit is one change of the payload.
type edit struct {
	Op    adaptersv2.Op   `json:"op"` // set, insert or remove
	Path  path            `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`
}

// path leads from the payload to a value: names of members and indices of elements.
type path adaptersv2.Address

// MarshalJSON writes a list of texts and numbers.
func (p path) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, step := range p {
		if i > 0 {
			out = append(out, ',')
		}
		if step.InList {
			out = fmt.Append(out, step.Index)
			continue
		}
		name, err := wideText(step.Member).MarshalJSON()
		if err != nil {
			return nil, err
		}
		out = append(out, name...)
	}
	return append(out, ']'), nil
}

// payloadAdapt is the hook before_provider_request.
func payloadAdapt(ctx context.Context, c *call, p *payloadAdaptParams) (*payloadAdaptResult, error) {
	if err := p.SessionID.check("sessionId"); err != nil {
		return nil, err
	}
	if p.Payload == nil {
		return nil, invalid("params.payload", "want the payload")
	}
	session := c.server.process.host.Session(string(p.SessionID))
	adapted, err := session.Adapt(ctx, string(p.Provider), string(p.API), string(p.Model), p.Payload)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	result := &payloadAdaptResult{Answered: adapted.Answered, Edits: []edit{}, Reason: adapted.Reason, Result: adapted}
	for _, e := range adapted.Edits() {
		result.Edits = append(result.Edits, edit{e.Op, path(e.At), json.RawMessage(e.Value)})
	}
	if err != nil {
		result.Error = &adaptFault{wideText(err.Error())}
		if failed := (*payload.AdapterError)(nil); errors.As(err, &failed) {
			result.Error.Message = wideText(failed.Err.Error())
		}
	}
	return result, nil
}
