package jsonspan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWalk(t *testing.T) {
	data := []byte(" { \"a\" : 1 ,\"\\u0062\":[2, {}],\"a\":\"x\" } ")
	w := Walk(data)
	assert.Equal(t, Object, w.Kind())
	var got []string
	for w.Next() {
		got = append(got, string(w.RawKey()), string(w.Raw()))
	}
	require.NoError(t, w.Err())
	assert.Equal(t, []string{`"a"`, `1`, `"\u0062"`, `[2, {}]`, `"a"`, `"x"`}, got)
	assert.Equal(t, Span{1, len(data) - 1}, w.Value())
	assert.False(t, w.Next())

	w = Walk([]byte(` 421 `))
	assert.Equal(t, Number, w.Kind())
	assert.Equal(t, Span{1, 4}, w.Value())
	assert.False(t, w.Next())
	assert.NoError(t, w.Err())

	w = Walker{}
	assert.Equal(t, Absent, w.Kind())
	assert.False(t, w.Next())
	assert.NoError(t, w.Err())
}

func TestWalkAllocatesNothing(t *testing.T) {
	data := []byte(`{"type":"x","data":{"a":[1,2,3]},"seq":12}`)
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		w := Walk(data)
		for w.Next() {
		}
		if w.Err() != nil {
			t.Fail()
		}
	}))
}

// checkWalk compares a walk with a scan.
func checkWalk(t *testing.T, data []byte) {
	t.Helper()
	d, err := Scan(data, 1)
	w := Walk(data)
	var n Node
	if err == nil {
		require.Equal(t, d.Root().Kind(), w.Kind())
		n = d.Root().First()
	}
	for w.Next() {
		if err == nil {
			require.Equal(t, n.Span(), w.Value())
			require.Equal(t, n.KeySpan(), w.key)
			require.Equal(t, string(n.Raw()), string(w.Raw()))
			require.Equal(t, string(n.RawKey()), string(w.RawKey()))
			n = n.Next()
		}
	}
	if err != nil {
		var syntax *SyntaxError
		require.ErrorAs(t, w.Err(), &syntax, "%q", data)
		require.Equal(t, err, w.Err(), "%q", data)
		return
	}
	require.NoError(t, w.Err(), "%q", data)
	require.Equal(t, Absent, n.Kind())
	require.Equal(t, d.Root().Span(), w.Value())
	require.Equal(t, string(d.Root().Raw()), string(w.Raw()))
	require.Empty(t, w.RawKey())
}

func TestWalkAgreesWithScan(t *testing.T) {
	for _, d := range documents {
		checkWalk(t, []byte(d))
	}
	for _, n := range []int{MaxDepth, MaxDepth + 1} {
		checkWalk(t, []byte(strings.Repeat("[", n)+strings.Repeat("]", n)))
		checkWalk(t, []byte(strings.Repeat(`{"k":`, n)+"1"+strings.Repeat("}", n)))
	}
}

func FuzzWalk(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkWalk(t, data) })
}
