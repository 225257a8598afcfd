package runtime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQuarantine(t *testing.T) {
	now := time.Unix(1000, 0)
	q := quarantine{now: func() time.Time { return now }}
	c := Call{Op: "op", Offer: "a"}
	trap := &Error{Kind: KindTrap, Reason: "boom"}

	q.note(c, trap)
	q.note(c, trap)
	require.NoError(t, q.check("g", c), "two failures may be bad luck")
	q.note(c, &Error{Kind: KindFailed})
	q.note(c, &Error{Kind: KindCanceled})
	require.NoError(t, q.check("g", c), "a guest's own errors and those of the caller do not count")
	q.note(c, trap)
	err := q.check("g", c)
	require.NoError(t, q.check("g", Call{Op: "op", Offer: "b"}), "the guest's other offers go on")
	q.note(Call{Op: "other", Offer: "a"}, nil)
	require.Error(t, q.check("g", c), "the success of another operation does not make up for it")
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, KindQuarantined, e.Kind)
	assert.Equal(t, "guest g: op: quarantined: not called for another 1s after 3 failures in a row, the last one: trap: boom", err.Error())
	require.ErrorIs(t, err, trap)

	now = now.Add(time.Second)
	require.NoError(t, q.check("g", c), "one more try")
	q.note(c, trap)
	now = now.Add(time.Second)
	require.Error(t, q.check("g", c), "the wait doubles")
	now = now.Add(time.Second)
	require.NoError(t, q.check("g", c))
	for range 40 {
		q.note(c, trap)
	}
	now = now.Add(quarantineMax - time.Second)
	require.Error(t, q.check("g", c))
	now = now.Add(time.Second)
	require.NoError(t, q.check("g", c), "five minutes is the longest")
	q.note(c, nil)
	q.note(c, trap)
	require.NoError(t, q.check("g", c), "a success forgets")
}

// What a guest said in one session is not told in another.
func TestQuarantineKeepsWordsInTheirSession(t *testing.T) {
	q := quarantine{now: func() time.Time { return time.Unix(1000, 0) }}
	here, there := Call{Op: "op", Session: "a"}, Call{Op: "op", Session: "b"}
	trap := &Error{Kind: KindTrap, Reason: "panic: a secret"}
	for range 3 {
		q.note(here, trap)
	}
	require.ErrorIs(t, q.check("g", here), trap)
	err := q.check("g", there)
	assert.EqualError(t, err, "guest g: op: quarantined: not called for another 1s after 3 failures in a row, the last one: trap")
	assert.NotErrorIs(t, err, trap)
}
