package turn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

// The scenario max-tokens-continue needs processes that really end. They are this test's own program,
// which runs one prompt if these variables say so, and prints what came of it.
const (
	childPrompt = "PINTLE_TURN_TEST_PROMPT"
	childRoot   = "PINTLE_TURN_TEST_ROOT"
)

func TestMain(m *testing.M) {
	prompt := os.Getenv(childPrompt)
	if prompt == "" {
		os.Exit(m.Run())
	}
	result, err := runChild(context.Background(), prompt, os.Getenv(childRoot))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
	os.Exit(0) // with the session open
}

type childResult struct {
	Kind        turn.Kind
	Native      []json.RawMessage
	Diagnostics []string // code and reason
	Repaired    bool
}

// cutAnswer is the model's answer to the first prompt, and goOn that to the next one.
var (
	cutAnswer = []string{
		`{"type":"block-start","index":0,"blockType":"text"}`,
		`{"type":"text-delta","index":0,"text":"Reading the ledger"}`,
		`{"type":"block-end","index":0,"block":{"type":"text","text":"Reading the ledger"}}`,
		`{"type":"block-start","index":1,"blockType":"tool-call"}`,
		`{"type":"tool-call-delta","index":1,"id":"c1","name":"look","argumentsDelta":"{\"row\":7,\"me"}`,
		`{"type":"usage","usage":{"inputTokens":2864,"outputTokens":12}}`,
		finishWith("max-tokens", "length", large, `{"type":"text","textSignature":"sigA=="},{"type":"tool-call","thoughtSignature":"sigC"}`),
	}
	goOn = []string{hello, finishWith("stop", "stop", large, `{"type":"text"}`)}
)

func runChild(ctx context.Context, prompt, root string) (childResult, error) {
	store := session.NewDir(root)
	model := &turn.Scripted{}
	loop := turn.Loop{Router: &turn.Router{}, Route: large, Tools: []turn.Tool{lookTool()}}
	if err := loop.Router.Register(model, large.Provider); err != nil {
		return childResult{}, err
	}
	var result childResult
	var err error
	if prompt == "first" {
		model.Answers = []turn.Answer{answer(cutAnswer...)}
		loop.Session, err = session.Create(ctx, store, session.Header{ID: "s"}, session.Options{})
	} else {
		model.Answers = []turn.Answer{answer(goOn...)}
		var recovery session.Recovery
		loop.Session, recovery, err = session.Open(ctx, store, "s", session.Options{})
		result.Repaired = recovery.Tail > 0 || len(recovery.Closed) > 0
	}
	if err != nil {
		return result, err
	}
	outcome, err := loop.Prompt(ctx, textBlocks(prompt))
	if err != nil {
		return result, err
	}
	result.Kind = outcome.Kind
	reader := replay.Reader{
		Route: large, OnDiagnostic: func(d replay.Diagnostic) {
			result.Diagnostics = append(result.Diagnostics, string(d.Code)+" "+string(d.Reason))
		},
	}
	native, err := reader.History(model.Requests()[0].Messages)
	for _, m := range native {
		result.Native = append(result.Native, m.AppendJSON(nil))
	}
	return result, err
}

// child runs one prompt in a process of its own.
func child(t *testing.T, prompt, root string) childResult {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), childPrompt+"="+prompt, childRoot+"="+root)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	require.NoError(t, err, complaint.String())
	var result childResult
	require.NoError(t, json.Unmarshal(out, &result), string(out))
	return result
}

const noUsage = `"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,` +
	`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"timestamp":0`

func TestMaxTokensContinue(t *testing.T) {
	root := t.TempDir()
	first := child(t, "first", root)
	assert.Equal(t, turn.MaxTokens, first.Kind)

	lines := readLog(t, root)
	assert.Equal(t, []string{
		"session", "turn/start", "step/start", "user/message", "request/header", "request/context",
		"assistant/chunk", "assistant/chunk", "assistant/chunk", "assistant/chunk", "assistant/chunk", "assistant/chunk",
		"assistant/chunk", "assistant/message", "step/end", "turn/end",
	}, typesOf(t, lines))
	for i, chunk := range cutAnswer {
		assert.JSONEq(t, chunk, get(t, lines[6+i], "data", "chunk"), "the log has the chunks as they came")
	}
	stored := lines[13]
	assert.Equal(t, "[5,6,7,8,9,10,11]", get(t, stored, "sourceEventSeqs"))
	assert.JSONEq(t, `[{"type":"text","text":"Reading the ledger"}]`, get(t, stored, "data", "message", "content"))
	assert.JSONEq(t, `[{"type":"text","textSignature":"sigA=="}]`, get(t, stored, "data", "message", "source", "replayState", "blocks"))
	assert.JSONEq(t, `{"inputTokens":2864,"outputTokens":12}`, get(t, stored, "data", "usage"))
	assert.JSONEq(t, `{"turn":1,"reason":{"kind":"max-tokens"}}`, get(t, lines[15], "data"))

	second := child(t, "second", root)
	assert.Equal(t, turn.Completed, second.Kind)
	assert.False(t, second.Repaired, "a process that ends after its turn leaves nothing to repair")
	assert.Empty(t, second.Diagnostics)
	require.Len(t, second.Native, 3)
	assert.JSONEq(t, `{"role":"assistant","content":[{"type":"text","text":"Reading the ledger","textSignature":"sigA=="}],`+
		`"api":"openai-completions","provider":"northwind","model":"nw-large","stopReason":"length",`+noUsage+`}`,
		string(second.Native[1]), "the answer goes on natively, without the call")
	assert.JSONEq(t, `{"role":"user","content":"second","timestamp":0}`, string(second.Native[2]))
}

// A session that an older version has poisoned: the state is flat and has an entry too many.
func TestPoisonedSessionContinues(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "s"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, "s", "session.jsonl"), []byte(strings.Join([]string{
		`{"type":"session","version":0,"id":"s","createdAt":1700000000000,"delegationDepth":0}`,
		`{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}`,
		`{"type":"step/start","seq":1,"time":1,"data":{"turn":1,"step":1}}`,
		`{"type":"user/message","seq":2,"time":1,"data":{"id":"u1","role":"user","content":[{"type":"text","text":"hi"}],"source":{"kind":"user"}},"surfaceOp":"append"}`,
		`{"type":"assistant/message","seq":3,"time":1,"data":{"turn":1,"step":1,"message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Reading the ledger"}],` +
			`"source":{"kind":"model","provider":"northwind","model":"nw-large","replayState":{"kind":"pi-ai","version":1,"api":"openai-completions","provider":"northwind",` +
			`"model":"nw-large","stopReason":"length","blocks":[{"type":"text"},{"type":"tool-call"}]}}}},"surfaceOp":"append"}`,
		`{"type":"step/end","seq":4,"time":1,"data":{"turn":1,"step":1}}`,
		`{"type":"turn/end","seq":5,"time":1,"data":{"turn":1,"reason":{"kind":"max-tokens"}}}`, "",
	}, "\n")), 0o600))

	for _, prompt := range []string{"second", "third"} {
		next := child(t, prompt, root)
		assert.Equal(t, turn.Completed, next.Kind)
		assert.Equal(t, []string{"INVALID_REPLAY_STATE response-not-object"}, next.Diagnostics, "one for each request")
		assert.JSONEq(t, `{"role":"assistant","content":[{"type":"text","text":"Reading the ledger"}],"api":"dsh-foreign",`+
			`"provider":"northwind","model":"nw-large","stopReason":"stop",`+noUsage+`}`, string(next.Native[1]))
	}
	lines := readLog(t, root)
	assert.Contains(t, string(lines[4]), `"version":1`, "the log is not changed")
}

func readLog(t *testing.T, root string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "s", "session.jsonl"))
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(string(text), "\n"))
	var lines [][]byte
	for line := range strings.Lines(string(text)) {
		lines = append(lines, []byte(line))
	}
	return lines
}

func typesOf(t *testing.T, lines [][]byte) (types []string) {
	for _, line := range lines {
		types = append(types, get(t, line, "type"))
	}
	return types
}

// A log that ends anywhere in a turn, in the middle of a line or behind one, is taken up and goes on.
func TestTurnInterruptedAnywhere(t *testing.T) {
	root := t.TempDir()
	f := newFixture(t, answer(hello, look, lookAgain, usage, toolCalls), failing(answer(hello), errors.New("odd")),
		answer(hello, stop))
	f.store = session.NewDir(root)
	f.create()
	f.Tools = []turn.Tool{lookTool()}
	f.Recover = func(context.Context, message.Failure, int) bool { return true }
	require.Equal(t, turn.Completed, f.prompt("hi").Kind)
	require.NoError(t, f.Session.Close())
	lines := readLog(t, root)

	begun := 0
	for n := 1; n < len(lines); n++ {
		whole := bytes.Join(lines[:n], nil)
		for _, text := range [][]byte{whole, append(whole, lines[n][:len(lines[n])/2]...)} {
			root := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(root, "s"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(root, "s", "session.jsonl"), text, 0o600))
			f := newFixture(t, answer(hello, stop))
			f.store = session.NewDir(root)
			f.reload()
			if last, open := f.Session.State().Turn(); last > 0 {
				begun++
				require.False(t, open)
			}
			require.Equal(t, turn.Completed, f.prompt("go on").Kind)
			requireAnswered(t, f.model.Requests()[0].Messages)
			require.NoError(t, f.Session.Close())
		}
	}
	assert.Greater(t, begun, 40)
}
