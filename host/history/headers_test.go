package history

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/host/profile"
)

func TestSessionHeader(t *testing.T) {
	type headers = map[string]string
	for _, tc := range []struct {
		in            headers
		session       string
		tools, readme bool
		want          headers
	}{
		{nil, "s", true, false, headers{"x-opencode-session-id": "s"}},
		{nil, "s", false, false, nil},
		{nil, "s", false, true, headers{"x-opencode-session": "s"}},
		{nil, "", true, false, nil},
		{headers{}, "", true, true, nil},
		{headers{"a": "b"}, "", true, false, headers{"a": "b"}},
		{headers{"a": "b"}, "s", true, false, headers{"a": "b", "x-opencode-session-id": "s"}},
		{headers{"X-OPENCODE-SESSION-ID": ""}, "s", true, false, headers{"X-OPENCODE-SESSION-ID": ""}},
		{headers{"X-OpenCode-Session": "o"}, "s", true, false, headers{"X-OpenCode-Session": "o"}},
		{headers{"x-session-Affinity": "o"}, "s", true, false, headers{"x-session-Affinity": "o"}},
		{headers{"x-session-ID": "o"}, "s", true, false, headers{"x-session-ID": "o"}},
		{headers{"x-opencode-session-id": "o"}, "s", false, true, headers{"x-opencode-session-id": "o", "x-opencode-session": "s"}},
		{headers{"X-Opencode-Session": "o"}, "s", true, true, headers{"X-Opencode-Session": "o"}},
		{headers{"x-session-affinity": "o"}, "s", true, true, headers{"x-session-affinity": "o"}},
		{headers{"X-SESSION-ID": "o"}, "s", true, true, headers{"X-SESSION-ID": "o"}},
		{headers{"x-\u017fession-id": "o"}, "s", true, false, headers{"x-\u017fession-id": "o", "x-opencode-session-id": "s"}},
	} {
		c := &Config{Readme: tc.readme}
		var tools []profile.Declaration
		if tc.tools {
			tools = []profile.Declaration{{Name: "ls"}}
		}
		assert.Equal(t, tc.want, c.SessionHeader(Call{Headers: tc.in, SessionID: tc.session}, tools), "%v", tc)
	}
	in := headers{"a": "b"}
	(&Config{Readme: true}).SessionHeader(Call{Headers: in, SessionID: "s"}, nil)
	assert.Len(t, in, 1, "the host's headers are not changed")
}

func TestRewrites(t *testing.T) {
	var r Rewrites
	usable := &CallOptions{Tools: []profile.Declaration{{Name: "ls"}}}
	none := &CallOptions{Tools: usable.Tools, ToolChoice: json.RawMessage(`{"type":"none"}`)}
	named := &CallOptions{Tools: usable.Tools, ToolChoice: json.RawMessage(`{"type":"tool","toolName":"none"}`)}
	assert.False(t, r.Take("a", usable))
	r.Mark("a")
	assert.False(t, r.Take("b", usable))
	assert.False(t, r.Take("a", &CallOptions{}))
	assert.False(t, r.Take("a", none))
	assert.True(t, r.Take("a", named))
	assert.False(t, r.Take("a", usable), "taken once")

	for i := range maxRewrites {
		r.Mark(fmt.Sprint(i))
	}
	r.Mark("0") // compacted again: the youngest now
	r.Mark("new")
	assert.False(t, r.Take("1", usable))
	assert.True(t, r.Take("0", usable))
	assert.True(t, r.Take("2", usable))
	assert.True(t, r.Take("new", usable))
	assert.Equal(t, maxRewrites-3, r.sessions.order.Len())
	assert.Len(t, r.sessions.at, maxRewrites-3)
}
