package registry

// holdTries is how many snapshots are taken at most because an entry of the one before was closed in
// between. One reload costs one.
const holdTries = 4

// Hold returns a snapshot whose contributions stay callable until release is called, also if they are
// replaced meanwhile: a turn that has begun ends with the guests that it began with. A contribution
// that is closed without being unregistered stays in the snapshot; it fails when it is rendered, and
// the others are held all the same.
func (r *Registry) Hold() (snap Snapshot, release func()) {
	for try := 1; ; try++ {
		snap = r.Snapshot()
		release, all := hold(snap.Contributions)
		if all || try == holdTries {
			return snap, release
		}
		release()
	}
}

// hold holds all contributions that can be held, and reports whether that was all of them.
func hold(contributions []*Contribution) (release func(), all bool) {
	releases := make([]func(), 0, len(contributions))
	all = true
	for _, c := range contributions {
		if c.Hold == nil {
			continue
		}
		if f, ok := c.Hold(); ok {
			releases = append(releases, f)
		} else {
			all = false
		}
	}
	return func() {
		for _, f := range releases {
			f()
		}
	}, all
}
