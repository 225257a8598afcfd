package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
)

// A log under construction, as its lines.
type logText struct{ lines []string }

func newLog() *logText {
	return &logText{[]string{`{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}`}}
}

// add appends an event; rest are further members.
func (l *logText) add(kind, data, rest string) *logText {
	l.lines = append(l.lines, fmt.Sprintf(`{"type":%q,"seq":%d,"time":5,"data":%s%s}`, kind, len(l.lines)-1, data, rest))
	return l
}

func (l *logText) turn(n int) *logText { return l.add("turn/start", fmt.Sprintf(`{"turn":%d}`, n), "") }
func (l *logText) end(n int) *logText {
	return l.add("turn/end", fmt.Sprintf(`{"turn":%d,"reason":{"kind":"completed"}}`, n), "")
}

func (l *logText) user(id string) *logText {
	return l.add("user/message", fmt.Sprintf(`{"id":%q,"role":"user","content":[{"type":"text","text":"x"}],"source":{"kind":"user"}}`, id), `,"surfaceOp":"append"`)
}

func (l *logText) answer(id, content, source string) *logText {
	return l.add("assistant/message", fmt.Sprintf(
		`{"turn":1,"step":1,"message":{"id":%q,"role":"assistant","content":[%s],"source":{"kind":"model","provider":"p","model":"m"%s}}}`,
		id, content, source), `,"surfaceOp":"append","sourceEventSeqs":[]`)
}

func (l *logText) result(id, call string) *logText {
	return l.add("tool/result", fmt.Sprintf(
		`{"turn":1,"step":1,"message":{"id":%q,"role":"user","content":[{"type":"tool-result","toolCallId":%q,"content":[],"isError":false}],"source":{"kind":"tool","callId":%q}}}`,
		id, call, call), `,"surfaceOp":"append"`)
}

func (l *logText) raw(line string) *logText {
	l.lines = append(l.lines, line)
	return l
}

func (l *logText) write(t *testing.T, name string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(l.lines, "\n")+"\n"), 0o600))
	return path
}

const textBlock = `{"type":"text","text":"a"}`

func callBlock(id string) string {
	return fmt.Sprintf(`{"type":"tool-call","id":%q,"name":"edit","arguments":"{}"}`, id)
}

func state(stop, entries string) string {
	return fmt.Sprintf(`,"replayState":{"response":{"kind":"pi-ai","version":2,"api":"x","provider":"p","model":"m","stopReason":%q},"blocks":[%s]}`, stop, entries)
}

func check(t *testing.T, path string) *Report {
	r, err := Check(t.Context(), path, Options{})
	require.NoError(t, err)
	return r
}

// codes lists findings as "CODE level message".
func codes(findings []Finding) []string {
	list := []string{}
	for _, f := range findings {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Code, f.Level, f.MessageID)))
	}
	return list
}

func TestFindings(t *testing.T) {
	for name, c := range map[string]struct {
		log  *logText
		want []string
	}{
		"healthy":         {newLog().turn(1).user("u").answer("a", textBlock, state("stop", `{"type":"text"}`)).end(1), []string{}},
		"no state at all": {newLog().turn(1).answer("a", textBlock, "").end(1), []string{}},
		"the flat form": {
			newLog().turn(1).answer("a", textBlock, `,"replayState":{"kind":"pi-ai","version":1,"blocks":[{"type":"text"}]}`).end(1),
			[]string{"INVALID_REPLAY_STATE fault a"}},
		"a null state": {newLog().turn(1).answer("a", textBlock, `,"replayState":null`).end(1), []string{"INVALID_REPLAY_STATE fault a"}},
		"a layout of another adapter": {
			newLog().turn(1).answer("a", textBlock, `,"replayState":{"response":{"kind":"x"},"blocks":[1]}`).
				answer("b", textBlock, `,"replayState":{"response":{}}`).end(1),
			[]string{"OTHER_LAYOUT note a", "OTHER_LAYOUT note b"}},
		"a layout of another adapter that misfits": {
			newLog().turn(1).answer("a", textBlock, `,"replayState":{"response":{"kind":"x"},"blocks":[]}`).
				answer("b", textBlock, `,"replayState":{"response":{"kind":"x"},"blocks":0}`).
				answer("c", textBlock, `,"replayState":{"response":{"kind":0},"blocks":[1]}`).end(1),
			[]string{"INVALID_REPLAY_STATE fault a", "INVALID_REPLAY_STATE fault b", "INVALID_REPLAY_STATE fault c"}},
		"a stop reason that loses the message": {
			newLog().turn(1).answer("a", textBlock, state("aborted", `{"type":"text"}`)).end(1), []string{"INVALID_REPLAY_STATE fault a"}},
		"another route has answered": {
			newLog().turn(1).answer("a", textBlock, `,"answered":{"provider":"p","model":"m2"},"replayState":{"response":{"kind":"pi-ai","version":2,"api":"x","provider":"p","model":"m2","stopReason":"stop"},"blocks":[{"type":"text"}]}`).end(1),
			[]string{"ANSWERED_ELSEWHERE note a"}},
		"the route has changed": {
			newLog().turn(1).answer("a", textBlock, state("stop", `{"type":"text"}`)).
				add("request/header", `{"header":{"config":{"provider":"q","model":"n"}},"reason":"change"}`, "").end(1),
			[]string{"REPLAY_STATE_NOT_OWNED note a"}},
		"a bad state of another route is told once": {
			newLog().turn(1).answer("a", textBlock, `,"replayState":0`).
				add("request/header", `{"header":{"config":{"provider":"q","model":"n"}},"reason":"change"}`, "").end(1),
			[]string{"INVALID_REPLAY_STATE fault a"}},
		"a round of tools": {newLog().turn(1).answer("a", callBlock("1")+","+callBlock("2"), "").result("r2", "2").result("r1", "1").answer("b", textBlock, "").end(1), []string{}},
		"calls without results": {
			newLog().turn(1).answer("a", callBlock("1")+","+callBlock("2"), "").result("r", "2").end(1).turn(2).user("u").end(2),
			[]string{"CALL_WITHOUT_RESULT fault a"}},
		"a call without a result at the end": {newLog().turn(1).answer("a", callBlock("1"), "").end(1), []string{"CALL_WITHOUT_RESULT fault a"}},
		"a result without a call":            {newLog().turn(1).result("r", "1").end(1), []string{"RESULT_WITHOUT_CALL fault r"}},
		"a second result":                    {newLog().turn(1).answer("a", callBlock("1"), "").result("r", "1").result("r2", "1").end(1), []string{"RESULT_WITHOUT_CALL fault r2"}},
		"calls with one id have results of their own": {
			newLog().turn(1).answer("a", callBlock("1")+","+callBlock("1"), "").result("r", "1").result("s", "1").end(1),
			[]string{"DUPLICATE_CALL fault a"}},
		"a late result": {
			newLog().turn(1).answer("a", callBlock("1"), "").user("u").result("r", "1").end(1),
			[]string{"CALL_WITHOUT_RESULT fault a", "RESULT_WITHOUT_CALL fault r"}},
		"one id twice in an answer": {newLog().turn(1).answer("a", callBlock("1")+","+callBlock("1"), "").result("r", "1").end(1), []string{"DUPLICATE_CALL fault a"}},
		"one id in many answers": {
			newLog().turn(1).answer("a", callBlock("1"), "").result("r", "1").answer("b", callBlock("1"), "").result("s", "1").answer("c", callBlock("1"), "").result("v", "1").end(1),
			[]string{"DUPLICATE_CALL note b"}},
		"images": {
			newLog().turn(1).answer("a", `{"type":"image"},{"type":"image"}`, "").
				add("user/message", `{"id":"u","role":"user","content":[{"type":"image"}],"source":{"kind":"user"}}`, `,"surfaceOp":"append"`).end(1),
			[]string{"IMAGE fault a", "IMAGE note u"}},
		"unknown kinds": {newLog().turn(1).answer("a", `{"type":"x"},{"type":"x"},{"type":"y"}`, "").end(1), []string{"UNKNOWN_BLOCK note a", "UNKNOWN_BLOCK note a"}},
		"empty answers": {newLog().turn(1).answer("a", "", "").answer("b", textBlock, "").answer("c", "", "").end(1), []string{"EMPTY_ANSWER note a", "EMPTY_ANSWER note c"}},
		"an open turn":  {newLog().turn(1).user("u"), []string{"OPEN_TURN fault"}},
		"an open call":  {newLog().turn(1).answer("a", callBlock("1"), ""), []string{"OPEN_TURN fault"}},
		"a replaced message is no matter": {
			newLog().turn(1).answer("a", textBlock, `,"replayState":0`).
				add("assistant/message", `{"turn":1,"step":1,"message":{"id":"a","role":"assistant","content":[`+textBlock+`],"source":{"kind":"model","provider":"p","model":"m"}}}`, `,"surfaceOp":{"op":"replace","start":1,"end":1},"sourceEventSeqs":[1]`).end(1),
			[]string{}},
		"a null in the tail":              {newLog().turn(1).end(1).raw("null"), []string{"NOT_AN_EVENT fault"}},
		"a null in front of a turn's end": {newLog().turn(1).raw("null").raw(`{"type":"turn/end","seq":1,"time":5,"data":{"turn":1,"reason":{"kind":"completed"}}}`), []string{"NOT_AN_EVENT fault"}},
		"a gap": {
			newLog().turn(1).raw(`{"type":"turn/end","seq":4,"time":5,"data":{"turn":1,"reason":{"kind":"completed"}}}`), []string{"SEQ_GAP fault"}},
		"an event that no session can have": {newLog().turn(1).add("turn/end", `{"turn":1}`, `,"surfaceOp":"append"`).end(1), []string{"VALIDATION fault"}},
		"an unknown event": {
			newLog().turn(1).answer("a", textBlock, `,"replayState":0`).add("x/y", `{}`, "").end(1),
			[]string{"EVENT_UNSUPPORTED fault", "INVALID_REPLAY_STATE fault a"}},
		"no log":        {&logText{[]string{"hello"}}, []string{"HEADER_NOT_JSON fault"}},
		"lines of text": {&logText{[]string{"a", "b", "c", "d"}}, []string{"HEADER_NOT_JSON fault"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := check(t, c.log.write(t, "log"))
			assert.Equal(t, c.want, codes(r.Findings))
			for _, f := range r.Findings {
				assert.NotEmpty(t, f.Detail)
				assert.NotEmpty(t, f.Effect)
				assert.NotEmpty(t, f.Here)
			}
		})
	}
}

func TestReportKnowsPlaces(t *testing.T) {
	path := newLog().turn(1).answer("e", "", "").answer("a", textBlock, `,"replayState":0`).end(1).write(t, "log")
	r := check(t, path)
	require.Len(t, r.Findings, 2)
	assert.Equal(t, int64(1), *r.Findings[0].Seq)
	assert.Equal(t, int64(2), *r.Findings[1].Seq)
	assert.Equal(t, "envelope-not-object", string(r.Findings[1].Diagnostic.Reason))
	assert.Equal(t, message.Route{Provider: "p", Model: "m"}, r.Route)
	assert.Equal(t, 1, r.Messages)
	assert.Equal(t, int64(4), r.Events)
	assert.Equal(t, 1, r.Faults())
	assert.Equal(t, "s", r.Header.ID)
	assert.Nil(t, r.Refused)

	// In a damaged log the events have other numbers than the file says.
	r = check(t, newLog().turn(1).raw("{").answer("a", textBlock, `,"replayState":0`).end(2).write(t, "log"))
	require.NotNil(t, r.Refused)
	assert.Equal(t, session.CorruptLine, r.Refused.Code)
	last := r.Findings[len(r.Findings)-1]
	assert.Equal(t, "a", last.MessageID)
	assert.Nil(t, last.Seq)
	assert.Equal(t, int64(3), r.Findings[0].Line)
}

func TestManyBadLinesAreCounted(t *testing.T) {
	l := newLog().turn(1)
	for range 3 * maxFindings {
		l.raw("{")
	}
	path := l.end(1).write(t, "log")
	r := check(t, path)
	require.Len(t, r.Findings, maxFindings+2)
	assert.Equal(t, Code(session.SeqGap), r.Findings[maxFindings].Code)
	last := r.Findings[maxFindings+1]
	assert.Equal(t, Code(session.CorruptLine), last.Code)
	assert.Equal(t, 2*maxFindings, last.Count)
	assert.Zero(t, last.Line)
	assert.Equal(t, 3*maxFindings+1, r.Faults())
	repaired, err := Repair(t.Context(), path, filepath.Join(t.TempDir(), "copy"), Options{})
	require.NoError(t, err)
	assert.Contains(t, repaired.Done, "left out 3000 lines that cannot be read")
}

// The end of a file can be unpacked to far more lines than it has bytes.
func TestManyFindingsAreCounted(t *testing.T) {
	lines := func(n int, line string) string { return strings.Repeat(line+"\n", n) }
	calls := strings.TrimSuffix(strings.Repeat(`{"type":"tool-call"},`, 3*maxFindings), ",")
	for name, c := range map[string]struct {
		log  *logText
		more string
		code Code
		n    int
	}{
		"a tail":  {newLog().turn(1).end(1), lines(3*maxFindings, "x"), Code(session.CorruptLine), 3 * maxFindings},
		"calls":   {newLog().turn(1).answer("a", calls, "").end(1), "", DuplicateCall, 3*maxFindings - 1},
		"no call": {newLog().turn(1).add("user/message", `{"id":"u","role":"user","content":[`+strings.ReplaceAll(calls, "tool-call", "tool-result")+`],"source":{"kind":"user"}}`, `,"surfaceOp":"append"`).end(1), "", ResultWithoutCall, 3 * maxFindings},
	} {
		t.Run(name, func(t *testing.T) {
			path := c.log.write(t, "log")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, append(text, c.more...), 0o600))
			r := check(t, path)
			assert.LessOrEqual(t, len(r.Findings), 2*maxFindings+4)
			n := 0
			for i := range r.Findings {
				if f := &r.Findings[i]; f.Code == c.code {
					n += f.several()
				}
			}
			assert.Equal(t, c.n, n)
		})
	}
}

// A long text of a log is in its findings by its beginning.
func TestLongTextsAreCut(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, l := range map[string]*logText{
		"the id of a call":     newLog().turn(1).answer("a", callBlock(long), "").end(1),
		"the kind of a block":  newLog().turn(1).answer("a", `{"type":"`+long+`"}`, "").end(1),
		"the kind of an event": newLog().turn(1).add(long, `{}`, "").end(1),
		"the key of a member":  newLog().turn(1).add("turn/end", `{"turn":1}`, `,"`+long+`":1`),
	} {
		t.Run(name, func(t *testing.T) {
			r := check(t, l.write(t, "log"))
			require.NotEmpty(t, r.Findings)
			for _, f := range r.Findings {
				assert.Less(t, len(f.Detail), 400)
			}
		})
	}
}

// The folder of a session whose header is lost gives it back the id that it had.
func TestLostID(t *testing.T) {
	for path, want := range map[string]string{
		"a~002Fb/session.jsonl":         "a/b",
		"~002E~002E/session.jsonl.zstd": "..",
		"~D83D~DE00x/session.jsonl":     "\U0001F600x",
		"~D83D/session.jsonl":           "\xed\xa0\xbd",
		"~0022~005C/session.jsonl":      "\"\\",
		"a~002/session.jsonl":           "a~002",
		"a~00zzb/session.jsonl":         "a~00zzb",
		"no log~0041/session.jsonl":     "no log~0041",
		"folder/a~002Fb.jsonl":          "a~002Fb",
		"folder/.jsonl":                 "salvaged",
	} {
		assert.Equal(t, want, idFrom(path), path)
	}
}

// A program that matches keys without regard to their case would see other values here.
func TestLastRouteReadsKeysAsTheyAre(t *testing.T) {
	path := newLog().turn(1).answer("a", textBlock, "").
		add("request/header", `{"header":{"config":{"provider":"p","model":"m","PROVIDER":"x"},"CONFIG":{"provider":"q","model":"n"}},"reason":"change"}`, "").end(1).write(t, "log")
	assert.Equal(t, message.Route{Provider: "p", Model: "m"}, check(t, path).Route)
}

func TestRepair(t *testing.T) {
	for name, c := range map[string]struct {
		log  *logText
		done []string
		left []string
	}{
		"states": {
			newLog().turn(1).answer("a", textBlock, `,"replayState":0`).answer("b", textBlock, state("stop", `{"type":"text"}`)).answer("c", textBlock, state("stop", "")).end(1),
			[]string{"dropped the replay state of 2 messages"}, []string{}},
		"a state of another layout is kept": {
			newLog().turn(1).answer("a", textBlock, `,"replayState":0`).answer("b", textBlock, `,"replayState":{"response":{"kind":"x"},"blocks":[1]}`).end(1),
			[]string{"dropped the replay state of 1 message"}, []string{}},
		"events that are not known": {
			newLog().raw("{").add("x/y", `{}`, "").add("x/z", `{}`, "").add("x/y", `{}`, "").add("mode/set", `{}`, "").turn(1).end(1),
			[]string{"left out 1 line that cannot be read", "numbered the events anew over 1 gap",
				`left out 3 events of kinds that are not known here: 2 "x/y", 1 "x/z"`,
				`left out 1 event that is no longer read: 1 "mode/set"`}, []string{}},
		"calls": {
			newLog().turn(1).add("step/start", `{"turn":1,"step":1}`, "").answer("a", callBlock("1")+","+callBlock("2"), "").
				add("tool/call", `{"turn":1,"step":1,"callId":"1","name":"edit","arguments":"{}"}`, "").
				add("step/end", `{"turn":1,"step":1}`, "").end(1).turn(2).result("r", "9").user("u").end(2),
			[]string{"added a result for 2 calls", "left out 1 result without a call"}, []string{}},
		"an open turn": {newLog().turn(1).answer("a", callBlock("1"), ""), []string{"closed the turn that was open"}, []string{}},
		"a damaged line": {
			newLog().turn(1).user("u").raw("{").raw(`{"type":"user/message","seq":3,"time":5,"data":{"id":"v","role":"user","content":[],"source":{"kind":"user"}},"surfaceOp":"append"}`).end(1),
			[]string{"left out 1 line that cannot be read", "numbered the events anew over 1 gap"}, []string{}},
		"what a copy cannot cure": {
			newLog().turn(1).answer("a", callBlock("1")+","+callBlock("1"), `,"replayState":0`).result("r", "1").end(1),
			[]string{"dropped the replay state of 1 message"}, []string{"DUPLICATE_CALL fault a"}},
		"a header": {&logText{append([]string{"{}"}, newLog().turn(1).end(1).lines[1:]...)}, []string{"made a header in the place of one that cannot be used"}, []string{}},
	} {
		for _, name2 := range []string{"copy.jsonl", "copy.jsonl.zstd"} {
			t.Run(name+" "+name2, func(t *testing.T) {
				path := c.log.write(t, "log.jsonl")
				before, err := os.ReadFile(path)
				require.NoError(t, err)
				to := filepath.Join(t.TempDir(), name2)
				r, err := Repair(t.Context(), path, to, Options{})
				require.NoError(t, err)
				assert.Equal(t, c.done, r.Done)
				assert.Equal(t, c.left, codes(r.Left))

				after := check(t, to)
				assert.Nil(t, after.Refused)
				assert.False(t, after.Curable())
				log, err := session.OpenFile(t.Context(), to)
				require.NoError(t, err, "it can be taken up")
				s, recovery, err := session.Take(t.Context(), log, session.Options{})
				require.NoError(t, err)
				assert.Zero(t, recovery)
				require.NoError(t, s.Close())

				unchanged, err := os.ReadFile(path)
				require.NoError(t, err)
				assert.Equal(t, before, unchanged)
				_, err = Repair(t.Context(), path, to, Options{})
				require.ErrorIs(t, err, fs.ErrExist)
			})
		}
	}
}

func TestRepairKeepsEverythingElse(t *testing.T) {
	l := newLog().turn(1).user("u").answer("a", textBlock, `,"replayState":0`).answer("b", textBlock, state("stop", `{"type":"text","textSignature":"s"}`)).end(1)
	path := l.write(t, "log")
	to := filepath.Join(filepath.Dir(path), "copy")
	_, err := Repair(t.Context(), path, to, Options{})
	require.NoError(t, err)
	got, err := os.ReadFile(to)
	require.NoError(t, err)
	want := slices.Clone(l.lines)
	lines := strings.Split(strings.TrimSuffix(string(got), "\n"), "\n")
	require.Len(t, lines, len(want))
	for i := range want {
		want[i] = strings.Replace(want[i], `,"replayState":0`, "", 1)
		assert.JSONEq(t, want[i], lines[i])
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 2, "nothing but the copy was made")
}

func TestRepairRefuses(t *testing.T) {
	for name, l := range map[string]*logText{
		"healthy":       newLog().turn(1).end(1),
		"notes":         newLog().turn(1).answer("a", "", "").end(1),
		"newer":         {[]string{`{"type":"session","version":1,"id":"s","createdAt":1,"delegationDepth":0}`, newLog().turn(1).lines[1]}},
		"unknown event": newLog().turn(1).answer("a", textBlock, `,"replayState":0`).add("x/y", `{}`, ""),
		"no log":        {[]string{"hello"}},
		"nothing":       {[]string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			path := l.write(t, "log")
			to := filepath.Join(filepath.Dir(path), "copy")
			_, err := Repair(t.Context(), path, to, Options{})
			require.ErrorIs(t, err, ErrIncurable)
			assert.NoFileExists(t, to)
		})
	}
	_, err := Check(t.Context(), filepath.Join(t.TempDir(), "missing"), Options{})
	require.ErrorIs(t, err, session.ErrNotFound)
}

func TestCheckEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Check(ctx, newLog().turn(1).raw("{").end(1).write(t, "log"), Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestFindingAsJSON(t *testing.T) {
	r := check(t, newLog().turn(1).answer("a", textBlock, `,"replayState":0`).end(1).write(t, "log"))
	data, err := json.Marshal(r.Findings[0])
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(data, &got))
	assert.Equal(t, "INVALID_REPLAY_STATE", got["code"])
	assert.Equal(t, float64(1), got["seq"])
	assert.NotContains(t, got, "line")
	assert.Equal(t, "envelope-not-object", got["diagnostic"].(map[string]any)["reason"])
}

// Whatever a file holds, looking at it does not fail, and a copy that is made of it can be taken up and
// has nothing left that a copy could cure.
func FuzzRepair(f *testing.F) {
	for _, l := range []*logText{
		newLog().turn(1).user("u").answer("a", callBlock("1"), `,"replayState":0`).end(1).turn(2).result("r", "2").end(2),
		newLog().turn(1).raw("null").raw("{").answer("a", textBlock, state("stop", `{"type":"text"}`)).end(1),
		newLog().turn(1).add("assistant/chunk", `{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"x"}}`, ""),
	} {
		f.Add([]byte(strings.Join(l.lines, "\n")+"\n"), "log.jsonl")
		f.Add(session.AppendFrame(nil, []byte(strings.Join(l.lines, "\n"))), "log")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		dir := t.TempDir()
		path, to := filepath.Join(dir, "log"), filepath.Join(dir, "copy.jsonl")
		if strings.HasSuffix(name, ".jsonl") {
			path += ".jsonl"
		}
		require.NoError(t, os.WriteFile(path, data, 0o600))
		before := check(t, path)
		r, err := Repair(t.Context(), path, to, Options{})
		if !before.Curable() {
			require.ErrorIs(t, err, ErrIncurable)
			return
		}
		require.NoError(t, err)
		require.Nil(t, r.After.Refused)
		require.True(t, kept(r))
		for _, left := range r.Left {
			require.NotContains(t, []Code{InvalidState, OpenTurn, Torn, NotAnEvent, Code(session.CorruptLine), Code(session.SeqGap)}, left.Code)
		}
	})
}
