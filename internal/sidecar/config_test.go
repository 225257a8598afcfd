package sidecar

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// saying is a guest with one contribution that says a text and asks for capabilities.
func saying(id, text string, asks ...string) []byte {
	m := wasmtest.Manifest()
	m.ID = id
	m.Contributions = []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: id}}
	for _, name := range asks {
		m.Capabilities = append(m.Capabilities, abi.Capability{Name: name, Reason: "for a test"})
	}
	answer := wasmtest.Text(text)
	return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Answer(16, uint32(len(answer))))
}

// agentDir makes an agent directory with files below pintle.
func agentDir(t *testing.T, files map[string][]byte) string {
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, "pintle", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
	return dir
}

func TestGuestsOfTheAgentDirectoryAndTheSettings(t *testing.T) {
	dir := agentDir(t, map[string][]byte{
		"b.wasm":       saying("b", "from the folder", abi.CapabilityKV),
		"broken.wasm":  []byte("no guest"),
		"more/c.wasm":  saying("c", "by the settings"),
		"sidecar.toml": []byte("guests = [\"pintle/more\", \"pintle/gone.wasm\", {file = \"pintle/b.wasm\", config = {n = 1}}]\nadapters = false\npolicy = \"fail\"\n"),
	})
	c := newTestClient(t, Options{}, nil)
	got := result[initializeResult](t, c.initialize(bare(t, object{"agentDir": dir, "config": nil})))
	var names []string
	for _, g := range got.Guests {
		names = append(names, g.ID)
		assert.True(t, filepath.IsAbs(g.Source))
		assert.Equal(t, []string{g.ID}, g.Contributions)
		assert.Len(t, g.Digest, 64)
	}
	assert.Equal(t, []string{"c", "b"}, names, "the settings say how b is loaded")
	assert.Equal(t, []string{"kv"}, got.Guests[1].Withheld)
	problems := map[string]string{}
	for _, p := range got.Problems {
		problems[filepath.Base(p.Where)] = p.Message
	}
	assert.Len(t, problems, 3)
	assert.Contains(t, problems["gone.wasm"], "no such file")
	assert.Contains(t, problems["b.wasm"], "kv")
	assert.NotEmpty(t, problems["broken.wasm"])

	// Guests and the client's contributions are in one order; one with a guest's id takes its place.
	turn := func(list ...any) turnStartResult {
		return result[turnStartResult](t, c.must("turn/start", object{"request": request("s", nil), "contributions": list}))
	}
	assert.Equal(t, []string{"a: A", "b: from the folder", "bb: B", "c: by the settings"}, said(turn(
		object{"handle": 1, "id": "bb", "content": "B"}, object{"handle": 2, "id": "a", "content": "A"}).Envelope))
	replaced := turn(object{"handle": 1, "id": "b", "content": "client's"}, object{"handle": 2, "id": "b", "content": "too"})
	assert.Equal(t, []string{"b: client's", "b: too", "c: by the settings"}, said(replaced.Envelope))
	outcomes := replaced.Report.Contributions
	assert.Equal(t, "client", outcomes[len(outcomes)-1].By)
	assert.Equal(t, []string{"b: from the folder", "c: by the settings"}, said(turn().Envelope), "it was for that call")
}

// granting gives a capability to whatever asks.
type granting struct{ capabilities []string }

func (g granting) Get(source, id string) (runtime.Grant, bool, error) {
	file, err := runtime.ReadFile(source)
	if err != nil {
		return runtime.Grant{}, false, err
	}
	a, err := runtime.Examine(filepath.Base(source), file)
	if err != nil {
		return runtime.Grant{}, false, err
	}
	return runtime.Grant{Source: source, ID: id, Version: a.Manifest.Version, Digest: a.Digest(), Capabilities: g.capabilities, Manifest: a.Manifest}, true, nil
}

func (granting) Put(runtime.Grant) error { return errors.New("nobody decides here") }

// undecided has no grants.
type undecided struct{ granting }

func (undecided) Get(string, string) (runtime.Grant, bool, error) { return runtime.Grant{}, false, nil }

func TestGrantedGuests(t *testing.T) {
	dir := agentDir(t, map[string][]byte{"a.wasm": saying("a", "A", abi.CapabilityKV, abi.CapabilityClock), "b.wasm": saying("a", "again")})
	c := newTestClient(t, Options{Grants: granting{[]string{abi.CapabilityKV}}}, nil)
	got := result[initializeResult](t, c.initialize(bare(t, object{"agentDir": dir})))
	require.Len(t, got.Guests, 2)
	assert.Equal(t, []string{"clock"}, got.Guests[0].Withheld)
	assert.Empty(t, got.Guests[1].Withheld)
	require.Len(t, got.Problems, 1, "that the clock is withheld was decided")
	assert.Contains(t, got.Problems[0].Message, "a@1.0.0 is loaded twice")
	turn := result[turnStartResult](t, c.must("turn/start", object{"request": request("s", nil)}))
	assert.Equal(t, []string{"a: again"}, said(turn.Envelope))
}

// Nobody has decided about what the guest asks for.
func TestUndecidedGuests(t *testing.T) {
	for name, grants := range map[string]runtime.Grants{"no grants": nil, "none for it": undecided{}} {
		dir := agentDir(t, map[string][]byte{"a.wasm": saying("a", "A", abi.CapabilityKV)})
		c := newTestClient(t, Options{Grants: grants}, nil)
		got := result[initializeResult](t, c.initialize(bare(t, object{"agentDir": dir})))
		require.Len(t, got.Problems, 1, name)
		assert.Contains(t, got.Problems[0].Message, "it asks for kv, which it is not granted")
	}
}

// A capability that this host does not know can neither be granted nor refused.
func TestUnknownCapabilities(t *testing.T) {
	dir := agentDir(t, map[string][]byte{"a.wasm": saying("a", "A", "tides"), "b.wasm": saying("b", "B", "tides", abi.CapabilityKV)})
	c := newTestClient(t, Options{Grants: undecided{}}, nil)
	got := result[initializeResult](t, c.initialize(bare(t, object{"agentDir": dir})))
	require.Len(t, got.Guests, 2)
	assert.Equal(t, []string{"tides"}, got.Guests[0].Withheld)
	assert.Equal(t, []string{"tides", "kv"}, got.Guests[1].Withheld)
	require.Len(t, got.Problems, 1)
	assert.Equal(t, filepath.Join(dir, "pintle", "b.wasm"), got.Problems[0].Where)
	assert.Contains(t, got.Problems[0].Message, "it asks for kv, which")
}

func TestTheHandshakeWinsKeyByKey(t *testing.T) {
	dir := agentDir(t, map[string][]byte{
		"b.wasm":       saying("b", "B"),
		"sidecar.toml": []byte("adapters = false\nauditEntries = [\"context-user\"]\npolicy = \"fail\"\nlookup = \"0.3.9\"\n"),
	})
	c := newTestClient(t, Options{}, nil)
	shaken := c.initialize(bare(t, object{"agentDir": dir, "config": object{"policy": "skip"}, "capabilities": nil}))
	assert.Equal(t, lookup("0.3.9"), result[initializeResult](t, shaken).Lookup, "of the file")
	got := result[turnStartResult](t, c.must("turn/start", object{"request": request("s", nil), "branch": []any{},
		"contributions": []any{object{"handle": 1, "id": "a"}}}))
	assert.Equal(t, []string{"b: B"}, said(got.Envelope), "skip, of the handshake")
	assert.Empty(t, got.Audit, "only context-user, of the file")
}

func TestSettingsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"policy = ":              "line 1",
		"policy = \"some\"":      `policy: want one of ["skip" "fail" "last-good"], got "some"`,
		"polici = \"skip\"":      `used: unknown field "polici"`,
		"guests = [{fil = 1}]":   "a guest is a path or {file, config}",
		"lookup = \"0.4\"":       `lookup: want one of ["0.3.7" "0.3.9"], got "0.4"`,
		"adapters = 7":           "adapters: want an object, got number",
		"auditEntries = \"dev\"": "auditEntries: want an array, got string",
		"guests = 3":             "guests: want an array, got number",
	} {
		dir := agentDir(t, map[string][]byte{"sidecar.toml": []byte(text)})
		c := newTestClient(t, Options{}, nil)
		got := result[initializeResult](t, c.initialize(bare(t, object{"agentDir": dir, "config": object{"adapters": false}})))
		require.Len(t, got.Problems, 1, text)
		assert.Equal(t, filepath.Join(dir, "pintle/sidecar.toml"), got.Problems[0].Where)
		assert.Contains(t, got.Problems[0].Message, want)
	}
	// A file that was asked for has to be there.
	c := newTestClient(t, Options{ConfigFile: filepath.Join(t.TempDir(), "none.toml")}, nil)
	got := result[initializeResult](t, c.initialize(bare(t, nil)))
	require.Len(t, got.Problems, 1)
	assert.Contains(t, got.Problems[0].Message, "no such file")
}

func TestWrongHandshakesAreNamed(t *testing.T) {
	for _, wrong := range []struct {
		params object
		at     string
	}{
		{object{"config": object{"policy": 1}}, "config.policy"},
		{object{"config": object{"adapters": true}}, "config.adapters"},
		{object{"config": object{"policy": "all"}}, `params.config.policy: want one of ["skip" "fail" "last-good"], got "all"`},
		{object{"environment": object{"currentDate": "today"}}, "params.environment.currentDate"},
		{object{"agentDir": 1}, "agentDir"},
	} {
		c := newTestClient(t, Options{}, nil)
		params := bare(t, wrong.params)
		params["protocol"] = []int{1}
		fault := c.refused("initialize", params)
		assert.Equal(t, jsonrpc.CodeInvalidParams, fault.Code)
		assert.Contains(t, fault.Message, wrong.at)
		c.initialize(bare(t, nil)) // it may try again
	}
}

// A date that is told stays in every zone.
func TestToldEnvironment(t *testing.T) {
	for _, zone := range []string{"Pacific/Kiritimati", "Pacific/Pago_Pago", "unknown", ""} {
		c := newTestClient(t, Options{}, nil)
		c.initialize(bare(t, object{"environment": object{"timezone": zone, "currentDate": "2026-03-09", "shell": "", "platform": "win32"}}))
		got := result[turnStartResult](t, c.must("turn/start", object{"request": request("s", object{"cwd": `C:\w`})}))
		text := got.Envelope.DeveloperMessages[0].Content
		assert.Contains(t, text, "<current_date>2026-03-09</current_date>")
		assert.Contains(t, text, "<cwd>C:/w</cwd>\n  <shell>unknown</shell>")
		if zone != "" {
			assert.Contains(t, text, "<timezone>"+zone+"</timezone>")
		}
	}
}

// With policy fail nothing runs behind a failure, wherever it is, and guests have their place between
// callbacks.
func TestGuestsBetweenCallbacks(t *testing.T) {
	var asked [][]int64
	handlers := map[string]jsonrpc.Handler{"render": func(_ context.Context, req *jsonrpc.Request) (any, error) {
		params := result[renderParamsOnWire](t, req.Params)
		asked = append(asked, params.Handles)
		results := []any{}
		for range params.Handles {
			results = append(results, object{"text": "text"})
		}
		return object{"results": results}, nil
	}}
	m := wasmtest.Manifest()
	m.ID, m.Contributions[0].ID = "bad", "bad"
	failing := wasmtest.Guest(wasmtest.Module{}, m, []byte{0x00}) // unreachable
	list := []any{object{"handle": 1, "id": "a"}, object{"handle": 2, "id": "c"}, object{"handle": 3, "id": "d", "content": "D"}, object{"handle": 4, "id": "e"}}
	for _, c := range []struct {
		policy string
		guest  []byte
		want   [][]int64 // in the first turn and in the second one
	}{
		{"fail", saying("b", "B"), [][]int64{{1}, {2, 4}, {1, 2, 4}}}, // what a guest said before is known
		{"fail", failing, [][]int64{{1}, {1}}},
		{"skip", saying("b", "B"), [][]int64{{1, 2, 4}, {1, 2, 4}}},
		{"skip", failing, [][]int64{{1, 2, 4}, {1, 2, 4}}},
	} {
		asked = nil
		client := newTestClient(t, Options{}, handlers)
		client.initialize(bare(t, object{"agentDir": agentDir(t, map[string][]byte{"b.wasm": c.guest}), "config": object{"adapters": false, "policy": c.policy}}))
		for range 2 {
			client.must("turn/start", object{"request": request("s", nil), "contributions": list})
		}
		assert.Equal(t, c.want, asked, c.policy)
	}
}
