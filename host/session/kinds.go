package session

// InboxSpliced is the kind of the event that records a change of the prompts in waiting. It is known here
// but has no effect.
const InboxSpliced = "agent/inbox/spliced"

// Options say how a session is read. The zero value is ready for use.
type Options struct {
	// Kinds are kinds of events that the caller understands, besides those that are known here: those that
	// have a constant, from TurnStart to InboxSpliced. A log with an event of any other kind is refused
	// (EventUnsupported), as the event may change what the rest means, unless the event is marked as
	// ignorable; and such an event cannot be appended.
	//
	// A host that logs events of its own best marks them as ignorable, so that others can read the log.
	Kinds []string
}

// kindSet are the kinds that a caller understands besides those that are known here.
type kindSet map[string]struct{}

// kinds returns the set of Kinds, which may be as many as there are in a log.
func (o *Options) kinds() kindSet {
	set := make(kindSet, len(o.Kinds))
	for _, kind := range o.Kinds {
		set[kind] = struct{}{}
	}
	return set
}

// knows says whether an event can be read.
func (k kindSet) knows(e *Event) bool {
	switch e.Type {
	case TurnStart, TurnEnd, StepStart, StepEnd, UserMessage, AssistantChunk, AssistantMessage,
		ToolCall, ToolResult, RequestHeader, RequestContext, EndSeed, InboxSpliced:
		return true
	}
	_, known := k[e.Type]
	return known || e.Ignorable
}

func (e *Event) unsupported() *Error {
	return e.refuse(EventUnsupported, "this kind of event is not known here and not marked as ignorable; "+
		"it may change what the rest means: read the log with the program that wrote it")
}
