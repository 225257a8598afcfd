package stream_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

func errorsAs(err error, target **stream.Thrown) bool { return errors.As(err, target) }

func unquoteSlowly(raw []byte) string {
	text, err := wtf8.Unquote(raw)
	if err != nil {
		panic(err)
	}
	return text
}

// read copies all parts, as each one takes the place of the one before.
func read(r io.Reader) (parts []stream.Part, err error) {
	for p, e := range stream.ReadParts(r) {
		if err = e; e == nil {
			parts = append(parts, *p)
		}
	}
	return parts, err
}

func TestReadParts(t *testing.T) {
	long := strings.Repeat("wide ", 60_000)
	text := "\n" + `{"type":"text-delta","id":"1","delta":"a\tb"}` + "\r\n \t\n" +
		`{"type":"text-delta","id":"1","delta":"` + long + `"}` + "\n" + strings.Repeat(`{"type":"ping"}`+"\n", 9000) +
		`{"type":"text-end","id":"2"}`
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)),
		"halves": iotest.HalfReader(strings.NewReader(text)), "data with the error": iotest.DataErrReader(strings.NewReader(text)),
	} {
		parts, err := read(r)
		require.NoError(t, err, name)
		require.Len(t, parts, 9003, name)
		assert.Equal(t, "a\tb", parts[0].Delta, name)
		assert.Equal(t, long, parts[1].Delta, name)
		assert.Equal(t, stream.Part{Type: stream.PartTextEnd, ID: "2", Raw: json.RawMessage(`{"type":"text-end","id":"2"}`)}, parts[9002], name)
		assert.Equal(t, `{"type":"ping"}`, string(parts[2].Raw), name)
	}
}

func TestReadPartsFails(t *testing.T) {
	good := `{"type":"text-end","id":"1"}` + "\n"
	broken := errors.New("broken pipe")
	for name, c := range map[string]struct {
		in   io.Reader
		want error
		text string
	}{
		"no JSON":    {strings.NewReader(good + "nonsense\n" + good), nil, "parts: line 2: part: not a JSON object"},
		"cut":        {strings.NewReader(good + `{"type":"te`), io.ErrUnexpectedEOF, "parts: line 2: unexpected EOF"},
		"reader":     {io.MultiReader(strings.NewReader(good+`{"ty`), iotest.ErrReader(broken)), broken, "parts: line 2: broken pipe"},
		"no reader":  {iotest.ErrReader(broken), broken, "parts: line 1: broken pipe"},
		"stuck":      {io.MultiReader(strings.NewReader(good), stuck{}), io.ErrNoProgress, "parts: line 2: " + io.ErrNoProgress.Error()},
		"thrown":     {strings.NewReader(good + `{"$throw":{"message":"m"}}` + "\n" + good), nil, "m"},
		"only a cut": {strings.NewReader(`{`), io.ErrUnexpectedEOF, "parts: line 1: unexpected EOF"},
	} {
		parts, err := read(c.in)
		require.EqualError(t, err, c.text, name)
		if c.want != nil {
			assert.ErrorIs(t, err, c.want, name)
		}
		for _, p := range parts {
			assert.Equal(t, "1", p.ID, name)
		}
		assert.LessOrEqual(t, len(parts), 1, name)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestReadPartsStops(t *testing.T) {
	r := strings.NewReader(strings.Repeat(`{"type":"ping"}`+"\n", 20_000))
	for range stream.ReadParts(r) {
		break
	}
	assert.Positive(t, r.Len(), "the rest is not read")
}

// A part is there as soon as its line is.
func TestReadPartsLive(t *testing.T) {
	in, out := io.Pipe()
	lines := make(chan string, 8)
	go func() {
		for line := range lines {
			_, _ = io.WriteString(out, line)
		}
		out.Close()
	}()
	lines <- `{"type":"text-delta","delta":"0"}` + "\n"
	n := 0
	for p, err := range stream.ReadParts(in) {
		require.NoError(t, err)
		assert.Equal(t, string(rune('0'+n)), p.Delta)
		if n++; n == 3 {
			close(lines)
			continue
		}
		lines <- `{"type":"text-delta",` // the first half alone makes no part
		lines <- `"delta":"` + string(rune('0'+n)) + `"}` + "\n"
	}
	assert.Equal(t, 3, n)
}
