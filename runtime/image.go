package runtime

import (
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/quickjs"
	"github.com/pintle-wasm/pintle/internal/wasi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// An image is what an instance of one guest is before a call: its memory, its mutable globals and the
// host's state for it. It belongs to one guest value, which stands for one artifact with its grants, its
// configuration and one version of rewriter and engine.
type image struct {
	memory  content
	globals []uint64 // two for each
	system  wasi.Image

	buffer, capacity uint32        // the request buffer
	script           quickjs.State // of a guest in JavaScript
}

// maxImage bounds the linear memory of which an image is made: what is copied before every call.
const maxImage = 16 << 20

var errNotAsImage = errors.New("the instance does not fit its image")

// takeImage copies what an instance is now.
func (g *Guest) takeImage(in *instance) (*image, error) {
	size := in.memory.Size()
	if size > maxImage {
		return nil, fmt.Errorf("its memory of %d KiB is too large for an image, which has at most %d KiB", size>>10, maxImage>>10)
	}
	view, ok := in.memory.Read(0, size)
	if !ok {
		return nil, errNotAsImage
	}
	im := &image{memory: contentOf(view), system: in.state.system.Image(), buffer: in.buffer, capacity: in.capacity}
	if in.script != nil {
		im.script = in.script.State()
	}
	if err := in.bindGlobals(g.rewritten.Globals); err != nil {
		return nil, err
	}
	for i := range in.saved {
		low, high, err := in.saved[i].get()
		if err != nil {
			return nil, err
		}
		im.globals = append(im.globals, low, high)
	}
	return im, nil
}

// putBack makes an instance what it was in the image. On an error it is of no more use.
func (g *Guest) putBack(in *instance) error {
	im := g.image
	if err := in.bindGlobals(g.rewritten.Globals); err != nil {
		return err
	}
	if err := im.restore(in, g.readOnly && in.restored); err != nil {
		return err
	}
	for i := range in.saved {
		if err := in.saved[i].set(im.globals[2*i], im.globals[2*i+1]); err != nil {
			return err
		}
	}
	in.state.system.Reset(&im.system)
	if g.artifact.script != nil {
		in.resumeScript(im.script)
	}
	in.buffer, in.capacity, in.ran, in.restored, in.reseed = im.buffer, im.capacity, false, true, g.random()
	return nil
}

// restore copies the memory of the image into an instance. Where the guest cannot write, only the last
// request has to go.
func (im *image) restore(in *instance, requestOnly bool) error {
	from, n := uint32(0), im.memory.size
	if requestOnly {
		from, n = in.buffer, in.written
	}
	view, ok := in.memory.Read(from, n)
	if !ok || in.memory.Size() != im.memory.size {
		return errNotAsImage
	}
	im.memory.write(view, from)
	return nil
}

// A savedGlobal is a mutable global of the guest's own. One of 128 bits is out of reach for the host and
// has functions instead, which take no fuel.
type savedGlobal struct {
	global                 Global
	getLow, getHigh, store Function
	halves                 [2]uint64 // kept, so that putting back allocates nothing
}

// bindGlobals finds the globals of an instance, once.
func (in *instance) bindGlobals(list []wasmbin.SavedGlobal) error {
	if in.saved != nil || len(list) == 0 {
		return nil
	}
	saved := make([]savedGlobal, len(list))
	for i, g := range list {
		if g.Type != wasmbin.V128 {
			if saved[i].global = in.engine.Global(g.Export); saved[i].global == nil {
				return errNotAsImage
			}
			continue
		}
		s := savedGlobal{getLow: in.function(g.GetLow), getHigh: in.function(g.GetHigh), store: in.function(g.Set)}
		if s.getLow == nil || s.getHigh == nil || s.store == nil {
			return errNotAsImage
		}
		saved[i] = s
	}
	in.saved = saved
	return nil
}

func (s *savedGlobal) get() (low, high uint64, err error) {
	if s.global != nil {
		return s.global.Get(), 0, nil
	}
	if low, err = s.getLow.Call(); err == nil {
		high, err = s.getHigh.Call()
	}
	return low, high, err
}

func (s *savedGlobal) set(low, high uint64) error {
	if s.global != nil {
		s.global.Set(low)
		return nil
	}
	s.halves = [2]uint64{low, high}
	_, err := s.store.Call(s.halves[:]...)
	return err
}
