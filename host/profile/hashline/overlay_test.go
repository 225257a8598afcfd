package hashline

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseEditSpellings(t *testing.T) {
	for arguments, want := range map[string]Edit{
		`{"path":"p","filePath":"q","old_string":"a","oldString":"b","new_string":"","newText":"c"}`: {Path: "p", Old: "a"},
		`{"path":1,"filePath":null,"file_path":"r","old_string":{},"oldText":"o","newString":"n"}`: {
			Path: "r", Old: "o", New: "n"},
		`{"path":"p","oldString":"","oldText":"x","newText":"n","replace_all":false,"replaceAll":true}`: {
			Path: "p", New: "n", All: true},
		`{"path":"p","oldString":"o","newString":"n","replace_all":"true"}`: {Path: "p", Old: "o", New: "n"},
		`{"path":"p","path":"q","oldString":"\ud83d","newString":"n"}`:      {Path: "q", Old: "\xed\xa0\xbd", New: "n"},
	} {
		got, err := ParseEdit(json.RawMessage(arguments))
		require.NoError(t, err, arguments)
		assert.Equal(t, want, got, arguments)
	}
	for _, arguments := range []string{
		``, `null`, `[]`, `"x"`, `{`, `{"path":"","filePath":"p","old_string":"a","new_string":"b"}`,
		`{"old_string":"a","new_string":"b"}`, `{"path":"p","new_string":"b"}`, `{"path":"p","old_string":"a","new_string":1}`,
	} {
		_, err := ParseEdit(json.RawMessage(arguments))
		assert.ErrorIs(t, err, ErrMissingFields, arguments)
	}
}

func TestIsPatch(t *testing.T) {
	assert.True(t, IsPatch(json.RawMessage(`{"input":"","path":"p"}`)))
	for _, arguments := range []string{``, `{}`, `{"input":null}`, `[{"input":"x"}]`, `{"input":["x"]}`} {
		assert.False(t, IsPatch(json.RawMessage(arguments)), arguments)
	}
}

// text is a text of n times the letter a.
func text(n int) string { return strings.Repeat("a", n) }

func TestReplaceCounts(t *testing.T) {
	for _, c := range []struct {
		edit     Edit
		source   string
		want     string
		replaced int
		err      error
	}{
		{Edit{Old: "aa", New: "b", All: true}, "aaaaa", "bba", 2, nil},
		{Edit{Old: "aa", New: "b"}, "aaa", "ba", 1, nil}, // occurrences do not overlap
		{Edit{Old: "aa", New: "aaa", All: true}, "aaaa", "aaaaaa", 2, nil},
		{Edit{Old: "a", New: "a"}, "a", "a", 1, nil},
		{Edit{Old: "a\r\n", New: "$1\\n"}, "a\na\r\n", "a\n$1\\n", 1, nil},
		{Edit{Old: "é", New: "x"}, "e\u0301", "", 0, ErrNotFound}, // no normalisation
		{Edit{Old: "\xed\xa0\xbd", New: "x"}, "😀", "", 0, ErrNotFound},
		{Edit{Old: "x", All: true}, "", "", 0, ErrNotFound},
		{Edit{Old: "", All: true}, "", "", 0, ErrEmptyOld},
		{Edit{Old: "x"}, "x x", "", 0, ErrAmbiguous},
		// 64 GiB are refused without being made, and so is one byte too many.
		{Edit{Old: "a", New: text(64 << 10), All: true}, text(1 << 20), "", 0, ErrGrows},
		{Edit{Old: "a", New: text(MaxFile), All: true}, "aa", "", 0, ErrGrows},
		{Edit{Old: "b", New: text(MaxFile)}, "ab", "", 0, ErrGrows},
		{Edit{Old: "b", New: text(MaxFile - 1)}, "ab", text(MaxFile), 1, nil},
		{Edit{Old: "b", New: "bb"}, text(MaxFile) + "b", "", 0, ErrGrows},
		{Edit{Old: "b", New: "c"}, text(MaxFile) + "b", text(MaxFile) + "c", 1, nil},
	} {
		got, replaced, err := c.edit.Replace(c.source)
		assert.Equal(t, c.err, err, "%.80q", c.source)
		assert.True(t, c.want == got, "%.80q becomes %.80q", c.source, got) // they may be long
		assert.Equal(t, c.replaced, replaced, "%.80q", c.source)
	}
}
