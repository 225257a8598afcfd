package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A log that cannot be taken up is a failed validation in the kit, also if it has a kind of event that a
// file would be refused for with a code of its own.
func TestTakingUpHasOneCode(t *testing.T) {
	op := replayState()["derived-history"]
	for _, event := range []string{
		`{"type":"request/header-delta","seq":0,"time":1,"data":{}}`,
		`{"type":"turn/start","seq":1,"time":1,"data":{"turn":1}}`,
		`{"type":"turn/start","seq":"0","time":1,"data":{"turn":1}}`,
	} {
		c := testCase{
			input:  value(t, `{"events":[`+event+`]}`),
			expect: value(t, `{"error":{"code":"VALIDATION","message":"any"}}`),
		}
		require.Nil(t, runCase(context.Background(), op, &c), event)
	}
}
