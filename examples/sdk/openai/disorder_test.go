package openai_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/examples/sdk/loopback"
	"github.com/pintle-wasm/pintle/host/turn"
)

// Whatever a provider makes of its events, a turn ends and the session can go on.
func TestDisorder(t *testing.T) {
	for _, name := range []string{"responses-call", "responses-cut", "chat-call", "chat-cut"} {
		for seed := range uint64(12) {
			random := rand.New(rand.NewPCG(seed, 1))
			var events []string
			for event := range strings.SplitAfterSeq(stream(name).Body, "\n\n") {
				for range random.IntN(3) { // lost, as it should be, or twice
					events = append(events, event)
				}
			}
			if seed%2 == 1 {
				random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
			}
			done := stream("responses-done")
			if strings.HasPrefix(name, "chat") {
				done = stream("chat-done")
			}
			server := loopback.Serve(t, loopback.Reply{Body: strings.Join(events, "")}, done)
			f := responsesFixture(t, t.TempDir(), server)
			if strings.HasPrefix(name, "chat") {
				f = chatFixture(t, t.TempDir(), server)
			}
			first := f.Ask(t.Context(), "When is high water?")
			assert.Contains(t, []turn.Kind{turn.Completed, turn.MaxTokens, turn.Failed}, first.Kind)
			second := f.Ask(t.Context(), "And tomorrow?")
			assert.Equal(t, turn.Completed, second.Kind, "%s, seed %d: %v", name, seed, second.Failure)
			assert.Empty(t, second.Diagnostics)
			requests := server.Requests()
			last := requests[len(requests)-1].Body
			assert.Equal(t, strings.Count(last, `"type":"function_call"`), strings.Count(last, `"type":"function_call_output"`), "a result for each call")
		}
	}
}
