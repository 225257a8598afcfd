package envelope

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

func TestAuditKeepsHalfSurrogatesApart(t *testing.T) {
	s := newService(t, registry.Contribution{ID: "a", Render: registry.Text("x\xed\xa0\xbd")})
	log := &memoryLog{}
	s.SessionStart("s", log)
	for range 2 {
		_, err := s.Capture(context.Background(), Request{SessionID: "s"})
		require.NoError(t, err)
	}
	require.Len(t, log.entries, 1)
	assert.Contains(t, string(log.entries[0].Data), `x\ud83d`)
}

func TestParseAudit(t *testing.T) {
	valid := `{"role":"user","id":"","content":"","extra":1}`
	for data, n := range map[string]int{
		`{"entries":[` + valid + `,` + valid + `]}`: 2,
		`{"entries":[]}`:             0,
		`{"Entries":[]}`:             -1,
		`{"entries":{}}`:             -1,
		`[]`:                         -1,
		`null`:                       -1,
		``:                           -1,
		`{"entries":[null]}`:         -1,
		`{"entries":[` + valid + `]`: -1,
		`{"entries":[{"Role":"user","id":"","content":""}]}`:      -1,
		`{"entries":[{"role":"user","content":""}]}`:              -1,
		`{"entries":[{"role":"user","id":1,"content":""}]}`:       -1,
		`{"entries":[{"role":"user","id":""}]}`:                   -1,
		`{"entries":[{"role":"system","id":"","content":""}]}`:    -1,
		`{"entries":[{"role":"developer","id":"","content":""}]}`: 1,
	} {
		records, known := parseAudit(TypeAuditGroup, []byte(data))
		assert.True(t, known)
		if n < 0 {
			assert.Nil(t, records, data)
		} else {
			assert.Len(t, records, n, data)
			assert.NotNil(t, records)
		}
	}
	records, known := parseAudit(TypeAuditDeveloper, []byte(valid))
	assert.True(t, known)
	assert.Equal(t, []Record{{Role: "user"}}, records)
	_, known = parseAudit("other", []byte(valid))
	assert.False(t, known)
}

func TestViewAuditHeadings(t *testing.T) {
	view := func(id string, columns int) string {
		raw, err := Record{"developer", id, "c"}.MarshalJSON()
		require.NoError(t, err)
		v, ok := ViewAudit(TypeAuditDeveloper, raw, false, columns)
		require.True(t, ok)
		require.Len(t, v.Rows, 1)
		return v.Rows[0].Heading
	}
	full := "[developer] developer · mode"
	assert.Equal(t, full, view("mode", 0))
	assert.Equal(t, full, view("mode", 28))
	assert.Equal(t, "[developer] developer · mo…", view("mode", 27))
	assert.Equal(t, "…", view("mode", 1))
	assert.Equal(t, "[developer] developer · a b\uFFFD[31mc\uFFFD", view("a\r\n\n\tb\x1b[31mc\u0085", 0))
	assert.Equal(t, "[developer] developer · a b c", view("a\rb\t\rc", 0))
	assert.Equal(t, "[developer] developer · 漢…", view("漢字", 27))
	assert.Equal(t, "[developer] developer · 漢字", view("漢字", 28))
	assert.Equal(t, "[developer] developer · e\u0301", view("e\u0301", 25))

	v, ok := ViewAudit(TypeAuditGroup, nil, true, 0)
	assert.True(t, ok)
	assert.Equal(t, AuditView{Invalid: "Invalid prompt audit entry"}, v)
}

// Of what is to be summarized only the copies of audits go, and everything else stays as it is.
func TestAuditCopiesAreNotSummarized(t *testing.T) {
	keep := func(kept func([]json.RawMessage) []json.RawMessage, list ...string) []string {
		var in []json.RawMessage
		for _, raw := range list {
			in = append(in, json.RawMessage(raw))
		}
		out := []string{}
		for _, raw := range kept(in) {
			out = append(out, string(raw))
		}
		return out
	}
	stays := []string{
		`{"role":"user","customType":"pi-developer-messages/group"}`,
		`{"role":"custom","customType":"pi-developer-messages/agents-md"}`,
		`{"role":"custom","customType":"other"}`, `{"role":"custom"}`, `not JSON`,
	}
	goes := `{"role":"custom","customType":"pi-developer-messages/developer"}`
	assert.Equal(t, stays, keep(BeforeCompact, append(stays, goes)...))

	stays = []string{
		`{"type":"custom","customType":"pi-developer-messages/group"}`,
		`{"type":"custom_message","customType":"pi-developer-messages/agents-md"}`,
		`{"type":"custom_message"}`,
	}
	goes = `{"type":"custom_message","customType":"pi-developer-messages/context-user"}`
	assert.Equal(t, stays, keep(BeforeTree, append(stays, goes)...))
}

func TestContextKeepsBytes(t *testing.T) {
	s := newService(t)
	_, err := s.Capture(context.Background(), Request{SessionID: "s", CWD: "/w", Options: registry.PromptOptions{
		ContextFiles: []registry.ContextFile{{Path: "/w/A", Content: "<R> \xed\xa0\xbd"}}}})
	require.NoError(t, err)
	history := []json.RawMessage{
		json.RawMessage(`{ "role":"user", "n": 1.50, "content":"\ud83d <b>" }`),
		json.RawMessage(`{"Role":"custom","customType":"` + TypeContext + `"}`),
		json.RawMessage(`{"role":"cust\u006fm","customType":"` + TypeContext + `"}`),
		json.RawMessage(`"text"`),
		json.RawMessage(`not json`),
	}
	out, changed := s.Context("s", history)
	require.True(t, changed)
	require.Len(t, out, 5)
	assert.Contains(t, string(out[0]), `<R> \ud83d`)
	assert.True(t, strings.HasPrefix(string(out[0]), `{"role":"custom","customType":"pi-developer-messages/agents-md","content":"# AGENTS.md`))
	assert.Equal(t, history[:2], out[1:3])
	assert.Equal(t, history[3:], out[3:])
	again, _ := s.Context("s", out)
	assert.Equal(t, out, again)
}
