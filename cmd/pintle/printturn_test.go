package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/envelope"
)

func TestContributionsShowWhatTheyTook(t *testing.T) {
	var out bytes.Buffer
	printContributions(&printer{w: &out}, envelope.Report{
		Contributions: []envelope.Outcome{
			{ID: "ran", Source: "g@1", Included: true, Bytes: 3, Duration: 12_345, Fuel: 41_234},
			{ID: "known", Source: "g@1", Included: true, Bytes: 3, Remembered: true},
			{ID: "empty", Source: "g@1", Reason: envelope.Blank, Remembered: true},
			{ID: "own", Source: envelope.Native, Included: true, Bytes: 3, Duration: 2 * time.Millisecond},
			{ID: "late", Source: envelope.Native, Reason: envelope.NotReached},
		},
		ContextFiles: envelope.Outcome{ID: envelope.ContextID, Source: envelope.Native, Reason: envelope.NoFiles},
	}, nil)
	assert.Equal(t, `
developer messages
  + ran                             3 B  12 µs  fuel 41234      g@1
  + known                           3 B  remembered             g@1
  - empty                                remembered             g@1
      left out: it had nothing to say in this turn
  + own                             3 B  2.0 ms                 native
  - late                                                        native
      not-reached
  - agents-md                                                   native
      no context files
`, out.String())
}
