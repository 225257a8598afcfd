package sidecar

import (
	"encoding/json"
	"errors"
	"math"

	"github.com/pintle-wasm/pintle/registry"
)

// clientSource is how reports name what lives in the client's process.
const clientSource = "client"

// contribution is one of the client's process, as it is in the moment of a call.
type contribution struct {
	// Handle is how the client finds the callback again while it waits for the answer to the call.
	Handle   int64    `json:"handle"`
	ID       wideText `json:"id"`
	Priority priority `json:"priority"`
	// Providers and ActiveTools are nil if there is no filter.
	Providers   []wideText `json:"providers"`
	ActiveTools []wideText `json:"activeTools"`
	// Content is the text; nil stands for a callback.
	Content *wideText `json:"content"`
}

// priority is a number. The infinite ones, which JSON does not have, are texts.
type priority float64

// UnmarshalJSON accepts a number, "Infinity" and "-Infinity"; null leaves it as it is.
func (p *priority) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"Infinity"`:
		*p = priority(math.Inf(1))
		return nil
	case `"-Infinity"`:
		*p = priority(math.Inf(-1))
		return nil
	}
	return json.Unmarshal(data, (*float64)(p))
}

// contributionsOf makes the contributions of one call. It never returns nil, so that they take the place of
// those of an earlier call.
func contributionsOf(c *call, list []contribution) []*registry.Contribution {
	asking := &asking{call: c, handles: make(map[*registry.Contribution]int64, len(list))}
	joint := &registry.Joint{Render: asking.render}
	made := make([]*registry.Contribution, len(list))
	for i := range list {
		from := &list[i]
		made[i] = &registry.Contribution{ID: string(from.ID), Priority: float64(from.Priority), Providers: plain(from.Providers),
			ActiveTools: plain(from.ActiveTools), Source: clientSource, Joint: joint}
		if from.Content != nil {
			made[i].Render = registry.Text(string(*from.Content))
		} else {
			asking.handles[made[i]] = from.Handle
		}
	}
	return made
}

func plain(list []wideText) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = string(t)
	}
	return out
}

var errNoRender = errors.New("the client has not said that it renders (capabilities.render)")
