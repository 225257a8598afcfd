package settings

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is in a file is in it still when a setting has been stored, whatever it is.
func FuzzEncode(f *testing.F) {
	for _, text := range []string{
		"", "a = 1\n", "[appearance]\nx.y = [1, 2.5, true]\n", "[a.b]\nc = {d = {}}\n[[t]]\nx = 1\n[[t]]\n",
		"d = 2026-03-01\nt = 07:30:00\nl = 2026-03-01T07:30:00\nz = 2026-03-01T07:30:00+01:00\n",
		"f = [inf, -inf, nan, 1e300, -0.0, 1e-7, 100000000000000000000.0]\n",
		`"a.b" = "\u0000\"\\\u007f\n"` + "\n[\"x y\".\"\"]\n'' = ''\n",
		"[appearance.a]\nb = []\n[appearance.c.d.e]\nf = {}\n[tools]\n",
		"i = -9223372036854775808\nh = 0xff\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse(data)
		if err != nil {
			return
		}
		text, err := d.encode()
		require.NoError(t, err)
		again, err := Parse(text)
		require.NoError(t, err, "%s", text)
		// As text, since no NaN is equal to itself. Types and the order of keys show in it.
		assert.Equal(t, fmt.Sprintf("%#v", d.root), fmt.Sprintf("%#v", again.root))
	})
}
