package runtime_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A build is a guest "test" that says its version and asks for capabilities.
func build(version string, asks ...string) []byte {
	m := wasmtest.Manifest()
	m.Version = version
	for _, name := range asks {
		m.Capabilities = append(m.Capabilities, abi.Capability{Name: name, Reason: "wants " + name})
	}
	answer := wasmtest.Text(version)
	return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Answer(16, uint32(len(answer))))
}

// A decider answers requests for grants and keeps them.
type decider struct {
	requests []runtime.GrantRequest
	answer   runtime.GrantDecision
	err      error
}

func (d *decider) decide(_ context.Context, q runtime.GrantRequest) (runtime.GrantDecision, error) {
	d.requests = append(d.requests, q)
	return d.answer, d.err
}

// asked returns the only request since the last look.
func (d *decider) asked(t *testing.T) runtime.GrantRequest {
	t.Helper()
	require.Len(t, d.requests, 1)
	q := d.requests[0]
	d.requests = nil
	return q
}

func (d *decider) notAsked(t *testing.T) {
	t.Helper()
	assert.Empty(t, d.requests)
}

// from loads a build from a source, and closes it.
func from(t *testing.T, r *runtime.Runtime, source string, file []byte) (granted []string, err error) {
	t.Helper()
	g, err := r.Load(t.Context(), "test.wasm", file, runtime.GuestOptions{Source: source})
	if err != nil {
		return nil, err
	}
	assert.Equal(t, source, g.Source())
	require.NoError(t, g.Close(t.Context()))
	return g.Granted(), nil
}

func requireDenied(t *testing.T, err error, reason string) {
	t.Helper()
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindDenied, e.Kind)
	assert.Equal(t, runtime.OriginHost, e.Origin())
	assert.Contains(t, e.Reason, reason)
}

// Nobody decides: guests load, and have nothing.
func TestNothingIsGrantedByDefault(t *testing.T) {
	r := newRuntime(t, runtime.Options{})
	g, err := r.Load(t.Context(), "test.wasm", build("1", "random", "log", "kv", "telepathy", "clock", "config"), runtime.GuestOptions{Source: "/a"})
	require.NoError(t, err)
	assert.Empty(t, g.Granted())
	var withheld []string
	for _, c := range g.Withheld() {
		withheld = append(withheld, c.Name)
		assert.Equal(t, "wants "+c.Name, c.Reason)
	}
	assert.Equal(t, []string{"random", "kv", "telepathy", "clock"}, withheld, "what every guest has is not withheld")
}

func TestDecide(t *testing.T) {
	d := &decider{answer: runtime.GrantDecision{Accept: true, Capabilities: []string{"kv", "clock", "config"}}}
	r := newRuntime(t, runtime.Options{Decide: d.decide})
	first := build("1", "random", "kv", "log")
	artifact, err := runtime.Examine("x", first)
	require.NoError(t, err)

	granted, err := from(t, r, "/a", first)
	require.NoError(t, err)
	assert.Equal(t, []string{"kv"}, granted, "what was not asked for is not granted")
	q := d.asked(t)
	assert.Equal(t, []abi.Capability{{Name: "random", Reason: "wants random"}, {Name: "kv", Reason: "wants kv"}}, q.Asks)
	assert.Equal(t, artifact.Manifest, q.Manifest)
	q.Asks, q.Manifest = nil, nil
	assert.Equal(t, runtime.GrantRequest{Source: "/a", ID: "test", Version: "1", Digest: artifact.Digest()}, q)

	// The same file, and another build that asks for no more, are not asked about.
	for _, file := range [][]byte{first, build("2", "random", "kv"), build("3", "kv"), build("4", "kv", "random", "log")} {
		granted, err = from(t, r, "/a", file)
		require.NoError(t, err)
		assert.Equal(t, []string{"kv"}, granted)
		d.notAsked(t)
	}

	// One that wants more is, with what it had.
	wider := build("5", "kv", "clock")
	d.answer = runtime.GrantDecision{Accept: true, Capabilities: []string{"clock", "kv"}}
	granted, err = from(t, r, "/a", wider)
	require.NoError(t, err)
	assert.Equal(t, []string{"clock", "kv"}, granted)
	q = d.asked(t)
	assert.Equal(t, []string{`capability "clock"`}, q.Widened)
	assert.Equal(t, []string{"kv"}, q.Previous.Capabilities)
	assert.Equal(t, "1", q.Previous.Version, "that of the build which was decided about")
	granted, err = from(t, r, "/a", wider)
	require.NoError(t, err)
	assert.Equal(t, []string{"clock", "kv"}, granted)
	d.notAsked(t)
}

func TestAWiderBuildIsRefused(t *testing.T) {
	d := &decider{answer: runtime.GrantDecision{Accept: true, Capabilities: []string{"kv"}}}
	r := newRuntime(t, runtime.Options{Decide: d.decide})
	_, err := from(t, r, "/a", build("1", "kv"))
	require.NoError(t, err)
	wider := build("2", "kv", "random", "clock")

	d.answer = runtime.GrantDecision{Capabilities: []string{"kv", "random", "clock"}} // but not accepted
	_, err = from(t, r, "/a", wider)
	requireDenied(t, err, `it wants more than version 1 had: capability "random"; capability "clock"`)
	assert.ErrorContains(t, err, "guest test@2: denied: ")

	d.answer, d.err = runtime.GrantDecision{Accept: true}, errors.New("nobody there")
	_, err = from(t, r, "/a", wider)
	requireDenied(t, err, `capability "random"`)
	require.ErrorIs(t, err, d.err)

	granted, err := from(t, r, "/a", build("1", "kv"))
	require.NoError(t, err)
	assert.Equal(t, []string{"kv"}, granted, "the grant is as it was")
}

// A decision that fails grants nothing, and the next load asks again.
func TestADecisionThatFails(t *testing.T) {
	var log strings.Builder
	d := &decider{answer: runtime.GrantDecision{Accept: true, Capabilities: []string{"kv"}}, err: errors.New("nobody there")}
	r := newRuntime(t, runtime.Options{Decide: d.decide, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for range 2 {
		granted, err := from(t, r, "/a", build("1", "kv"))
		require.NoError(t, err)
		assert.Empty(t, granted)
		d.asked(t)
	}
	assert.Contains(t, log.String(), "nobody there")
	d.err, d.answer.Accept = nil, false
	granted, err := from(t, r, "/a", build("1", "kv"))
	require.NoError(t, err)
	assert.Empty(t, granted)
	assert.Nil(t, d.asked(t).Previous)
}

// Ids are claims: the same id from elsewhere is another guest.
func TestAnImpostorIsAskedAbout(t *testing.T) {
	d := &decider{answer: runtime.GrantDecision{Accept: true, Capabilities: []string{"kv"}}}
	r := newRuntime(t, runtime.Options{Decide: d.decide})
	_, err := from(t, r, "/a", build("1", "kv"))
	require.NoError(t, err)
	d.asked(t)
	d.answer = runtime.GrantDecision{}
	granted, err := from(t, r, "/b", build("1", "kv"))
	require.NoError(t, err)
	assert.Empty(t, granted, "the very same file, from elsewhere")
	q := d.asked(t)
	assert.Nil(t, q.Previous)
	assert.Empty(t, q.Widened)
}

// Without a source a file is its own: the same file is known again, another build is not.
func TestWithoutASource(t *testing.T) {
	d := &decider{answer: runtime.GrantDecision{Accept: true, Capabilities: []string{"kv"}}}
	r := newRuntime(t, runtime.Options{Decide: d.decide})
	file := build("1", "kv")
	g := load(t, r, file)
	q := d.asked(t)
	assert.Equal(t, "sha256:"+q.Digest, q.Source)
	assert.Equal(t, q.Source, g.Source())
	assert.Equal(t, []string{"kv"}, load(t, r, file).Granted())
	d.notAsked(t)
	load(t, r, build("2", "kv"))
	assert.Nil(t, d.asked(t).Previous)
}

// What the options grant needs no decision, and is not remembered as one.
func TestGrantsOfTheOptions(t *testing.T) {
	d := &decider{}
	r := newRuntime(t, runtime.Options{Decide: d.decide})
	opts := runtime.GuestOptions{Source: "/a", Grants: []string{"kv", "clock"}}
	g, err := r.Load(t.Context(), "test.wasm", build("1", "kv", "random"), opts)
	require.NoError(t, err)
	assert.Equal(t, []string{"kv"}, g.Granted())
	assert.Equal(t, []abi.Capability{{Name: "random", Reason: "wants random"}}, d.asked(t).Asks)
	// A build that takes its place may want what is given, and no more.
	_, err = r.Load(t.Context(), "test.wasm", build("2", "kv", "random", "clock"), opts)
	require.NoError(t, err)
	d.notAsked(t)
	require.NoError(t, g.Close(t.Context()))

	opts.Grants = []string{"kv", "everything"}
	_, err = r.Load(t.Context(), "test.wasm", build("3", "kv"), opts)
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindRefused, e.Kind)
	assert.Contains(t, e.Reason, `"everything" cannot be granted; known: clock, kv, random`)
}

// Though nobody ever decided: the build that takes another one's place does not want more than it.
func TestAReloadDoesNotWidenUnnoticed(t *testing.T) {
	r := newRuntime(t, runtime.Options{})
	opts := runtime.GuestOptions{Source: "/a"}
	old, err := r.Load(t.Context(), "test.wasm", build("1"), opts)
	require.NoError(t, err)
	_, err = r.Load(t.Context(), "test.wasm", build("2", "kv"), opts)
	requireDenied(t, err, `it wants more than version 1 had: capability "kv"`)
	text, err := render(t.Context(), old)
	require.NoError(t, err)
	assert.Equal(t, "1", text, "the old one is as it was")
	same, err := r.Load(t.Context(), "test.wasm", build("3"), opts)
	require.NoError(t, err)
	require.NoError(t, old.Close(t.Context()))
	_, err = r.Load(t.Context(), "test.wasm", build("2", "kv"), opts)
	requireDenied(t, err, `capability "kv"`)
	_, err = r.Load(t.Context(), "test.wasm", build("2", "kv"), runtime.GuestOptions{Source: "/b"})
	require.NoError(t, err, "another guest")
	require.NoError(t, same.Close(t.Context()))
	_, err = r.Load(t.Context(), "test.wasm", build("2", "kv"), opts)
	require.NoError(t, err, "a first build, without anything")
}

// brokenGrants cannot be read or written.
type brokenGrants struct{ get, put error }

func (b *brokenGrants) Get(string, string) (runtime.Grant, bool, error) {
	return runtime.Grant{}, false, b.get
}

func (b *brokenGrants) Put(runtime.Grant) error { return b.put }

func TestGrantsThatCannotBeRead(t *testing.T) {
	b := &brokenGrants{get: errors.New("no disk")}
	d := &decider{answer: runtime.GrantDecision{Accept: true, Capabilities: []string{"kv"}}}
	r := newRuntime(t, runtime.Options{Grants: b, Decide: d.decide})
	_, err := from(t, r, "/a", build("1", "kv"))
	requireDenied(t, err, "what it was granted before cannot be read: no disk")
	require.ErrorIs(t, err, b.get)
	d.notAsked(t)
}

func TestGrantsThatCannotBeWritten(t *testing.T) {
	var log strings.Builder
	b := &brokenGrants{put: errors.New("disk full")}
	d := &decider{answer: runtime.GrantDecision{Accept: true, Capabilities: []string{"kv"}}}
	r := newRuntime(t, runtime.Options{Grants: b, Decide: d.decide, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	granted, err := from(t, r, "/a", build("1", "kv"))
	require.NoError(t, err)
	assert.Equal(t, []string{"kv"}, granted, "the decision holds for this guest")
	assert.Contains(t, log.String(), "disk full")
	d.asked(t)
	_, err = from(t, r, "/a", build("1", "kv"))
	require.NoError(t, err)
	d.asked(t)
}

// emptyGrants have a grant that somebody else wrote badly.
type emptyGrants struct{ brokenGrants }

func (*emptyGrants) Get(source, id string) (runtime.Grant, bool, error) {
	return runtime.Grant{Source: source, ID: id, Capabilities: []string{"kv", "random"}}, true, nil
}

func TestAGrantWithoutAManifest(t *testing.T) {
	r := newRuntime(t, runtime.Options{Grants: &emptyGrants{}})
	_, err := from(t, r, "/a", build("1", "kv"))
	requireDenied(t, err, "has no manifest")
}

// A list of what widened can be long, an error not.
func TestARefusalIsShort(t *testing.T) {
	r := newRuntime(t, runtime.Options{})
	_, err := r.Load(t.Context(), "test.wasm", build("1"), runtime.GuestOptions{Source: "/a"})
	require.NoError(t, err)
	m := wasmtest.Manifest()
	keys := make([]string, 900)
	for i := range keys {
		keys[i] = strings.Repeat("k", 1+i%30) + string(rune('0'+i/30))
	}
	m.Capabilities = []abi.Capability{{Name: "config", Reason: "r", Keys: keys}}
	_, err = r.Load(t.Context(), "test.wasm", wasmtest.Guest(wasmtest.Module{}, m, wasmtest.I64Const(0)), runtime.GuestOptions{Source: "/a"})
	requireDenied(t, err, "; and 880 more")
	assert.Less(t, len(err.Error()), 2000)
}
