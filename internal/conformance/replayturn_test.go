package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A restart before the first prompt finds no log yet, as a session writes nothing before its first event.
func TestRestartBeforeTheFirstPrompt(t *testing.T) {
	input, err := ParseValue([]byte(`{"route":{"provider":"p","model":"m"},"prompts":["hi","again"],` +
		`"restartBefore":[0,1],"script":[{"chunks":[]},{"chunks":[{"type":"text-delta","index":0,"text":"yes"}]}]}`))
	require.NoError(t, err)
	got, err := runTurns(context.Background(), &testCase{input: input})
	require.NoError(t, err)
	shown, err := build(got)
	require.NoError(t, err)
	ends := shown.Get("summary").Get("turnEnds")
	assert.JSONEq(t, `[{"kind":"completed"},{"kind":"completed"}]`, string(ends.appendTo(nil)))
	assert.Len(t, shown.Get("requests").items, 2)
}

// A model that hangs where nobody cancels fails its case. It must not hold up the run for ever.
func TestHangThatNobodyCancels(t *testing.T) {
	for _, cancelled := range []string{``, `"cancelPrompt":1,`, `"cancelPrompt":null,`} {
		input, err := ParseValue([]byte(`{"route":{"provider":"p","model":"m"},"prompts":["hi","again"],` +
			cancelled + `"script":[{"hang":true},{"chunks":[]}]}`))
		require.NoError(t, err)
		_, err = runTurns(context.Background(), &testCase{input: input})
		assert.ErrorContains(t, err, "prompt 0: the model hangs", cancelled)
	}
}
