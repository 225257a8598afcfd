package runtime

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStreamsAreBounded(t *testing.T) {
	for name, piece := range map[string][]byte{
		"no newline":  bytes.Repeat([]byte("x"), 8<<20),
		"newlines":    bytes.Repeat([]byte("\n"), 8<<20),
		"short lines": bytes.Repeat([]byte("ab\n"), 1<<20),
	} {
		b := &logBuffer{limit: 64 << 10}
		for range 10 {
			b.stream(1, piece)
			b.stream(2, piece)
		}
		held := 0
		for _, r := range b.records {
			held += len(r.text) + recordCost
		}
		held += len(b.partial[1]) + len(b.partial[2])
		assert.LessOrEqual(t, held, 64<<10, name)
		assert.Positive(t, b.dropped, name)
	}
}

func TestStreamLines(t *testing.T) {
	b := &logBuffer{limit: 1 << 10}
	for _, piece := range []string{"one\nt", "w", "o\n", "", "three"} {
		b.stream(1, []byte(piece))
	}
	b.stream(2, []byte("\n  \npanic: no t"))
	b.stream(2, []byte("ide\ngoroutine 1"))
	var out strings.Builder
	said := b.flush(context.Background(), slog.New(slog.NewTextHandler(&out, nil)), false)
	assert.Equal(t, "panic: no tide", said)
	for _, line := range []string{"msg=one", "msg=two", "msg=three", `msg="goroutine 1"`} {
		assert.Contains(t, out.String(), line)
	}
	assert.Zero(t, b.used, "flushed")
}

// A line costs its length and that of a record, in however many pieces it is written.
func TestStreamLinesCostWhatTheyAre(t *testing.T) {
	line := strings.Repeat("x", 1000)
	b := &logBuffer{limit: 3 * (len(line) + recordCost)}
	for range 3 {
		b.stream(1, []byte(line[:400]))
		b.stream(1, []byte(line[400:]+"\n"))
	}
	for _, r := range b.records {
		assert.Equal(t, line, r.text)
	}
	assert.Len(t, b.records, 3)
	assert.Zero(t, b.room())
}

// A guest that floods its log and then panics is still quoted.
func TestFirstErrorSurvivesAFlood(t *testing.T) {
	b := &logBuffer{limit: 100}
	b.stream(1, bytes.Repeat([]byte("x"), 1000))
	b.stream(2, []byte("panic: "+strings.Repeat("y", 10<<10)+"\nmore"))
	said := b.flush(context.Background(), nil, true)
	assert.True(t, strings.HasPrefix(said, "panic: yyy"))
	assert.LessOrEqual(t, len(said), maxReasonBytes)
}

// The crash report of a failed call is for debugging; what the guest logged itself keeps its level.
func TestCrashReports(t *testing.T) {
	b := &logBuffer{limit: 1 << 10}
	b.add(slog.LevelWarn, "own words")
	b.stream(2, []byte("panic: no tide\ngoroutine 1 [running]:\n"))
	var out strings.Builder
	said := b.flush(context.Background(), slog.New(slog.NewTextHandler(&out, nil)), true)
	assert.Equal(t, "panic: no tide", said)
	assert.Contains(t, out.String(), "own words")
	assert.NotContains(t, out.String(), "goroutine")
}
