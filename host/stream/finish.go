package stream

import (
	"crypto/rand"
	"encoding/json"
	"errors"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// End is called when no more parts come. It gives the terminal event if a part has not done so. err is why
// the parts have ended, nil if they just have.
func (t *Translator) End(err error, emit func(Event) bool) {
	if !t.begin(emit) {
		return
	}
	thrown := (*Thrown)(nil)
	switch {
	case t.ctx.Err() != nil:
		t.abort()
	case errors.As(err, &thrown):
		t.m.Cause = thrown.Value
		t.fail(Reported, thrown.Message)
	case err != nil:
		t.fail(Reported, err.Error())
	default:
		t.fail(MissingFinish, "The answer has ended without a finish: it may be incomplete.")
	}
}

// finish ends the answer with a finish part.
func (t *Translator) finish(p *Part) {
	t.m.Usage = t.usage(p)
	reason := unified(p.FinishReason, t.cfg.Reference)
	switch {
	case reason == "tool-calls":
		t.terminal(StopToolUse)
	case reason == "length":
		t.terminal(StopLength)
	case reason == "error":
		t.terminal(StopError)
	case reason == "interrupted" && !t.cfg.Reference:
		t.fail(Interrupted, "The provider has interrupted the answer.")
	case reason == "stop" && t.endsWork():
		t.giveResult()
	default:
		t.terminal(StopStop)
	}
}

func (t *Translator) usage(p *Part) Usage {
	a := Accounting{
		Integration: t.cfg.Integration, Cost: t.cfg.Model.Cost, OccupancyTotal: t.answer.OccupancyTotal,
		Readme: t.cfg.Readme, Reference: t.cfg.Reference,
	}
	return a.Usage(p)
}

// unified is the reason of a finish as V3 has it. V2 has a bare text; its "unknown" is the "other" of V3,
// and ends an answer as all reasons do that are not told apart.
func unified(raw json.RawMessage, reference bool) string {
	if text, ok := jsonvalue.TextOf(raw); ok && !reference {
		return text
	}
	o, _ := ordered.ParseObject(raw)
	text, _ := o.Text("unified")
	return text
}

// endsWork says whether the answer is the result of delegated work, which must be given back by a tool that
// the provider does not see: it has said something, and called nothing.
func (t *Translator) endsWork() bool {
	if t.cfg.Toolset == nil || t.tools.bound > 0 {
		return false
	}
	if _, ok := t.cfg.Toolset.Terminal(); !ok {
		return false
	}
	for _, b := range t.m.Content {
		if b.Type == BlockText && !ecma.IsBlank(b.Text()) {
			return true
		}
	}
	return false
}

// giveResult calls that tool.
func (t *Translator) giveResult() {
	host, _ := t.cfg.Toolset.Terminal()
	at := t.open(&t.tools, "call_"+rand.Text())
	b := t.m.Content[at]
	b.Name, b.Arguments, b.Incomplete, b.called, b.shown = host.Name, host.Arguments, false, true, true
	if t.send(Event{Type: EventToolCallStart, ContentIndex: at}) &&
		t.send(Event{Type: EventToolCallEnd, ContentIndex: at, Block: b}) {
		t.terminal(StopToolUse)
	}
}

// fail ends the answer with a failure.
func (t *Translator) fail(kind FailureKind, message string) {
	t.m.Failure, t.m.ErrorMessage = kind, message
	t.terminal(StopError)
}

// abort ends the answer because nobody wants it any more.
func (t *Translator) abort() { t.terminal(StopAborted) }

// terminal gives the last event.
func (t *Translator) terminal(stop string) {
	t.nameDangling()
	t.m.StopReason = stop
	e := Event{Type: EventDone, Reason: stop}
	if stop == StopError || stop == StopAborted {
		e.Type = EventError
	}
	t.send(e)
	t.over = true
}
