package replay

import (
	"math"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// The native stop reasons.
const (
	stopStop    = "stop"
	stopLength  = "length"
	stopToolUse = "toolUse"
	stopError   = "error"
	stopAborted = "aborted"
)

// An answer is the native message at the end of a stream.
type answer struct {
	parts                     []jsonspan.Node
	api, provider, model      string
	responseModel, responseID jsonspan.Node
	providerExecuted          jsonspan.Node
	stopReason, failure       string
	usage                     message.Usage
}

func readAnswer(n jsonspan.Node) *answer {
	a := &answer{
		api:           jsonvalue.String(jsonvalue.Member(n, "api")),
		provider:      jsonvalue.String(jsonvalue.Member(n, "provider")),
		model:         jsonvalue.String(jsonvalue.Member(n, "model")),
		responseModel: jsonvalue.Member(n, "responseModel"),
		responseID:    jsonvalue.Member(n, "responseId"),

		providerExecuted: jsonvalue.Member(n, "providerExecuted"),

		stopReason: jsonvalue.String(jsonvalue.Member(n, "stopReason")),
		failure:    jsonvalue.String(jsonvalue.Member(n, "errorMessage")),
	}
	if content := jsonvalue.Member(n, "content"); content.Kind() == jsonspan.Array {
		for part := content.First(); part.Kind() != jsonspan.Absent; part = part.Next() {
			a.parts = append(a.parts, part)
		}
	}
	usage := jsonvalue.Member(n, "usage")
	a.usage = message.Usage{
		Input:  count(jsonvalue.Member(usage, "input")),
		Output: count(jsonvalue.Member(usage, "output")),
		// Zero is not written, and neither is what is no count.
		CacheRead:  max(0, count(jsonvalue.Member(usage, "cacheRead"))),
		CacheWrite: max(0, count(jsonvalue.Member(usage, "cacheWrite"))),
	}
	return a
}

// count reads a number of tokens; what is none is 0.
func count(n jsonspan.Node) int64 {
	f, ok := jsonvalue.Number(n)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53-1 {
		return 0
	}
	return int64(f)
}

// settle makes sure of the stop reason: the message's own counts, then that of its event, and an error
// event is a failure whatever they say.
func (a *answer) settle(event, reason string) {
	if a.stopReason == "" {
		a.stopReason = reason
	}
	switch {
	case event == "error" && a.stopReason != stopError && a.stopReason != stopAborted:
		a.stopReason = stopError
	case a.stopReason == "":
		a.stopReason = stopStop
	}
}

// answered is the route that the answer names, nil if it is the requested one or not named.
func (a *answer) answered(requested message.Route) *message.Route {
	route := message.Route{Provider: a.provider, Model: a.model}
	if requested == (message.Route{}) || route == requested || route.Provider == "" || route.Model == "" {
		return nil
	}
	return &route
}

// reason is the finish reason. A stop reason that is not known passes through.
func (a *answer) reason(contextWindow int64) message.Finish {
	if a.overflows(contextWindow) {
		return fail(message.Failed, codeOverflow, a.failure,
			"the request exceeds the context window of the model "+a.model)
	}
	switch a.stopReason {
	case stopStop:
		if len(a.parts) == 0 {
			return fail(message.Failed, codeEmpty, "",
				"the model "+a.model+" returned a completed answer without any content")
		}
		return message.Finish{Kind: message.Stop}
	case stopLength:
		return message.Finish{Kind: message.MaxTokens}
	case stopToolUse:
		return message.Finish{Kind: message.ToolCalls}
	case stopAborted:
		return fail(message.Aborted, codeAborted, a.failure, "the native stream was aborted")
	case stopError:
		return fail(message.Failed, failureCode(a.failure), a.failure, "the native stream failed without a reason")
	}
	return message.Finish{Kind: a.stopReason}
}

func fail(kind, code, text, otherwise string) message.Finish {
	if text == "" {
		text = otherwise
	}
	return message.Finish{Kind: kind, Failure: &message.Failure{Message: text, Code: code}}
}

// overflows tells whether the request did not fit the model: by what an error says, or by the usage of
// an answer that was cut to nothing or should not have been possible.
func (a *answer) overflows(window int64) bool {
	if a.stopReason == stopError {
		return overflowText(a.failure)
	}
	if window <= 0 {
		return false
	}
	input := float64(a.usage.Input) + float64(a.usage.CacheRead)
	switch a.stopReason {
	case stopStop:
		return input > float64(window)
	case stopLength:
		return a.usage.Output == 0 && input >= 0.99*float64(window)
	}
	return false
}
