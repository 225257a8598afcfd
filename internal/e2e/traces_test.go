//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
)

// trace is one recorded run of a real Pi with the reference extension.
type trace struct {
	Pi, Provider, API string
	AdapterRegistered bool
	CLI               []string
	Hooks             []map[string]any
	SessionEntries    []map[string]any
}

// The same Pi with the same registration, and this extension instead of the reference: the hooks are given
// and answer the same, the same request arrives, and the session holds the same entries.
func TestTraces(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(root, "testdata/vectors/payloads/traces/*.json"))
	require.NoError(t, err)
	require.Len(t, paths, 15)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			var tr trace
			require.NoError(t, json.Unmarshal(data, &tr))
			again(t, &tr)
		})
	}
}

func again(t *testing.T, tr *trace) {
	last := tr.SessionEntries[len(tr.SessionEntries)-1]["message"].(map[string]any)
	reply := last["content"].([]any)[0].(map[string]any)["text"].(string)
	p := newPlace(t, tr.Pi, func(mock.Request) mock.Answer { return mock.Answer{Text: reply} })
	p.sidecar(t, "adapters = false\n")
	env := append(p.checked(t), "E2E_CONTRIBUTION=demo/mode")
	if tr.AdapterRegistered {
		env = append(env, "E2E_ADAPTER="+tr.Provider)
	}
	out := p.run(t, tr.API, env, tr.CLI...)
	assert.Equal(t, reply+"\n", out.Stdout)

	got := p.events(t)
	assert.Equal(t, order(tr.Hooks), order(got))
	recorded := substance(tr.Hooks)
	assert.Equal(t, recorded, substance(got))

	requests := p.server.Requests()
	require.Len(t, requests, 1)
	assert.Equal(t, tr.API, requests[0].API)
	var sent map[string]any
	require.NoError(t, json.Unmarshal([]byte(p.original(string(requests[0].Body))), &sent))
	payload := recorded[len(recorded)-2]["payload"].(map[string]any) // the last is session_shutdown
	assert.Equal(t, wire(tr.API, payload), bound(sent))

	assert.Equal(t, written(tr.SessionEntries), written(p.entries(t)))
}

// written is what binds of a session file.
func written(entries []map[string]any) []any {
	var all []any
	for _, e := range entries {
		all = append(all, bound(e))
	}
	return all
}
