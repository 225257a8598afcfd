package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/registry"
)

// vectorDir makes a folder with these files, by their paths in it.
func vectorDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir
}

const good = `[{"name":"plain","input":{"id":"a","content":"x"},"expect":{"text":"<pi_developer_prompt_message id=\"a\">\nx\n</pi_developer_prompt_message>"},"why":"w"}]`

func TestPaths(t *testing.T) {
	dir := vectorDir(t, map[string]string{
		"developer-messages/serialize.json": good,
		"developer-messages/README.md":      "text",
		"payloads/table.json":               "[]",
		"loose/serialize.json":              good,
	})
	for _, c := range []struct {
		paths  []string
		passed int
		files  int
	}{
		{[]string{dir}, 1, 3},
		{[]string{filepath.Join(dir, "developer-messages")}, 1, 1},
		{[]string{filepath.Join(dir, "developer-messages") + "/"}, 1, 1},
		{[]string{filepath.Join(dir, "developer-messages/serialize.json")}, 1, 1},
		{[]string{filepath.Join(dir, "loose")}, 1, 1},
		{[]string{filepath.Join(dir, "loose/serialize.json"), dir}, 2, 4},
	} {
		sum, err := Run(context.Background(), c.paths, nil, nil)
		require.NoError(t, err, c.paths)
		assert.Equal(t, c.passed, sum.Passed, c.paths)
		assert.Len(t, sum.Files, c.files, c.paths)
		assert.Zero(t, sum.Failed)
	}
}

func TestFaultsAreErrors(t *testing.T) {
	const dm = "developer-messages/serialize.json"
	for _, c := range []struct {
		want  string
		files map[string]string
	}{
		{`unknown operation "seralize"`, map[string]string{"developer-messages/seralize.json": good, dm: good}},
		{"no conformance case was run", map[string]string{dm: "[]"}},
		{"no conformance case was run", map[string]string{"developer-messages/js-slots.json": good}},
		{"not a list of cases", map[string]string{dm: "{}"}},
		{"not a JSON document", map[string]string{dm: "[,]"}},
		{`case "x": its mode "fast" is not known`, map[string]string{dm: `[{"name":"x","mode":"fast","input":{},"expect":{}}]`}},
		{`case "x": it has no input`, map[string]string{dm: `[{"name":"x","expect":{}}]`}},
		{`case "x": it has no expect`, map[string]string{dm: `[{"name":"x","input":{}}]`}},
		{`case "#0"`, map[string]string{dm: `[{"input":{}}]`}},
		{"no vector file", map[string]string{"developer-messages/README.md": "x"}},
	} {
		_, err := Run(context.Background(), []string{vectorDir(t, c.files)}, nil, nil)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := Run(context.Background(), []string{filepath.Join(t.TempDir(), "nowhere")}, nil, nil)
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = Run(context.Background(), nil, nil, nil)
	assert.ErrorIs(t, err, ErrNothingRun)
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := errors.New("stopped")
	cancel(stopped)
	_, err = Run(ctx, []string{vectors}, nil, nil)
	assert.ErrorIs(t, err, stopped)
}

func TestReportForPeopleAndAsData(t *testing.T) {
	dir := vectorDir(t, map[string]string{"developer-messages/serialize.json": `[
		{"name":"bad\u001b[31m","why":"because","input":{"id":"a","content":"x"},"expect":{"text":"y","more":1}},
		{"name":"ok","input":{"id":"a","content":"x"},"expect":{"text":"<pi_developer_prompt_message id=\"a\">\nx\n</pi_developer_prompt_message>"}}]`})
	var text strings.Builder
	sum, err := Run(context.Background(), []string{dir}, nil, func(r FileResult) { require.NoError(t, r.WriteText(&text)) })
	require.NoError(t, err)
	assert.Equal(t, "1 passed, 1 failed", sum.String())
	out := text.String()
	assert.Contains(t, out, "FAIL bad\uFFFD[31m\n  why: because\n  at text\n    expected \"y\"\n    got      \"<pi_dev")
	assert.Contains(t, out, "  at more\n    expected 1\n    got      nothing\n")
	assert.True(t, strings.HasSuffix(out, "serialize.json: 1 passed, 1 failed\n"))
	raw, err := json.Marshal(sum)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"differences":[{"at":"text"`)
}

// A file can have thousands of cases: who stops the run does not wait for the rest of them.
func TestStopInTheMiddleOfAFile(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped, asked := errors.New("stopped"), 0
	source := func(string, string, string) (registry.Adapter, error) {
		asked++
		cancel(stopped)
		return registry.Adapter{}, errors.New("no adapter")
	}
	const one = `{"name":"x","input":{"payload":{}},"expect":{}}`
	dir := vectorDir(t, map[string]string{"developer-messages/codex-adapter.json": "[" + one + "," + one + "," + one + "]"})
	sum, err := Run(ctx, []string{dir}, source, func(FileResult) { t.Error("a file that was not finished is reported") })
	assert.ErrorIs(t, err, stopped)
	assert.Equal(t, 1, asked)
	assert.Zero(t, sum.Failed)
}

func TestPanicIsAFailingCase(t *testing.T) {
	source := func(string, string, string) (registry.Adapter, error) { return registry.Adapter{}, nil } // nil functions
	dir := vectorDir(t, map[string]string{"developer-messages/codex-adapter.json": `[{"name":"x","input":{"payload":{}},"expect":{}}]`})
	sum, err := Run(context.Background(), []string{dir}, source, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, sum.Failed)
	assert.Contains(t, sum.Files[0].Failures[0].Error, "panicked")
}

// Every leaf that a vector expects has to matter: with another value the case must fail.
func TestEveryExpectedLeafBinds(t *testing.T) {
	free := map[string]bool{"keys": true, "verb": true, "status": true, "previewLines": true}
	for operation, op := range developerMessages() {
		if op.leftOut != "" || strings.Contains(operation, "-adapter") {
			continue
		}
		cases, err := load(filepath.Join(vectors, operation+".json"))
		require.NoError(t, err)
		for _, v := range cases.items {
			c := testCase{input: v.Get("input"), expect: v.Get("expect"), reference: v.Get("mode").present()}
			if codexPayloads(&c) != nil {
				continue // needs the adapter under test
			}
			kind := string(c.expect.raw)
			require.Nil(t, runCase(context.Background(), op, &c), v.Get("name").text)
			var walk func(at string, leaf Value, rebuild func(Value) Value)
			walk = func(at string, leaf Value, rebuild func(Value) Value) {
				for i, item := range leaf.items {
					key := ""
					if leaf.kind == jsonspan.Object {
						key = leaf.keys[i]
					}
					if free[key] || key == "error" && strings.Contains(kind, "content-not-text") {
						continue
					}
					walk(at+"."+key, item, func(changed Value) Value {
						out := leaf
						out.items = append([]Value(nil), leaf.items...)
						out.items[i] = changed
						out.raw = out.appendTo(nil)
						return rebuild(out)
					})
				}
				if leaf.kind == jsonspan.Array || leaf.kind == jsonspan.Object {
					return
				}
				other, err := build("another value")
				require.NoError(t, err)
				mutant := c
				mutant.expect = rebuild(other)
				assert.NotNil(t, runCase(context.Background(), op, &mutant), "%s: %q: %s does not bind", operation, v.Get("name").text, at)
			}
			walk("", c.expect, func(v Value) Value { return v })
			mutant := c
			extra, err := build(fields{"extra", 1})
			require.NoError(t, err)
			mutant.expect = overlay(c.expect, extra)
			assert.NotNil(t, runCase(context.Background(), op, &mutant), "%s: %q: an extra member is not missed", operation, v.Get("name").text)
		}
	}
}

func TestCompare(t *testing.T) {
	diff := func(expected, got string, ordered ...string) []Difference {
		e, err := ParseValue([]byte(expected))
		require.NoError(t, err)
		g, err := ParseValue([]byte(got))
		require.NoError(t, err)
		c := comparison{ordered: map[string]bool{}}
		for _, name := range ordered {
			c.ordered[name] = true
		}
		c.result("", e, g)
		return c.found
	}
	for _, same := range [][2]string{
		{`{"a":1.0,"b":[1e2,"\u0041"]}`, `{"b":[100,"A"],"a":1}`},
		{`{"read":null,"n":9007199254740993}`, `{"n":9007199254740993}`},
		{`null`, `{}`}, {`{"envelope":null}`, `{}`}, {`{}`, `{"match":null}`},
		{`{"a":"\ud83d"}`, `{"a":"\uD83D"}`},
	} {
		assert.Empty(t, diff(same[0], same[1]), same[0])
		assert.Empty(t, diff(same[1], same[0]), same[1])
	}
	for _, differ := range [][2]string{
		{`{"n":9007199254740993}`, `{"n":9007199254740992}`},
		{`{"a":null}`, `{}`}, {`{"payload":{"read":null}}`, `{"payload":{}}`},
		{`{"a":"\ud83d"}`, `{"a":"\ufffd"}`}, {`{"a":[1,2]}`, `{"a":[2,1]}`},
		{`{"a":[1]}`, `{"a":[1,1]}`}, {`{"a":1}`, `{"a":"1"}`}, {`{"a":1}`, `null`}, {`{"a":false}`, `{"a":true}`},
		{`{"a":[]}`, `{"a":{}}`}, {`{"a":""}`, `{"a":5}`}, {`{"a":""}`, `{"a":null}`}, {`{"a":[]}`, `{"a":""}`},
	} {
		assert.NotEmpty(t, diff(differ[0], differ[1]), differ[0])
		assert.NotEmpty(t, diff(differ[1], differ[0]), differ[1])
	}
	a, b := `{"payload":{"x":{"a":1,"b":2}},"c":1}`, `{"c":1,"payload":{"x":{"b":2,"a":1}}}`
	assert.Empty(t, diff(a, b))
	found := diff(a, b, "payload")
	require.Len(t, found, 1)
	assert.Equal(t, Difference{At: "payload.x", Note: "order of keys", Expected: "a, b", Got: "b, a"}, found[0])

	long := strings.Repeat("x", 5000)
	found = diff(`{"a":"`+long+`1"}`, `{"a":"`+long+`2"}`)
	assert.Less(t, len(found[0].Got), 600)
	assert.Contains(t, found[0].Got, `x2"`)
}
