package guestbench

import (
	"slices"

	"github.com/pintle-wasm/pintle/internal/guesttest"
)

// Choose returns the first case of an offer, a contribution or an adapter, in which the guest has something to
// do: one that expects a text or a payload, or else any that expects no error. It returns nil if there is
// none.
func Choose(suite *guesttest.Suite, contribution, adapter string) *guesttest.Case {
	for _, kinds := range [][]guesttest.Kind{{guesttest.Text, guesttest.Payload}, {guesttest.Nothing, guesttest.Unchanged, ""}} {
		for _, c := range suite.Cases {
			if c.Contribution == contribution && c.Adapter == adapter && slices.Contains(kinds, c.Want.Kind) {
				return c
			}
		}
	}
	return nil
}
