package envelope

import (
	"time"

	"github.com/pintle-wasm/pintle/registry"
)

// Reason says why something is not in the envelope, or how it got there.
type Reason = registry.Reason

// Reasons beside those of the registry's filters.
const (
	// Replaced: the id belongs to a later registration now (By).
	Replaced Reason = "replaced"
	// Blank: it rendered nothing for this turn.
	Blank Reason = "blank"
	// Failed: it failed (Error) and was left out, or ended the render.
	Failed Reason = "failed"
	// LastGoodUsed: it failed (Error) and its last text took its place.
	LastGoodUsed Reason = "last-good-used"
	// NotReached: an earlier contribution had ended the render.
	NotReached Reason = "not-reached"
	// NoFiles: the host found no context file, or all of them are blank.
	NoFiles Reason = "no-files"
	// AlsoInPrompt: without a custom prompt the host's own prompt carries a copy of the context files,
	// so they are sent twice.
	AlsoInPrompt Reason = "also-in-prompt"
)

// Native is how reports name what no guest has registered.
const Native = "native"

// Report explains one build of an envelope: what went in, what did not and why.
type Report struct {
	// Contributions has the contributions that took part, in their order, then those that the filters
	// left out, then those that lost their id.
	Contributions []Outcome `json:"contributions"`
	// ContextFiles explains the contextual user message. Nothing was built if the render failed; its
	// reason is then NotReached.
	ContextFiles Outcome `json:"contextFiles"`
	// Audit explains what was recorded. It is empty unless a session log is known.
	Audit AuditOutcome `json:"audit"`
	// Duration is the time of the whole build, in nanoseconds in JSON.
	Duration time.Duration `json:"durationNs"`
}

// Outcome explains one message.
type Outcome struct {
	ID string `json:"id"`
	// Source is the guest's name, or Native.
	Source string `json:"source"`
	// Included says whether the message is in the envelope.
	Included bool   `json:"included"`
	Reason   Reason `json:"reason,omitempty"`
	// Tools are the inactive ones when the reason is registry.ToolInactive.
	Tools []string `json:"tools,omitempty"`
	// By is the source of the replacement when the reason is Replaced.
	By string `json:"by,omitempty"`
	// Error is the text of Err.
	Error string `json:"error,omitempty"`
	Err   error  `json:"-"`
	// Duration is the time that Render took, in nanoseconds in JSON; 0 if it was not called.
	Duration time.Duration `json:"durationNs"`
	// Fuel is what a guest used, about 1 ns of plain code each; 0 for a native contribution.
	Fuel uint64 `json:"fuel,omitempty"`
	// Remembered says that the guest was not called: the text is its answer to the same request before.
	Remembered bool `json:"remembered,omitempty"`
	// Bytes is the length of the text that was included.
	Bytes int `json:"bytes"`
}

// SourceName is how reports name the source of an entry: the guest, or Native.
func SourceName(source string) string {
	if source == "" {
		return Native
	}
	return source
}

func (o *Outcome) fail(reason Reason, err error) {
	o.Reason, o.Err, o.Error = reason, err, err.Error()
}

// BuildError is the error of a failed build. Its text is that of Err.
type BuildError struct {
	Report Report
	Err    error
}

func (e *BuildError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *BuildError) Unwrap() error { return e.Err }

// ContributionError says which contribution ended a render.
type ContributionError struct {
	// ID names the contribution, Source its guest ("" for a native one).
	ID, Source string
	Err        error
}

func (e *ContributionError) Error() string {
	text := `developer message "` + e.ID + `"`
	if e.Source != "" {
		text += " of " + e.Source
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *ContributionError) Unwrap() error { return e.Err }
