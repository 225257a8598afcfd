package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
)

// maxTokensContinue is the script of the end-to-end scenario: a model that is cut in the middle of a tool
// call, and goes on.
const maxTokensContinue = "testdata/max-tokens-continue.json"

var (
	ids    = regexp.MustCompile(`"id":"([^"]+)"`)
	times  = regexp.MustCompile(`"(time|createdAt)":[0-9]+`)
	system = regexp.MustCompile(`"system":"(?:[^"\\]|\\.)*"`)
)

// tokenised is a log in which ids, times and the system prompt are replaced by tokens.
func tokenised(lines []string) string {
	text := times.ReplaceAllString(strings.Join(lines, "\n")+"\n", `"$1":0`)
	text = system.ReplaceAllString(text, `"system":"{{system}}"`)
	known := map[string]string{}
	return ids.ReplaceAllStringFunc(text, func(found string) string {
		id := ids.FindStringSubmatch(found)[1]
		if strings.HasPrefix(id, "call_") { // the model's
			return found
		}
		if known[id] == "" {
			known[id] = "{{id-" + strconv.Itoa(len(known)+1) + "}}"
		}
		return `"id":"` + known[id] + `"`
	})
}

// golden compares with a file of testdata. Set UPDATE to write it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

func readTestFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// The call that was cut never reaches the editor, a tool or the next request. The durable log is pinned.
func TestMaxTokensContinue(t *testing.T) {
	e := startEditor(t, t.TempDir(), readTestFile(t, maxTokensContinue))
	id := e.newSession("/work")
	r := e.prompt(id, "Post row 7.")
	assert.Equal(t, "end_turn", r.stop())
	assert.Equal(t, []string{"Reading the ledger."}, e.texts("agent_message_chunk"))
	assert.Len(t, e.updates, 1)
	r = e.prompt(id, "Go on.")
	assert.Equal(t, "end_turn", r.stop())
	assert.Equal(t, []string{"Row 7 is posted."}, e.texts("agent_message_chunk"))
	assert.Zero(t, e.close())
	golden(t, "max-tokens-continue.jsonl", tokenised(e.log(id)))
}

// With the agent ended between the prompts, also by force, the model is asked the same.
func TestMaxTokensContinueAfterRestart(t *testing.T) {
	var whole script
	require.NoError(t, json.Unmarshal([]byte(readTestFile(t, maxTokensContinue)), &whole))
	sessions := t.TempDir()
	e := startEditor(t, sessions, readTestFile(t, maxTokensContinue))
	once := e.newSession("/work")
	e.prompt(once, "Post row 7.")
	e.prompt(once, "Go on.")
	assert.Zero(t, e.close())
	want := history(t, sessions, once)
	require.Len(t, want, 3, "the prompt, what was said, the prompt")

	for name, end := range map[string]func(*editor){
		"end of input": func(e *editor) { assert.Zero(t, e.close()) }, "killed": (*editor).kill,
	} {
		e := startEditor(t, sessions, readTestFile(t, maxTokensContinue))
		id := e.newSession("/work")
		e.prompt(id, "Post row 7.")
		end(e)
		rest := whole
		rest.Answers = rest.Answers[1:]
		second, err := json.Marshal(rest)
		require.NoError(t, err)
		e = startEditor(t, sessions, string(second), "--load")
		r := e.loadSession(id, "/work")
		require.Nil(t, r.Error, name)
		assert.Equal(t, []string{"Post row 7."}, e.texts("user_message_chunk"), name)
		assert.Equal(t, []string{"Reading the ledger."}, e.texts("agent_message_chunk"), name)
		e.next = 10
		assert.Equal(t, "end_turn", e.prompt(id, "Go on.").stop(), name)
		assert.Equal(t, []string{"Row 7 is posted."}, e.texts("agent_message_chunk"), name)
		assert.Zero(t, e.close(), name)
		assert.Equal(t, want, history(t, sessions, id), name)
	}
}

// history is what the second request of a session said: the messages before the last answer, without ids.
func history(t *testing.T, sessions, id string) []string {
	s, recovery, err := session.Open(t.Context(), session.NewDir(sessions), id, session.Options{})
	require.NoError(t, err)
	defer s.Close()
	assert.Empty(t, recovery.Closed)
	messages := s.Messages()
	var shown []string
	for i := range messages[:len(messages)-1] {
		m := message.Message{Role: messages[i].Role, Content: messages[i].Content, Source: messages[i].Source}
		shown = append(shown, string(m.AppendJSON(nil)))
	}
	return shown
}
