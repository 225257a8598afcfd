package message

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// The reasons for the end of a stream. The set is open: any other one passes through and behaves like
// Stop.
const (
	Stop      = "stop"
	ToolCalls = "tool-calls"
	// MaxTokens says that the output limit was reached; the last block may be cut.
	MaxTokens = "max-tokens"
	// Aborted and Failed come with a Failure.
	Aborted = "aborted"
	Failed  = "error"
)

// A Finish is why a stream ended.
type Finish struct {
	Kind    string
	Failure *Failure

	raw json.RawMessage
}

// ParseFinish reads a finish reason: a JSON object whose kind is a string. The value keeps data, which
// must not change.
func ParseFinish(data []byte) (Finish, error) {
	n, err := scanObject(data, 1)
	if err != nil {
		return Finish{}, fmt.Errorf("finish reason: %w", err)
	}
	f := Finish{raw: data}
	var ok bool
	if f.Kind, ok = jsonvalue.Text(jsonvalue.Member(n, "kind")); !ok {
		return Finish{}, errors.New("finish reason: kind is not a string")
	}
	if facts := jsonvalue.Member(n, "failure"); facts.Kind() != jsonspan.Absent {
		failure := ParseFailure(facts.Raw())
		f.Failure = &failure
	}
	return f, nil
}

// AppendJSON appends the reason as JSON.
func (f *Finish) AppendJSON(dst []byte) []byte {
	if f.raw != nil {
		return append(dst, f.raw...)
	}
	o := jsonvalue.Begin(dst)
	o.Text("kind", f.Kind)
	if f.Failure != nil {
		o.Key("failure")
		o.Out = f.Failure.AppendJSON(o.Out)
	}
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (f Finish) MarshalJSON() ([]byte, error) { return f.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (f *Finish) UnmarshalJSON(data []byte) (err error) {
	*f, err = ParseFinish(append([]byte(nil), data...))
	return err
}

// Unknown is the code of a failure of which nothing better is known.
const Unknown = "UNKNOWN"

// A Failure is what is known of a failed request.
type Failure struct {
	// Message and Code are not empty.
	Message, Code string
	// Status is an HTTP status from 100 to 599, 0 if there is none.
	Status int
	// RetryAfterMS is how long the provider asks to wait, in milliseconds; 0 if it does not.
	RetryAfterMS float64
	// RequestID is the provider's, "" if there is none.
	RequestID string

	raw json.RawMessage
}

// Error is the failure's message with its code.
func (f *Failure) Error() string { return f.Message + " (" + f.Code + ")" }

// ParseFailure reads failure facts. Facts with a wrong value are not to be trusted: what is left of
// them is the message, if there is one, with the code Unknown.
func ParseFailure(data []byte) Failure {
	unknown := Failure{Message: "the failure gives no reason", Code: Unknown}
	n, err := scanObject(data, 1)
	if err != nil {
		return unknown
	}
	f := Failure{raw: data}
	trusted := true
	if f.Message = jsonvalue.String(jsonvalue.Member(n, "message")); f.Message == "" {
		trusted = false
	} else {
		unknown.Message = f.Message
	}
	if f.Code = jsonvalue.String(jsonvalue.Member(n, "code")); f.Code == "" {
		trusted = false
	}
	if status := jsonvalue.Member(n, "status"); status.Kind() != jsonspan.Absent {
		v, ok := jsonvalue.Whole(status)
		f.Status = int(v)
		trusted = trusted && ok && v >= 100 && v <= 599
	}
	if delay := jsonvalue.Member(n, "providerRetryAfterMs"); delay.Kind() != jsonspan.Absent {
		v, ok := jsonvalue.Number(delay)
		f.RetryAfterMS = v
		trusted = trusted && ok && v > 0 && !math.IsInf(v, 0)
	}
	if id := jsonvalue.Member(n, "requestId"); id.Kind() != jsonspan.Absent {
		f.RequestID = jsonvalue.String(id)
		trusted = trusted && f.RequestID != ""
	}
	if !trusted {
		return unknown
	}
	return f
}

// AppendJSON appends the facts as JSON.
func (f *Failure) AppendJSON(dst []byte) []byte {
	if f.raw != nil {
		return append(dst, f.raw...)
	}
	o := jsonvalue.Begin(dst)
	o.Text("message", f.Message)
	o.Text("code", f.Code)
	if f.Status != 0 {
		o.Whole("status", int64(f.Status))
	}
	if f.RetryAfterMS > 0 && !math.IsInf(f.RetryAfterMS, 0) {
		o.Raw("providerRetryAfterMs", strconv.AppendFloat(nil, f.RetryAfterMS, 'f', -1, 64))
	}
	if f.RequestID != "" {
		o.Text("requestId", f.RequestID)
	}
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (f Failure) MarshalJSON() ([]byte, error) { return f.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler]. It does not fail.
func (f *Failure) UnmarshalJSON(data []byte) error {
	*f = ParseFailure(append([]byte(nil), data...))
	return nil
}

// Usage counts tokens. Input excludes what was cached, so the billed input is the sum of Input,
// CacheRead and CacheWrite; Reasoning is already in Output.
type Usage struct {
	Input, Output int64
	// CacheRead, CacheWrite and Reasoning are 0 if they are not known, and then not written.
	CacheRead, CacheWrite, Reasoning int64

	raw json.RawMessage
}

// ParseUsage reads usage: a JSON object. A count that is not an integer survives in the JSON alone.
func ParseUsage(data []byte) (Usage, error) {
	n, err := scanObject(data, 1)
	if err != nil {
		return Usage{}, fmt.Errorf("usage: %w", err)
	}
	u := Usage{raw: data}
	u.Input, _ = jsonvalue.Whole(jsonvalue.Member(n, "inputTokens"))
	u.Output, _ = jsonvalue.Whole(jsonvalue.Member(n, "outputTokens"))
	u.CacheRead, _ = jsonvalue.Whole(jsonvalue.Member(n, "cacheReadTokens"))
	u.CacheWrite, _ = jsonvalue.Whole(jsonvalue.Member(n, "cacheWriteTokens"))
	u.Reasoning, _ = jsonvalue.Whole(jsonvalue.Member(n, "reasoningTokens"))
	return u, nil
}

// AppendJSON appends the counts as JSON.
func (u *Usage) AppendJSON(dst []byte) []byte {
	if u.raw != nil {
		return append(dst, u.raw...)
	}
	o := jsonvalue.Begin(dst)
	o.Whole("inputTokens", u.Input)
	o.Whole("outputTokens", u.Output)
	if u.CacheRead != 0 {
		o.Whole("cacheReadTokens", u.CacheRead)
	}
	if u.CacheWrite != 0 {
		o.Whole("cacheWriteTokens", u.CacheWrite)
	}
	if u.Reasoning != 0 {
		o.Whole("reasoningTokens", u.Reasoning)
	}
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (u Usage) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (u *Usage) UnmarshalJSON(data []byte) (err error) {
	*u, err = ParseUsage(append([]byte(nil), data...))
	return err
}
