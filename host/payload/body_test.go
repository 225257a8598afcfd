package payload

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 40)).Draw(t, "pieces")
		want := bytes.Join(pieces, nil)
		b := BodyOf(pieces...)
		require.Equal(t, len(want), b.Len())
		require.True(t, bytes.Equal(want, b.Bytes()))
		require.True(t, b.same(want))
		require.False(t, b.same(append(bytes.Clone(want), 0)))
		if len(want) > 0 {
			other := bytes.Clone(want)
			other[rapid.IntRange(0, len(want)-1).Draw(t, "at")]++
			require.False(t, b.same(other))
		}
		require.NoError(t, iotest.TestReader(b.NewReader(), want))
		var out bytes.Buffer
		n, err := b.WriteTo(&out)
		require.NoError(t, err)
		require.Equal(t, int64(len(want)), n)
		require.True(t, bytes.Equal(want, out.Bytes()))

		// What is left after reading a part.
		r := b.NewReader()
		part := rapid.IntRange(0, len(want)).Draw(t, "part")
		_, err = io.ReadFull(r, make([]byte, part))
		require.NoError(t, err)
		out.Reset()
		n, err = r.(io.WriterTo).WriteTo(&out)
		require.NoError(t, err)
		require.Equal(t, int64(len(want)-part), n)
		require.True(t, bytes.Equal(want[part:], out.Bytes()))
	})
	assert.Empty(t, Body{}.Bytes())
	one := []byte("one")
	assert.Same(t, &one[0], &BodyOf(one).Bytes()[0], "one piece is not copied")
}

type failingWriter struct {
	room int
	err  error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	n := min(w.room, len(p))
	w.room -= n
	if n < len(p) {
		return n, w.err
	}
	return n, nil
}

func TestBodyWriteFails(t *testing.T) {
	gone := errors.New("gone")
	b := BodyOf([]byte("abc"), []byte("def"))
	n, err := b.WriteTo(&failingWriter{4, gone})
	assert.ErrorIs(t, err, gone)
	assert.Equal(t, int64(4), n)
	n, err = b.WriteTo(&failingWriter{2, nil})
	assert.ErrorIs(t, err, io.ErrShortWrite)
	assert.Equal(t, int64(2), n)
}
