package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/host/session"
)

// maxKinds bounds how many kinds of events are named. A file can be made to have one for each line.
const maxKinds = 100

// A refusedKind is how many events of a kind no session would take.
type refusedKind struct {
	code session.Code
	kind string
	n    int
}

// refuse counts an event whose kind no session would take.
func (r *Report) refuse(code session.Code, kind string) {
	if code != session.EventUnsupported && code != session.LegacyUnsupported {
		return
	}
	for i := range r.kinds {
		if k := &r.kinds[i]; k.code == code && k.kind == kind {
			k.n++
			return
		}
	}
	if len(r.kinds) < maxKinds {
		r.kinds = append(r.kinds, refusedKind{code, kind, 1})
	}
}

// refusedKinds names the kinds of n events.
func (r *Report) refusedKinds(code session.Code, n int) string {
	const most = 10
	var names []string
	for _, k := range r.kinds {
		if k.code == code && len(names) < most {
			names = append(names, fmt.Sprintf("%d %s", k.n, quote(k.kind)))
			n -= k.n
		}
	}
	if n > 0 {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// Unknown are the kinds of events that are not known here, at most 100 of them. With these as
// session.Options.Kinds the log can be read, if such events do not change what others mean.
func (r *Report) Unknown() []string {
	var list []string
	for _, k := range r.kinds {
		if k.code == session.EventUnsupported {
			list = append(list, k.kind)
		}
	}
	return list
}

// unknown tells of each kind of event that is not known, at its first one. It returns all of them.
func (r *Report) unknown(ctx context.Context, v session.View, o session.Options) ([]string, error) {
	var kind string // of the event that is being taken
	feed := func(yield func(session.Event, error) bool) {
		for e, err := range v.Events(ctx, 0) {
			if kind = e.Type; !yield(e, err) {
				return
			}
		}
	}
	var all []string
	seen := map[string]bool{}
	for _, err := range session.Rebuild(v.Header(), feed, o) {
		var entry *session.Error
		switch {
		case err == nil:
		case !errors.As(err, &entry):
			return nil, err
		case entry.Code == session.EventUnsupported:
			r.refuse(entry.Code, kind)
			if !seen[kind] {
				seen[kind] = true
				all = append(all, kind)
				r.add(fileFinding(entry))
			}
		}
	}
	return all, nil
}
