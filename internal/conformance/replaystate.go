package conformance

import (
	"context"
	"errors"
	"strings"

	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// stateCases are derived-history and turn-closers.
func stateCases() Suite {
	return Suite{
		"derived-history": {run: deriveHistory, bind: bindRefusal, bothModes: true},
		"turn-closers":    {run: closeTurn, bind: bindInvented, bothModes: true},
	}
}

func deriveHistory(_ context.Context, c *testCase) (any, error) {
	state := session.NewState(session.Header{ID: "sess"})
	for _, v := range c.input.Get("events").items {
		e, err := session.ParseEvent(v.raw)
		if err != nil { // without an integer as its seq
			return refused(&session.Error{Code: session.Validation, Detail: err.Error()})
		}
		if err := state.Apply(&e); err != nil {
			// Taking up has one code in the kit, for kinds that are no longer read as well.
			var refusal *session.Error
			if errors.As(err, &refusal) {
				refusal.Code = session.Validation
			}
			return refused(err)
		}
	}
	if state.Last() != session.EndSeed {
		seed := session.Event{Type: session.EndSeed, Seq: state.Next(), Data: []byte("{}")}
		if err := state.Apply(&seed); err != nil {
			return nil, err
		}
	}
	out := fields{"messages", list(state.Messages()), "surface", state.Surface(), "lastEvent", state.Last()}
	if header := state.RequestHeader(); header != nil {
		return append(out, "requestHeader", header), nil
	}
	return append(out, "requestHeader", nil), nil
}

// refused is the result of a case whose log is refused; any other error is the case's own.
func refused(err error) (any, error) {
	var refusal *session.Error
	if !errors.As(err, &refusal) {
		return nil, err
	}
	return fields{"error", fields{"code", string(refusal.Code), "message", refusal.Error()}}, nil
}

// bindRefusal takes away the text of a refusal, which must be there.
func bindRefusal(_ *testCase, expected, got Value) (Value, Value) {
	if got.Get("error").Get("message").str("") == "" {
		return expected, got
	}
	bound := func(v Value) Value {
		if !v.Has("error") {
			return v
		}
		return v.with("error", v.Get("error").without(func(key string, _ Value) bool { return key == "message" }))
	}
	return bound(expected), bound(got)
}

func closeTurn(_ context.Context, c *testCase) (any, error) {
	var events []session.Event
	for _, v := range c.input.Get("events").items {
		e, err := session.ParseEvent(v.raw)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return fields{"closers", list(session.Closers(events))}, nil
}

func bindInvented(_ *testCase, expected, got Value) (Value, Value) {
	return withoutInvented(expected), withoutInvented(got)
}

// withoutInvented takes away the texts of the results that were made for interrupted calls, wherever in
// a value these messages are. They must be there.
func withoutInvented(v Value) Value {
	if strings.HasPrefix(v.Get("id").str(""), "interrupted-tool-result-") {
		return anyText(v)
	}
	return v.each(withoutInvented)
}

// anyText takes away every text that is not empty.
func anyText(v Value) Value {
	v = v.each(anyText)
	if v.Get("type").str("") == "text" && v.Get("text").str("") != "" {
		return v.without(func(key string, _ Value) bool { return key == "text" })
	}
	return v
}

// each returns a value with another one in the place of each of its members.
func (v Value) each(change func(Value) Value) Value {
	if v.kind < jsonspan.Array {
		return v
	}
	items := make([]Value, len(v.items))
	for i, item := range v.items {
		items[i] = change(item)
	}
	v.items = items
	v.raw = v.appendTo(nil)
	return v
}
