package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the repaired copy would still have is not called curable, and nothing is promised of it.
func TestCallsThatACopyCannotCure(t *testing.T) {
	user := func(l *logText, id, content, op string) *logText {
		return l.add("user/message", fmt.Sprintf(`{"id":%q,"role":"user","content":[%s],"source":{"kind":"user"}}`, id, content), op)
	}
	replacing := func(seq int) string {
		return fmt.Sprintf(`,"surfaceOp":{"op":"replace","start":%d,"end":%d},"sourceEventSeqs":[%d]`, seq, seq, seq)
	}
	for name, c := range map[string]struct {
		log  *logText
		want []string
	}{
		"a result in a message of the user": {
			user(newLog().turn(1), "u", `{"type":"tool-result","toolCallId":"zz","content":[]}`, `,"surfaceOp":"append"`).end(1),
			[]string{"RESULT_WITHOUT_CALL fault u"}},
		"a message between call and result": {
			newLog().turn(1).answer("a", callBlock("1"), "").user("u").result("r", "1").end(1),
			[]string{"CALL_WITHOUT_RESULT fault a", "RESULT_WITHOUT_CALL fault r"}},
		"a result in a later turn": {
			newLog().turn(1).answer("a", callBlock("1"), "").end(1).turn(2).user("u").result("r", "1").end(2),
			[]string{"CALL_WITHOUT_RESULT fault a", "RESULT_WITHOUT_CALL fault r"}},
		"the call was replaced": {
			user(newLog().turn(1).answer("a", callBlock("1"), "").result("r", "1"), "s", textBlock, replacing(1)).end(1),
			[]string{"RESULT_WITHOUT_CALL fault r"}},
		"the result was replaced": {
			user(newLog().turn(1).answer("a", callBlock("1"), "").result("r", "1"), "s", textBlock, replacing(2)).end(1),
			[]string{"CALL_WITHOUT_RESULT fault a"}},
		"a value that would be lost on the way": {
			user(newLog().turn(1).result("r", "1"), "u", `{"type":"x","n":1e999}`, `,"surfaceOp":"append"`).end(1),
			[]string{"RESULT_WITHOUT_CALL fault r"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := c.log.write(t, "log")
			r := check(t, path)
			var faults []Finding
			for _, f := range r.Findings {
				if f.Level == Fault {
					faults = append(faults, f)
					assert.False(t, f.Curable, f.Detail)
					assert.NotContains(t, f.Here, "copy")
				}
			}
			assert.Equal(t, c.want, codes(faults))
			_, err := Repair(t.Context(), path, filepath.Join(t.TempDir(), "copy"), Options{})
			require.ErrorIs(t, err, ErrIncurable)
		})
	}
}

// Two calls of one id have two results, and a copy that is made for another reason keeps them both.
func TestRepairKeepsTheResultsOfCallsWithOneID(t *testing.T) {
	l := newLog().turn(1).answer("a", callBlock("1")+","+callBlock("1"), `,"replayState":0`).result("r", "1").result("s", "1")
	path := l.answer("b", callBlock("2"), "").end(1).write(t, "log")
	r := check(t, path)
	assert.Equal(t, []string{"INVALID_REPLAY_STATE fault a", "DUPLICATE_CALL fault a", "CALL_WITHOUT_RESULT fault b"}, codes(r.Findings))
	to := filepath.Join(t.TempDir(), "copy")
	repaired, err := Repair(t.Context(), path, to, Options{})
	require.NoError(t, err)
	assert.True(t, kept(repaired))
	text, err := os.ReadFile(to)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(text), `"type":"tool/result"`))
}

// What a salvage could make of a damaged log is not worse off than a log that is intact.
func TestRepairPairsTheCallsOfADamagedLog(t *testing.T) {
	path := newLog().turn(1).answer("a", callBlock("1"), "").end(1).turn(2).result("r", "2").end(2).raw("{").
		add("turn/start", `{"turn":3}`, "").add("turn/end", `{"turn":3}`, "").write(t, "log")
	r, err := Repair(t.Context(), path, filepath.Join(t.TempDir(), "copy"), Options{})
	require.NoError(t, err)
	assert.NotNil(t, r.Before.Refused)
	assert.Equal(t, []string{"CALL_WITHOUT_RESULT fault a", "RESULT_WITHOUT_CALL fault r"}, codes(r.Before.Findings[len(r.Before.Findings)-2:]))
	assert.Empty(t, r.Left)
	assert.True(t, kept(r))
}

func TestKept(t *testing.T) {
	f := Finding{Code: InvalidState, Level: Fault, MessageID: "a", Detail: "d"}
	curable := f
	curable.Curable = true
	r := &Repaired{Before: &Report{Findings: []Finding{curable}}, After: &Report{}}
	assert.True(t, kept(r))
	r.Left = []Finding{f}
	assert.False(t, kept(r), "it was to be cured")
	r.Before.Findings[0].Curable = false
	assert.True(t, kept(r))
	r.After.Findings = []Finding{curable}
	assert.False(t, kept(r), "another copy could cure it")
}

// kept tells whether the copy has none of the faults that it should be without: those that were curable in
// the log, and any that another copy could cure.
func kept(r *Repaired) bool {
	promised := map[complaint]bool{}
	for i := range r.Before.Findings {
		if f := &r.Before.Findings[i]; f.Curable {
			promised[f.complaint()] = true
		}
	}
	for i := range r.Left {
		if promised[r.Left[i].complaint()] {
			return false
		}
	}
	return !r.After.Curable()
}
