package jsonrpc

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestReader(t *testing.T) {
	const limit = 100
	for name, c := range map[string]struct {
		in   string
		want []string
		err  error // after those
	}{
		"nothing":             {in: "", err: io.EOF},
		"one":                 {in: "Content-Length: 2\r\n\r\n{}", want: []string{"{}"}, err: io.EOF},
		"two":                 {in: "Content-Length: 1\r\n\r\n1Content-Length: 2\r\n\r\n22", want: []string{"1", "22"}, err: io.EOF},
		"empty message":       {in: "Content-Length: 0\r\n\r\n", want: []string{""}, err: io.EOF},
		"other case":          {in: "content-LENGTH:2\r\n\r\n{}", want: []string{"{}"}, err: io.EOF},
		"white space":         {in: "Content-Length:  \t2 \r\n\r\n{}", want: []string{"{}"}, err: io.EOF},
		"bare line feeds":     {in: "Content-Length: 2\n\n{}", want: []string{"{}"}, err: io.EOF},
		"other headers":       {in: "A: b: c\r\nContent-Length: 2\r\nContent-Type: x\r\n\r\n{}", want: []string{"{}"}, err: io.EOF},
		"header cut":          {in: "Content-Length: 2\r\n", err: io.ErrUnexpectedEOF},
		"line cut":            {in: "Content-Le", err: io.ErrUnexpectedEOF},
		"message cut":         {in: "Content-Length: 3\r\n\r\n{}", err: io.ErrUnexpectedEOF},
		"message missing":     {in: "Content-Length: 3\r\n\r\n", err: io.ErrUnexpectedEOF},
		"too long cut":        {in: "Content-Length: 101\r\n\r\n{}", err: io.ErrUnexpectedEOF},
		"no length":           {in: "A: b\r\n\r\n{}", err: ErrFraming},
		"no header":           {in: "\r\n\r\n{}", err: ErrFraming},
		"no colon":            {in: "{\"jsonrpc\":\"2.0\"}\n", err: ErrFraming},
		"two lengths":         {in: "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", err: ErrFraming},
		"negative length":     {in: "Content-Length: -2\r\n\r\n{}", err: ErrFraming},
		"signed length":       {in: "Content-Length: +2\r\n\r\n{}", err: ErrFraming},
		"spelt length":        {in: "Content-Length: 0x2\r\n\r\n{}", err: ErrFraming},
		"length of nothing":   {in: "Content-Length: \r\n\r\n{}", err: ErrFraming},
		"length out of range": {in: "Content-Length: 9223372036854775808\r\n\r\n{}", err: ErrFraming},
		"largest length":      {in: "Content-Length: 9223372036854775807\r\n\r\n{}", err: io.ErrUnexpectedEOF},
		"endless line":        {in: strings.Repeat("a", readBuffer+1), err: ErrFraming},
		"long line":           {in: strings.Repeat("a", maxHeaderLine) + ": b\r\n", err: ErrFraming},
		"endless header":      {in: strings.Repeat("a: b\r\n", maxHeaderLines+1), err: ErrFraming},
		"longest header": {in: strings.Repeat("a: b\r\n", maxHeaderLines-1) + "Content-Length: 2\r\n\r\n{}",
			want: []string{"{}"}, err: io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			for how, in := range map[string]io.Reader{"whole": strings.NewReader(c.in), "bytes": iotest.OneByteReader(strings.NewReader(c.in))} {
				r := NewReader(in, limit)
				for _, want := range c.want {
					got, err := r.Read()
					require.NoError(t, err, how)
					assert.Equal(t, want, string(got), how)
				}
				_, err := r.Read()
				assert.ErrorIs(t, err, c.err, how)
			}
		})
	}
}

func TestReaderSkipsLongMessages(t *testing.T) {
	long := "Content-Length: 11\r\n\r\n" + strings.Repeat("x", 11)
	r := NewReader(strings.NewReader(long+"Content-Length: 10\r\n\r\n"+strings.Repeat("y", 10)+long), 10)
	_, err := r.Read()
	assert.Equal(t, &TooLongError{Length: 11, Limit: 10}, err)
	got, err := r.Read()
	require.NoError(t, err)
	assert.Equal(t, "yyyyyyyyyy", string(got))
	_, err = r.Read()
	assert.Equal(t, &TooLongError{Length: 11, Limit: 10}, err)
	_, err = r.Read()
	assert.Equal(t, io.EOF, err)
}

func TestReaderPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	for _, before := range []string{"", "Content-Length: 5\r\n", "Content-Length: 5\r\n\r\nab"} {
		_, err := NewReader(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)), 10).Read()
		assert.ErrorIs(t, err, broken, before)
	}
}

// What is written is read again, whatever it is and however it is cut.
func TestFramesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages := rapid.SliceOf(rapid.SliceOf(rapid.SliceOf(rapid.Byte()))).Draw(t, "messages")
		var out bytes.Buffer
		w := NewWriter(&out)
		for _, parts := range messages {
			require.NoError(t, w.Write(parts...))
		}
		require.NoError(t, w.Flush())
		r := NewReader(iotest.HalfReader(&out), 1<<20)
		for _, parts := range messages {
			got, err := r.Read()
			require.NoError(t, err)
			assert.Equal(t, string(bytes.Join(parts, nil)), string(got))
		}
		_, err := r.Read()
		assert.Equal(t, io.EOF, err)
	})
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add([]byte("Content-Length: 200\n\n{}"))
	f.Add([]byte("a: b\nContent-Length: 1\r\n\r\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data), 64)
		for total := 0; ; {
			body, err := r.Read()
			if long := (*TooLongError)(nil); errors.As(err, &long) {
				assert.Greater(t, long.Length, int64(64))
				continue
			}
			if err != nil {
				assert.True(t, err == io.EOF || err == io.ErrUnexpectedEOF || errors.Is(err, ErrFraming), "%v", err)
				return
			}
			total += len(body)
			assert.LessOrEqual(t, len(body), 64)
			assert.LessOrEqual(t, total, len(data))
		}
	})
}
