package conformance

import (
	"context"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	hostreplay "github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// readSideCases are native-write, read-side, read-side-random and history.
func readSideCases() Suite {
	read := Operation{run: readSide, bind: bindRead, bothModes: true}
	return Suite{
		"native-write":     {run: nativeWrite, bind: bindWrite, bothModes: true},
		"read-side":        read,
		"read-side-random": read,
		"history":          {run: runHistory, bind: bindRead, bothModes: true},
	}
}

func routeOf(v Value) message.Route {
	return message.Route{Provider: v.Get("provider").str(""), Model: v.Get("model").str("")}
}

// diagnostics is the list of a reader, as the vectors write it.
type diagnostics struct {
	list []any
	// withRoute says that the route of the request is shown too.
	withRoute bool
	err       error
}

func (d *diagnostics) add(g hostreplay.Diagnostic) {
	if g.Error() == "" {
		d.err = errors.New("a diagnostic without a text")
	}
	f := fields{"code", string(g.Code), "reason", string(g.Reason)}
	if g.Field != "" {
		f = append(f, "field", g.Field)
	}
	if g.Reason.Positioned() {
		f = append(f, "at", g.At)
	}
	if g.Reason == hostreplay.WrongVersion {
		f = append(f, "version", g.Version)
	}
	if d.withRoute {
		f = append(f, "route", fields{"provider", g.Route.Provider, "model", g.Route.Model})
	}
	d.list = append(d.list, f)
}

// unsupported shows the error of a reader.
func unsupported(err error, d *diagnostics) (any, error) {
	var e *hostreplay.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	return fields{"error", fields{"code", string(e.Code)}, "diagnostics", list(d.list)}, d.err
}

func readSide(_ context.Context, c *testCase) (any, error) {
	m, err := message.ParseMessage(c.input.Get("message").raw)
	if err != nil {
		return nil, err
	}
	return readBack(m, routeOf(c.input.Get("route")), c.reference)
}

func readBack(m message.Message, route message.Route, reference bool) (any, error) {
	var d diagnostics
	r := hostreplay.Reader{Reference: reference, Route: route, OnDiagnostic: d.add}
	converted, native, err := r.Assistant(m)
	if err != nil {
		return unsupported(err, &d)
	}
	return fields{"native", native, "assistant", converted, "diagnostics", list(d.list)}, d.err
}

func runHistory(_ context.Context, c *testCase) (any, error) {
	var messages []message.Message
	for _, v := range c.input.Get("messages").items {
		m, err := message.ParseMessage(v.raw)
		if err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	var tools []hostreplay.Tool
	for _, v := range c.input.Get("tools").items {
		tools = append(tools, hostreplay.Tool{
			Name:        v.Get("name").str(""),
			Description: v.Get("description").str(""),
			Parameters:  v.Get("parameters").raw,
		})
	}
	d := diagnostics{withRoute: true}
	r := hostreplay.Reader{Reference: c.reference, Route: routeOf(c.input.Get("route")), OnDiagnostic: d.add}
	converted, err := r.Context(c.input.Get("system").ptr(), tools, messages)
	if err != nil {
		return unsupported(err, &d)
	}
	return fields{"context", converted, "diagnostics", list(d.list)}, d.err
}

func nativeWrite(_ context.Context, c *testCase) (any, error) {
	requested := routeOf(c.input.Get("requested"))
	w := hostreplay.Writer{
		Reference: c.reference, Requested: requested,
		ContextWindow: int64(c.input.Get("contextWindow").number()),
	}
	a := assembler.Assembler{Reference: c.reference}
	var chunks []any
	for _, event := range c.input.Get("events").items {
		found, err := w.Event(event.raw)
		if err != nil {
			return nil, err
		}
		for i := range found {
			if err := a.Push(&found[i]); err != nil {
				return nil, err
			}
			chunks = append(chunks, found[i])
		}
	}
	var failure *message.Failure
	if err := w.End(); errors.As(err, &failure) {
		return fields{"chunks", list(chunks), "error", fields{"code", failure.Code}}, nil
	}
	finish := a.Finish()
	out := fields{"chunks", list(chunks), "finish", finish}
	if finish.Kind == message.Failed || finish.Kind == message.Aborted {
		if finish.Failure == nil || finish.Failure.Message == "" {
			return nil, fmt.Errorf("finish %s without a failure text", finish.Kind)
		}
		return append(out, "stored", nil), nil
	}
	result, err := a.Result()
	if err != nil {
		return nil, err
	}
	m := message.Message{
		ID: "m-1", Role: message.Assistant, Content: result.Blocks,
		Source: message.Source{
			Kind: message.FromModel, Provider: requested.Provider, Model: requested.Model,
			Answered: a.Answered(), ReplayState: result.ReplayState,
		},
	}
	next, err := readBack(m, requested, c.reference)
	stored := fields{"role", m.Role, "content", list(m.Content), "source", m.Source}
	return append(out, "stored", stored, "next", next), err
}

// bindRead takes the message texts away.
func bindRead(_ *testCase, expected, got Value) (Value, Value) {
	return withoutTexts(expected), got
}

// bindWrite takes the message texts of failures away too. Arguments that were serialised again are
// compared as texts, which is stricter than it has to be.
func bindWrite(_ *testCase, expected, got Value) (Value, Value) {
	return withoutFailureTexts(withoutTexts(expected)), withoutFailureTexts(got)
}

// withoutTexts takes the message texts of an error and of diagnostics away.
func withoutTexts(v Value) Value {
	if e := v.Get("error"); e.present() {
		v = v.with("error", e.without(isMessage))
	}
	if d := v.Get("diagnostics"); d.present() {
		v = v.with("diagnostics", each(d, func(item Value) Value { return item.without(isMessage) }))
	}
	if next := v.Get("next"); next.present() {
		v = v.with("next", withoutTexts(next))
	}
	return v
}

// withoutFailureTexts takes those of the finish and of the finish chunks away.
func withoutFailureTexts(v Value) Value {
	if finish := v.Get("finish"); finish.present() {
		v = v.with("finish", withoutFailureText(finish))
	}
	return v.with("chunks", each(v.Get("chunks"), func(chunk Value) Value {
		if reason := chunk.Get("reason"); reason.present() {
			return chunk.with("reason", withoutFailureText(reason))
		}
		return chunk
	}))
}

func withoutFailureText(reason Value) Value {
	if failure := reason.Get("failure"); failure.present() {
		return reason.with("failure", failure.without(isMessage))
	}
	return reason
}

func isMessage(key string, item Value) bool { return key == "message" && item.str("") != "" }

// each changes the items of a list. What is no list stays, so that it does not equal an empty one.
func each(v Value, change func(Value) Value) Value {
	if v.kind != jsonspan.Array {
		return v
	}
	return v.each(change)
}
