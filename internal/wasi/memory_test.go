package wasi_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasi"
)

// memory is the linear memory of a guest: one page, as an engine would give it.
type memory []byte

func (m memory) Read(offset, count uint32) ([]byte, bool) {
	if uint64(offset)+uint64(count) > uint64(len(m)) {
		return nil, false
	}
	return m[offset:][:count], true
}

func (m memory) Write(offset uint32, data []byte) bool {
	view, ok := m.Read(offset, uint32(len(data)))
	copy(view, data)
	return ok
}

func (m memory) u32(at int) uint32 { return binary.LittleEndian.Uint32(m[at:]) }

func (m memory) u64(at int) uint64 { return binary.LittleEndian.Uint64(m[at:]) }

func (m memory) put32(at int, vs ...uint32) {
	for i, v := range vs {
		binary.LittleEndian.PutUint32(m[at+4*i:], v)
	}
}

func (m memory) put64(at int, v uint64) { binary.LittleEndian.PutUint64(m[at:], v) }

const pageBytes = 64 << 10

// outside is an address at which nothing fits.
const outside = pageBytes - 1

// The errno values of preview 1 that the subset uses.
const (
	success    = 0
	badf       = 8
	fault      = 21
	inval      = 28
	spipe      = 70
	notcapable = 76
	notsock    = 57
)

// A world is one guest's view: functions, memory, and what it wrote.
type world struct {
	t       *testing.T
	mem     memory
	system  *wasi.System
	written [3]string
	pieces  int
	calls   map[string]wasi.Function
}

func newWorld(t *testing.T, seed byte) *world {
	w := &world{t: t, mem: make(memory, pageBytes), calls: map[string]wasi.Function{}}
	w.surround(wasi.Config{Seed: [32]byte{seed}})
	for _, f := range wasi.Functions() {
		w.calls[f.Name] = f
	}
	return w
}

// surround makes a new system. What the guest writes is collected.
func (w *world) surround(config wasi.Config) {
	config.Sink = func(fd int, text []byte) {
		w.written[fd] += string(text)
		w.pieces++
	}
	w.system = wasi.NewSystem(config)
}

// call runs a function as an engine does, and returns its errno. The upper halves of 32-bit arguments
// are dirty, since an engine does not promise that they are clean.
func (w *world) call(name string, args ...uint64) uint32 {
	w.t.Helper()
	f, ok := w.calls[name]
	require.True(w.t, ok, name)
	require.Len(w.t, args, len(f.Type.Params), name)
	stack := make([]uint64, max(1, len(args)))
	for i, a := range args {
		stack[i] = a
		if f.Type.Params[i] == 0x7f {
			stack[i] = a&0xffffffff | 0xdeadbeef<<32
		}
	}
	require.NoError(w.t, f.Call(w.system, w.mem, stack), name)
	return uint32(stack[0])
}
