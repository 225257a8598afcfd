package registry

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// One contribution that was closed but not unregistered does not cost the others their hold.
func TestHoldWithAClosedContribution(t *testing.T) {
	var r Registry
	held := 0
	open := func() (func(), bool) { held++; return func() { held-- }, true }
	mustRegister(t, &r, Contribution{ID: "a", Hold: open})
	mustRegister(t, &r, Contribution{ID: "closed", Hold: func() (func(), bool) { return func() {}, false }})
	mustRegister(t, &r, Contribution{ID: "native"})
	mustRegister(t, &r, Contribution{ID: "b", Hold: open})
	snap, release := r.Hold()
	assert.Equal(t, "a closed native b", ids(snap.Contributions))
	assert.Equal(t, 2, held)
	release()
	assert.Zero(t, held)
}

// A contribution that is closed while the snapshot is taken is looked up again.
func TestHoldTakesTheSnapshotAnew(t *testing.T) {
	var r Registry
	held := 0
	mustRegister(t, &r, Contribution{ID: "first", Hold: func() (func(), bool) { held++; return func() { held-- }, true }})
	mustRegister(t, &r, Contribution{ID: "g", Source: "old", Hold: func() (func(), bool) {
		mustRegister(t, &r, Contribution{ID: "g", Source: "new"})
		return func() {}, false
	}})
	snap, release := r.Hold()
	assert.Equal(t, "new", snap.Contributions[1].Source)
	assert.Equal(t, 1, held)
	release()
	assert.Zero(t, held)
}
