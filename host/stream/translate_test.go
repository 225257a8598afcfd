package stream_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/stream"
)

// A part is asked for only when the events of the one before have been taken.
func TestPull(t *testing.T) {
	var log []string
	parts := func(yield func(*stream.Part, error) bool) {
		defer func() { log = append(log, "closed") }()
		for _, p := range parse(t, `{"type":"text-delta","id":"1","delta":"a"}`, `{"type":"ping"}`, finishStop, finishStop) {
			log = append(log, "part "+p.Type)
			if !yield(&p, nil) {
				return
			}
		}
	}
	for e := range stream.Translate(context.Background(), configFor(t, "pi"), parts) {
		log = append(log, "event "+e.Type)
	}
	assert.Equal(t, []string{
		"event start", "part text-delta", "event text_start", "event text_delta", "part ping", "part finish", "event done", "closed",
	}, log)
}

func TestBreakStopsTheParts(t *testing.T) {
	lines := []string{
		`{"type":"text-delta","id":"1","delta":"a"}`, file(`"text/plain"`, `"AQI="`), call("c", "read", `{"filePath":"/a;/b"}`), finishStop,
	}
	whole := translate(t, configFor(t, "omp", "read"), lines...)
	for n := 1; n <= len(whole.events); n++ {
		closed, seen := false, 0
		parts := func(yield func(*stream.Part, error) bool) {
			defer func() { closed = true }()
			valuesOf(parse(t, lines...))(yield)
		}
		for e := range stream.Translate(context.Background(), configFor(t, "omp", "read"), parts) {
			assert.Equal(t, whole.events[seen], string(e.AppendJSON(nil, false)))
			if seen++; seen == n {
				break
			}
		}
		assert.Equal(t, n, seen)
		assert.Equal(t, n > 1, closed, "nothing is read for the start")
	}
}

// The same for a caller who pushes.
func TestPushStops(t *testing.T) {
	tr := stream.NewTranslator(context.Background(), configFor(t, "pi"))
	seen := 0
	take := func(stream.Event) bool { seen++; return false }
	p := parse(t, `{"type":"text-delta","id":"1","delta":"a"}`)
	assert.False(t, tr.Part(&p[0], take))
	assert.False(t, tr.Part(&p[0], take))
	tr.End(nil, take)
	assert.Equal(t, 1, seen)
}

func TestCancelled(t *testing.T) {
	text := func(s string) string { return `{"type":"text-delta","id":"1","delta":"` + s + `"}` }
	lines := []string{text("a"), text("b"), text("c"), finishStop}
	for at := range 5 {
		ctx, cancel := context.WithCancel(context.Background())
		if at == 0 {
			cancel()
		}
		read := 0
		parts := func(yield func(*stream.Part, error) bool) {
			for p := range valuesOf(parse(t, lines...)) {
				if read++; read == at {
					cancel() // while the part is on its way
				}
				if !yield(p, nil) {
					return
				}
			}
		}
		r := &ran{}
		for e := range stream.Translate(ctx, configFor(t, "pi"), parts) {
			r.take(e)
		}
		cancel()
		assert.Equal(t, min(at, 4), read, "nothing more is read")
		if at == 4 {
			assert.Equal(t, "stop", r.final.StopReason, "a finish that has come is a finish")
			continue
		}
		assert.Equal(t, "aborted", r.final.StopReason)
		assert.Empty(t, r.final.Failure)
		got := ""
		for _, b := range r.final.Content {
			got += b.Text()
		}
		assert.Equal(t, "abc"[:at], got, "what has come is kept")
	}
}

// The parts fail because of the cancellation, or for a reason of their own at the same time.
func TestPartsFailWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	parts := func(yield func(*stream.Part, error) bool) {
		p := parse(t, `{"type":"text-delta","id":"1","delta":"a"}`)
		if yield(&p[0], nil) {
			cancel(errBroken)
			yield(nil, context.Cause(ctx))
		}
	}
	r := &ran{}
	for e := range stream.Translate(ctx, configFor(t, "pi"), parts) {
		r.take(e)
	}
	assert.Equal(t, "aborted", r.final.StopReason)
	assert.Equal(t, "a", r.final.Content[0].Text())
	assert.Empty(t, r.final.ErrorMessage)
}

// A part that was waited for while the context ended is the last one that Translate takes. Parts alone may
// go on behind it.
func TestPartsAfterTheContext(t *testing.T) {
	lines := []string{`{"type":"text-delta","id":"1","delta":"a"}`, `{"type":"text-delta","id":"1","delta":"b"}`, finishStop}
	for name, c := range map[string]struct {
		cut        int    // in front of this part
		text, stop string // of Translate
	}{
		"before all": {0, "", "aborted"}, "while waiting": {1, "ab", "aborted"}, "while waiting for the finish": {2, "ab", "stop"},
	} {
		for _, looks := range []bool{true, false} {
			ctx, cancel := context.WithCancel(context.Background())
			asked := 0
			parts := func(yield func(*stream.Part, error) bool) {
				for i, p := range parse(t, lines...) {
					if asked++; i == c.cut {
						cancel()
					}
					if !yield(&p, nil) {
						return
					}
				}
			}
			r, cfg := &ran{}, configFor(t, "pi")
			if !looks {
				stream.NewTranslator(ctx, cfg).Parts(parts, r.take)
				assert.Equal(t, "stop", r.final.StopReason, name)
				assert.Equal(t, "ab", r.final.Content[0].Text(), name)
				assert.Equal(t, 3, asked, name)
				continue
			}
			if c.cut == 0 {
				cancel()
			}
			for e := range stream.Translate(ctx, cfg, parts) {
				r.take(e)
			}
			assert.Equal(t, c.stop, r.final.StopReason, name)
			if asked > 0 {
				assert.Equal(t, c.text, r.final.Content[0].Text(), name)
				assert.Equal(t, c.cut+1, asked, name)
			}
			cancel()
		}
	}
}

func TestPartsFail(t *testing.T) {
	r := &ran{}
	parts := failing(parse(t, `{"type":"text-delta","id":"1","delta":"a"}`), errBroken)
	for e := range stream.Translate(context.Background(), configFor(t, "pi"), parts) {
		r.take(e)
	}
	assert.Equal(t, []any{"error", stream.Reported, "the line is dead", "a"},
		[]any{r.final.StopReason, r.final.Failure, r.final.ErrorMessage, r.final.Content[0].Text()})
}

func TestNoParts(t *testing.T) {
	nothing := func(yield func(*stream.Part, error) bool) { yield(nil, nil) }
	r := &ran{}
	for e := range stream.Translate(context.Background(), configFor(t, "pi"), nothing) {
		r.take(e)
	}
	require.NotNil(t, r.final)
	assert.Equal(t, stream.MissingFinish, r.final.Failure)
}

// A sequence can be taken again if its parts can.
func TestTranslateTwice(t *testing.T) {
	events := stream.Translate(context.Background(), configFor(t, "pi"), valuesOf(parse(t, `{"type":"text-delta","id":"1","delta":"a"}`, finishStop)))
	for range 2 {
		n := 0
		for e := range events {
			n++
			if e.Type == stream.EventDone {
				assert.Len(t, e.Message.Content, 1)
			}
		}
		assert.Equal(t, 4, n)
	}
}
