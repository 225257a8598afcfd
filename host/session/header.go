package session

import (
	"fmt"
	"strconv"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// Version is the version of the log format that is read and written.
const Version = 0

// A Header is the first line of a log: the replay-state protocol, section "JSONL storage".
type Header struct {
	// ID is the session's, not empty.
	ID string
	// CreatedAt is in milliseconds since the Unix epoch, not negative.
	CreatedAt int64
	// Cwd is the working directory, and ParentSession, AgentPreset and Origin ("subagent") say where the
	// session comes from; nil if the header does not say.
	Cwd, ParentSession, AgentPreset, Origin *string
	// SeedLength is how many events were taken over from the parent, not negative; nil if the header does
	// not say.
	SeedLength *int64
	// DelegationDepth is how many sessions delegated this one, not negative.
	DelegationDepth int64
}

// subagent is the only origin there is.
const subagent = "subagent"

// ParseHeader reads a header: a log's first line, with or without its line feed. What it does not know
// is ignored. The error is an *Error: HeaderNotJSON; FormatUnsupported for another version of the
// format, which comes before any look at the rest; HeaderInvalid; or HeaderRetiredFields.
func ParseHeader(line []byte) (Header, error) {
	h, err := parseHeader(line)
	if err != nil {
		return Header{}, err
	}
	return h, nil
}

func parseHeader(line []byte) (h Header, _ *Error) {
	doc, err := jsonspan.Scan(line, 1)
	if err != nil {
		return h, headerError(HeaderNotJSON, "the first line is not JSON, so this is not a session log")
	}
	n := doc.Root()
	version, isNumber := jsonvalue.Member(n, "version"), false
	if version.Kind() == jsonspan.Number {
		isNumber = true
		if v, err := strconv.ParseFloat(string(version.Raw()), 64); err != nil || v != Version {
			age := "a newer program has written it: read it with that"
			if v < Version {
				age = "an older program has written it, and there is no way to upgrade it"
			}
			return h, headerError(FormatUnsupported, "the log has format version %s, this program reads version %d: %s",
				shorten(version.Raw(), 40), Version, age)
		}
	}
	var f fields
	f.node = n
	h = Header{
		ID:              f.need("id"),
		CreatedAt:       f.natural("createdAt"),
		Cwd:             f.text("cwd"),
		ParentSession:   f.text("parentSession"),
		AgentPreset:     f.text("agentPreset"),
		Origin:          f.text("origin"),
		DelegationDepth: f.natural("delegationDepth"),
	}
	if jsonvalue.Member(n, "seedLength").Kind() != jsonspan.Absent {
		length := f.natural("seedLength")
		h.SeedLength = &length
	}
	if h.Origin != nil && *h.Origin != subagent {
		f.fault("origin", "may only be \"subagent\"")
	}
	switch {
	case n.Kind() != jsonspan.Object || !jsonvalue.Member(n, "type").Is("session"):
		return h, headerError(HeaderInvalid, "the first line is not the header of a session")
	case !isNumber:
		return h, headerError(HeaderInvalid, "the header names no version of the format")
	case f.wrong != "":
		return h, headerError(HeaderInvalid, "the header's %s", f.wrong)
	}
	for _, key := range [...]string{"sandboxMode", "approvalPolicy"} {
		if jsonvalue.Member(n, key).Kind() != jsonspan.Absent {
			return h, headerError(HeaderRetiredFields,
				"the header has the field %s of a release from before its policy events, which cannot be carried over", key)
		}
	}
	return h, nil
}

// check refuses a header that could not be read back.
func (h *Header) check() error {
	line := h.AppendJSON(nil)
	if len(line) > MaxLine {
		return headerError(HeaderInvalid, "the header has %d bytes, the limit is %d", len(line), MaxLine)
	}
	_, err := ParseHeader(line)
	return err
}

func headerError(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Line: 1, Detail: fmt.Sprintf(format, args...)}
}

// fields reads members of an object and remembers the first that is wrong.
type fields struct {
	node  jsonspan.Node
	wrong string
}

func (f *fields) fault(key, what string) {
	if f.wrong == "" {
		f.wrong = key + " " + what
	}
}

// text returns a text, nil if there is no such member.
func (f *fields) text(key string) *string {
	m := jsonvalue.Member(f.node, key)
	if m.Kind() == jsonspan.Absent {
		return nil
	}
	if m.Kind() != jsonspan.String {
		f.fault(key, "is not a text")
	}
	s := jsonvalue.String(m)
	return &s
}

// need returns a text that is not empty.
func (f *fields) need(key string) string {
	s := f.text(key)
	if s == nil || *s == "" {
		f.fault(key, "is missing or empty")
		return ""
	}
	return *s
}

// natural returns an integer that is not negative.
func (f *fields) natural(key string) int64 {
	v, ok := jsonvalue.Whole(jsonvalue.Member(f.node, key))
	if !ok || v < 0 {
		f.fault(key, "is not an integer from 0 to 2^53-1")
	}
	return v
}

// AppendJSON appends the header as the line that it is in a log, without a line feed.
func (h *Header) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"session","version":0,"id":`...)
	dst = wtf8.AppendQuote(dst, h.ID)
	dst = strconv.AppendInt(append(dst, `,"createdAt":`...), h.CreatedAt, 10)
	dst = appendText(dst, `,"cwd":`, h.Cwd)
	dst = appendText(dst, `,"parentSession":`, h.ParentSession)
	if h.SeedLength != nil {
		dst = strconv.AppendInt(append(dst, `,"seedLength":`...), *h.SeedLength, 10)
	}
	dst = appendText(dst, `,"origin":`, h.Origin)
	dst = strconv.AppendInt(append(dst, `,"delegationDepth":`...), h.DelegationDepth, 10)
	dst = appendText(dst, `,"agentPreset":`, h.AgentPreset)
	return append(dst, '}')
}

func appendText(dst []byte, key string, text *string) []byte {
	if text == nil {
		return dst
	}
	return wtf8.AppendQuote(append(dst, key...), *text)
}

// MarshalJSON implements [json.Marshaler]. The result is the log's first line.
func (h Header) MarshalJSON() ([]byte, error) { return h.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler] with [ParseHeader].
func (h *Header) UnmarshalJSON(data []byte) (err error) {
	*h, err = ParseHeader(data)
	return err
}
