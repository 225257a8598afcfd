package guesttest

import (
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/registry"
)

// whyExcluded says why a contribution is not asked in a turn.
func whyExcluded(e *registry.Exclusion, provider string) string {
	c := e.Contribution
	text := "it is not asked: " + c.ID
	switch {
	case e.Reason == registry.ToolInactive:
		return text + " wants " + these("tool", e.Tools) + " to be active"
	case len(c.Providers) == 0:
		return text + " is for no provider, its list of them is empty"
	case e.Reason == registry.ProviderUnknown:
		return text + " is for " + these("provider", c.Providers) + ", and no provider is given"
	}
	return text + " is for " + these("provider", c.Providers) + ", and the turn is of " + provider
}

// these names things: "the tool read", "the tools read, bash".
func these(what string, names []string) string {
	if len(names) != 1 {
		what += "s"
	}
	return "the " + what + " " + strings.Join(names, ", ")
}

// whyUnchanged says why an adapter left a payload as it was; "" if there is no more to say.
func whyUnchanged(r *payload.Result, offer *abi.Adapter, req *registry.PayloadRequest, c *Request) string {
	text := "it is not asked: " + offer.ID + " is for "
	switch {
	case r.Reason == "":
		return strings.Join(slices.DeleteFunc([]string{whyPrompt(r.Prompt.Reason, c), whyMessages(r.Developer.Reason, c)},
			func(s string) bool { return s == "" }), ", and ")
	case r.Reason != payload.NoAdapter:
		return "it is not asked: " + string(r.Reason)
	case len(offer.Providers) > 0 && !slices.Contains(offer.Providers, req.Provider):
		return text + these("provider", offer.Providers) + ", and the request is for " + req.Provider
	case len(offer.APIs) > 0 && !slices.Contains(offer.APIs, req.API):
		return text + these("API", offer.APIs) + ", and the request is of " + req.API
	}
	return text + these("model", offer.Models) + ", and here no model is known"
}

func whyPrompt(reason payload.Reason, c *Request) string {
	switch reason {
	case "":
		return ""
	case payload.PromptAbsent:
		return "the adapter finds no prompt in the payload"
	case payload.PromptComposed:
		return "the payload has the turn's prompt already"
	case payload.PromptDiffers:
		if c.Base == nil {
			return "without base, the prompt that the host had built, the prompt stays"
		}
		return "the payload has another prompt than base, so it stays"
	case payload.Unchanged:
		return "the adapter leaves the prompt as it is"
	}
	return "prompt: " + string(reason)
}

func whyMessages(reason payload.Reason, c *Request) string {
	switch {
	case reason == "", reason == payload.Unchanged && len(c.Messages) == 0:
		return ""
	case reason == payload.NoDeveloperSupport:
		return "the adapter does not place developer messages"
	case reason == payload.Unchanged:
		return "the adapter leaves the messages as they are"
	}
	return "messages: " + string(reason)
}
