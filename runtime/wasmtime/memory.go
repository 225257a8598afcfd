//go:build wasmtime && cgo

package wasmtime

import (
	"fmt"
	"math"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// A memory is the exported linear memory of an instance. A view of all of it is kept while no guest code
// runs, because asking wasmtime for it costs more than most uses. It is empty if there is no memory, and
// when the instance was closed.
type memory struct {
	within  wasmtime.Storelike // the store, or the caller while a host function runs
	memory  *wasmtime.Memory
	view    []byte // nil: not known
	touched int    // so many bytes have pages of the machine
}

const pageBits = 16

// begin finds the memory of a new instance and makes it as large as it is going to be.
func (m *memory) begin(in *instance, opts runtime.InstanceOptions) error {
	m.enter(in.store)
	export := in.instance.GetExport(in.store, abi.MemoryExport)
	if export == nil {
		return nil
	}
	if opts.InitialBytes > opts.MemoryBytes {
		return fmt.Errorf("%d KiB of memory are more than the %d KiB allowed",
			opts.InitialBytes>>10, opts.MemoryBytes>>10)
	}
	m.memory = export.Memory()
	if now := uint64(m.Size()); now < opts.InitialBytes {
		if _, err := m.memory.Grow(in.store, (opts.InitialBytes-now)>>pageBits); err != nil {
			return copied(err)
		}
		m.enter(in.store)
	}
	return m.touch(opts.State)
}

// piece is how much memory is touched between two looks at the time; pageSize is the smallest that an
// operating system uses.
const (
	piece    = 256 << 10
	pageSize = 4 << 10
)

// touch writes to every page that the memory has got since the last time. To touch a page for the first
// time can cost thirty microseconds, for which a guest that did it would pay next to nothing in fuel.
// wasmtime does not say when memory grows, so this is done when the guest next calls the host.
func (m *memory) touch(state *runtime.HostState) error {
	all := m.bytes()
	for m.touched < len(all) {
		end := min(m.touched+piece, len(all))
		for ; m.touched < end; m.touched += pageSize {
			set(&all[m.touched], all[m.touched])
		}
		if err := state.Err(); err != nil {
			return err
		}
	}
	return nil
}

// set is not inlined, or the compiler would leave out the writing of what is there.
//
//go:noinline
func set(at *byte, value byte) { *at = value }

// enter forgets the view: guest code has run and may have grown memory, which moves it.
func (m *memory) enter(within wasmtime.Storelike) {
	m.within, m.view = within, nil
}

func (m *memory) bytes() []byte {
	if m.view == nil && m.memory != nil {
		m.view = m.memory.UnsafeData(m.within)
	}
	return m.view
}

func (m *memory) Size() uint32 { return uint32(min(len(m.bytes()), math.MaxUint32)) }

func (m *memory) Read(offset, count uint32) ([]byte, bool) {
	all, end := m.bytes(), uint64(offset)+uint64(count)
	if end > uint64(len(all)) {
		return nil, false
	}
	return all[offset:end:end], true
}

func (m *memory) Write(offset uint32, data []byte) bool {
	all := m.bytes()
	if uint64(offset)+uint64(len(data)) > uint64(len(all)) {
		return false
	}
	copy(all[offset:], data)
	return true
}
