package replay_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
)

// A loss is one fact that people or a hook were told.
type loss struct{ code, messageID string }

// lossyHistory has two messages of each kind of loss. The ids are new: what was shown once in this
// process is not shown again.
func lossyHistory(t *testing.T) (history []message.Message, want []loss) {
	run := rand.Text()
	for n, m := range []struct {
		code     replay.Code
		provider string
		content  string
		state    string
	}{
		{replay.StateNotOwned, "north", `[{"type":"text","text":"a"}]`, `,"replayState":{"response":{}}`},
		{replay.StateNotOwned, "north", `[]`, `,"replayState":1`},
		{replay.InvalidState, "south", `[]`, `,"replayState":null`},
		{replay.InvalidState, "south", `[{"type":"text","text":"b"}]`, `,"replayState":{"response":{}}`},
		{replay.ImageUnavailable, "south", `[{"type":"image"}]`, ``},
		{replay.ImageUnavailable, "south", `[{"type":"image"}]`, ``},
	} {
		id := fmt.Sprintf("%s-%d", run, n)
		parsed, err := message.ParseMessage(fmt.Appendf(nil, `{"id":%q,"role":"assistant","content":%s,`+
			`"source":{"kind":"model","provider":%q,"model":"m"%s}}`, id, m.content, m.provider, m.state))
		require.NoError(t, err)
		history, want = append(history, parsed), append(want, loss{string(m.code), id})
	}
	return history, want
}

// request makes one request of a history to the provider south.
func request(t *testing.T, r *replay.Reader, report func(replay.Report), history []message.Message) {
	t.Helper()
	owned := func(provider string) bool { return provider == "south" }
	history = (&replay.Reader{Route: r.Route, OnReport: report}).Own(history, owned)
	_, err := r.History(history)
	require.NoError(t, err)
}

// captureLog makes a default logger and returns what it was told so far.
func captureLog(t *testing.T) func() (told []loss, levels []string) {
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })
	return func() (told []loss, levels []string) {
		for lines := json.NewDecoder(bytes.NewReader(out.Bytes())); lines.More(); {
			var line struct{ Level, Code, MessageID string }
			require.NoError(t, lines.Decode(&line))
			told, levels = append(told, loss{line.Code, line.MessageID}), append(levels, line.Level)
		}
		return told, levels
	}
}

// What a message loses is shown to people, as a warning and once, unless a program takes it.
func TestWithoutHooksLossesAreLoggedOnce(t *testing.T) {
	logged := captureLog(t)
	history, want := lossyHistory(t)
	for range 2 {
		request(t, &replay.Reader{Route: message.Route{Provider: "south", Model: "m"}}, nil, history)
		told, levels := logged()
		assert.Equal(t, want, told)
		for _, level := range levels {
			assert.Equal(t, "WARN", level)
		}
	}
}

// A program that takes the losses gets those of every request, and people are not told beside it.
func TestHooksAreToldOnEveryRequest(t *testing.T) {
	logged := captureLog(t)
	history, want := lossyHistory(t)
	for range 2 {
		var told []loss
		report := func(r replay.Report) { told = append(told, loss{string(r.Code), r.MessageID}) }
		r := replay.Reader{
			OnDiagnostic: func(d replay.Diagnostic) { told = append(told, loss{string(d.Code), d.MessageID}) },
			OnReport:     report,
		}
		request(t, &r, report, history)
		assert.Equal(t, want, told)
	}
	told, _ := logged()
	assert.Empty(t, told)
}
