package guestbuild_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

const v2 = `id = "a"
version = "1"

[[adapters]]
interface = "provider-payload-adapters/v2"
id = "c"
apis = ["x"]
`

func TestParseView(t *testing.T) {
	m, err := guestbuild.ParseManifest([]byte(v2 + `
write = [["system"], ["messages", true]]

[[adapters.view]]
path = ["messages", true, "content"]
members = ["role"]
clip = 0

  [[adapters.view.where]]
  of = 0
  member = "model"
  prefix = "gpt-"
  suffix = ""

[[adapters.view]]
path = [true]
where = [{ member = "a", equals = "x" }, { member = "b", equals = true }, { member = "c", equals = -1 }, { member = "d", equals = 0.5 }]
`))
	require.NoError(t, err)
	a := m.Adapters[0]
	assert.Equal(t, []abi.Path{{{Member: "system"}}, {{Member: "messages"}, {Each: true}}}, a.Write)
	require.Len(t, a.View, 2)
	assert.Equal(t, "messages[].content", a.View[0].Path.String())
	assert.Equal(t, []string{"role"}, a.View[0].Members)
	assert.Equal(t, uint64(0), *a.View[0].Clip)
	f := a.View[0].Where[0]
	assert.Equal(t, []any{uint64(0), "model", "gpt-", "", true}, []any{*f.Of, f.Member, *f.Prefix, *f.Suffix, f.Equals.IsZero()})
	assert.Nil(t, a.View[1].Clip)
	for i, want := range []string{`"x"`, `true`, `-1`, `0.5`} {
		assert.Equal(t, want, string(a.View[1].Where[i].Equals.JSON()))
	}
}

func TestParseViewErrors(t *testing.T) {
	const good = v2 + "write = [[\"a\"]]\n[[adapters.view]]\npath = [\"a\"]\n"
	_, err := guestbuild.ParseManifest([]byte(good))
	require.NoError(t, err)
	for text, want := range map[string]string{
		v2: "line 4, column 3: adapters.view: has 0 entries, between 1 and 16 are allowed",
		v2 + "write = [[\"a\", 1]]\n[[adapters.view]]\npath = [\"a\"]": "line 8, column 16: adapters.write: a step of a path is a text or true",
		v2 + "write = [[\"a\"]]\n[[adapters.view]]\npath = [false]":    "line 10, column 9: adapters.view.path: a step of a path is a text or true",
		v2 + "write = \"a\"\n[[adapters.view]]\npath = [\"a\"]":        `line 8, column 9: adapters.write wants a list of paths: write = [["messages", true]]`,
		good + "where = [{ member = \"m\" }]":                          "line 11, column 10: adapters.view.where: has to have either equals, or some of prefix, suffix and contains",
		good + "where = [{ member = \"m\", equals = [1] }]":            "line 11, column 26: adapters.view.where.equals: a value to compare with is",
		good + "where = [{ member = \"m\", equals = 1979-05-27 }]":     "a value to compare with is",
		good + "where = [{ member = \"m\", equals = nan }]":            "a value to compare with is",
		good + "where = [{ of = -1, member = \"m\", equals = 1 }]":     "line 11, column 17: adapters.view.where.of: -1 is negative",
		good + "clip = 2000": "is 2000, at most 1024 is allowed",
		good + "where = [{ member = \"m\", equals = 1, like = \"x\" }]":      "line 11, column 38: unknown key adapters.view.where.like: known: of, member, ",
		good + "[[adapters]]\nid = \"d\"\napis = [\"x\"]\nwrite = [[\"a\"]]": "line 11, column 3: adapters: has a view or write paths, which provider-payload-adapters/v1 does not know",
	} {
		_, err := guestbuild.ParseManifest([]byte(text))
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
}
