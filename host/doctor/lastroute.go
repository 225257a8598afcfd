package doctor

import (
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// LastRoute is the route that a session is on: that of its last request or, if the log does not say, the
// one that its last answer was asked from. It is empty if there is neither.
func LastRoute(s *session.State) message.Route {
	if doc, err := jsonspan.Scan(s.RequestHeader(), 2); err == nil {
		config := jsonvalue.Member(doc.Root(), "config")
		route := message.Route{
			Provider: jsonvalue.String(jsonvalue.Member(config, "provider")),
			Model:    jsonvalue.String(jsonvalue.Member(config, "model")),
		}
		if route.Provider != "" {
			return route
		}
	}
	messages := s.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if m := &messages[i]; m.Role == message.Assistant && m.Source.Kind == message.FromModel {
			return m.Source.Requested()
		}
	}
	return message.Route{}
}
