package ecma

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAppendNumber(t *testing.T) {
	for want, f := range map[string]float64{
		"0": math.Copysign(0, -1), "7": 7, "-1": -1, "0.5": 0.5, "-0.1": -0.1,
		"4000000000": 4e9, "9007199254740994": 1<<53 + 2, "123456789012345680000": 123456789012345678901,
		"100000000000000000000": 1e20, "1e+21": 1e21, "-1.5e+300": -1.5e300, "1.7976931348623157e+308": math.MaxFloat64,
		"0.000001": 1e-6, "1e-7": 1e-7, "1.5e-7": 1.5e-7, "-2.5e-10": -2.5e-10, "5e-324": 5e-324,
		"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1),
	} {
		assert.Equal(t, "x"+want, string(AppendNumber([]byte("x"), f)))
	}
}

func TestAppendNumberReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(f) {
			f = 0
		}
		back, err := strconv.ParseFloat(string(AppendNumber(nil, f)), 64)
		require.NoError(t, err)
		require.Equal(t, f+0, back+0)
	})
}
