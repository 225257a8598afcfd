package wasmbin_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// guest returns the stock guest, 2 MB of compiled Go.
func stockGuest(t testing.TB) []byte {
	file, err := os.ReadFile("../../guests/stock/adapters.wasm.gz")
	require.NoError(t, err)
	r, err := gzip.NewReader(bytes.NewReader(file))
	require.NoError(t, err)
	wasm, err := io.ReadAll(r)
	require.NoError(t, err)
	return wasm
}

func cGuest(t testing.TB) []byte {
	wasm, err := os.ReadFile("../../testdata/guests/c/c.wasm")
	require.NoError(t, err)
	return wasm
}

// repeat joins what f makes of 0 to n-1.
func repeat(n int, f func(i int) []byte) []byte {
	var b bytes.Buffer
	for i := range n {
		b.Write(f(i))
	}
	return b.Bytes()
}

// slow is a module with one function of which an engine has much to do.
type slow struct {
	types   [][]byte // behind () -> ()
	typ     int      // of the function
	globals int      // mutable i32
	locals  int      // i32
	code    []byte
	times   int // functions
}

func (s slow) encode() []byte {
	body := append(append([]byte{1}, uleb(s.locals)...), 0x7f)
	body = sized(append(append(body, s.code...), 0x0b))
	n := max(s.times, 1)
	return module(
		section(1, counted(append([][]byte{{0x60, 0, 0}}, s.types...)...)...),
		section(3, append(uleb(n), bytes.Repeat([]byte{byte(s.typ)}, n)...)...),
		section(4, counted([]byte{0x70, 0, 1})...),
		section(5, counted([]byte{0, 1})...),
		section(6, append(uleb(s.globals), bytes.Repeat([]byte{0x7f, 1, 0x41, 0, 0x0b}, s.globals)...)...),
		section(10, append(uleb(n), bytes.Repeat(body, n)...)...),
	)
}

func values(params, results int) []byte {
	t := append([]byte{0x60}, uleb(params)...)
	t = append(append(t, bytes.Repeat([]byte{0x7f}, params)...), uleb(results)...)
	return append(t, bytes.Repeat([]byte{0x7f}, results)...)
}

func get(i int) []byte  { return append([]byte{0x20}, uleb(i)...) }
func set(i int) []byte  { return append([]byte{0x41, 1, 0x21}, uleb(i)...) }
func brIf(i int) []byte { return append([]byte{0x20, 0, 0x0d}, uleb(i)...) }
func call() []byte      { return []byte{0x10, 0} }

// The shapes of code that kept a compiler busy for longest, each as large as a function may be
// otherwise, are refused; with less of the same they pass.
func TestCompileCost(t *testing.T) {
	for name, shape := range map[string]func(n int) slow{
		"calls and globals": func(n int) slow {
			return slow{globals: 998, code: repeat(60_000/n, func(int) []byte { return call() })}
		},
		"calls of many values": func(n int) slow {
			return slow{types: [][]byte{values(100, 100)}, typ: 1, code: append(repeat(100, get), repeat(60_000/n, func(int) []byte { return call() })...)}
		},
		"branches to one label": func(n int) slow {
			return slow{locals: 1, code: append(append([]byte{0x02, 0x40}, repeat(30_000/n, func(int) []byte { return brIf(0) })...), 0x0b)}
		},
		"returns": func(n int) slow {
			return slow{locals: 1, code: repeat(4_000, func(i int) []byte {
				if i%n == 0 {
					return []byte{0x20, 0, 0x04, 0x40, 0x20, 0, 0x0d, 1, 0x0f, 0x0b}
				}
				return []byte{0x20, 0, 0x1a}
			})}
		},
		"branches and locals": func(n int) slow {
			return slow{locals: 1_000, code: append(append([]byte{0x02, 0x40}, repeat(1_000/n, func(i int) []byte { return append(set(i%1_000), brIf(0)...) })...), 0x0b)}
		},
		"ifs and locals": func(n int) slow {
			return slow{locals: 1_000, code: repeat(4_000/n, func(i int) []byte {
				return append(append(append(get(i%1_000), 0x04, 0x40), set(i%1_000)...), 0x0b)
			})}
		},
		"loops and locals": func(n int) slow {
			return slow{locals: 1_000, code: append(append(bytes.Repeat([]byte{0x03, 0x40}, 500/n), repeat(1_000, set)...), bytes.Repeat([]byte{0x0b}, 500/n)...)}
		},
		"loops within loops": func(n int) slow {
			return slow{locals: 400, code: append(append(bytes.Repeat([]byte{0x03, 0x40}, 120/n), repeat(400, set)...), bytes.Repeat([]byte{0x0b}, 120/n)...)}
		},
		"fills": func(n int) slow {
			return slow{code: bytes.Repeat([]byte{0x41, 0, 0x41, 0, 0x41, 1, 0xfc, 11, 0}, 14_000/n)}
		},
		"entries of br_table": func(n int) slow {
			return slow{locals: 1, code: repeat(16/n, func(int) []byte {
				return append(append([]byte{0x02, 0x40, 0x20, 0, 0x0e}, uleb(8_000)...), append(make([]byte, 8_001), 0x0b)...)
			})}
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := instrument(shape(1).encode())
			var limit *wasmbin.LimitError
			require.ErrorAs(t, err, &limit)
			assert.Equal(t, "compile cost of function 0", limit.What)
			assert.Equal(t, wasmbin.DefaultLimits().FunctionCost, limit.Max)

			less := 2
			for ; less <= 32; less *= 2 {
				if _, err = instrument(shape(less).encode()); err == nil {
					break
				}
			}
			require.NoError(t, err)
		})
	}

	// Of these there cannot be enough in one function.
	for name, test := range map[string]struct {
		shape slow
		least uint64
	}{
		"loops":    {slow{code: bytes.Repeat([]byte{0x03, 0x40, 0x0b}, 500)}, 600_000_000},
		"br_table": {slow{locals: 1, code: append(append([]byte{0x20, 0, 0x0e}, uleb(8_000)...), make([]byte, 8_001)...)}, 110_000_000},
		"operands of dead code": {slow{types: [][]byte{values(100, 100)}, typ: 1,
			code: append([]byte{0x00}, repeat(30_000, func(int) []byte { return call() })...)}, 100_000_000},
	} {
		out, err := instrument(test.shape.encode())
		require.NoError(t, err, name)
		assert.Greater(t, out.CompileCost, test.least, name)
	}

	// What one function may cost, many may not.
	large := slow{locals: 1, code: append(append([]byte{0x02, 0x40}, repeat(9_000, func(int) []byte { return brIf(0) })...), 0x0b)}
	out, err := instrument(large.encode())
	require.NoError(t, err)
	limits := wasmbin.DefaultLimits()
	require.Greater(t, out.CompileCost, limits.FunctionCost/2)
	large.times = int(limits.CompileCost/out.CompileCost) + 1
	_, err = instrument(large.encode())
	require.ErrorContains(t, err, "module too large: compile cost: ")
}

// What guests are like stays far below the bounds.
func TestGuestsAreCheap(t *testing.T) {
	limits := wasmbin.DefaultLimits()
	limits.FunctionCost, limits.CompileCost = limits.FunctionCost/10, limits.CompileCost/3
	for _, file := range [][]byte{stockGuest(t), cGuest(t)} {
		m, err := wasmbin.Parse(file, limits)
		require.NoError(t, err)
		out, err := m.Instrument()
		require.NoError(t, err)
		assert.Positive(t, out.CompileCost)
		assert.Less(t, out.MaxFrame, uint32(wasmbin.StackBytes/100))
	}
}
