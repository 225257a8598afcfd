package replay

import (
	"strconv"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// Code is the kind of a [Diagnostic], a [Report] or an [Error].
type Code string

const (
	// InvalidState is the code of every Diagnostic.
	InvalidState Code = "INVALID_REPLAY_STATE"

	// StateMisaligned: the replay envelope of an answer did not fit its blocks and was not stored.
	StateMisaligned Code = "REPLAY_STATE_MISALIGNED"
	// StateNotOwned: the state was not handed to an adapter that did not make it.
	StateNotOwned Code = "REPLAY_STATE_NOT_OWNED"
	// ImageUnavailable: a text stands in the place of an image.
	ImageUnavailable Code = "IMAGE_UNAVAILABLE"

	// UnsupportedContent: a message cannot be converted; in reference mode only.
	UnsupportedContent Code = "UNSUPPORTED_CONTENT"
)

// Reason says which check a replay state has failed. The checks are those of the replay-state protocol,
// sections "Structural checks" and "Matching checks", in this order.
type Reason string

const (
	EnvelopeNotObject Reason = "envelope-not-object"
	ResponseNotObject Reason = "response-not-object"
	WrongKind         Reason = "kind"
	// WrongVersion comes with the version.
	WrongVersion Reason = "version"
	// FieldNotString comes with the field: api, provider or model, which must not be empty either,
	// responseModel or responseId.
	FieldNotString  Reason = "field-not-string"
	WrongStopReason Reason = "stop-reason"
	EntriesNotArray Reason = "entries-not-array"
	// EntryNotObject, EntryType, EntrySignature and EntryRedacted come with the entry's position,
	// EntrySignature with the field too.
	EntryNotObject Reason = "entry-not-object"
	EntryType      Reason = "entry-type"
	EntrySignature Reason = "entry-signature"
	EntryRedacted  Reason = "entry-redacted"
	// RouteMismatch comes with the field: provider or model.
	RouteMismatch Reason = "route-mismatch"
	EntryCount    Reason = "entry-count"
	// EntryKindMismatch comes with the position of the block.
	EntryKindMismatch Reason = "entry-kind-mismatch"
)

// Positioned tells whether a diagnostic with this reason is about one entry.
func (r Reason) Positioned() bool {
	switch r {
	case EntryNotObject, EntryType, EntrySignature, EntryRedacted, EntryKindMismatch:
		return true
	}
	return false
}

// A Diagnostic says why the replay state of one message was not used. It is an error too, that of
// [Reader.Validate].
type Diagnostic struct {
	// Code is InvalidState.
	Code   Code
	Reason Reason
	// Field is the member at fault, "" if the reason is not about one.
	Field string
	// At is the position of the entry at fault, from 0, if the reason is about one.
	At int
	// Version is, for WrongVersion, the version that was found as JavaScript turns it into text:
	// "undefined" if there is none.
	Version string
	// MessageID is the message that degrades.
	MessageID string
	// Route is that of the request, not that of the message. It is empty in an error of Validate.
	Route message.Route
}

// Error says what is wrong with the state. It does not name the message.
func (d *Diagnostic) Error() string { return "invalid pi-ai replay state: " + d.detail() }

func (d *Diagnostic) detail() string {
	entry := "entry " + strconv.Itoa(d.At)
	switch d.Reason {
	case EnvelopeNotObject:
		return "it is not an object"
	case ResponseNotObject:
		return "response is not an object"
	case WrongKind:
		return "kind is not \"pi-ai\""
	case WrongVersion:
		return "version " + short(d.Version) + " is not supported, only 2 is"
	case FieldNotString:
		if d.Field == "responseModel" || d.Field == "responseId" {
			return d.Field + " is not a string"
		}
		return d.Field + " is not a string, or is empty"
	case WrongStopReason:
		return "stopReason is not that of a finished answer"
	case EntriesNotArray:
		return "blocks is not a list"
	case EntryNotObject:
		return entry + " is not an object"
	case EntryType:
		return entry + " is of an unknown type"
	case EntrySignature:
		return d.Field + " of " + entry + " is not a string"
	case EntryRedacted:
		return "redacted of " + entry + " is not a boolean"
	case RouteMismatch:
		return d.Field + " is not that of the message"
	case EntryCount:
		return "the number of entries is not that of the message's blocks"
	case EntryKindMismatch:
		return entry + " is of another kind than the message's block"
	}
	return string(d.Reason)
}

// short cuts a text for a message.
func short(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return wtf8.ToUTF8(text[:most]) + "…"
}

// AppendJSON appends the diagnostic as JSON: {"code", "reason", "field"?, "at"?, "version"?,
// "messageId"?, "route"?, "message"}.
func (d *Diagnostic) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("code", string(d.Code))
	o.Text("reason", string(d.Reason))
	if d.Field != "" {
		o.Text("field", d.Field)
	}
	if d.Reason.Positioned() {
		o.Whole("at", int64(d.At))
	}
	if d.Reason == WrongVersion {
		o.Text("version", d.Version)
	}
	if d.MessageID != "" {
		o.Text("messageId", d.MessageID)
	}
	if d.Route != (message.Route{}) {
		appendRoute(&o, "route", d.Route)
	}
	o.Text("message", d.Error())
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (d Diagnostic) MarshalJSON() ([]byte, error) { return d.AppendJSON(nil), nil }
