package registry

// holdTries bounds how often a snapshot is taken anew because an entry in it was closed in between.
// One reload costs one try.
const holdTries = 4

// Hold returns a snapshot whose contributions stay callable until release is called, also if they are
// replaced meanwhile: a turn that has begun ends with the guests that it began with. A contribution
// that is closed without being unregistered stays in the snapshot; it fails when it is rendered.
func (r *Registry) Hold() (snap Snapshot, release func()) {
	for range holdTries {
		snap = r.Snapshot()
		var ok bool
		if release, ok = hold(snap.Contributions); ok {
			break
		}
		release()
		release = func() {}
	}
	return snap, release
}

// hold holds all contributions that can be held, and reports whether that was all of them.
func hold(contributions []*Contribution) (release func(), all bool) {
	var releases []func()
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
