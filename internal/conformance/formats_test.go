package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Parts of the vector formats that the present files do not use.
func TestFormats(t *testing.T) {
	for name, c := range map[string]struct{ operation, input, expect string }{
		"defaults of a context": {"registry-render",
			`{"contributions":[{"id":"a","content":{"fn":"keys"}},{"id":"b","content":{"fn":"template","text":"{cwd}|{sessionId}|{tools}"}}]}`,
			`{"messages":[{"id":"a","content":"activeTools,sessionId,systemPromptOptions"},{"id":"b","content":"/work/app|s1|"}]}`},
		"else and missing branches": {"registry-render",
			`{"contributions":[{"id":"a","content":{"fn":"if-prompt","equals":"x","then":"1","else":"2"}},{"id":"b","content":{"fn":"if-tool","tool":"t","then":"1"}},
			  {"id":"c","activeTools":null,"providers":null,"content":{"fn":"if-tool","tool":"t","then":"1","else":"{prompt}"}}],"context":{"prompt":null}}`,
			`{"messages":[{"id":"a","content":"2"},{"id":"c","content":"{prompt}"}]}`},
		"zero is no text": {"registry-render", `{"contributions":[{"id":"a","content":{"fn":"number","value":0}}]}`, `{"error":"whatever","errorKind":"content-not-text"}`},
		"disabled adapters are still found": {"adapter-selection-v039",
			`{"adapters":[{"provider":"p"},{"provider":"p","enabled":false,"api":""}],"query":{"provider":"p","api":null,"model":null}}`, `{"match":1,"keys":[]}`},
		"api list that is empty": {"adapter-selection-v039", `{"adapters":[{"provider":"p","api":[]}],"query":{"provider":"p","api":"a"}}`, `{"match":null}`},
		"width": {"audit-render",
			`{"customType":"pi-developer-messages/developer","width":20,"data":{"role":"user","id":"a\n\u0007bcdefghij","content":"c"}}`,
			`{"rendered":{"rows":[{"heading":"[user] user · a ` + "\uFFFD" + `bc…","mode":"preview","maxHeight":20,"fullMarkdown":"c","verb":"user"}]},"types":["pi-developer-messages/group","pi-developer-messages/context-user","pi-developer-messages/developer"]}`},
		"data missing": {"audit-render", `{"customType":"pi-developer-messages/group"}`, `{"rendered":{"invalid":"Invalid prompt audit entry"}}`},
		"unset without a file": {"settings", `{"toml":null,"unset":true}`,
			`{"auditEntries":["developer","context-user"],"auditEntriesAfter":["developer","context-user"],"fileAfter":"# Shared Pi and extension settings.\n"}`},
		"no host, no file": {"settings", `{"toml":null,"host":false}`, `{"auditEntries":["developer","context-user"],"fileAfter":null}`},
		"time without seconds": {"environment", `{"cwd":"/w","setup":{"tz":"Asia/Tokyo","now":"2026-02-28T15:00Z"}}`,
			`{"id":"environment","count":1,"content":"<environment_context>\n  <cwd>/w</cwd>\n  <shell>zsh</shell>\n  <current_date>2026-03-01</current_date>\n  <timezone>Asia/Tokyo</timezone>\n</environment_context>"}`},
		"date only": {"environment", `{"cwd":"/w","setup":{"tz":"America/Los_Angeles","now":"2026-03-01"}}`,
			`{"id":"environment","count":1,"content":"<environment_context>\n  <cwd>/w</cwd>\n  <shell>zsh</shell>\n  <current_date>2026-02-28</current_date>\n  <timezone>America/Los_Angeles</timezone>\n</environment_context>"}`},
		"zone that is not known": {"environment", `{"cwd":"/w","setup":{"tz":null,"now":"2026-01-01T23:59:00Z","SHELL":"/bin/sh"}}`,
			`{"id":"environment","count":1,"content":"<environment_context>\n  <cwd>/w</cwd>\n  <shell>sh</shell>\n  <current_date>2026-01-01</current_date>\n  <timezone>unknown</timezone>\n</environment_context>"}`},
		"half surrogates": {"payload-hook", `{"steps":[
			{"do":"adapter","adapter":{"provider":"p","read":{"field":"f"},"write":{"field":"f"}}},
			{"do":"turn","provider":"p","systemPrompt":"B\ud83d","options":{"customPrompt":"O\ude00"}},
			{"do":"request","provider":"p","payload":{"f":"B\ufffd"}},
			{"do":"request","provider":"p","payload":{"f":"B\ud83d","g":"\ud83d"}}]}`,
			`{"steps":[{"ok":true},{"systemPrompt":"O\ude00","audit":[{"customType":"pi-developer-messages/group","data":{"entries":[{"role":"developer","id":"environment","content":` + env + `}]}}],"notifications":[]},
			{"unchanged":true},{"payload":{"f":"O\ude00","g":"\ud83d"}}]}`},
		"adapters of the newer line": {"payload-hook", `{"ver":"39","steps":[
			{"do":"adapter","handle":"old","adapter":{"provider":"p","api":["x","y"],"read":{"const":"PI BASE"},"write":{"field":"old"}}},
			{"do":"adapter","handle":"new","adapter":{"provider":"p","model":"m1","read":{"const":null},"write":{"field":"new"},"developer":{"throw":"no place"}}},
			{"do":"capture","request":{"provider":"p","api":"x","piSystemPrompt":"PI BASE"}},
			{"do":"request","provider":"p","api":"x","payload":{}},
			{"do":"request","provider":"p","api":"x","model":"m1","payload":{}},
			{"do":"unregister","handle":"new"},
			{"do":"request","provider":"p","api":"x","model":"m1","payload":5}]}`,
			`{"steps":[{"ok":true},{"ok":true},{"envelope":{"systemPrompt":"PI BASE","developerMessages":[{"id":"environment","content":` + env + `}],"contextualUserMessages":[]},"audit":[]},
			{"payload":{"old":"PI BASE"}},{"error":"no place","errorKind":"adapter-failed"},null,{"payload":{"old":"PI BASE"}}]}`},
		"loading later": {"envelope-service", `{"loadLater":true,"steps":[{"do":"service"},{"do":"register","contribution":{"id":"a","content":"A"}},{"do":"render"},
			{"do":"turn","provider":"p"},{"do":"load"},{"do":"service"},{"do":"current"}]}`,
			`{"steps":[{"available":false},{"ok":true},{"messages":[{"id":"a","content":"A"}]},null,null,{"available":true},{"envelope":null}]}`},
		"published settings meet a new extension, not a new process": {"audit", `{"steps":[{"do":"settings","values":{"auditEntries":[]}},{"do":"load"},{"do":"turn","provider":"p","cwd":"/w"},
			{"do":"settings","values":{"auditEntries":["x",1]}},{"do":"shutdown","reason":"reload"},{"do":"settings","values":{"auditEntries":[]}},{"do":"resume"},
			{"do":"turn","provider":"p","systemPrompt":null}]}`,
			`{"steps":[null,null,{"systemPrompt":"PI BASE","audit":[],"notifications":[]},null,{"serviceAvailable":false},null,null,
			{"systemPrompt":"","audit":[{"customType":"pi-developer-messages/group","data":{"entries":[{"role":"developer","id":"environment","content":` + env + `}]}}],"notifications":[]}]}`},
		"overrides of the newer line": {"envelope-service", `{"ver":"3\u0039","steps":[{"do":"register","contribution":{"id":"a","content":{"fn":"keys"}}},
			{"do":"capture","request":{"provider":"p","activeTools":["exec_command"],"sessionId":"s9"}},{"do":"current","session":"s9","overrides":{"api":"x","cwd":"/v","activeTools":[]}}]}`,
			`{"steps":[{"ok":true},{"envelope":{"systemPrompt":"","developerMessages":[{"id":"a","content":"activeTools,cwd,provider,sessionId,systemPromptOptions"},{"id":"environment","content":` + env + `}],"contextualUserMessages":[]},"audit":[]},
			{"envelope":{"systemPrompt":"","developerMessages":[{"id":"a","content":"activeTools,api,cwd,provider,sessionId,systemPromptOptions"},{"id":"environment","content":"<environment_context>\n  <cwd>/v</cwd>\n  <shell>zsh</shell>\n  <current_date>2026-03-09</current_date>\n  <timezone>Europe/Lisbon</timezone>\n</environment_context>"}],"contextualUserMessages":[]},"audit":[]}]}`},
		"preparations keep what is not a list of theirs": {"context-injection", `{"steps":[{"do":"compact","preparation":{"x":1,"messagesToSummarize":[{"role":"custom","customType":"pi-developer-messages/group"}]}}]}`,
			`{"steps":[{"preparation":{"x":1,"messagesToSummarize":[]},"hookResult":null}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			input, err := ParseValue([]byte(c.input))
			require.NoError(t, err)
			expect, err := ParseValue([]byte(c.expect))
			require.NoError(t, err)
			failure := runCase(context.Background(), developerMessages()[c.operation], &testCase{input: input, expect: expect})
			assert.Nil(t, failure)
		})
	}
}

const env = `"<environment_context>\n  <cwd>/work/app</cwd>\n  <shell>zsh</shell>\n  <current_date>2026-03-09</current_date>\n  <timezone>Europe/Lisbon</timezone>\n</environment_context>"`

func TestUnknownStepsAndCallbacksFail(t *testing.T) {
	for _, input := range []string{
		`{"steps":[{"do":"preset"}]}`, `{"steps":[{"do":"branch","to":"e7"}]}`,
		`{"steps":[{"do":"register","contribution":{"id":"a","content":{"fn":"sing"}}}]}`,
		`{"steps":[{"do":"adapter","adapter":"codex"}]}`, `{"setup":{"now":"today"},"steps":[]}`,
	} {
		v, err := ParseValue([]byte(input))
		require.NoError(t, err)
		expect, err := ParseValue([]byte(`{"steps":[null]}`))
		require.NoError(t, err)
		failure := runCase(context.Background(), developerMessages()["audit"], &testCase{input: v, expect: expect})
		require.NotNil(t, failure, input)
		assert.NotEmpty(t, failure.Error)
	}
}
