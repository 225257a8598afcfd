package turn_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/turn"
)

func parseAll(r io.Reader) (chunks []message.Chunk, err error) {
	for c, err := range turn.ParseChunks(r) {
		if err != nil {
			return chunks, err
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}

func TestParseChunks(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	text := hello + "\r\n\n  \n" + `{"type":"text-delta","index":0,"text":"` + long + "\"}\n" + stop
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text + "\n"))} {
		chunks, err := parseAll(r)
		require.NoError(t, err)
		require.Len(t, chunks, 3)
		assert.Equal(t, "Hello", chunks[0].Text, "a chunk has memory of its own")
		assert.Equal(t, long, chunks[1].Text)
		assert.Equal(t, message.Stop, chunks[2].Reason.Kind)
	}
	chunks, err := parseAll(strings.NewReader(""))
	assert.NoError(t, err)
	assert.Empty(t, chunks)
}

func TestParseChunksNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		hello + "\n\n{": "line 3: ",
		hello + "\n" + `{"type":5}` + "\n" + stop: "line 2: chunk: type is not a string",
		`[]`:                      "line 1: chunk: not a JSON object",
		`{"type":"text-delta"}`:   "line 1: text-delta: text is not a string",
		`{"type":"finish"}`:       "line 1: finish: ",
		hello + " " + stop:        "line 1: ",
		"\x00":                    "line 1: ",
		`{"type":"usage"}` + "\n": "line 1: usage: ",
	} {
		_, err := parseAll(strings.NewReader(text))
		assert.ErrorContains(t, err, want, text)
	}
	broken := errors.New("broken pipe")
	chunks, err := parseAll(io.MultiReader(strings.NewReader(hello+"\n"+hello), iotest.ErrReader(broken)))
	assert.Len(t, chunks, 1, "half a line may not be what was meant")
	assert.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "line 2: ")
	_, err = parseAll(endless{})
	assert.ErrorContains(t, err, "line 1: longer than")
}

// Chunks come as their lines do.
func TestParseChunksIsLive(t *testing.T) {
	r, w := io.Pipe()
	got := make(chan string)
	go func() {
		defer close(got)
		for c := range turn.ParseChunks(r) {
			got <- c.Type
		}
	}()
	for _, line := range []string{hello, stop} {
		_, err := io.WriteString(w, line+"\n")
		require.NoError(t, err)
		<-got
	}
	require.NoError(t, w.Close())
	_, more := <-got
	assert.False(t, more)
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
