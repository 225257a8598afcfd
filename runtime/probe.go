package runtime

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// A Probe does what happens around the calls of a guest, for those who measure it. It is not safe for
// concurrent use. The guest cannot be closed before the probe is.
type Probe struct {
	guest *Guest
	in    *instance // started from the image; nil until it is needed
}

// probedRequest is the size of the request that is put back where a guest writes nothing itself.
const probedRequest = 1 << 10

// Probe returns a probe of the guest.
func (g *Guest) Probe() (*Probe, error) {
	if !g.Hold() {
		return nil, &Error{Kind: KindClosed, Guest: g.Name(), Reason: ErrClosed.Error(), Err: ErrClosed}
	}
	return &Probe{guest: g}, nil
}

// Start starts an instance without the image, as a load does, and releases it. It returns the size of its
// linear memory in bytes. Errors are those of Load.
func (p *Probe) Start(ctx context.Context) (memory int, err error) {
	g := p.guest
	in, err := g.open(ctx)
	if err != nil {
		return 0, g.public(ctx, startName, err)
	}
	defer in.close()
	if err := g.initialise(ctx, in); err != nil {
		return 0, g.public(ctx, startName, err)
	}
	return int(in.memory.Size()), nil
}

// PutBack puts an instance back as before a call. It fails for a guest whose instances are not put back by
// copying, see [Guest.Reset].
func (p *Probe) PutBack(ctx context.Context) error {
	g := p.guest
	if g.image == nil {
		reason := strings.Join(append(slices.Clone(g.fresh), "its instances are not put back by copying"), "; ")
		return &Error{Kind: KindRefused, Guest: g.Name(), Reason: reason, Err: errors.New(reason)}
	}
	if p.in == nil {
		in, err := g.start(ctx)
		if err != nil {
			return g.public(ctx, startName, err)
		}
		p.in = in
		in.written = min(in.capacity, probedRequest)
	}
	if err := g.putBack(p.in); err != nil {
		return g.public(ctx, startName, err)
	}
	return nil
}

// Close releases what the probe holds. Closing twice is harmless.
func (p *Probe) Close() {
	if p.guest == nil {
		return
	}
	if p.in != nil {
		p.in.close()
	}
	p.guest.Release()
	p.guest, p.in = nil, nil
}
