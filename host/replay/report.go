package replay

import (
	"fmt"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A Report says that something of a message is lost to a request, or to all of them, although nothing
// is wrong with a stored state. Which fields are used depends on Code: StateMisaligned, StateNotOwned or
// ImageUnavailable.
type Report struct {
	Code      Code
	MessageID string
	// Route is, for StateMisaligned and StateNotOwned, the one that gave the message.
	Route message.Route
	// Serving is, for StateNotOwned, the route of the request.
	Serving message.Route
	// Blocks and Entries are, for StateMisaligned, how many there were; Cause is why, in one word, and the
	// only fact if there was no list of entries.
	Blocks, Entries int
	Cause           string
	// AttachmentID and MediaType are, for ImageUnavailable, those of the image.
	AttachmentID, MediaType string
}

func (r *Report) String() string {
	switch r.Code {
	case StateMisaligned:
		return fmt.Sprintf("the replay envelope of an answer of %s does not fit it and is not kept (%s): "+
			"%d blocks, %d entries", r.Route, r.Cause, r.Blocks, r.Entries)
	case StateNotOwned:
		return fmt.Sprintf("the replay state of %s is of no use to %s and is not sent", r.Route, r.Serving)
	case ImageUnavailable:
		return fmt.Sprintf("an image (%s) is left out: its bytes are not available", orUnknown(r.MediaType))
	}
	return string(r.Code)
}

func orUnknown(mediaType string) string {
	if mediaType == "" {
		return "unknown type"
	}
	return mediaType
}

// AppendJSON appends the report as JSON: {"code", "messageId", …, "message"} with the facts of its code.
func (r *Report) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("code", string(r.Code))
	o.Text("messageId", r.MessageID)
	switch r.Code {
	case StateMisaligned:
		appendRoute(&o, "route", r.Route)
		o.Whole("blocks", int64(r.Blocks))
		o.Whole("entries", int64(r.Entries))
		o.Text("cause", r.Cause)
	case StateNotOwned:
		appendRoute(&o, "route", r.Route)
		appendRoute(&o, "serving", r.Serving)
	case ImageUnavailable:
		o.Text("attachmentId", r.AttachmentID)
		o.Text("mediaType", r.MediaType)
	}
	o.Text("message", r.String())
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (r Report) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// An Error is why a request cannot be made in reference mode.
type Error struct {
	// Code is UnsupportedContent.
	Code Code
	// MessageID and AttachmentID are the message and its image.
	MessageID, AttachmentID string
}

func (e *Error) Error() string {
	return fmt.Sprintf("message %q has an image (%s), and there is nothing to read its bytes from (%s)",
		e.MessageID, e.AttachmentID, e.Code)
}
