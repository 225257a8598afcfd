package replay

import (
	"encoding/json"
	"math"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
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
	o := jsonvalue.Begin(nil)
	o.Key("response")
	response := jsonvalue.Begin(o.Out)
	response.Text("kind", "pi-ai")
	response.Whole("version", 2)
	response.Text("api", a.api)
	response.Text("provider", a.provider)
	response.Text("model", a.model)
	verbatim(&response, "responseModel", a.responseModel, jsonspan.String)
	verbatim(&response, "responseId", a.responseID, jsonspan.String)
	response.Text("stopReason", a.stopReason)
	if !w.Reference {
		verbatim(&response, "providerExecuted", a.providerExecuted, jsonspan.Array)
	}
	o.Out = response.End()
	o.Key("blocks")
	o.Out = append(o.Out, '[')
	for i, at := range order {
		if i > 0 {
			o.Out = append(o.Out, ',')
		}
		o.Out = appendEntry(o.Out, a.parts[at])
	}
	o.Out = append(o.Out, ']')
	return o.End()
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
	o := jsonvalue.Begin(dst)
	switch kind := jsonvalue.String(jsonvalue.Member(part, "type")); kind {
	case PartText:
		o.Text("type", message.Text)
		verbatim(&o, "textSignature", jsonvalue.Member(part, "textSignature"), jsonspan.String)
	case PartThinking:
		o.Text("type", message.Reasoning)
		verbatim(&o, "thinkingSignature", jsonvalue.Member(part, "thinkingSignature"), jsonspan.String)
		verbatim(&o, "redacted", jsonvalue.Member(part, "redacted"), jsonspan.Bool)
	case PartToolCall:
		o.Text("type", message.ToolCall)
		verbatim(&o, "thoughtSignature", jsonvalue.Member(part, "thoughtSignature"), jsonspan.String)
	default:
		o.Text("type", kind)
	}
	return o.End()
}

// verbatim copies a value if it is of the kind that a reader accepts: of any other the whole message
// would degrade for good.
func verbatim(o *jsonvalue.Object, key string, n jsonspan.Node, kind jsonspan.Kind) {
	if n.Kind() == kind {
		o.Raw(key, n.Raw())
	}
}
