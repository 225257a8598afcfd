package session

import (
	"iter"
	"slices"
	"strconv"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// The kinds that older logs have.
const (
	steeringMessage = "steering/message"
	headerDelta     = "request/header-delta"
	modeSet         = "mode/set"
)

func (e *Event) retired() *Error {
	return e.refuse(LegacyUnsupported,
		"this kind of event is no longer read: take the log up with the version that wrote it")
}

// Import yields a log's events with the shapes of older versions brought up to date: messages without
// ids, steering messages, turns with triggers and the older reasons of their ends (the replay-state
// protocol, section "Older shapes that are still read"). Nothing else is changed, and nothing that merely
// resembles an older shape. The events have to begin at seq 0. An error, of the events or an *[Error] with
// the code Validation or LegacyUnsupported, ends it.
func Import(h Header, events iter.Seq2[Event, error]) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		im := importer{session: h.ID}
		for e, err := range events {
			if err == nil {
				var bad *Error
				if e, bad = im.event(e); bad != nil {
					err = bad
				}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// An importer brings the events of one log up to date.
type importer struct {
	session string
	// results are the ids of tool results by seq: one that replaces another has the same.
	results map[int64]string
	// changed says that an event had an older shape.
	changed bool
}

// event returns an event in today's shape.
func (im *importer) event(e Event) (_ Event, err *Error) {
	switch e.Type {
	case headerDelta, modeSet:
		err = e.retired()
	case RequestHeader:
		if doc, bad := jsonspan.Scan(e.Data, 1); bad == nil && jsonvalue.Member(doc.Root(), "reason").Is("fallback") {
			err = e.refuse(LegacyUnsupported, "a header for the reason \"fallback\" is no longer read: "+
				"take the log up with the version that wrote it")
		}
	case UserMessage, steeringMessage, AssistantMessage, ToolResult, TurnStart, TurnEnd:
		doc, bad := jsonspan.Scan(e.Data, 2)
		if bad != nil || doc.Root().Kind() != jsonspan.Object {
			if e.Type == steeringMessage {
				err = e.invalid("it is not a message, nor one of an older version")
			}
			break // for validation to refuse
		}
		var data []byte
		data, err = im.data(&e, members(doc.Root()))
		if err == nil && data != nil {
			im.changed = true
			e, err = rewritten(e, data)
		}
	}
	if err != nil {
		return Event{}, err
	}
	return e, nil
}

// data returns the data of an event in today's shape, nil if it has it.
func (im *importer) data(e *Event, d shape) ([]byte, *Error) {
	switch e.Type {
	case UserMessage:
		if d.has("id") {
			return nil, nil
		}
		return im.user(e, d, "content", "source")
	case steeringMessage:
		return im.user(e, d, "turn", "content", "source")
	case AssistantMessage:
		if d.has("message") {
			return nil, nil
		}
		return im.assistant(e, d)
	case ToolResult:
		return im.result(e, d)
	case TurnStart:
		switch {
		case !d.has("trigger"):
			return nil, nil
		case !d.only("turn", "trigger"):
			return nil, e.malformed()
		}
		return object(d.fields("turn")...), nil
	case TurnEnd:
		data, err := turnEnd(e)
		if data != nil && !d.only("turn", "reason") {
			return nil, e.malformed()
		}
		return data, err
	}
	return nil, nil
}

func (e *Event) malformed() *Error {
	return e.invalid("its data has neither today's shape nor exactly that of an older version")
}

// id is that of a message that was stored without one.
func (im *importer) id(seq int64) string {
	return "legacy-message:" + im.session + ":" + strconv.FormatInt(seq, 10)
}

func (im *importer) user(e *Event, d shape, keys ...string) ([]byte, *Error) {
	if !d.only(keys...) || d["content"].Kind() != jsonspan.Array || d["source"].Kind() != jsonspan.Object {
		return nil, e.malformed()
	}
	id := field{"id", quote(im.id(e.Seq))}
	return object(append(d.fields("content", "source"), id, field{"role", quote(message.User)})...), nil
}

func (im *importer) assistant(e *Event, d shape) ([]byte, *Error) {
	provenance := members(d["provenance"])
	if !d.without("usage", "interrupted").only("turn", "step", "content", "provenance") ||
		!provenance.without("replayState").only("provider", "model") ||
		d["content"].Kind() != jsonspan.Array {
		return nil, e.malformed()
	}
	source := object(append(provenance.fields("provider", "model", "replayState"),
		field{"kind", quote(message.FromModel)})...)
	m := object(field{"id", quote(im.id(e.Seq))}, field{"role", quote(message.Assistant)},
		d.field("content"), field{"source", source})
	return object(append(d.fields("turn", "step", "usage", "interrupted"), field{"message", m})...), nil
}

func (im *importer) result(e *Event, d shape) ([]byte, *Error) {
	target, replaces := im.target(e)
	if d.has("message") {
		if id := jsonvalue.String(jsonvalue.Member(d["message"], "id")); id != "" {
			im.note(e.Seq, id, target)
		}
		return nil, nil
	}
	if !d.without("error", "meta").only("turn", "step", "callId", "content", "isError") ||
		d["callId"].Kind() != jsonspan.String || d["content"].Kind() != jsonspan.Array ||
		d["isError"].Kind() != jsonspan.Bool {
		return nil, e.malformed()
	}
	id := im.id(e.Seq)
	if of, ok := im.results[target]; replaces && ok {
		id = of
	}
	im.note(e.Seq, id, target)
	block := object(field{"type", quote(message.ToolResult)}, field{"toolCallId", d["callId"].Raw()},
		d.field("content"), d.field("isError"))
	m := object(field{"id", quote(id)}, field{"role", quote(message.User)},
		field{"content", slices.Concat([]byte{'['}, block, []byte{']'})},
		field{"source", object(field{"kind", quote(message.FromTool)}, d.field("callId"))})
	return object(append(d.fields("turn", "step", "error", "meta"), field{"message", m})...), nil
}

// target is the event that another one replaces; -1 if it replaces none.
func (im *importer) target(e *Event) (seq int64, replaces bool) {
	if e.SurfaceOp == nil {
		return -1, false
	}
	if at, err := surfaceOp(e); err == nil && at != nil {
		return at.start, true
	}
	return -1, false
}

func (im *importer) note(seq int64, id string, replaced int64) {
	if im.results == nil {
		im.results = map[int64]string{}
	}
	delete(im.results, replaced)
	im.results[seq] = id
}

// turnEnd returns the data of a turn's end with today's form of the reason, nil if it has that.
func turnEnd(e *Event) ([]byte, *Error) {
	doc, err := jsonspan.Scan(e.Data, 2)
	if err != nil {
		return nil, nil
	}
	n := jsonvalue.Member(doc.Root(), "reason")
	reason, bad := turnEndReason(e, members(n))
	if reason == nil || bad != nil {
		return nil, bad
	}
	edit := doc.Edit()
	edit.Set(n, reason)
	data, err := edit.Bytes()
	if err != nil {
		return nil, e.invalid("%v", err)
	}
	return data, nil
}

func turnEndReason(e *Event, r shape) ([]byte, *Error) {
	switch jsonvalue.String(r["kind"]) {
	case "aborted":
		switch {
		case r.only("kind"):
			return aborted("legacy"), nil
		case jsonvalue.String(jsonvalue.Member(r["reason"], "kind")) == "":
			return nil, e.malformed()
		}
	case "disposed":
		if !r.only("kind") {
			return nil, e.malformed()
		}
		return aborted("disposed"), nil
	case "error":
		if r["error"].Kind() != jsonspan.Object {
			return turnError(e, r)
		}
	}
	return nil, nil
}

func aborted(kind string) []byte {
	return object(field{"kind", quote("aborted")}, field{"reason", object(field{"kind", quote(kind)})})
}

// turnError returns the older reasons of a turn that failed. Facts that are not to be trusted are left
// out, and a code that is missing is unknown.
func turnError(e *Event, r shape) ([]byte, *Error) {
	var facts []byte
	switch {
	case r.without("code").only("kind", "step", "message"):
		facts = object(r.fields("message", "code")...)
	case r.only("kind", "step", "failure"):
		facts = r["failure"].Raw()
	}
	doc, err := jsonspan.Scan(facts, 1)
	if err != nil || jsonvalue.String(jsonvalue.Member(doc.Root(), "message")) == "" {
		return nil, e.malformed()
	}
	if _, ok := jsonvalue.Whole(r["step"]); !ok {
		return nil, e.malformed()
	}
	if jsonvalue.Member(doc.Root(), "code").Kind() == jsonspan.Absent {
		edit := doc.Edit()
		edit.AddMember(doc.Root(), "code", quote(message.Unknown))
		if facts, err = edit.Bytes(); err != nil {
			return nil, e.invalid("%v", err)
		}
	}
	failure := message.ParseFailure(facts)
	return object(field{"kind", quote("error")}, field{"error", failure.AppendJSON(nil)}), nil
}

// rewritten returns an event with other data, and as a user message if it was a steering message. What
// else its JSON has stays, for validation to see.
func rewritten(e Event, data []byte) (Event, *Error) {
	changed := Event{
		Type: e.Type, Seq: e.Seq, Time: e.Time, Data: data,
		SurfaceOp: e.SurfaceOp, Sources: e.Sources, Ignorable: e.Ignorable,
	}
	if e.Type == steeringMessage {
		changed.Type = UserMessage
	}
	if e.raw != nil {
		doc, err := jsonspan.Scan(e.raw, 1)
		if err != nil {
			return e, e.invalid("%v", err)
		}
		edit := doc.Edit()
		edit.Set(jsonvalue.Member(doc.Root(), "data"), data)
		edit.Set(jsonvalue.Member(doc.Root(), "type"), quote(changed.Type))
		raw, err := edit.Bytes()
		if err == nil {
			changed, err = ParseEvent(raw)
		}
		if err != nil {
			return e, e.invalid("%v", err)
		}
	}
	changed.line, changed.offset = e.line, e.offset
	return changed, nil
}
