package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
)

// rebuild makes a session of what can be salvaged of a log, and checks that it is one.
func rebuild(t require.TestingT, log string) (events []session.Event, entries []*session.Error) {
	s := session.Salvage(strings.NewReader(log))
	h, _ := s.Header()
	return rebuilt(t, h, s.Events(context.Background()))
}

func rebuilt(t require.TestingT, h session.Header, salvaged iter.Seq2[session.Event, error]) (events []session.Event, entries []*session.Error) {
	for e, err := range session.Rebuild(h, salvaged, session.Options{}) {
		var entry *session.Error
		if errors.As(err, &entry) {
			entries = append(entries, entry)
			continue
		}
		require.NoError(t, err)
		events = append(events, e)
	}
	// A session takes them all, as they are, and has nothing to repair.
	ctx := context.Background()
	store := &session.Memory{}
	s, err := session.Create(ctx, store, session.Header{ID: "new"}, session.Options{})
	require.NoError(t, err)
	for i := range events {
		seq, err := s.Append(ctx, events[i])
		require.NoError(t, err)
		require.Equal(t, seq, events[i].Seq)
	}
	require.Empty(t, s.State().Closers())
	require.NoError(t, s.Close())
	if len(events) > 0 {
		_, recovery, err := session.Open(ctx, store, "new", session.Options{})
		require.NoError(t, err)
		require.Equal(t, session.Recovery{}, recovery)
	}
	return events, entries
}

func logText(events []session.Event) string {
	h := session.Header{ID: "s", CreatedAt: 1}
	text := append(h.AppendJSON(nil), '\n')
	for i := range events {
		text = append(events[i].AppendJSON(text), '\n')
	}
	return string(text)
}

// Rebuilding a log to which nothing happened changes nothing.
func TestRebuildOfASoundLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawLog(t)
		got, entries := rebuild(t, logText(want))
		require.Empty(t, entries)
		require.Equal(t, len(want), len(got))
		for i := range want {
			require.JSONEq(t, string(want[i].AppendJSON(nil)), string(got[i].AppendJSON(nil)))
		}
	})
}

// Whatever lines of a log are lost, spoiled, repeated or out of order, the result is a session in which
// every call is answered once, and everything that is lost or changed is reported.
func TestRebuildOfADamagedLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawLog(t)
		lines := strings.SplitAfter(logText(events), "\n")
		lines = lines[:len(lines)-1]
		replacing := false // which may happen to be right
		for range rapid.IntRange(1, 4).Draw(t, "faults") {
			at := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
			switch rapid.IntRange(0, 5).Draw(t, "fault") {
			case 0:
				lines = slices.Delete(lines, at, at+1)
			case 1:
				lines[at] = "{\n"
			case 2:
				lines = slices.Insert(lines, at, lines[rapid.IntRange(0, len(lines)-1).Draw(t, "from")])
			case 3:
				to := rapid.IntRange(at, len(lines)-1).Draw(t, "to")
				lines[at], lines[to] = lines[to], lines[at]
			case 4:
				lines[at] = strings.Replace(lines[at], `"id":"m`, `"name":"m`, 1)
			default:
				replacing = true
				lines[at] = strings.Replace(lines[at], `"surfaceOp":"append"`, `"surfaceOp":{"op":"replace","start":3,"end":5}`, 1)
			}
			if len(lines) == 0 {
				return
			}
		}
		got, entries := rebuild(t, strings.Join(lines, ""))
		if !replacing && !strings.HasPrefix(logText(events), strings.Join(lines, "")) { // a lost end leaves no trace
			require.NotEmpty(t, entries)
		}
		type call struct {
			id    string
			asked int64
		}
		open, answers := map[string]int64{}, map[call]int{}
		for _, e := range got {
			switch e.Type {
			case session.AssistantMessage:
				for _, b := range messageOf(t, e).Content {
					if _, again := open[b.ID]; !again {
						open[b.ID] = e.Seq
						answers[call{b.ID, e.Seq}] = 0
					}
				}
			case session.ToolResult:
				id := messageOf(t, e).Source.CallID
				asked, ok := open[id]
				require.True(t, ok, "a result without a call")
				answers[call{id, asked}]++
				delete(open, id)
			}
		}
		for c, n := range answers {
			require.Equal(t, 1, n, "results of the call %q at seq %d", c.id, c.asked)
		}
	})
}

func messageOf(t require.TestingT, e session.Event) message.Message {
	var d struct{ Message message.Message }
	require.NoError(t, json.Unmarshal(e.Data, &d))
	return d.Message
}

// short writes events in a few letters each, with what they cite.
func short(events []session.Event) string {
	var b strings.Builder
	for _, e := range events {
		word := map[string]string{
			session.TurnStart: "T(", session.TurnEnd: ")", session.StepStart: "S(", session.StepEnd: ")",
			session.UserMessage: "user", session.AssistantMessage: "answer", session.AssistantChunk: "chunk",
			session.ToolCall: "call", session.ToolResult: "result",
		}[e.Type]
		if word == "answer" && strings.Contains(string(e.Data), "tool-call") {
			word = "asks"
		}
		b.WriteString(word)
		if op := string(e.SurfaceOp); strings.Contains(op, "replace") {
			op = strings.NewReplacer(`{"op":"replace","start":`, "=", `,"end":`, "-", "}", "").Replace(op)
			b.WriteString(op)
		}
		if e.Sources != nil {
			b.WriteString(strings.ReplaceAll(fmt.Sprint(e.Sources), " ", ","))
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

const (
	userData   = `{"id":"m%d","role":"user","content":[],"source":{"kind":"user"}}`
	answerData = `{"turn":1,"step":1,"message":{"id":"m%d","role":"assistant","content":[%s],"source":{"kind":"model","provider":"p","model":"m"}}}`
	resultData = `{"turn":1,"step":1,"message":{"id":"m%d","role":"user","content":[{"type":"tool-result","toolCallId":"c","content":[]}],"source":{"kind":"tool","callId":"c"}}}`
)

// written makes events of a few letters each, the n-th with seq n; "-" stands for one that is lost.
func written(text string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		for seq, word := range strings.Fields(text) {
			if word == "-" {
				continue
			}
			e := session.Event{Seq: int64(seq), Time: int64(seq), Data: json.RawMessage(`{"turn":1,"step":1}`)}
			word, cited, cites := strings.Cut(strings.TrimSuffix(word, "]"), "[")
			word, replaced, replaces := strings.Cut(word, "=")
			switch word {
			case "T(":
				e.Type = session.TurnStart
			case "T)":
				e.Type = session.TurnEnd
			case "S(":
				e.Type = session.StepStart
			case "S)":
				e.Type = session.StepEnd
			case "chunk":
				e.Type = session.AssistantChunk
			case "call":
				e.Type, e.Data = session.ToolCall, json.RawMessage(`{"turn":1,"step":1,"callId":"c"}`)
			case "user":
				e.Type, e.Data = session.UserMessage, json.RawMessage(fmt.Sprintf(userData, seq))
			case "answer":
				e.Type, e.Data = session.AssistantMessage, json.RawMessage(fmt.Sprintf(answerData, seq, ""))
			case "asks":
				e.Type, e.Data = session.AssistantMessage, json.RawMessage(fmt.Sprintf(answerData, seq, `{"type":"tool-call","id":"c","name":"n","arguments":""}`))
			case "result":
				e.Type, e.Data = session.ToolResult, json.RawMessage(fmt.Sprintf(resultData, seq))
			case "result!": // the content of another one, rewritten
				e.Type, e.Data = session.ToolResult, json.RawMessage(strings.Replace(fmt.Sprintf(resultData, 3), `"content":[]}`, `"content":[{"type":"text","text":"x"}]}`, 1))
			default:
				panic(word)
			}
			if strings.HasPrefix(string(e.Data), `{"id"`) || strings.Contains(string(e.Data), `"message"`) {
				e.SurfaceOp = session.AtEnd()
			}
			if replaces {
				var start, end int
				fmt.Sscanf(replaced, "%d-%d", &start, &end)
				e.SurfaceOp = json.RawMessage(fmt.Sprintf(`{"op":"replace","start":%d,"end":%d}`, start, end))
			}
			if cites {
				e.Sources = []int64{}
				for _, s := range strings.FieldsFunc(cited, func(r rune) bool { return r == ',' }) {
					var n int64
					fmt.Sscan(s, &n)
					e.Sources = append(e.Sources, n)
				}
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestRebuild(t *testing.T) {
	for _, c := range []struct {
		name, in, out string
		codes         []session.Code
	}{
		{"sound", "T( S( user chunk chunk answer[3,4] S) T)", "T( S( user chunk chunk answer[3,4] ) )", nil},
		{"renumbered", "- T( S( user chunk chunk answer[4,5] S) T)", "T( S( user chunk chunk answer[3,4] ) )", nil},
		{"some chunks lost", "T( S( user - chunk - answer[3,4,5] S) T)", "T( S( user chunk answer[3] ) )", []session.Code{session.CitationLost}},
		{"all chunks lost", "T( S( user - - answer[3,4] S) T)", "T( S( user answer ) )", []session.Code{session.CitationLost}},
		{"made of nothing", "T( - user answer[] T)", "T( user answer[] )", nil},
		{"open turn", "T( S( user chunk", "T( S( user chunk ) )", nil},
		{"turn that another one follows", "T( S( user - T( S( S) T)", "T( S( user ) ) T( S( ) )", nil},
		{"step that another one follows", "T( S( user - S( S) T)", "T( S( user ) S( ) )", nil},
		{"step in a turn that ends", "T( S( user - T)", "T( S( user ) )", nil},
		{"starts lost", "- - user S) T)", "user ) )", nil},
		{"turn start lost, step open", "- S( user", "S( user )", nil},
		{"result lost", "T( S( asks call - S) T)", "T( S( asks call result[3] ) )", nil},
		{"result and ends lost", "T( S( asks call - - - T( T)", "T( S( asks call result[3] ) ) T( )", nil},
		{"call and result lost", "T( S( asks - - S) T)", "T( S( asks result ) )", nil},
		{"asking message lost", "T( S( - call result S) T)", "T( S( call ) )", []session.Code{session.Validation}},
		{"unanswered without a loss", "T( S( asks S) T)", "T( S( asks ) )", nil},
		{"result without a call, without a loss", "T( S( result S) T)", "T( S( result ) )", nil},
		{"late result", "T( S( asks - S) result T)", "T( S( asks result ) )", []session.Code{session.Validation}},

		{"replaced", "user user user user=1-2[1,2] user", "user user user user=1-2[1,2] user", nil},
		{"replaced, renumbered", "- user user user user=2-3[2,3]", "user user user user=1-2[1,2]", nil},
		{"start lost", "user - user user user=1-3[1,2,3] user", "user user user user=1-2[1,2] user", []session.Code{session.CitationLost}},
		{"end lost", "user user user - user=1-3[1,2,3] user", "user user user user=1-2[1,2] user", []session.Code{session.CitationLost}},
		{"both ends lost", "user - user - user=1-3[1,2,3] user", "user user user=1-1[1] user", []session.Code{session.CitationLost}},
		{"middle lost", "user user - user user=1-3[1,2,3]", "user user user user=1-2[1,2]", []session.Code{session.CitationLost}},
		{"all lost", "user - - user=1-2[1,2] user", "user user user", []session.Code{session.CitationLost}},
		{"both ends lost, what is left is apart", "- user user user - user=0-4[0,1,3,4]", "user user user user", []session.Code{session.CitationLost}},
		{"of a replaced one that is lost", "user user - user=2-2[2,1]", "user user user=1-1[1]", []session.Code{session.CitationLost}},
		{"citing more than it replaces", "- chunk user user=0-2[0,1,2]", "chunk user user=1-1[0,1]", []session.Code{session.CitationLost}},
		{"result rewritten", "T( S( asks result result!=3-3[3] S) T)", "T( S( asks result result=3-3[3] ) )", nil},
		{"rewritten result lost", "T( S( asks - result!=3-3[3] S) T)", "T( S( asks result ) )", []session.Code{session.CitationLost}},
		{"rewritten result and call lost", "T( S( - - result!=3-3[3] S) T)", "T( S( ) )", []session.Code{session.Validation}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, entries := rebuilt(t, session.Header{ID: "s"}, written(c.in))
			assert.Equal(t, c.out, short(got))
			var codes []session.Code
			for _, e := range entries {
				codes = append(codes, e.Code)
				assert.NotEmpty(t, e.Detail)
			}
			assert.Equal(t, c.codes, codes)
		})
	}
}

func TestRebuildLeavesOut(t *testing.T) {
	const header = `{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}`
	lines := []string{
		header,
		`{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}`,
		`{"type":"future/thing","seq":1,"time":1,"data":{}}`,
		`{"type":"request/header-delta","seq":2,"time":1,"data":{}}`,
		`{"type":"user/message","seq":3,"time":1,"data":{"id":"","role":"user","content":[],"source":{"kind":"user"}},"surfaceOp":"append"}`,
		`{"type":"x","seq":4,"time":1,"data":{},"ignorable":true,"more":1}`,
		`{"type":"x","seq":5,"time":0.5,"data":{},"ignorable":true}`,
		`{"type":"x","seq":6,"time":1,"data":{"n":-0},"ignorable":true}`,
		`{"type":"x","seq":7,"time":1,"data":"` + "\xff" + `","ignorable":true}`,
		`{"type":"user/message","seq":8,"time":1,"data":{"content":[],"source":{"kind":"user"}},"surfaceOp":"append"}`,
		`{"type":"turn/end","seq":9,"time":1,"data":{"turn":1,"reason":{"kind":"aborted"}}}`,
		`{"type":"user/message","seq":10,"time":1,"data":{"id":"m","role":"user","content":[],"source":{"kind":"user"}},"surfaceOp":"append","sourceEventSeqs":[0,0]}`,
		`{"type":"user/message","seq":11,"time":1,"data":{"id":"m","role":"user","content":[],"source":{"kind":"user"}},"surfaceOp":"prepend"}`,
	}
	got, entries := rebuild(t, strings.Join(lines, "\n")+"\n")
	var text []string
	for _, e := range got {
		text = append(text, string(e.AppendJSON(nil)))
	}
	assert.Equal(t, []string{
		`{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}`,
		`{"type":"x","seq":1,"time":1,"data":"` + "\uFFFD" + `","ignorable":true}`,
		`{"type":"user/message","seq":2,"time":1,"data":{"content":[],"source":{"kind":"user"},"id":"legacy-message:s:8","role":"user"},"surfaceOp":"append"}`,
		`{"type":"turn/end","seq":3,"time":1,"data":{"turn":1,"reason":{"kind":"aborted","reason":{"kind":"legacy"}}}}`,
	}, text)
	var report []string
	for _, e := range entries {
		report = append(report, fmt.Sprint(e.Line, " ", e.Code))
	}
	assert.Equal(t, []string{
		"3 EVENT_UNSUPPORTED", "4 LEGACY_UNSUPPORTED", "5 VALIDATION", "6 VALIDATION", "7 VALIDATION", "8 VALIDATION", "12 VALIDATION", "13 VALIDATION",
	}, report)
	assert.Contains(t, entries[2].Detail, "user/message at seq 3 is left out")
}

// What would be too long to be written, or could not be answered, is left out; everything else stays.
func TestRebuildLeavesOutWhatIsTooLong(t *testing.T) {
	for name, c := range map[string]struct {
		events []session.Event
		want   string
		seq    int
	}{
		"text that is not UTF-8": {
			lines(t, opening+`{"type":"user/message","data":{"id":"long","role":"user","content":[{"type":"text","text":"`+
				strings.Repeat("\xff", 23<<20)+`"}],"source":{"kind":"user"}},"surfaceOp":"append"}`+"\n"),
			"user/message at seq 4 is left out: it has ", 5,
		},
		"the id of a call": {
			asking(t, strings.Repeat("x", 23<<20)), "assistant/message at seq 3 is left out: the id of a tool call has ", 4,
		},
		"the id of a call that can be closed, but that no session takes": {
			asking(t, strings.Repeat("x", 2<<20)), "assistant/message at seq 3 is left out: the id of a tool call has ", 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, entries := rebuild(t, logText(c.events))
			require.Len(t, entries, 1)
			assert.Equal(t, session.Validation, entries[0].Code)
			assert.Contains(t, entries[0].Detail, c.want)
			assert.EqualValues(t, c.seq+1, entries[0].Line)
			assert.Equal(t, session.TurnEnd, got[len(got)-1].Type)
			var left []string
			for _, e := range c.events {
				if int(e.Seq) != c.seq-1 {
					left = append(left, e.Type)
				}
			}
			assert.Equal(t, left, kinds(got)[:len(left)])
		})
	}
}

func TestRebuildStops(t *testing.T) {
	broken := errors.New("broken disk")
	events := func(yield func(session.Event, error) bool) {
		for e, err := range written("T( S( user") {
			if !yield(e, err) {
				return
			}
		}
		yield(session.Event{}, broken)
	}
	n := 0
	for _, err := range session.Rebuild(session.Header{}, events, session.Options{}) {
		if n++; n > 3 {
			assert.ErrorIs(t, err, broken)
		}
	}
	assert.Equal(t, 4, n)
	for stop := range 6 {
		n := 0
		for range session.Rebuild(session.Header{}, written("T( S( asks"), session.Options{}) {
			if n++; n > stop {
				break
			}
		}
		assert.Equal(t, stop+1, n)
	}
}

// A damaged log is read as far as it can be, and becomes a new session.
func ExampleSalvage() {
	const damaged = `{"type":"session","version":0,"id":"old","createdAt":1700000000000,"delegationDepth":0}
{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}
{"type":"user/message","seq":1,"time":2,"data":{"id":"m1","role":"user","content":[{"type":"text","text":"What is new?"}],"source":{"kind":"user"}},"surfaceOp":"append"}
{"type":"step/start","seq":2,"ti
{"type":"step/end","seq":3,"time":4,"data":{"turn":1,"step":1}}
{"type":"turn/end","seq":4,"time":5,"data":{"turn":1,"reason":{"kind":"completed"}}}
`
	ctx := context.Background()
	old := session.Salvage(strings.NewReader(damaged))
	store := &session.Memory{} // or session.NewDir(folder)
	s, err := session.Create(ctx, store, session.Header{ID: "new"}, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	header, _ := old.Header()
	for e, err := range session.Rebuild(header, old.Events(ctx), session.Options{}) {
		var entry *session.Error
		switch {
		case errors.As(err, &entry):
			fmt.Println(entry)
			continue
		case err == nil:
			_, err = s.Append(ctx, e)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	summary := old.Summary()
	fmt.Println(summary.Lines, "lines,", summary.Lost, "lost;", s.State().Next(), "events in the new session")
	fmt.Println(s.Messages()[0].Content[0].Text)
	// Output:
	// line 4: not a JSON document: unexpected input at byte 32 (CORRUPT_LINE)
	// line 5: seq 3, where seq 2 should be: events are missing (SEQ_GAP)
	// 6 lines, 1 lost; 4 events in the new session
	// What is new?
}

func FuzzRebuild(f *testing.F) {
	var events []session.Event
	for e := range written("T( S( user chunk asks[3] call result user=2-6[2,4,6] S) T) T( S( asks") {
		events = append(events, e)
	}
	log := logText(events)
	f.Add(log)
	f.Add(strings.Replace(log, `"seq":4,`, `"seq":44,`, 1))
	f.Add(log[:len(log)/2] + log[len(log)/2+60:])
	f.Fuzz(func(t *testing.T, log string) { rebuild(t, log) })
}
