package cborout

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

func encoded(t require.TestingT, v any) []byte {
	b, err := abi.Encode(v)
	require.NoError(t, err)
	return b
}

func TestHeads(t *testing.T) {
	for _, n := range []uint64{0, 23, 24, math.MaxUint8, 1 << 8, math.MaxUint16, 1 << 16, math.MaxUint32, 1 << 32, math.MaxUint64} {
		assert.Equal(t, encoded(t, n), AppendUint(nil, n), n)
	}
	for _, n := range []int64{0, -1, -24, -25, -256, -257, 24, math.MinInt64, math.MaxInt64} {
		assert.Equal(t, encoded(t, n), AppendInt(nil, n), n)
	}
	assert.Equal(t, encoded(t, nil), AppendNull(nil))
	for _, n := range []int{0, 23, 24, 255, 256, 65535, 65536} {
		s := strings.Repeat("x", n)
		assert.Equal(t, encoded(t, s), AppendText(nil, s), n)
		assert.Equal(t, encoded(t, s), AppendUTF8(nil, []byte(s)), n)
		assert.Equal(t, encoded(t, []byte(s)), append(AppendBytes(nil, n), s...), n)
		assert.Equal(t, encoded(t, make([]string, n)), AppendTexts(nil, make([]string, n)), n)
	}
	assert.Equal(t, encoded(t, []bool{true, false}), AppendBool(AppendBool(AppendList(nil, 2), true), false))
	assert.Equal(t, encoded(t, map[string]int{"b": 1}), AppendUint(AppendText(AppendMap([]byte{}, 1), "b"), 1))
}

func TestTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.SampledFrom([]byte("a\x00\x80\xe2\x82\xac\xed\xa0\xbd\xff"))).Draw(t, "s"))
		assert.Equal(t, encoded(t, wtf8.ToUTF8(s)), AppendText(nil, s))
		assert.Equal(t, append([]byte{7}, encoded(t, []string{wtf8.ToUTF8(s)})...), AppendTexts([]byte{7}, []string{s}))
	})
}
