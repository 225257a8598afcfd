package proof

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

func section(id byte, items ...[]byte) []byte {
	body := binary.AppendUvarint(nil, uint64(len(items)))
	body = append(body, bytes.Join(items, nil)...)
	return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
}

func function(parts ...[]byte) []byte {
	code := append(append([]byte{0}, bytes.Join(parts, nil)...), 0x0b)
	return append(binary.AppendUvarint(nil, uint64(len(code))), code...)
}

// everything is a module for which the rewriter adds all that it can add, with runs so long that each
// is charged for itself.
func everything() []byte {
	work := bytes.Repeat([]byte{0x41, 7, 0x41, 3, 0x6c, 0x1a}, 800) // 300 units
	params := []byte{0x20, 0, 0x20, 1, 0x20, 2}
	entries := []byte{0x20, 0, 0xd0, 0x70, 0x20, 2}
	return bytes.Join([][]byte{[]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{0x60, 3, i32, i32, i32, 0}, []byte{0x60, 0, 0}, []byte{0x60, 1, i32, 1, i32}),
		section(2, []byte("\x01h\x01f\x00\x01")),
		section(3, []byte{0}, []byte{2}, []byte{1}, []byte{1}),
		section(4, []byte{0x70, 1, 1, 10}),
		section(5, []byte{1, 1, 10}),
		section(6, []byte{i32, 1, 0x41, 5, 0x0b}, append(append([]byte{v128, 1, 0xfd, 12}, make([]byte, 16)...), 0x0b)),
		section(7, []byte("\x01a\x00\x01"), []byte("\x01b\x00\x02"), []byte("\x01c\x00\x03")),
		section(8)[:0],
		section(9, []byte{1, 0, 1, 1}),
		[]byte{12, 1, 1},
		section(10,
			function(params, []byte{0xfc, 10, 0, 0}, params, []byte{0xfc, 11, 0}, params, []byte{0xfc, 8, 0, 0},
				params, []byte{0xfc, 14, 0, 0}, params, []byte{0xfc, 12, 0, 0}, entries, []byte{0xfc, 17, 0}),
			function([]byte{0x20, 0, 0x40, 0, 0x1a, 0xd0, 0x70, 0x20, 0, 0xfc, 15, 0}),
			function(work, []byte{0x23, 0, 0x04, 0x40}, work, []byte{0x05}, work, []byte{0x0b},
				[]byte{0x02, 0x40, 0x03, 0x40}, work, []byte{0x23, 0, 0x0d, 0}, work, []byte{0x23, 0, 0x0d, 1},
				work, []byte{0x10, 3}, work,
				[]byte{0x0b, 0x0b}, work, []byte{0x10, 0}, work, []byte{0x41, 0, 0x11, 1, 0}, work),
			// 200 bytes are set at once.
			function([]byte{0x41, 0, 0x41, 0, 0x41, 0xc8, 1, 0xfc, 11, 0}, work)),
		section(11, []byte{1, 1, 9}),
	}, nil)
}

// rewritten returns a guest as the rewriter makes it.
func rewritten(t testing.TB, bin []byte) []byte {
	m, err := wasmbin.Parse(bin, wasmbin.DefaultLimits())
	require.NoError(t, err)
	out, err := m.Instrument()
	require.NoError(t, err)
	return out.Bytes
}

// guests returns rewritten modules, small ones first.
func guests(t testing.TB) [][]byte {
	c, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "guests", "c", "c.wasm"))
	require.NoError(t, err)
	adapters, err := stock.Adapters()
	require.NoError(t, err)
	return [][]byte{rewritten(t, everything()), rewritten(t, c), rewritten(t, adapters)}
}
