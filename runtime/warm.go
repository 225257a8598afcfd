package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// firstBuffer is the size of the request buffer in an image. A call with a larger request asks the guest
// for a buffer first.
const firstBuffer = 8 << 10

// rehearsals is how often a guest answers before its memory is taken to have settled. No more is spent on
// one of them than on an ordinary call, whatever the guest may use.
const (
	rehearsals    = 3
	rehearsalFuel = 50_000_000
)

// warm starts the first instance of a guest and takes the image, if there can be one. An initialiser that
// fails is the error.
//
// The image is taken behind the initialiser, with a request buffer. Then the guest answers a few requests
// that say nothing. If its memory grows with them, it would outgrow the image in every call, so the image
// is taken again. What a real request says is never in it.
func (g *Guest) warm(ctx context.Context) (*instance, error) {
	g.fresh = g.artifact.cannotReset(g.rewritten, g.random())
	in, err := g.start(ctx)
	if err != nil {
		return nil, err
	}
	in.state.logs.flush(ctx, g.logger, false)
	if len(g.fresh) > 0 {
		return in, nil
	}
	if !g.firstBuffer(ctx, in) {
		in.close()
		if in, err = g.start(ctx); err != nil {
			return nil, err
		}
	}
	im, err := g.takeImage(in)
	if err == nil && g.rehearse(ctx, in) && in.memory.Size() != im.memory.size {
		if grown, err := g.takeImage(in); err == nil {
			im = grown
		}
	}
	in.state.logs.flush(ctx, nil, false)
	if ctx.Err() != nil {
		in.close()
		return nil, canceled(ctx, g.Name(), startName)
	}
	if err != nil {
		in.close()
		g.fresh = []string{err.Error()}
		return g.start(ctx) // which is bounded now
	}
	return in, g.adoptImage(im, in)
}

// firstBuffer asks for the request buffer of the image. It answers false if the instance broke; one that
// has no buffer of that size to give is as it was.
func (g *Guest) firstBuffer(ctx context.Context, in *instance) bool {
	if in.script != nil { // it has one
		return true
	}
	g.beginRehearsal(ctx, in)
	err := in.alloc(firstBuffer)
	if _, over := in.state.meter.end(); over != nil {
		return false
	}
	if _, ok := in.memory.Read(in.buffer, in.capacity); !ok {
		in.buffer, in.capacity = 0, 0
	}
	return !errors.As(err, new(*Trap))
}

// rehearse runs the first operation of the guest on a request without content. What it answers does not
// matter; false means that it broke.
func (g *Guest) rehearse(ctx context.Context, in *instance) bool {
	request, err := abi.Encode(map[string]any{"id": "", "features": 0})
	if err != nil {
		return false
	}
	for range rehearsals {
		g.beginRehearsal(ctx, in)
		_, err := in.run(g.artifact.firstOperation(), request, nil, g.limits.AnswerBytes)
		if _, over := in.state.meter.end(); over != nil || errors.As(err, new(*Trap)) {
			in.broken = true
			return false
		}
	}
	return true
}

func (g *Guest) beginRehearsal(ctx context.Context, in *instance) {
	in.state.begin(ctx, min(g.limits.Fuel, rehearsalFuel), g.limits.Time)
}

// adoptImage makes an image that of the guest and the instance the first that is put back to it.
func (g *Guest) adoptImage(im *image, in *instance) error {
	if n := uint64(im.memory.bytes); !g.runtime.budget.take(n) {
		in.close()
		return &Error{Kind: KindMemory, Guest: g.Name(), Func: startName, Reason: fmt.Sprintf(
			"there is no room for an image of %d KiB: %s", n>>10, g.runtime.budget.full())}
	}
	g.image, in.ran = im, true
	return nil
}

// cannotReset returns why an instance that has run cannot be put back, for all that the module shows.
func (a *Artifact) cannotReset(rewritten *wasmbin.Instrumented, random bool) []string {
	reasons := slices.Clone(rewritten.Fresh)
	if _, reseeds := a.module.Export(reseedExport); random && !reseeds && a.script == nil {
		reasons = append(reasons, "it has real random numbers and does not export "+reseedExport)
	}
	return reasons
}

// Fresh returns why instances of the guest cannot be put back by copying, so that each call needs one that
// is started anew; nothing if they can. It is taken to get everything that it asks for.
//
// An error is an [*Error] of kind KindRefused: the code of the module is not what the host accepts. Load
// would say the same.
func (a *Artifact) Fresh() ([]string, error) {
	rewritten, err := a.module.Instrument()
	if err != nil {
		return nil, &Error{Kind: KindRefused, Guest: a.Title(), Reason: err.Error(), Err: err}
	}
	return a.cannotReset(rewritten, askedBy(a.Manifest).random), nil
}

// A Reset says how a guest is made ready for the next call.
type Reset struct {
	// Copied says that an instance which has run is put back by copying an image.
	Copied bool
	// Reasons say why that cannot be, and each call needs an instance that is started anew.
	Reasons []string
	// ImageBytes is the size of the image in memory, MemoryBytes that of the linear memory it fills.
	ImageBytes, MemoryBytes int
}

// Reset says how the guest is made ready for the next call, or a guest with session state for the next
// session.
func (g *Guest) Reset() Reset {
	if g.image == nil {
		return Reset{Reasons: slices.Clone(g.fresh)}
	}
	return Reset{Copied: true, ImageBytes: g.image.memory.bytes, MemoryBytes: int(g.image.memory.size)}
}
