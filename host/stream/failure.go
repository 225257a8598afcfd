package stream

import (
	"strconv"
	"strings"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// Codes of failures: those of the replay-state protocol, section "Stop reasons", and one more.
const (
	codeTransport    = "TRANSPORT"
	codeOther        = "PI_AI_ERROR"
	codeUnadvertised = "UNADVERTISED_TOOL"
)

// addFacts adds to a failure what the message knows of it beside its text. The errors of the AI SDK
// (APICallError) have {statusCode, responseHeaders}.
func addFacts(f *message.Failure, m *Message) {
	switch m.Failure {
	case MissingFinish, Interrupted:
		f.Code = codeTransport // to ask again makes sense
		return
	case UnadvertisedTool:
		f.Code = codeUnadvertised
		return
	}
	doc, err := jsonspan.Scan(m.Cause, 2)
	if err != nil {
		return
	}
	cause := doc.Root()
	if status, ok := jsonvalue.Whole(jsonvalue.Member(cause, "statusCode")); ok && status >= 100 && status <= 599 {
		f.Status = int(status)
		if code := codeOf(f.Status); code != "" && f.Code == codeOther {
			f.Code = code
		}
	}
	headers := jsonvalue.Member(cause, "responseHeaders")
	for h := headers.First(); headers.Kind() == jsonspan.Object && h.Kind() != jsonspan.Absent; h = h.Next() {
		switch value := strings.TrimSpace(jsonvalue.String(h)); strings.ToLower(h.Key()) {
		case "retry-after-ms":
			f.RetryAfterMS = delay(value, 1, f.RetryAfterMS)
		case "retry-after": // in seconds; a date is not worth a clock
			if f.RetryAfterMS == 0 {
				f.RetryAfterMS = delay(value, 1000, 0)
			}
		case "x-request-id", "request-id":
			f.RequestID = value
		}
	}
}

// codeOf is the class of a status, "" for one that says nothing.
func codeOf(status int) string {
	switch {
	case status == 401 || status == 403:
		return "AUTH"
	case status == 402:
		return "QUOTA"
	case status == 408:
		return "TIMEOUT"
	case status == 429:
		return "RATE_LIMIT"
	case status >= 500:
		return "SERVER"
	case status >= 400:
		return "INVALID_REQUEST"
	}
	return ""
}

// delay reads a time to wait, in milliseconds. What is no time, or more than a day, is otherwise.
func delay(text string, unit, otherwise float64) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if ms := n * unit; err == nil && ms > 0 && ms <= 24*3600*1000 {
		return ms
	}
	return otherwise
}
