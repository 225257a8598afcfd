package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A live run of a command, whose input and output are pipes.
type liveRun struct {
	t     *testing.T
	input *io.PipeWriter
	lines *bufio.Reader
	code  chan int
}

func runLive(ctx context.Context, t *testing.T, stderr io.Writer, args ...string) *liveRun {
	in, input := io.Pipe()
	output, out := io.Pipe()
	r := &liveRun{t: t, input: input, lines: bufio.NewReader(output), code: make(chan int, 1)}
	go func() {
		r.code <- run(ctx, args, in, out, stderr)
		out.Close()
	}()
	// What never comes fails the test instead of holding it up.
	bound := time.AfterFunc(2*time.Minute, func() {
		output.CloseWithError(errors.New("nothing has come for long"))
		input.CloseWithError(errors.New("nothing was read for long"))
	})
	t.Cleanup(func() {
		bound.Stop()
		input.Close()
	})
	return r
}

func (r *liveRun) send(line string) {
	r.t.Helper()
	_, err := io.WriteString(r.input, line+"\n")
	require.NoError(r.t, err)
}

// next waits for the next line of output.
func (r *liveRun) next() string {
	r.t.Helper()
	line, err := r.lines.ReadString('\n')
	require.NoError(r.t, err)
	return strings.TrimSuffix(line, "\n")
}

func (r *liveRun) rest() string {
	r.t.Helper()
	rest, err := io.ReadAll(r.lines)
	require.NoError(r.t, err)
	return string(rest)
}

// Each line of output is there before the next line of input.
func TestAssembleIsLive(t *testing.T) {
	var stderr strings.Builder
	r := runLive(t.Context(), t, &stderr, "assemble")
	r.send(`{"type":"block-start","index":0,"blockType":"text"}`)
	r.send(`{"type":"text-delta","index":0,"text":"first line\nsecond "}`)
	assert.Equal(t, "1 text", r.next())
	assert.Equal(t, "  first line", r.next())
	r.send(`{"type":"text-delta","index":0,"text":"line"}`)
	r.send(`{"type":"block-end","index":0,"block":{"type":"text","text":"first line\nsecond line"}}`)
	assert.Equal(t, "  second line", r.next())
	r.send(`{"type":"finish","reason":{"kind":"stop"}}`)
	require.NoError(t, r.input.Close())
	assert.Contains(t, r.rest(), "kept          1 block: 1 text")
	assert.Equal(t, exitOK, <-r.code)
	assert.Empty(t, stderr.String())
}

func TestAssembleIsLiveAsJSON(t *testing.T) {
	r := runLive(t.Context(), t, io.Discard, "assemble", "--json")
	r.send(`{"type":"block-end","index":4,"block":{"type":"text","text":"a"}}`)
	assert.JSONEq(t, `{"type":"violation","line":1,"kind":"end-not-open","message":"an end of block 4, which is not open; start a block before its end, and end it once"}`, r.next())
	assert.JSONEq(t, `{"type":"block","position":0,"index":4,"block":{"type":"text","text":"a"}}`, r.next())
	r.send(`{"type":"block-end","index":2,"block":{"type":"text","text":"b"}}`)
	assert.JSONEq(t, `{"type":"block","position":1,"index":2,"block":{"type":"text","text":"b"}}`, r.next())
	require.NoError(t, r.input.Close())
	assert.Contains(t, r.rest(), `{"type":"result","blocks":[`)
	assert.Equal(t, exitOK, <-r.code)
}

// An interrupt ends the command while its input is silent, with what a turn would keep.
func TestAssembleInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	var stderr strings.Builder
	r := runLive(ctx, t, &stderr, "assemble")
	r.send(`{"type":"text-delta","index":0,"text":"said\n"}`)
	assert.Equal(t, "1 text", r.next())
	assert.Equal(t, "  said", r.next())
	r.send(`{"type":"tool-call-delta","index":1,"id":"c","name":"edit","argumentsDelta":"{\n"}`)
	assert.Equal(t, "2 tool call edit", r.next())
	assert.Equal(t, "  {", r.next())
	interrupt()
	rest := r.rest()
	assert.Contains(t, rest, "interrupted before its end")
	assert.Contains(t, rest, "kept          1 block: 1 text of what came")
	assert.Equal(t, exitFailed, <-r.code)
	assert.True(t, strings.HasSuffix(stderr.String(), "pintle: error: interrupted\n"), stderr.String())
}
