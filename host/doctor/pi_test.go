package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
)

// A session file of Pi under construction, as its lines. Each entry is the child of the one before it.
type piText struct {
	lines []string
	last  string // the id of the entry that the next one is a child of
}

const piHeader = `{"type":"session","version":3,"id":"s","timestamp":"2024-12-03T14:00:00.000Z","cwd":"/p"}`

func newPi() *piText { return &piText{lines: []string{piHeader}} }

// add appends an entry with further members.
func (p *piText) add(kind, id, rest string) *piText {
	parent := "null"
	if p.last != "" {
		parent = fmt.Sprintf("%q", p.last)
	}
	p.last = id
	return p.raw(fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":"2024-12-03T14:00:00.000Z"%s}`, kind, id, parent, rest))
}

func (p *piText) raw(line string) *piText {
	p.lines = append(p.lines, line)
	return p
}

// under lets the next entry be a child of another one.
func (p *piText) under(id string) *piText {
	p.last = id
	return p
}

func (p *piText) message(id, m string) *piText { return p.add("message", id, `,"message":{`+m+`}`) }

func (p *piText) user(id string) *piText { return p.message(id, `"role":"user","content":"x"`) }

func (p *piText) answer(id, content string) *piText {
	return p.message(id, `"role":"assistant","api":"a","provider":"p","model":"m","stopReason":"stop","usage":{},"content":[`+content+`]`)
}

func (p *piText) result(id, call string) *piText {
	return p.message(id, fmt.Sprintf(`"role":"toolResult","toolCallId":%q,"content":[]`, call))
}

func (p *piText) String() string { return strings.Join(p.lines, "\n") + "\n" }

func (p *piText) write(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "2024-12-03_s.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(p.String()), 0o600))
	return path
}

func piCall(id string) string {
	return fmt.Sprintf(`{"type":"toolCall","id":%q,"name":"edit","arguments":{}}`, id)
}

// piCodes lists findings as "CODE level entry", with a + if a copy cures it.
func piCodes(findings []Finding) []string {
	list := []string{}
	for _, f := range findings {
		s := strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Code, f.Level, f.EntryID))
		if f.Curable {
			s += " +"
		}
		list = append(list, s)
	}
	return list
}

const piUnmeasured = `"role":"assistant","api":"a","provider":"p","model":"m","stopReason":"stop","content":[]`

const thinking = `{"type":"thinking","thinking":"h","thinkingSignature":"s"}`

func TestPiFindings(t *testing.T) {
	for name, c := range map[string]struct {
		file *piText
		want []string
	}{
		"healthy":          {newPi().user("a").answer("b", thinking+","+piCall("1")).result("c", "1").answer("d", thinking), []string{}},
		"an unknown entry": {newPi().add("x", "a", "").add("x", "b", "").user("c"), []string{"UNKNOWN_ENTRY note a"}},
		"no type":          {newPi().raw(`{"id":"a","parentId":null,"timestamp":"2024-12-03T14:00:00.000Z"}`), []string{"INVALID_ENTRY fault a"}},
		"a parent that is a number": {
			newPi().raw(`{"type":"custom","id":"a","parentId":1,"timestamp":"2024-12-03T14:00:00.000Z"}`), []string{"INVALID_ENTRY fault a"}},
		"a parent that nothing is left of": {newPi().user("a").under("gone").user("b"), []string{"PARENT_MISSING fault b"}},
		"a circle":                         {newPi().under("b").user("a").user("b"), []string{"PARENT_CYCLE fault a"}},
		"several roots":                    {newPi().user("a").under("").user("b"), []string{"SEVERAL_ROOTS note"}},
		"an id twice":                      {newPi().user("a").answer("a", ""), []string{"DUPLICATE_ID fault a", "PARENT_CYCLE fault a"}},
		"one entry twice":                  {newPi().user("a").under("").user("a").under("a").user("b"), []string{"SEVERAL_ROOTS note", "DUPLICATE_ID fault a +"}},
		"a repeat at the end":              {newPi().user("a").under("").user("a"), []string{"SEVERAL_ROOTS note", "DUPLICATE_ID fault a"}},
		"targets":                          {newPi().user("a").add("label", "b", `,"targetId":"x"`).add("context_edit", "c", `,"targetId":"y","replacement":null`), []string{"TARGET_MISSING note b", "TARGET_MISSING note c"}},
		"no message":                       {newPi().add("message", "a", ""), []string{"INVALID_MESSAGE fault a"}},
		"no content":                       {newPi().message("a", `"role":"assistant","content":null`).message("b", `"role":"toolResult","content":""`), []string{"INVALID_MESSAGE fault a", "INVALID_MESSAGE fault b"}},
		"blocks": {
			newPi().message("a", `"role":"user","content":[{"type":"x"},{"type":"x"},{"type":"image","data":"QQ==","mimeType":"image/png"}]`).message("b", `"role":"user","content":[0]`).
				answer("c", `{"type":"toolCall","id":"1","name":"n","arguments":"{}"}`),
			[]string{"UNKNOWN_BLOCK note a", "INVALID_MESSAGE fault b", "INVALID_MESSAGE fault c"}},
		"texts without a text": {
			newPi().message("a", `"role":"user","content":[{"type":"text","text":""},{"type":"text"}]`).answer("b", `{"type":"text","text":5}`).answer("c", `{"type":"thinking"},`+piCall("1")).
				message("d", `"role":"toolResult","toolCallId":"1","content":[{"type":"text","text":null}]`).
				add("custom_message", "e", `,"customType":"x","content":[{"type":"text","content":"x"}]`).
				add("custom_message", "f", `,"customType":"x","content":null`).add("custom_message", "g", `,"customType":"x","content":"x"`),
			[]string{"INVALID_MESSAGE fault a", "INVALID_MESSAGE fault b", "INVALID_MESSAGE fault c", "INVALID_MESSAGE fault d", "INVALID_MESSAGE fault e", "INVALID_MESSAGE fault f"}},
		"images without content": {
			newPi().message("a", `"role":"user","content":[{"type":"image","mimeType":"image/png"}]`).message("b", `"role":"user","content":[{"type":"image","data":"QQ==","mimeType":""}]`),
			[]string{"INVALID_MESSAGE fault a", "INVALID_MESSAGE fault b"}},
		"a call without a name": {
			newPi().answer("a", `{"type":"toolCall","id":"1","name":"","arguments":{}}`).answer("b", `{"type":"toolCall","id":"","name":"n","arguments":{}}`),
			[]string{"INVALID_MESSAGE fault a", "INVALID_MESSAGE fault b"}},
		"the last answer has no usage": {
			newPi().message("a", piUnmeasured).user("b").message("c", piUnmeasured).message("d", `"role":"assistant","stopReason":"error","content":[]`),
			[]string{"INVALID_MESSAGE fault c", "ANSWER_LEFT_OUT note d"}},
		"an earlier answer has no usage": {newPi().message("a", piUnmeasured).user("b").answer("c", ""), []string{}},
		"a role":                         {newPi().message("a", `"role":"hookMessage","content":"x"`), []string{"UNKNOWN_ROLE note a"}},
		"a call without a result":        {newPi().answer("a", piCall("1")).user("b"), []string{"CALL_WITHOUT_RESULT note a"}},
		"a result without a call":        {newPi().user("a").result("b", "1"), []string{"RESULT_WITHOUT_CALL fault b"}},
		"a system message between a call and its result": {
			newPi().answer("a", piCall("1")).message("b", `"role":"system","content":""`).result("c", "1"), []string{}},
		"a shell command between them": {
			newPi().answer("a", piCall("1")).message("b", `"role":"bashExecution","command":"ls"`).result("c", "1"),
			[]string{"CALL_WITHOUT_RESULT note a", "RESULT_WITHOUT_CALL fault c"}},
		"one that is not sent": {
			newPi().answer("a", piCall("1")).message("b", `"role":"bashExecution","excludeFromContext":true`).result("c", "1"), []string{}},
		"the call is left out by an edit": {
			newPi().answer("a", piCall("1")).result("b", "1").add("context_edit", "c", `,"targetId":"a","replacement":null`),
			[]string{"RESULT_WITHOUT_CALL fault b"}},
		"the call is replaced by an edit": {
			newPi().answer("a", piCall("1")).result("b", "1").add("context_edit", "c", `,"targetId":"a","replacement":{"content":"x"}`),
			[]string{"RESULT_WITHOUT_CALL fault b"}},
		"an answer that failed": {
			newPi().message("a", `"role":"assistant","stopReason":"error","content":[`+piCall("1")+`]`), []string{"ANSWER_LEFT_OUT note a"}},
		"the call is compacted away": {
			newPi().answer("a", piCall("1")).result("b", "1").add("compaction", "c", `,"summary":"s","firstKeptEntryId":"b"`),
			[]string{"RESULT_WITHOUT_CALL fault b"}},
		"what is off the branch does not matter": {newPi().user("a").result("b", "1").under("a").user("c"), []string{}},
		"a compaction that keeps what is not there": {
			newPi().user("a").add("compaction", "b", `,"summary":"s","firstKeptEntryId":"x"`), []string{"KEPT_ENTRY_MISSING fault b"}},
		"one that keeps nothing": {newPi().user("a").add("compaction", "b", `,"summary":"s","firstKeptEntryId":"b"`), []string{}},
		"the model has changed":  {newPi().answer("a", thinking).add("model_change", "b", `,"provider":"q","modelId":"m"`), []string{"REPLAY_STATE_NOT_OWNED note a"}},
		"the api has changed": {
			newPi().answer("a", thinking).message("b", `"role":"assistant","api":"z","provider":"p","model":"m","usage":{},"content":[]`), []string{"REPLAY_STATE_NOT_OWNED note a"}},
		"dates": {
			newPi().user("a").raw(`{"type":"custom","id":"b","parentId":"a","timestamp":"2024-12-02T14:00:00.000Z"}`).
				raw(`{"type":"custom","id":"c","parentId":"b","timestamp":1}`),
			[]string{"INVALID_DATE note b", "INVALID_DATE note c"}},
		"audits": {
			newPi().add("custom", "a", `,"customType":"pi-developer-messages/group","data":{"entries":[{"role":"user","id":"i","content":"c"},{}]}`).
				add("custom", "b", `,"customType":"pi-developer-messages/developer"`).
				add("custom", "c", `,"customType":"pi-developer-messages/group","data":{"entries":[]}`).
				add("custom", "d", `,"customType":"other"`).
				add("custom_message", "e", `,"customType":"pi-developer-messages/group","content":"x"`).
				add("custom_message", "f", `,"customType":"pi-developer-messages/agents-md","content":"x"`),
			[]string{"INVALID_AUDIT fault a", "INVALID_AUDIT fault b", "AUDIT_IN_CONTEXT fault e", "STORED_CONTEXT note f"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := check(t, c.file.write(t))
			require.NotNil(t, r.Pi)
			assert.Equal(t, c.want, piCodes(r.Findings))
		})
	}
}

func TestPiReport(t *testing.T) {
	r := check(t, newPi().user("a").answer("b", "").under("a").add("branch_summary", "c", `,"fromId":"b","summary":"s"`).
		add("model_change", "d", `,"provider":"q","modelId":"n"`).message("e", `"role":"system","content":""`).user("f").write(t))
	assert.Equal(t, &Pi{Session: "s", Version: 3, Entries: 6, Roots: 1, Leaf: "f", Branch: 5,
		Roles: []RoleCount{{"user", 2}, {"branchSummary", 1}, {"system", 1}}}, r.Pi)
	assert.Equal(t, message.Route{Provider: "q", Model: "n"}, r.Route)
	assert.Equal(t, 4, r.Messages)
	r, err := Check(t.Context(), newPi().answer("a", thinking).write(t), Options{Route: message.Route{Provider: "p", Model: "x"}})
	require.NoError(t, err)
	assert.Equal(t, "1 signature and 1 block of thinking of p/m are of no use to p/x", r.Findings[0].Detail)
	r, err = Check(t.Context(), newPi().answer("a", `{"type":"text","text":"h","textSignature":"s"}`).write(t), Options{Route: message.Route{Provider: "p", Model: "x"}})
	require.NoError(t, err)
	assert.Equal(t, "1 signature of p/m is of no use to p/x", r.Findings[0].Detail)
}

// A compaction has the system message that counts: those that it keeps are not sent again.
func TestPiSystemMessagesBeforeACompaction(t *testing.T) {
	r := check(t, newPi().message("a", `"role":"system","content":"x"`).user("b").message("c", `"role":"system","content":"y"`).
		add("compaction", "d", `,"summary":"s","firstKeptEntryId":"b","systemMessage":{"role":"system"}`).user("e").write(t))
	assert.Equal(t, []RoleCount{{"system", 1}, {"compactionSummary", 1}, {"user", 2}}, r.Pi.Roles)
}

func TestPiVersions(t *testing.T) {
	v1 := &piText{lines: []string{`{"type":"session","id":"s","timestamp":"t","cwd":"/p"}`, `{"type":"message","timestamp":"2024-12-03T14:00:00.000Z","message":{"role":"user","content":"x"}}`}}
	r := check(t, v1.write(t))
	assert.Equal(t, []string{"OTHER_VERSION note"}, piCodes(r.Findings))
	assert.Equal(t, 1, r.Pi.Branch)
	v2 := newPi().message("a", `"role":"hookMessage","content":"x"`)
	v2.lines[0] = strings.Replace(piHeader, `"version":3`, `"version":2`, 1)
	r = check(t, v2.write(t))
	assert.Equal(t, []string{"OTHER_VERSION note"}, piCodes(r.Findings))
	assert.Equal(t, []RoleCount{{"custom", 1}}, r.Pi.Roles)
}

func TestPiRepair(t *testing.T) {
	broken := `{"type":"message","id":"b","parentId":"a","timest`
	whole := newPi().user("a").user("b").user("c")
	for name, c := range map[string]struct {
		text string
		done []string
		want *piText // the copy
		left []string
	}{
		"a line that still names its parent": {
			newPi().user("a").under("").user("x").raw(broken).under("b").user("c").String(),
			[]string{"left out 1 line that cannot be read", "linked 1 entry whose parent is lost to the nearest one before it"},
			newPi().user("a").under("").user("x").under("a").user("c"), []string{}},
		"two such lines": {
			newPi().user("a").raw(broken).raw(strings.Replace(strings.Replace(broken, `"a"`, `"B"`, 1), `"b"`, `"c"`, 1)).raw(`{"type":"message","id":"B","parentId":"b","`).under("c").user("d").String(),
			[]string{"left out 3 lines that cannot be read", "linked 1 entry whose parent is lost to the nearest one before it"},
			newPi().user("a").user("d"), []string{}},
		"a lost root": {
			newPi().raw(strings.Replace(broken, `"a"`, "null", 1)).under("b").user("c").String(),
			[]string{"left out 1 line that cannot be read", "linked 1 entry whose parent is lost to the nearest one before it"},
			newPi().user("c"), []string{}},
		"a line of which nothing is left": {
			newPi().user("a").raw("\x00\x00").under("gone").user("c").String(),
			[]string{"left out 1 line that cannot be read", "linked 1 entry whose parent is lost to the nearest one before it"},
			newPi().user("a").user("c"), []string{}},
		"what a link brings back": {
			newPi().user("a").answer("b", piCall("1")).raw("{").under("gone").result("c", "1").String(),
			[]string{"left out 1 line that cannot be read", "linked 1 entry whose parent is lost to the nearest one before it", "left out 1 result without a call"},
			newPi().user("a").answer("b", piCall("1")).result("c", "1"), []string{}},
		"a parent that no line can have had": {
			newPi().user("a").raw("{").user("b").under("gone").user("c").String(),
			[]string{"left out 1 line that cannot be read"},
			newPi().user("a").user("b").under("gone").user("c"), []string{"PARENT_MISSING fault c"}},
		"a torn end":        {whole.String() + broken, []string{"left out the end of the file, which was not complete"}, whole, []string{}},
		"no line feed":      {strings.TrimSpace(whole.String()), []string{"ended the last line"}, whole, []string{}},
		"a byte order mark": {"\ufeff" + whole.String(), []string{"left out the byte order mark"}, whole, []string{}},
		"a late header":     {strings.Join(append(whole.lines[1:2:2], append([]string{piHeader}, whole.lines[2:]...)...), "\n") + "\n", []string{"put the header at the beginning"}, whole, []string{}},
		"lines that are no entries": {
			newPi().raw("null").raw("5").raw(`{"type":"custom"}`).user("a").String(), []string{"left out 3 lines that Pi cannot find again"}, newPi().user("a"), []string{}},
		"an entry twice": {
			newPi().user("a").under("").user("a").user("b").String(), []string{"left out 1 entry that was there before, word for word"}, newPi().user("a").user("b"), []string{}},
		"no header": {
			newPi().user("a").String()[len(piHeader)+1:], []string{"made a header in the place of one that cannot be used"},
			&piText{lines: []string{`{"type":"session","version":3,"id":"s","timestamp":"2024-12-03T14:00:00.000Z"}`, newPi().user("a").lines[1]}}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "2024-12-03_s.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			to := filepath.Join(t.TempDir(), "copy.jsonl")
			r, err := Repair(t.Context(), path, to, Options{})
			require.NoError(t, err)
			got, err := os.ReadFile(to)
			require.NoError(t, err)
			assert.Equal(t, c.want.String(), string(got))
			assert.Equal(t, c.done, r.Done)
			assert.Equal(t, c.left, piCodes(r.Left))
			unchanged, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, c.text, string(unchanged))
			_, err = Repair(t.Context(), to, path+".2", Options{})
			require.ErrorIs(t, err, ErrIncurable)
		})
	}
}

// A header that is made fits the roles that the entries have.
func TestPiRepairOfAnOldFileWithoutAHeader(t *testing.T) {
	text := newPi().message("a", `"role":"hookMessage","content":"x"`).String()[len(piHeader)+1:]
	path, to := filepath.Join(t.TempDir(), "2024-12-03_s.jsonl"), filepath.Join(t.TempDir(), "copy.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	r, err := Repair(t.Context(), path, to, Options{})
	require.NoError(t, err)
	got, err := os.ReadFile(to)
	require.NoError(t, err)
	assert.Contains(t, string(got), `{"type":"session","version":2,"id":"s",`)
	assert.Equal(t, []RoleCount{{"custom", 1}}, r.After.Pi.Roles)
}

// What can be linked is, beside a circle that nobody knows the way out of.
func TestPiLinkBesideACircle(t *testing.T) {
	r := check(t, newPi().answer("a", piCall("1")).result("b", "1").raw("{").under("gone").user("c").raw("{").under("z").user("d").
		raw(`{"type":"message","id":"z","parentId":"d","timestamp":"2024-12-03T14:00:00.000Z","message":{"role":"user","content":"x"}}`).write(t))
	assert.Equal(t, []string{"CORRUPT_LINE fault +", "PARENT_MISSING fault c +", "CORRUPT_LINE fault +", "PARENT_CYCLE fault d"}, piCodes(r.Findings))
}

// A copy would lose what is too long to be read here.
func TestPiLongLines(t *testing.T) {
	path := newPi().raw("{").write(t)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("\n"+newPi().user("a").lines[1]+"\n"), 65<<20)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	r := check(t, path)
	assert.Equal(t, []string{"CORRUPT_LINE fault", "LONG_LINE fault"}, piCodes(r.Findings))
	assert.Contains(t, r.Findings[0].Here, "no copy is made")
	assert.Equal(t, 1, r.Pi.Entries)
	_, err = Repair(t.Context(), path, filepath.Join(t.TempDir(), "copy"), Options{})
	require.ErrorIs(t, err, ErrIncurable)

	p := newPi().user("a")
	p.lines[0] = strings.Replace(piHeader, `"/p"`, `"`+strings.Repeat("x", 1<<20)+`"`, 1)
	assert.Equal(t, []string{"LONG_LINE note"}, piCodes(check(t, p.write(t)).Findings))
}

func TestPiRepairRefuses(t *testing.T) {
	for name, p := range map[string]*piText{
		"healthy":       newPi().user("a"),
		"nothing to do": newPi().user("a").under("gone").user("b"),
		"no entries":    newPi().raw("{"),
	} {
		_, err := Repair(t.Context(), p.write(t), filepath.Join(t.TempDir(), "copy"), Options{})
		require.ErrorIs(t, err, ErrIncurable, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Check(ctx, newPi().user("a").write(t), Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestPiManyFindingsAreCounted(t *testing.T) {
	p := newPi().user("a")
	for range 3 * maxFindings {
		p.raw("{")
	}
	r := check(t, p.write(t))
	require.Len(t, r.Findings, maxFindings+1)
	assert.Equal(t, 2*maxFindings, r.Findings[maxFindings].Count)
	assert.Equal(t, 3*maxFindings, r.Faults())
	assert.True(t, r.Curable())
}

// Whatever a file of Pi holds, looking at it does not fail, a copy that is promised can be made, and it has
// nothing left that a copy could cure.
func FuzzPiRepair(f *testing.F) {
	for _, p := range []*piText{
		newPi().user("a").answer("b", piCall("1")+","+thinking).raw(`{"type":"message","id":"c","parentId":"b","`).under("c").result("d", "1").
			add("compaction", "e", `,"summary":"s","firstKeptEntryId":"c"`).add("context_edit", "f", `,"targetId":"a","replacement":{"content":[{}]}`),
		newPi().under("b").user("a").user("b").raw("null").under("").user("b").raw("{").under("x").user("y"),
		{lines: []string{`{"type":"session","id":"s","cwd":"/"}`, `{"type":"compaction","firstKeptEntryIndex":1}`, "[]"}},
	} {
		f.Add(p.String())
		f.Add(strings.TrimSpace(p.String()))
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, to := filepath.Join(t.TempDir(), "log.jsonl"), filepath.Join(t.TempDir(), "copy.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		before := check(t, path)
		if before.Pi == nil {
			return
		}
		r, err := Repair(t.Context(), path, to, Options{})
		if !before.Curable() {
			require.ErrorIs(t, err, ErrIncurable)
			return
		}
		require.NoError(t, err)
		require.False(t, r.After.Curable())
		require.LessOrEqual(t, len(r.After.Pi.Session), len(text))
	})
}
