package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArrivals(t *testing.T) {
	nothing := func() error { return nil }
	text := strings.Repeat("0123456789\n", 50_000)
	for _, in := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		got, err := io.ReadAll(newArrivals(t.Context(), in, nothing))
		require.NoError(t, err)
		assert.True(t, text == string(got))
	}
	failing := io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(io.ErrClosedPipe))
	got, err := io.ReadAll(newArrivals(t.Context(), failing, nothing))
	require.ErrorIs(t, err, io.ErrClosedPipe)
	assert.Equal(t, "abc", string(got), "what came before the error is there")
}

// The reader is told that it has to wait, before it does, and an error of it ends the input.
func TestArrivalsIdle(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute) // no wait without end
	defer stop()
	in, input := io.Pipe()
	waits := make(chan bool)
	a := newArrivals(ctx, in, func() error { waits <- true; return nil })
	go func() {
		<-waits
		_, _ = io.WriteString(input, "one")
		<-waits
		_, _ = io.WriteString(input, "two")
		<-waits
		input.Close()
		for range waits {
		}
	}()
	got, err := io.ReadAll(a)
	require.NoError(t, err)
	assert.Equal(t, "onetwo", string(got))
	close(waits)

	in, _ = io.Pipe()
	_, err = newArrivals(ctx, in, func() error { return io.ErrShortWrite }).Read(make([]byte, 1))
	require.ErrorIs(t, err, io.ErrShortWrite)
}

func TestArrivalsEndWithTheContext(t *testing.T) {
	in, input := io.Pipe()
	defer input.Close()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	a := newArrivals(ctx, in, func() error { stop(); return nil })
	_, err := a.Read(make([]byte, 1))
	require.ErrorIs(t, err, context.Canceled)
	_, err = a.Read(make([]byte, 1))
	require.ErrorIs(t, err, context.Canceled, "and stay at an end")
}

func TestArrivalsBoundTheLine(t *testing.T) {
	n, err := io.Copy(io.Discard, newArrivals(t.Context(), &endless{}, func() error { return nil }))
	require.ErrorIs(t, err, errLongLine)
	assert.LessOrEqual(t, n, int64(maxLine))
}
