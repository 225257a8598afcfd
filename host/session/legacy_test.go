package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

func all(events []session.Event) func(func(session.Event, error) bool) {
	return func(yield func(session.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func imported(t *testing.T, text string) ([]session.Event, error) {
	t.Helper()
	var got []session.Event
	for e, err := range session.Import(session.Header{ID: "s"}, all(lines(t, text))) {
		if err != nil {
			return got, err
		}
		got = append(got, e)
	}
	return got, nil
}

func TestImport(t *testing.T) {
	const text = `[{"type":"text","text":"hi"}]`
	for _, test := range []struct{ name, line, want string }{
		{
			"user message",
			`{"type":"user/message","data":{"content":` + text + `,"source":{"kind":"user"}},"surfaceOp":"append"}`,
			`{"type":"user/message","data":{"id":"legacy-message:s:0","role":"user","content":` + text + `,"source":{"kind":"user"}},"surfaceOp":"append"}`,
		},
		{
			"steering message",
			`{"type":"steering/message","data":{"turn":1,"content":` + text + `,"source":{"kind":"plugin","plugin":"p"}},"surfaceOp":"append","ignorable":true}`,
			`{"type":"user/message","data":{"id":"legacy-message:s:0","role":"user","content":` + text + `,"source":{"kind":"plugin","plugin":"p"}},"surfaceOp":"append","ignorable":true}`,
		},
		{
			"assistant message",
			`{"type":"assistant/message","data":{"turn":1,"step":2,"content":` + text + `,"provenance":{"provider":"p","model":"m"}},"surfaceOp":"append","sourceEventSeqs":[]}`,
			`{"type":"assistant/message","data":{"turn":1,"step":2,"message":{"id":"legacy-message:s:0","role":"assistant","content":` + text + `,"source":{"kind":"model","provider":"p","model":"m"}}},"surfaceOp":"append","sourceEventSeqs":[]}`,
		},
		{
			"assistant message with a state and usage",
			`{"type":"assistant/message","data":{"turn":1,"step":2,"content":[],"provenance":{"provider":"p","model":"m","replayState":{"kind":"pi-ai","version":1,"blocks":null}},"usage":{"inputTokens":1,"outputTokens":2},"interrupted":true},"surfaceOp":"append"}`,
			`{"type":"assistant/message","data":{"turn":1,"step":2,"usage":{"inputTokens":1,"outputTokens":2},"interrupted":true,"message":{"id":"legacy-message:s:0","role":"assistant","content":[],"source":{"kind":"model","provider":"p","model":"m","replayState":{"kind":"pi-ai","version":1,"blocks":null}}}},"surfaceOp":"append"}`,
		},
		{
			"assistant message with a state of null",
			`{"type":"assistant/message","data":{"turn":1,"step":2,"content":[],"provenance":{"provider":"p","model":"m","replayState":null}},"surfaceOp":"append"}`,
			`{"type":"assistant/message","data":{"turn":1,"step":2,"message":{"id":"legacy-message:s:0","role":"assistant","content":[],"source":{"kind":"model","provider":"p","model":"m","replayState":null}}},"surfaceOp":"append"}`,
		},
		{
			"tool result",
			`{"type":"tool/result","data":{"turn":1,"step":2,"callId":"c","content":` + text + `,"isError":true,"error":{"code":"X"},"meta":1},"surfaceOp":"append"}`,
			`{"type":"tool/result","data":{"turn":1,"step":2,"error":{"code":"X"},"meta":1,"message":{"id":"legacy-message:s:0","role":"user","content":[{"type":"tool-result","toolCallId":"c","content":` + text + `,"isError":true}],"source":{"kind":"tool","callId":"c"}}},"surfaceOp":"append"}`,
		},
		{
			"trigger",
			`{"type":"turn/start","data":{"turn":4,"trigger":{"kind":"user"}}}`,
			`{"type":"turn/start","data":{"turn":4}}`,
		},
		{
			"aborted",
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"aborted"}}}`,
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"aborted","reason":{"kind":"legacy"}}}}`,
		},
		{
			"disposed",
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"disposed"}}}`,
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"aborted","reason":{"kind":"disposed"}}}}`,
		},
		{
			"error with a message",
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"error","step":1,"message":"no"}}}`,
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"error","error":{"message":"no","code":"UNKNOWN"}}}}`,
		},
		{
			"error with a message and a code",
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"error","step":0,"message":"no","code":"SERVER"}}}`,
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"error","error":{"message":"no","code":"SERVER"}}}}`,
		},
		{
			"error with facts",
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"error","step":1,"failure":{"message":"no","code":"SERVER","status":500,"more":[]}}}}`,
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"error","error":{"message":"no","code":"SERVER","status":500,"more":[]}}}}`,
		},
		{
			"error with facts but no code",
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"error","step":1,"failure":{"message":"no","status":500}}}}`,
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"error","error":{"message":"no","code":"UNKNOWN","status":500}}}}`,
		},
		{
			"error with facts that are wrong",
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"error","step":1,"failure":{"message":"no","code":"SERVER","status":7}}}}`,
			`{"type":"turn/end","data":{"turn":4,"reason":{"kind":"error","error":{"message":"no","code":"UNKNOWN"}}}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := imported(t, test.line)
			require.NoError(t, err)
			require.Len(t, got, 1)
			want := lines(t, test.want)
			assert.JSONEq(t, string(want[0].AppendJSON(nil)), string(got[0].AppendJSON(nil)))
			assert.Equal(t, want[0].Type, got[0].Type)
			assert.JSONEq(t, string(want[0].Data), string(got[0].Data))
			assert.Equal(t, want[0].Sources, got[0].Sources)
			assert.Equal(t, want[0].Ignorable, got[0].Ignorable)

			// An event that was made, not read, is brought up to date in the same way, and once is enough.
			old := lines(t, test.line)[0]
			made := session.Event{Type: old.Type, Seq: old.Seq, Time: old.Time, Data: old.Data, SurfaceOp: old.SurfaceOp, Sources: old.Sources, Ignorable: old.Ignorable}
			for _, e := range []session.Event{made, got[0]} {
				for again, err := range session.Import(session.Header{ID: "s"}, all([]session.Event{e})) {
					require.NoError(t, err)
					assert.JSONEq(t, string(want[0].AppendJSON(nil)), string(again.AppendJSON(nil)))
				}
			}
		})
	}
}

// What has today's shape is the same event afterwards.
func TestImportLeavesTheRestAlone(t *testing.T) {
	for _, line := range []string{
		`{"type":"turn/start","data":{"turn":1,"more":[]}}`,
		`{"type":"turn/start","data":7}`,
		`{"type":"turn/end","data":{"turn":1}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":"x"}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed","step":1}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"paused"}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"aborted","reason":{"kind":"user","note":1}}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error","error":{"message":"x","code":"Y"}}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"interrupted"}}}`,
		`{"type":"user/message","data":{"id":"","content":[]}}`,
		`{"type":"user/message","data":null}`,
		`{"type":"assistant/message","data":{"message":7,"content":[]}}`,
		`{"type":"tool/result","data":{"message":{}}}`,
		`{"type":"request/header","data":{"reason":"change"}}`,
		`{"type":"request/header","data":null}`,
		`{"type":"mode/sett","data":null}`,
		`{"type":"tool/call","data":{"trigger":1}}`,
	} {
		got, err := imported(t, line)
		require.NoError(t, err, line)
		assert.Equal(t, lines(t, line), got, line)
	}
}

func TestImportRefusesWhatResembles(t *testing.T) {
	for _, line := range []string{
		`{"type":"user/message","data":{}}`,
		`{"type":"user/message","data":{"content":[]}}`,
		`{"type":"user/message","data":{"content":[],"source":{"kind":"user"},"role":"user"}}`,
		`{"type":"user/message","data":{"content":[],"source":{"kind":"user"},"turn":1}}`,
		`{"type":"user/message","data":{"content":"x","source":{"kind":"user"}}}`,
		`{"type":"user/message","data":{"content":[],"source":"user"}}`,
		`{"type":"steering/message","data":{"content":[],"source":{"kind":"user"}}}`,
		`{"type":"steering/message","data":{"turn":1,"content":[],"source":{"kind":"user"},"more":1}}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"content":[]}}`,
		`{"type":"assistant/message","data":{"turn":1,"content":[],"provenance":{"provider":"p","model":"m"}}}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"content":{},"provenance":{"provider":"p","model":"m"}}}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"content":[],"provenance":{"provider":"p"}}}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"content":[],"provenance":{"provider":"p","model":"m","kind":"model"}}}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"content":[],"provenance":null}}`,
		`{"type":"assistant/message","data":{"turn":1,"step":1,"content":[],"provenance":{"provider":"p","model":"m"},"id":"x"}}`,
		`{"type":"tool/result","data":{"turn":1,"step":1,"callId":"c","content":[]}}`,
		`{"type":"tool/result","data":{"turn":1,"step":1,"callId":"c","content":[],"isError":0}}`,
		`{"type":"tool/result","data":{"turn":1,"step":1,"callId":3,"content":[],"isError":false}}`,
		`{"type":"tool/result","data":{"turn":1,"step":1,"callId":"c","content":"x","isError":false}}`,
		`{"type":"tool/result","data":{"turn":1,"step":1,"callId":"c","content":[],"isError":false,"name":"n"}}`,
		`{"type":"turn/start","data":{"trigger":{"kind":"user"}}}`,
		`{"type":"turn/start","data":{"turn":1,"trigger":{"kind":"user"},"more":1}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"aborted"},"note":"x"}}`,
		`{"type":"turn/end","data":{"reason":{"kind":"disposed"}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error","step":1,"message":"x"},"step":1}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"aborted","note":"x"}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"aborted","reason":"user"}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"aborted","reason":{}}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"disposed","note":"x"}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error"}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error","message":"x"}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error","step":1,"message":""}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error","step":"1","message":"x"}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error","step":1,"message":"x","failure":{"message":"x"}}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error","step":1,"failure":{"code":"X"}}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error","step":1,"failure":"x"}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error","step":1,"message":"x","status":500}}}`,
		`{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error","error":"x"}}}`,
	} {
		_, err := imported(t, line)
		var refusal *session.Error
		require.ErrorAs(t, err, &refusal, line)
		assert.Equal(t, session.Validation, refusal.Code, line)
	}
	for _, line := range []string{
		`{"type":"request/header-delta","data":{"x":1}}`,
		`{"type":"mode/set","data":{"mode":"plan"},"ignorable":true}`,
		`{"type":"request/header","data":{"header":{"config":{"provider":"p","model":"m"}},"reason":"fallback"}}`,
	} {
		_, err := imported(t, line)
		var refusal *session.Error
		require.ErrorAs(t, err, &refusal, line)
		assert.Equal(t, session.LegacyUnsupported, refusal.Code, line)
	}
}

// A result that replaces another has its id, through any number of replacements.
func TestImportReplacements(t *testing.T) {
	old := func(content, rest string) string {
		return `{"type":"tool/result","data":{"turn":1,"step":1,"callId":"c1","content":[` + content + `],"isError":false},"surfaceOp":` + rest + `}
`
	}
	text := opening +
		old(`{"type":"text","text":"long"}`, `"append"`) +
		old(``, `{"op":"replace","start":4,"end":4},"sourceEventSeqs":[4]`) +
		old(`{"type":"text","text":"x"}`, `{"op":"replace","start":5,"end":5},"sourceEventSeqs":[5]`)
	events, err := imported(t, text)
	require.NoError(t, err)
	s, err := apply(events)
	require.NoError(t, err)
	assert.Equal(t, []int64{2, 3, 6}, s.Surface())
	assert.Equal(t, "legacy-message:s:4", s.Messages()[2].ID)

	// Also if the first one has an id of its own.
	text = opening + result + old(``, `{"op":"replace","start":4,"end":4},"sourceEventSeqs":[4]`)
	events, err = imported(t, text)
	require.NoError(t, err)
	s, err = apply(events)
	require.NoError(t, err)
	assert.Equal(t, "r", s.Messages()[2].ID)

	// A user message that replaces is a message of its own.
	text = opening + `{"type":"user/message","data":{"content":[],"source":{"kind":"user"}},"surfaceOp":{"op":"replace","start":2,"end":3},"sourceEventSeqs":[2,3]}`
	events, err = imported(t, text)
	require.NoError(t, err)
	s, err = apply(events)
	require.NoError(t, err)
	assert.Equal(t, "legacy-message:s:4", s.Messages()[0].ID)
}

// What is wrong around the data stays wrong.
func TestImportKeepsTheEnvelope(t *testing.T) {
	events, err := imported(t, `{"type":"turn/start","data":{"turn":1,"trigger":null},"extra":1}`)
	require.NoError(t, err)
	_, err = apply(events)
	require.ErrorContains(t, err, `no field "extra"`)
}

func TestImportPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	seen := 0
	for _, err := range session.Import(session.Header{}, func(yield func(session.Event, error) bool) {
		_ = yield(lines(t, opening)[0], nil) && yield(session.Event{}, broken) && assert.Fail(t, "goes on behind an error")
	}) {
		if seen++; seen == 2 {
			require.ErrorIs(t, err, broken)
		}
	}
	assert.Equal(t, 2, seen)
	for range session.Import(session.Header{}, all(slices.Repeat(lines(t, opening), 2))) {
		break
	}
	assert.Equal(t, 1, strings.Count(opening, "step/start"))
}
