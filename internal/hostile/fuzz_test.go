package hostile

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
)

// Whatever the bytes are, they are refused for a reason, or what becomes of them can be proved to be
// metered and is rewritten to the same again.
func FuzzRewrite(f *testing.F) {
	c := open(f)
	for _, e := range c.Assembled() {
		file, err := os.ReadFile(c.Path(&e, ".wasm"))
		require.NoError(f, err)
		f.Add(file)
	}
	for name, generate := range c.generators {
		list, err := generate((&Entry{Name: name}).Manifest())
		require.NoError(f, err)
		for i := 0; i < len(list); i += 1 + len(list)/8 {
			if len(list[i].file) < 32<<10 { // large ones slow the fuzzer down
				f.Add(list[i].file)
			}
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
		if err == nil {
			var out *wasmbin.Instrumented
			if out, err = m.Instrument(); err == nil {
				require.NoError(t, proof.Check(out.Bytes))
				again, err := m.Instrument()
				require.NoError(t, err)
				require.Equal(t, out.Bytes, again.Bytes)
				return
			}
		}
		var (
			format      *wasmbin.FormatError
			limit       *wasmbin.LimitError
			unsupported *wasmbin.UnsupportedError
		)
		if !errors.As(err, &format) && !errors.As(err, &limit) && !errors.As(err, &unsupported) {
			t.Errorf("untyped error: %v", err)
		}
	})
}
