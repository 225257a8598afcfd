package payload

import (
	"errors"
	"time"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/jsondiff"
)

// Reason says why the hook, or one of its steps, did nothing.
type Reason string

// Reasons why the hook did nothing at all.
const (
	// NoState: no turn of the session has been composed.
	NoState Reason = "no-captured-state"
	// NoBase: the prompt that the host had built was not captured.
	NoBase Reason = "no-base-prompt"
	// ProviderUnknown: the request's provider is not known.
	ProviderUnknown Reason = "provider-unknown"
	// ProviderChanged: the session's state belongs to another provider.
	ProviderChanged Reason = "provider-changed"
	// APIChanged: the session's state belongs to another api (0.3.9 line).
	APIChanged Reason = "api-changed"
	// NoAdapter: no adapter stands for the provider, nor for the api.
	NoAdapter Reason = "no-adapter"
	// AdapterDisabled: the adapter is switched off for this request.
	AdapterDisabled Reason = "adapter-disabled"
)

// Reasons why a step did nothing.
const (
	// PromptAbsent: the adapter found no system prompt in the payload.
	PromptAbsent Reason = "prompt-absent"
	// PromptComposed: the payload carries the composed prompt already, as in an ordinary turn.
	PromptComposed Reason = "prompt-already-composed"
	// PromptDiffers: the payload carries neither the host's prompt nor the composed one.
	PromptDiffers Reason = "another-prompt"
	// NoDeveloperSupport: the adapter cannot place developer messages.
	NoDeveloperSupport Reason = "no-developer-support"
	// Unchanged: the payload is as it should be already, or has no place for the text.
	Unchanged Reason = "unchanged"
	// Discarded: see Options.Reference.
	Discarded Reason = "discarded"
)

// Options change how the hook is applied. The zero value is right for use.
type Options struct {
	// Reference reproduces a weakness of the protocol's 0.3.9 line: an adapter that reports its
	// developer messages as unchanged takes the replaced prompt back.
	Reference bool
}

// Result is the hook's answer.
type Result struct {
	// Body is what to send: the adapter's answer, or the request's payload itself if the hook did not
	// answer.
	Body Body `json:"-"`
	// Answered says that the hook answered with a payload, which may be equal to the request's.
	Answered bool `json:"answered"`
	// Reason is why the hook did nothing at all, "" if its steps ran.
	Reason Reason `json:"reason,omitempty"`
	// Adapter is the source of the adapter, envelope.Native for a native one, "" if none was found;
	// AdapterKind is registered or default.
	Adapter     string `json:"adapter,omitempty"`
	AdapterKind string `json:"adapterKind,omitempty"`
	// Prompt is the step that replaces the host's prompt by the composed one.
	Prompt Step `json:"prompt"`
	// Developer is the step that places the developer messages. An adapter of version 2 is asked once
	// for both steps: what that took is told here.
	Developer Step `json:"developer"`

	edits func() []adaptersv2.Edit // nil if the adapter answered with a whole payload, or not at all
	from  []byte                   // the request's payload
}

// Edits returns the answer as edits of the request's payload, for a host whose payload is more than its
// JSON: those of an adapter of version 2, or else the differences between its answer and the payload,
// which must be JSON documents. The operations are set, insert and remove, all addressed in the payload as
// it was; a set at the empty address stands alone and replaces the whole payload. Several inserts at one
// place keep their order, and stand in front of what is there, also if that is removed. Without an answer
// there are none. The cost is linear in the size of the payload; the values must not be changed.
func (r *Result) Edits() []adaptersv2.Edit {
	if !r.Answered {
		return nil
	}
	if r.edits != nil {
		return r.edits()
	}
	return jsondiff.Edits(r.from, r.Body.Bytes())
}

// Step is what one step did.
type Step struct {
	// Done says that the step counts as an answer.
	Done   bool   `json:"done"`
	Reason Reason `json:"reason,omitempty"`
	// Duration is in nanoseconds in JSON.
	Duration time.Duration `json:"durationNs"`
	// Fuel is what the guest used for the step, about 1 ns of plain code each; 0 for a native adapter.
	Fuel uint64 `json:"fuel,omitempty"`
	// Remembered says that the guest was not called: it had answered the same request before.
	Remembered bool `json:"remembered,omitempty"`
}

// ErrInvalidAnswer is wrapped by the error about a guest whose answer is not JSON.
var ErrInvalidAnswer = errors.New("the answer is not a JSON document")

// AdapterError is a failure of an adapter.
type AdapterError struct {
	// Op is what it was asked for, Provider for whom, and Source the guest's name, "" for a native
	// adapter.
	Op, Provider, Source string
	Err                  error
}

func (e *AdapterError) Error() string {
	name := "payload adapter for " + e.Provider
	if e.Source != "" {
		name += " of " + e.Source
	}
	return name + ": " + e.Op + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *AdapterError) Unwrap() error { return e.Err }
