package replay

import (
	"encoding/json"
	"strings"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A Reader turns stored messages into the native messages of one request. The zero value is ready; it
// may be used by several goroutines at once if its hooks may.
//
// Bytes of images are not read: a text that says so and gives the media type stands in the place of
// every image, in this request only, with a report. In reference mode an image is an error.
type Reader struct {
	// Reference switches to the behaviour of the reference.
	Reference bool
	// Route is that of the request. It goes into diagnostics and reports and decides nothing.
	Route message.Route
	// OnDiagnostic is called once for each message that degrades, in the order of the history. A message
	// that degrades does so on every request. If it is nil, the default logger gets the diagnostic, once
	// for a message in this process (see [Once]).
	OnDiagnostic func(Diagnostic)
	// OnReport is called for each image that is left out and for each state that is not owned. nil is as
	// for OnDiagnostic.
	OnReport func(Report)
}

// Assistant converts one assistant message. native tells whether its replay state was used; if the
// message has one that cannot be used, a diagnostic is given and the content goes without it. See the
// replay-state protocol, sections "Native rebuild" and "Foreign conversion".
//
// The error is an *[Error], in reference mode only.
func (r *Reader) Assistant(m message.Message) (converted AssistantMessage, native bool, err error) {
	if m.Source.Kind == message.FromModel && m.Source.ReplayState != nil {
		s, d := readState(m.Source.ReplayState, &m, r.Reference)
		if d == nil {
			return s.rebuild(m.Content), true, nil
		}
		d.Route = r.Route
		if r.OnDiagnostic != nil {
			r.OnDiagnostic(*d)
		} else {
			shown.Diagnostic(*d)
		}
	}
	converted, err = r.foreign(&m)
	return converted, false, err
}

// rebuild joins stored content with what the state, which matches it, knows beyond it.
func (s *state) rebuild(content []message.Block) AssistantMessage {
	m := AssistantMessage{
		Content:       make([]Part, len(content)),
		API:           s.api,
		Provider:      s.provider,
		Model:         s.model,
		ResponseModel: s.responseModel,
		ResponseID:    s.responseID,
		StopReason:    s.stopReason,
		stopReason:    s.stopList,

		ProviderExecuted: s.providerExecuted,
	}
	for i := range content {
		m.Content[i], _ = part(&content[i])
		m.Content[i].Signature = s.entries[i].signature
		m.Content[i].Redacted = s.entries[i].redacted
	}
	return m
}

// foreign converts a message as if another system had given it.
func (r *Reader) foreign(m *message.Message) (AssistantMessage, error) {
	converted := AssistantMessage{
		Content:  make([]Part, 0, len(m.Content)),
		API:      Foreign,
		Provider: Foreign, Model: Foreign,
		StopReason: stopStop,
	}
	if m.Source.Kind == message.FromModel {
		converted.Provider = named(&m.Source, "provider", m.Source.Provider)
		converted.Model = named(&m.Source, "model", m.Source.Model)
	}
	for i := range m.Content {
		p, ok := part(&m.Content[i])
		switch {
		case ok:
		case m.Content[i].Type == message.Image:
			if r.Reference {
				return AssistantMessage{}, unsupported(m.ID, &m.Content[i])
			}
			p = Part{Type: PartText, Text: r.image(m.ID, &m.Content[i])}
		default:
			continue
		}
		if p.Type == PartToolCall {
			converted.StopReason = stopToolUse
		}
		converted.Content = append(converted.Content, p)
	}
	return converted, nil
}

// named is what a source says of its route, the marker if it says nothing; an empty text says something.
func named(s *message.Source, key, value string) string {
	if value != "" {
		return value
	}
	doc, err := jsonspan.Scan(s.AppendJSON(nil), 1)
	if err == nil && jsonvalue.Member(doc.Root(), key).Kind() == jsonspan.String {
		return value
	}
	return Foreign
}

// part converts a block that has a native form.
func part(b *message.Block) (Part, bool) {
	switch b.Type {
	case message.Text:
		return Part{Type: PartText, Text: b.Text}, true
	case message.Reasoning:
		return Part{Type: PartThinking, Text: b.Text}, true
	case message.ToolCall:
		return Part{Type: PartToolCall, ID: b.ID, Name: b.Name, Arguments: arguments(b.Arguments)}, true
	}
	return Part{}, false
}

// arguments parses the text that a model gave as the arguments of a call, as JavaScript parses JSON.
// What is not an object is an empty one.
func arguments(stored string) json.RawMessage {
	if strings.HasPrefix(strings.TrimLeft(stored, " \t\r\n"), "{") {
		if parsed, err := ordered.Reserialize(nil, []byte(stored)); err == nil {
			return parsed
		}
	}
	return json.RawMessage("{}")
}

// image gives the text that stands for an image, and reports it.
func (r *Reader) image(messageID string, b *message.Block) string {
	a := attachment(b)
	r.report(Report{
		Code: ImageUnavailable, MessageID: messageID, AttachmentID: a.ID, MediaType: a.MediaType,
	})
	return "[image left out: " + orUnknown(a.MediaType) + "]"
}

func (r *Reader) report(report Report) {
	if r.OnReport == nil {
		shown.Report(report)
		return
	}
	r.OnReport(report)
}

func attachment(b *message.Block) message.Attachment {
	if b.Attachment == nil {
		return message.Attachment{}
	}
	return *b.Attachment
}

// unsupported is the reference's error for an image.
func unsupported(messageID string, b *message.Block) error {
	return &Error{Code: UnsupportedContent, MessageID: messageID, AttachmentID: attachment(b).ID}
}
