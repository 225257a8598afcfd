package profile_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

func TestPlainIsWhatToHostLeavesAlone(t *testing.T) {
	for _, host := range profile.Names() {
		p, err := profile.Named(host)
		require.NoError(t, err)
		tools := p.Bind([]profile.Tool{
			{Name: "read"}, {Name: "task"}, {Name: "subagent"}, {Name: "ask"}, {Name: "hub"}, {Name: "find"}, {Name: "ls"},
			{Name: "todo"},
		}, profile.Options{})
		for name, want := range map[string]map[string]string{
			"ls":   {"pi": "ls", "omp": "ls"},
			"nope": {"pi": "nope", "omp": "nope"},
			"read": {}, "task": {}, "glob": {"omp": "glob"},
			"question":  {"pi": "question"},
			"todowrite": {"pi": "todowrite"}, "hub": {"pi": "hub"},
			"pi_host_task": {"pi": "task", "omp": "pi_host_task"},
		} {
			to, ok := tools.Plain(name)
			assert.Equal(t, want[host] != "", ok, "%s %s", host, name)
			if !ok {
				continue
			}
			assert.Equal(t, want[host], to, "%s %s", host, name)
			args := json.RawMessage(`{"filePath":"a","path":"b","action":"c"}`)
			assert.Equal(t, profile.Calls{Calls: []profile.Call{{Name: to, Arguments: args}}},
				tools.ToHost(profile.Call{Name: name, Arguments: args}, nil), "%s %s", host, name)
		}
	}
}
