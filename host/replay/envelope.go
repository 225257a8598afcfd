package replay

import (
	"encoding/json"
	"math"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// envelope is the replay envelope of an answer, nil for none. See the replay-state protocol, section
// "The native layout, version 2".
func (w *Writer) envelope(a *answer) json.RawMessage {
	// An answer that failed natively is none to go on from: its state would not be read either.
	if !w.Reference && (a.stopReason == stopError || a.stopReason == stopAborted) {
		return nil
	}
	order := w.order(len(a.parts))
	if order == nil {
		return nil
	}
	o := object{[]byte{'{'}}
	o.key("response")
	response := object{append(o.out, '{')}
	response.text("kind", "pi-ai")
	response.whole("version", 2)
	response.text("api", a.api)
	response.text("provider", a.provider)
	response.text("model", a.model)
	response.verbatim("responseModel", a.responseModel, jsonspan.String)
	response.verbatim("responseId", a.responseID, jsonspan.String)
	response.text("stopReason", a.stopReason)
	o.out = append(response.out, '}')
	o.key("blocks")
	o.out = append(o.out, '[')
	for i, at := range order {
		if i > 0 {
			o.out = append(o.out, ',')
		}
		o.out = appendEntry(o.out, a.parts[at])
	}
	o.out = append(o.out, ']')
	return append(o.out, '}')
}

// order lists the native parts as their entries go into the envelope: as the assembler lists the
// blocks, by first chunk. It is nil if entries would stand beside blocks that they do not describe: the
// blocks are as many as the parts, and others. If they are not as many, the native order will do, since
// the assembler discards such an envelope and can then say why.
func (w *Writer) order(parts int) []int {
	order := make([]int, parts)
	for i := range order {
		order[i] = i
	}
	if w.Reference || len(w.emitted) != parts {
		return order
	}
	for i, index := range w.emitted { // distinct, so that a list without others is complete
		if index < 0 || index >= float64(parts) || index != math.Trunc(index) {
			return nil
		}
		order[i] = int(index)
	}
	return order
}

// appendEntry describes one native part. A part of an unknown kind has an entry too, so that the
// numbers tell that it has no block.
func appendEntry(dst []byte, part jsonspan.Node) []byte {
	o := object{append(dst, '{')}
	switch kind := lenient(member(part, "type")); kind {
	case PartText:
		o.text("type", message.Text)
		o.verbatim("textSignature", member(part, "textSignature"), jsonspan.String)
	case PartThinking:
		o.text("type", message.Reasoning)
		o.verbatim("thinkingSignature", member(part, "thinkingSignature"), jsonspan.String)
		o.verbatim("redacted", member(part, "redacted"), jsonspan.Bool)
	case PartToolCall:
		o.text("type", message.ToolCall)
		o.verbatim("thoughtSignature", member(part, "thoughtSignature"), jsonspan.String)
	default:
		o.text("type", kind)
	}
	return append(o.out, '}')
}

// verbatim copies a value if it is of the kind that a reader accepts: of any other the whole message
// would degrade for good.
func (o *object) verbatim(key string, n jsonspan.Node, kind jsonspan.Kind) {
	if n.Kind() == kind {
		o.raw(key, n.Raw())
	}
}
