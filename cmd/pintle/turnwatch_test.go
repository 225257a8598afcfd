package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// saying is a guest with one contribution, which says a text.
func saying(id, text string, change func(*abi.Manifest)) []byte {
	m := wasmtest.Manifest()
	m.ID, m.Contributions[0].ID = id, id
	if change != nil {
		change(m)
	}
	answer := wasmtest.Text(text)
	return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Answer(16, uint32(len(answer))))
}

func TestWatchedTurn(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	put(t, file("a.wasm"), saying("a", "first text", nil))
	put(t, file("turn.json"), []byte(`{"guests": ["a.wasm"]}`))
	b := runBeside(t, "turn", file("turn.json"), "--watch")
	first := b.await(t, `composed in .*\n`)
	assert.Contains(t, first, "first text")
	assert.Regexp(t, `  a@1.0.0 .*  loaded in `, first)

	// Another build of the guest.
	put(t, file("next"), saying("a", "second text", nil))
	require.NoError(t, os.Rename(file("next"), file("a.wasm")))
	second := b.await(t, `composed in .*\n`)
	assert.Regexp(t, `^\n\d\d:\d\d:\d\d  a@1.0.0\n(.*\n)*    second text\n`, second)
	assert.Regexp(t, `  a@1.0.0 .*  reloaded `, second, "how long that took is not known")

	// A build that wants more stays out, and so does one that is none; the next one that works is taken.
	put(t, file("a.wasm"), saying("a", "greedy text", func(m *abi.Manifest) { m.Contributions[0].Needs = []abi.ContextField{abi.FieldPrompt} }))
	b.awaitError(t, `pintle: warn: a@1.0.0: the build before stays in use \(file=.*a.wasm, error=.*contribution "a" sees prompt.*\)\npintle: hint: .pintle grant FILE. shows`)
	put(t, file("a.wasm"), []byte("not a guest"))
	b.awaitError(t, `the build before stays in use .*not a valid wasm module`)
	put(t, file("a.wasm"), saying("a", "third text", nil))
	assert.Contains(t, b.await(t, `composed in .*\n`), "third text")

	// The turn file: another prompt, mistakes, other guests.
	put(t, file("turn.json"), []byte(`{"guests": ["a.wasm"], "provider": "acme"}`))
	assert.Regexp(t, `^\n\d\d:\d\d:\d\d  turn.json\n.*provider acme`, b.await(t, `composed in .*\n`))
	put(t, file("turn.json"), []byte(`{"guest": []}`))
	b.awaitError(t, `pintle: error: .*turn.json`)
	put(t, file("turn.json"), []byte(`{"guests": ["a.wasm", "b.wasm"]}`))
	b.awaitError(t, `pintle: error: guests: .*b.wasm: no such file`)
	put(t, file("b.wasm"), saying("b", "text of b", nil))
	block := b.await(t, `composed in .*\n`)
	assert.Contains(t, block, "third text")
	assert.Contains(t, block, "text of b")
	b.end(t)
	assert.NotContains(t, b.stderr.String(), "interrupted")
}

func TestWatchedTurnOfAFolder(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	put(t, file("all/a.wasm"), saying("a", "text of a", nil))
	put(t, file("payload.json"), []byte(`{"instructions": "x", "input": []}`))
	put(t, file("turn.json"), []byte(`{"guests": ["all"], "adapters": false, "payload": "payload.json"}`))
	b := runBeside(t, "turn", file("turn.json"), "--watch", "--json")
	next := func() (r turnReport) {
		require.NoError(t, json.Unmarshal([]byte(b.await(t, `\n`)), &r))
		return r
	}
	assert.Len(t, next().Guests, 1)
	put(t, file("all/b.wasm"), []byte("broken"))
	assert.Len(t, next().Guests, 1)
	b.awaitError(t, `pintle: warn: left out of the turn: guest b.wasm`)
	put(t, file("all/b.wasm"), saying("b", "text of b", nil))
	assert.Len(t, next().Guests, 2)
	require.NoError(t, os.Remove(file("all/a.wasm")))
	r := next()
	require.Len(t, r.Guests, 1)
	assert.Equal(t, "b@1.0.0", r.Guests[0].Name)
	put(t, file("payload.json"), []byte(`{"input": [1]}`))
	assert.JSONEq(t, `{"input": [1]}`, string(next().Payload.After))
	b.end(t)
}

func TestTurnsThatCannotBeWatched(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "turn.json"), []byte(`{"provider": "p", "model": "m", "prompt": "x", "responses": ["r.ndjson"]}`))
	put(t, filepath.Join(dir, "none.json"), []byte(`{"guests": ["nowhere.wasm"]}`))
	for file, want := range map[string]string{
		"-":                             "standard input cannot be watched",
		filepath.Join(dir, "turn.json"): "--watch composes the turn again and again, and takes no response",
		filepath.Join(dir, "none.json"): "nowhere.wasm: no such file",
		filepath.Join(dir, "x", "y"):    "no such file",
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, exitUsage, run(t.Context(), []string{"turn", file, "--watch", "--cache-dir", "off"}, strings.NewReader(""), &stdout, &stderr), file)
		assert.Contains(t, stderr.String(), want)
		assert.Empty(t, stdout.String())
	}
}
