package sidecar

import (
	"context"
	"encoding/json"

	"github.com/pintle-wasm/pintle/envelope"
)

var contextMethods = map[string]method{
	"context/message": handle(contextMessage).inOrderOf("sessionId"),
}

type contextMessageParams struct {
	SessionID sessionID `json:"sessionId"`
}

// contextMessageResult says how a history is rewritten before a model call: messages with role custom and
// one of the types go, and the message, if there is one, comes first.
type contextMessageResult struct {
	Message     json.RawMessage `json:"message"` // nil: none
	RemoveTypes []string        `json:"removeTypes"`
}

func contextMessage(_ context.Context, c *call, p *contextMessageParams) (contextMessageResult, error) {
	result := contextMessageResult{RemoveTypes: append(envelope.AuditTypes(), envelope.TypeContext)}
	if err := p.SessionID.check("sessionId"); err != nil {
		return result, err
	}
	result.Message, _ = c.server.process.host.Envelope.ContextMessage(string(p.SessionID))
	return result, nil
}
