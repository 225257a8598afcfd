package replay

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
)

func TestOnce(t *testing.T) {
	var out bytes.Buffer
	o := &Once{Logger: slog.New(slog.NewTextHandler(&out, nil))}
	// lines returns what was written since the last call.
	lines := func() int {
		defer out.Reset()
		return strings.Count(out.String(), "\n")
	}
	d := Diagnostic{Code: InvalidState, Reason: WrongVersion, Version: "1", MessageID: "m", Route: message.Route{Provider: "p", Model: "q"}}
	o.Diagnostic(d)
	for _, want := range []string{"level=WARN", "provider-neutral", "INVALID_REPLAY_STATE", "messageId=m", "provider=p", "model=q", "reason=version", "version 1"} {
		assert.Contains(t, out.String(), want)
	}
	assert.Equal(t, 1, lines())
	d.Reason, d.Route.Model = EntryCount, "other"
	o.Diagnostic(d)
	assert.Equal(t, 0, lines(), "once for a message, whatever the reason and the request")

	r := Report{Code: StateNotOwned, MessageID: "m", Route: message.Route{Provider: "p"}}
	o.Report(r)
	assert.Contains(t, out.String(), "provider=p")
	assert.Equal(t, 1, lines(), "another code is another fact")
	o.Report(r)
	assert.Equal(t, 0, lines())
	o.Report(Report{Code: ImageUnavailable, MessageID: "m", AttachmentID: "1"})
	o.Report(Report{Code: ImageUnavailable, MessageID: "m", AttachmentID: "2"})
	assert.Contains(t, out.String(), "attachment=2")
	o.Report(Report{Code: ImageUnavailable, MessageID: "m", AttachmentID: "1"})
	assert.Equal(t, 2, lines(), "each image is a fact")

	d.MessageID = "n\nWARN forged"
	o.Diagnostic(d)
	assert.Equal(t, 1, lines(), "a text from outside makes no line of its own")
	d.MessageID = ""
	o.Diagnostic(d)
	o.Diagnostic(d)
	assert.Equal(t, 2, lines(), "without an id nothing can be told apart")
}

func TestOnceUsesTheDefaultLogger(t *testing.T) {
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	defer slog.SetDefault(before)
	new(Once).Report(Report{Code: ImageUnavailable, MessageID: "m"})
	assert.Contains(t, out.String(), "IMAGE_UNAVAILABLE")
}

func TestOnceMemoryIsBounded(t *testing.T) {
	o := &Once{Logger: slog.New(slog.DiscardHandler)}
	for i := range 3 * remembered {
		require.True(t, o.first(fmt.Sprint(i), "code"))
	}
	assert.Len(t, o.shown, remembered)
	assert.Len(t, o.order, remembered)
	assert.False(t, o.first(fmt.Sprint(3*remembered-1), "code"), "the last ones are remembered")
	assert.False(t, o.first(fmt.Sprint(2*remembered), "code"))
	assert.True(t, o.first(fmt.Sprint(2*remembered-1), "code"), "the older ones are not")
}

func TestOnceIsSafeForConcurrentUse(t *testing.T) {
	var mu sync.Mutex
	shown := 0
	o := &Once{Logger: slog.New(slog.DiscardHandler)}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for i := range 100 {
				if o.first(fmt.Sprint(i), "code") {
					mu.Lock()
					shown++
					mu.Unlock()
				}
			}
		})
	}
	wait.Wait()
	assert.Equal(t, 100, shown)
}
