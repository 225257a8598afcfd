package stream

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"slices"
	"time"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma"
)

// A Translator makes events of the parts of one answer, for a caller to whom the parts come; [Translate]
// is the same for a caller who fetches them. Each of its methods gives the events of one part to a
// function, which returns false when it wants no more. It is not safe for concurrent use.
//
// It does not look at its context between parts, as the reference does not look at its abort signal: a
// finish that comes although the context is done is a finish. Only where the answer ends otherwise does
// the context tell whether it failed or was aborted.
type Translator struct {
	ctx    context.Context
	cfg    Config
	answer profile.Answer
	m      *Message
	emit   func(Event) bool
	// begun: the start event has been given. over: no more events will be.
	begun, over bool

	texts, thoughts, tools space
	// allowed are the tools that may be called, by name. It is nil until it is needed. lastTool is the one
	// that was looked for last.
	allowed  map[string]*tool
	lastTool *tool
	// theirs are the calls that the provider runs itself, by id: the place of the newest one in the message's
	// list, -1 if it has not come.
	theirs map[string]int
	todos  []profile.Todo

	arena  arena
	blocks slab
	// alone is the newest metadata that is the only one of a block. notes are free, and noted is how many were
	// made last.
	alone *metadata
	notes []metadata
	noted int
	empty json.RawMessage
}

// NewTranslator begins an answer. ctx is that of the call that is answered.
func NewTranslator(ctx context.Context, cfg *Config) *Translator {
	t := &Translator{ctx: ctx, cfg: *cfg, todos: cfg.Todos, empty: json.RawMessage("{}")}
	if cfg.Toolset != nil {
		t.answer = cfg.Toolset.Profile().Answer
	}
	now := time.Now
	if cfg.Now != nil {
		now = cfg.Now
	}
	t.m = &Message{API: cfg.Model.API, Provider: cfg.Model.Provider, Model: cfg.Model.ID, Timestamp: now().UnixMilli()}
	seed := maphash.MakeSeed()
	t.texts = space{
		ids: ids{seed: seed}, block: BlockText,
		start: EventTextStart, delta: EventTextDelta, end: EventTextEnd,
	}
	t.thoughts = space{
		ids: ids{seed: seed}, block: BlockThinking,
		start: EventThinkingStart, delta: EventThinkingDelta, end: EventThinkingEnd,
	}
	t.tools = space{
		ids: ids{seed: seed}, block: BlockToolCall,
		start: EventToolCallStart, delta: EventToolCallDelta,
	}
	return t
}

// Part translates a part, and says whether more are wanted. It keeps the part's texts, which must not
// change, and nothing else of it.
func (t *Translator) Part(p *Part, emit func(Event) bool) bool {
	if !t.begin(emit) {
		return false
	}
	if t.cfg.OnIgnored != nil {
		t.tellIgnored(p)
	}
	switch p.Type {
	case PartTextDelta:
		t.delta(&t.texts, p)
	case PartReasoningDelta:
		t.delta(&t.thoughts, p)
	case PartToolInputDelta:
		if !t.isTheirs(p) {
			t.delta(&t.tools, p)
		}
	case PartTextStart:
		t.start(&t.texts, p)
	case PartReasoningStart:
		t.start(&t.thoughts, p)
	case PartToolInputStart:
		if !t.isTheirs(p) {
			t.start(&t.tools, p)
		}
	case PartTextEnd:
		t.end(&t.texts, p)
	case PartReasoningEnd:
		t.end(&t.thoughts, p)
	case PartToolInputEnd:
		if !t.isTheirs(p) {
			if at, ok := t.tools.find(p.ID); ok {
				t.note(at, p)
			}
		}
	case PartToolCall:
		t.call(p)
	case PartToolResult:
		t.result(p)
	case PartFile:
		t.file(p)
	case PartFinish:
		t.finish(p)
	case PartError:
		t.m.Cause = keep(p.Error)
		t.fail(Reported, errorText(p.Error, t.cfg.Reference))
	}
	return !t.over
}

// begin gives the start event if it has not been given, and says whether events are wanted.
func (t *Translator) begin(emit func(Event) bool) bool {
	t.emit = emit
	if t.begun {
		return !t.over
	}
	t.begun = true
	return t.send(Event{Type: EventStart})
}

// send gives an event, and says whether more are wanted.
func (t *Translator) send(e Event) bool {
	e.Message = t.m
	if !t.emit(e) {
		t.over = true
	}
	return !t.over
}

// start opens a block, even for an id that has one.
func (t *Translator) start(s *space, p *Part) {
	at := t.open(s, p.ID)
	if s == &t.tools && p.ToolName != "" && !t.cfg.Reference {
		if tool := t.tool(p.ToolName); tool != nil {
			t.m.Content[at].announced = tool
		}
	}
	t.note(at, p)
	t.send(Event{Type: s.start, ContentIndex: at})
}

// delta appends to a block, and opens it if the id has none.
func (t *Translator) delta(s *space, p *Part) {
	at, ok := s.find(p.ID)
	if !ok {
		at = t.open(s, p.ID)
		if !t.send(Event{Type: s.start, ContentIndex: at}) {
			return
		}
	}
	t.note(at, p)
	if b := t.m.Content[at]; s != &t.tools {
		b.text = t.arena.grow(b.text, p.Delta)
	} else if !b.streamed && !b.called && !ecma.IsBlank(p.Delta) {
		b.streamed = true
	}
	t.send(Event{Type: s.delta, ContentIndex: at, Delta: p.Delta})
}

// end says what a block has so far. A block may go on behind its end, which may come again.
func (t *Translator) end(s *space, p *Part) {
	if at, ok := s.find(p.ID); ok {
		t.note(at, p)
		t.send(Event{Type: s.end, ContentIndex: at, Content: t.m.Content[at].Text()})
	}
}

// open makes a block at the next index and binds an id to it.
func (t *Translator) open(s *space, id string) int {
	at := len(t.m.Content)
	b := t.blocks.block()
	id = t.arena.copy(id)
	b.Type = s.block
	switch s {
	case &t.tools:
		b.ID, b.Arguments, b.Incomplete = id, t.empty, true
	case &t.thoughts:
		b.redacts = t.answer.Redacted
	}
	t.add(b)
	s.bind(id, at)
	return at
}

// note adds the metadata of a part, which few have, to a block.
func (t *Translator) note(at int, p *Part) {
	if p.Metadata != nil {
		t.noteMetadata(at, p.Metadata)
	}
}

// add puts a block behind the others.
func (t *Translator) add(b *Block) {
	content := t.m.Content
	if len(content) == cap(content) {
		content = slices.Grow(content, max(4, len(content))) // append alone would copy more often
	}
	t.m.Content = append(content, b)
}

// own returns a block that may be changed: not one that an event has.
func (t *Translator) own(at int) *Block {
	b := t.m.Content[at]
	if b.shown {
		next := t.blocks.block()
		*next = *b
		next.shown = false
		t.m.Content[at] = next
		return next
	}
	return b
}
