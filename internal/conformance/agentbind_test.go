package conformance

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const agentVectors = "../../testdata/vectors/replay/acp.json"

// agentCases are those of the kit, and what was seen in them is what they expect.
func agentCases(t *testing.T) map[string]*testCase {
	cases, err := load(agentVectors)
	require.NoError(t, err)
	found := map[string]*testCase{}
	for _, v := range cases.items {
		found[v.Get("name").str("")] = &testCase{input: v.Get("input"), expect: v.Get("expect")}
	}
	return found
}

// judge compares with something else that was seen.
func judge(t *testing.T, c *testCase, got string) *Failure {
	v, err := ParseValue([]byte(got))
	require.NoError(t, err, got)
	op := Operation{doubles: true, exact: true, bind: bindAgent, run: func(context.Context, *testCase) (any, error) { return v, nil }}
	return runCase(t.Context(), op, c)
}

func TestAgentCasesPassAsTheyAre(t *testing.T) {
	for name, c := range agentCases(t) {
		assert.Nil(t, judge(t, c, string(c.expect.appendTo(nil))), name)
	}
}

// A change of what was seen: every place where the first text stands gets the second one, in one case.
type agentChange struct{ in, old, new string }

func (change agentChange) judge(t *testing.T) *Failure {
	c := agentCases(t)[change.in]
	require.NotNil(t, c, change.in)
	seen := string(c.expect.appendTo(nil))
	got := strings.ReplaceAll(seen, change.old, change.new)
	require.NotEqual(t, seen, got, change.old)
	return judge(t, c, got)
}

// What does not bind may be different.
func TestAgentCasesLeaveFree(t *testing.T) {
	const first, bad = "max-tokens then continue", "bad requests"
	for _, change := range []agentChange{
		{first, "{{id-1}}", "6f2c"},
		{first, "{{id-2}}", "{{id-5"},
		{first, `"{{agentInfo}}"`, `{"name":"other","version":"2"}`},
		{first, `"createdAt":0`, `"createdAt":1700000000000`},
		{first, `"time":0`, `"time":1700000000000`},
		{first, `"stopReason":"end_turn"`, `"stopReason":"end_turn","usage":{"totalTokens":3}`},
		{first, `"authMethods":[]`, `"authMethods":null`},
		{first, `,"authMethods":[]`, ``},
		{first, `"image":false,`, ``},
		{first, `"promptCapabilities":{`, `"loadSession":false,"mcpCapabilities":{"http":false},"auth":{},"promptCapabilities":{`},
		{first, `"system":"{{system}}"`, `"system":"Be brief."`},
		{first, `"reason":"initial"`, `"reason":"change"`},
		{first, `"sessionUpdate":"agent_message_chunk"`, `"messageId":"m","sessionUpdate":"agent_message_chunk"`},
		{first, `{"jsonrpc":"2.0","id":3`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"{{id-1}}","update":{"sessionUpdate":"usage_update","used":1}}},{"jsonrpc":"2.0","id":3`},
		{first, `"result":{"sessionId"`, `"result":{"modes":null,"_meta":{"x":1},"sessionId"`},
		{bad, "unknown session: nope-s", "no such session"},
		{bad, `"code":-32602`, `"data":{"more":true},"code":-32602`},
		{"error finish", `Internal error: turn failed`, `it broke`},
	} {
		if failure := change.judge(t); failure != nil {
			text, err := json.Marshal(failure)
			assert.NoError(t, err)
			assert.Fail(t, "a difference was found", "%q for %q: %s", change.new, change.old, text)
		}
	}
}

// Everything else binds.
func TestAgentCasesBind(t *testing.T) {
	const first, bad, cancel, tool = "max-tokens then continue", "bad requests", "cancel", "tool round"
	for _, change := range []agentChange{
		{first, `"exit":0`, `"exit":1`},
		{first, `"protocolVersion":1`, `"protocolVersion":2`},
		{first, `"agentInfo":"{{agentInfo}}",`, ``},
		{first, `"image":false`, `"image":true`},
		{first, `"agentCapabilities":{`, `"agentCapabilities":{"loadSession":true,`},
		{first, `"authMethods":[]`, `"authMethods":[{"id":"key"}]`},
		{first, `"stopReason":"end_turn"`, `"stopReason":"max_tokens"`},
		{first, `"result":{"sessionId":"{{id-1}}"}`, `"result":{"sessionId":"{{id-9}}"}`},
		{first, `"content":{"type":"text","text":"Reading the ledger"}`, `"content":{"type":"text","text":"Reading"}`},
		{first, `agent_message_chunk`, `agent_thought_chunk`},
		{first, `{"jsonrpc":"2.0","id":3`, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"{{id-1}}","update":{"sessionUpdate":"tool_call"}}},{"jsonrpc":"2.0","id":3`},
		{first, `"id":3,"result"`, `"id":"3","result"`},
		{first, `"cwd":"/work"`, `"cwd":"/home"`},
		{first, `"version":0`, `"version":1`},
		{first, `"delegationDepth":0`, `"delegationDepth":1`},
		{first, `{"kind":"max-tokens"}}}`, `{"kind":"completed"}}}`},
		{first, `"reason":{"kind":"completed"}`, `"reason":{"kind":"max-tokens"}`},
		{first, `"surfaceOp":"append"`, `"surfaceOp":{"op":"replace","start":4,"end":4}`},
		{first, `"sourceEventSeqs":[7,8,9,10,11,12,13]`, `"sourceEventSeqs":[7,8,9,10,11,12]`},
		{first, `"sourceEventSeqs":[22,23,24,25,26],`, ``},
		{first, `,"usage":{"inputTokens":64,"outputTokens":9}},"sourceEventSeqs"`, `},"sourceEventSeqs"`},
		{first, `"textSignature":"sigA=="`, `"textSignature":"other"`},
		{first, `"argumentsDelta":"{\"row\":7,\"me"`, `"argumentsDelta":"{}"`},
		{first, `{"type":"step/end","seq":15,"time":0,"data":{"turn":1,"step":1}},`, ``},
		{first, `{"kind":"user"},"role":"user","id":"{{id-4}}"},"surfaceOp"`, `{"kind":"user"},"role":"user","id":"{{id-2}}"},"surfaceOp"`},
		{first, `"logs":[[`, `"logs":[[{"type":"session"}],[`},
		{bad, `"logs":[]`, `"logs":[[{"type":"session","version":0,"id":"{{id-1}}","createdAt":0,"cwd":"/work","delegationDepth":0}]]`},
		{bad, `-32602`, `-32600`},
		{bad, `"message":"Invalid params: empty prompt"`, `"message":""`},
		{bad, `,"message":"Invalid params: empty prompt"`, ``},
		{cancel, `"stopReason":"cancelled"`, `"stopReason":"end_turn"`},
		{cancel, `"interrupted":true`, `"interrupted":false`},
		{cancel, `"reason":{"kind":"user"}`, `"reason":{"kind":"disposed"}`},
		{tool, `"callId":"call_ld_01"`, `"callId":"call_ld_02"`},
		{tool, `" now."`, `" later."`},
		{tool, `"isError":false`, `"isError":true`},
		{"error finish", `"code":"SERVER"`, `"code":"AUTH"`},
		{"error finish", `"error":{"message":"Totals agree — 12,50 €",`, `"error":{"message":"",`},
		{"error finish", `"failure":{"message":"Totals agree — 12,50 €"`, `"failure":{"message":"other"`},
	} {
		assert.NotNil(t, change.judge(t), "%q for %q", change.new, change.old)
	}
}

// Sessions are numbered as the frames name them, in whatever order their files are found.
func TestAgentLogsGoByTheirSession(t *testing.T) {
	const seen = `{"exit":0,"frames":[{"jsonrpc":"2.0","id":1,"result":{"sessionId":"z"}},{"jsonrpc":"2.0","id":2,"result":{"sessionId":"a"}}],"logs":[%]}`
	log := func(id, cwd string) string {
		return `[{"type":"session","version":0,"id":"` + id + `","createdAt":0,"cwd":"` + cwd + `","delegationDepth":0}]`
	}
	with := func(logs ...string) string { return strings.Replace(seen, "%", strings.Join(logs, ","), 1) }
	input, err := ParseValue([]byte(`{"steps":[{"op":"newSession"},{"op":"newSession"}]}`))
	require.NoError(t, err)
	expect, err := ParseValue([]byte(with(log("z", "/1"), log("a", "/2"))))
	require.NoError(t, err)
	c := &testCase{input: input, expect: expect}
	assert.Nil(t, judge(t, c, with(log("a", "/2"), log("z", "/1"))))
	assert.NotNil(t, judge(t, c, with(log("a", "/1"), log("z", "/2"))))
}

// fakeAgent is what this test binary does as an agent, by name.
const fakeAgent = "PINTLE_TEST_FAKE_AGENT"

func init() {
	switch os.Getenv(fakeAgent) {
	case "":
		return
	case "silent": // ends at once
	case "chatty":
		os.Stdout.WriteString("hello\n")
	case "loud":
		os.Stderr.WriteString("no key is set\n")
		os.Exit(3)
	}
	os.Exit(0)
}

// An agent that does not do its part fails its cases, and is told why.
func TestAgentThatFails(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for name, want := range map[string]string{
		"silent": "ended without an answer", "chatty": "not JSON", "loud": "no key is set",
	} {
		t.Setenv(fakeAgent, name)
		sum, err := RunAgent(t.Context(), []string{agentVectors}, []string{self}, nil)
		require.NoError(t, err, name)
		assert.Equal(t, 7, sum.Failed, name)
		for _, f := range sum.Files[0].Failures {
			assert.True(t, strings.Contains(f.Error, want) || strings.Contains(f.Error, "broken pipe"), "%s: %s", name, f.Error)
		}
	}
	t.Setenv(fakeAgent, "silent")
	sum, err := RunAgent(t.Context(), []string{agentVectors}, []string{"/nowhere/agent"}, nil)
	require.NoError(t, err)
	assert.Equal(t, 7, sum.Failed)
	_, err = RunAgent(t.Context(), []string{agentVectors}, nil, nil)
	require.Error(t, err)
	_, err = RunAgent(t.Context(), []string{"../../testdata/vectors/developer-messages"}, []string{self}, nil)
	assert.ErrorIs(t, err, ErrNothingRun, "cases that drive no agent are not run")
}
