package doctor

import (
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
)

// examine looks at one message by itself.
func examine(at int, m *message.Message, add func(at int, f Finding)) {
	if m.Role == message.Assistant && m.Source.Kind == message.FromModel && m.Source.ReplayState != nil {
		if f, ok := examineState(m); ok {
			add(at, f)
		}
	}
	images := 0
	unknown := map[string]bool{}
	for i := range m.Content {
		switch b := &m.Content[i]; b.Type {
		case message.Text, message.Reasoning, message.ToolCall:
		case message.ToolResult:
			images += imagesIn(b.Content)
			if m.Role == message.Assistant {
				unknown[b.Type] = true
			}
		case message.Image:
			images++
		default:
			if !unknown[b.Type] {
				unknown[b.Type] = true
				add(at, unknownBlock(b.Type))
			}
		}
	}
	if images > 0 {
		add(at, image(images, m.Role == message.Assistant))
	}
}

func unknownBlock(kind string) Finding {
	return Finding{Code: UnknownBlock, Level: Note,
		Detail: "the message has a block of the kind " + quote(kind),
		Effect: "it stays in the log and is not sent to a model",
		Here:   "the same"}
}

func image(n int, inAnswer bool) Finding {
	f := Finding{Code: Image, Level: Note,
		Detail: fmt.Sprintf("the message has %d images", n),
		Effect: "where their bytes cannot be read, the reference fails every request",
		Here:   "a text stands in the place of an image that cannot be read, in that request only"}
	if n == 1 {
		f.Detail = "the message has an image"
	}
	if inAnswer {
		f.Level = Fault
		f.Effect = "the reference fails every request with an image in an answer"
		f.Here = "a text stands in its place, in each request"
	}
	return f
}

// imagesIn counts the images in tool results. Blocks are parsed to a bounded depth, which bounds the
// recursion.
func imagesIn(blocks []message.Block) int {
	n := 0
	for i := range blocks {
		switch blocks[i].Type {
		case message.Image:
			n++
		case message.ToolResult:
			n += imagesIn(blocks[i].Content)
		}
	}
	return n
}

// examineState tells what becomes of a message's replay state.
func examineState(m *message.Message) (Finding, bool) {
	sound, reference := replay.Reader{}, replay.Reader{Reference: true}
	var d *replay.Diagnostic
	if !errors.As(sound.Validate(*m), &d) {
		if reference.Validate(*m) == nil {
			return Finding{}, false
		}
		return Finding{Code: AnsweredElsewhere, Level: Note,
			Detail: fmt.Sprintf("%s answered in the place of %s", m.Source.Serving(), m.Source.Requested()),
			Effect: "readers that do not know the field \"answered\" send the message without its replay state",
			Here:   "the state is used whenever the answering route serves the request"}, true
	}
	if IsOtherLayout(m, d) {
		return Finding{Code: OtherLayout, Level: Note, Diagnostic: d, Detail: StateFault(m, d),
			Effect: "adapters with another layout send the message without its replay state",
			Here:   "the same, unless its own adapter serves the request; a repaired copy keeps the state"}, true
	}
	f := Finding{Code: InvalidState, Level: Fault, Diagnostic: d, Detail: StateFault(m, d), Curable: true,
		Effect: "readers that insist on the state fail every request of the session",
		Here:   "this one message goes without signatures, with a diagnostic, and the request goes on"}
	if reference.Validate(*m) == nil && d.Reason == replay.WrongStopReason {
		f.Effect = "the reference takes the state and leaves the whole message out of the request, without a word"
	}
	return f, true
}
