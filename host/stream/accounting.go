package stream

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// An Integration is a provider package whose finish parts say more about usage, in their metadata, than
// the protocol has room for. It is selected by the package's identity, never by a provider's id or by
// metadata alone.
type Integration uint8

const (
	// NoIntegration is any other package.
	NoIntegration Integration = iota
	// Cursor is the package cursor-opencode-provider.
	Cursor
	// Devin is the package devin-opencode-provider.
	Devin
)

// Accounting is how the usage of an answer is counted. It is safe for concurrent use as long as it does
// not change. The rules are those of the provider bridge's specification, section "Usage".
type Accounting struct {
	Integration Integration
	// Cost are the model's rates.
	Cost model.Cost
	// OccupancyTotal makes TotalTokens how full the context is, where an integration tells it. It is the
	// member of the host's profile.Answer.
	OccupancyTotal bool
	// Readme is the older Cursor integration, that of section "readme era".
	Readme bool
	// Reference switches to the behaviour of the reference.
	Reference bool
}

// Usage counts the usage of a finish part.
func (a *Accounting) Usage(finish *Part) Usage {
	f := a.read(finish)
	charged, _ := a.project(&f)
	u := GenericUsage(charged, a.Cost, a.Reference)
	switch a.Integration {
	case Cursor:
		a.adjustCursor(&u, &f)
	case Devin:
		a.adjustDevin(&u, &f)
	}
	return u
}

// Projected returns the usage that is charged, and whether an integration has put it in the place of what
// the finish part reports. It is nil if that is nothing: the part tells only how full the context is.
func (a *Accounting) Projected(finish *Part) (usage json.RawMessage, replaced bool) {
	f := a.read(finish)
	return a.project(&f)
}

func (a *Accounting) project(f *finishing) (usage json.RawMessage, replaced bool) {
	switch {
	case a.Integration == Cursor && f.cursorOccupancyOnly():
		return nil, true
	case a.Integration == Cursor:
		usage = f.cursorCharged()
	case a.Integration == Devin:
		usage = f.devinCharged()
	}
	if usage != nil {
		return usage, true
	}
	return f.usage, false
}

// finishing is what a finish part says.
type finishing struct {
	// usage is what it reports, nested unless in reference mode.
	usage json.RawMessage
	// reason is the unified reason.
	reason string
	// said is the object of the integration's package in the metadata, empty if there is none.
	said ordered.Object
}

func (a *Accounting) read(finish *Part) finishing {
	f := finishing{usage: finish.Usage}
	if !a.Reference {
		f.usage = nestUsage(f.usage)
	}
	if reason, ok := ordered.ParseObject(finish.FinishReason); ok {
		f.reason, _ = reason.Text("unified")
	} else if !a.Reference {
		f.reason, _ = jsonvalue.TextOf(finish.FinishReason)
	}
	metadata, _ := ordered.ParseObject(finish.Metadata)
	switch a.Integration {
	case Cursor:
		f.said, _ = ordered.ParseObject(metadata.Get("cursor"))
	case Devin:
		f.said, _ = ordered.ParseObject(metadata.Get("devin"))
	}
	return f
}

// reported is a counter of the input that the part reports.
func (f *finishing) reported(key string) json.RawMessage {
	usage, _ := ordered.ParseObject(f.usage)
	input, _ := ordered.ParseObject(usage.Get("inputTokens"))
	return input.Get(key)
}
