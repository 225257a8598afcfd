package quickjs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadLogs(t *testing.T) {
	for text, want := range map[string][]Log{
		``: nil, `null`: nil, `[]`: nil, ` [ ] `: nil,
		`[[0,"a"], [1,"b"] ,[2,""],[3,"\ud800"]]`:  {{0, "a"}, {1, "b"}, {2, ""}, {3, "\uFFFD"}},
		`[[-1,"a"],[4,"b"],[1.5,"c"],[1e300,"d"]]`: {{1, "a"}, {1, "b"}, {1, "c"}, {1, "d"}},
	} {
		var n Notes
		require.NoError(t, n.readLogs([]byte(strings.TrimSpace(text))), text)
		assert.Equal(t, want, n.Logs, text)
		assert.Zero(t, n.Lost)
	}
	for _, text := range []string{`{}`, `"x"`, `[1]`, `[[1]]`, `[["1","x"]]`, `[[1,2]]`, `[[1,"x",3]]`, `[null]`} {
		assert.Error(t, (&Notes{}).readLogs([]byte(text)), text)
	}
}

func TestLogsAreBounded(t *testing.T) {
	var n Notes
	require.NoError(t, n.readLogs([]byte("["+strings.Repeat(`[0,""],`, maxLogs)+`[1,"x"],[2]]`)))
	assert.Len(t, n.Logs, maxLogs)
	assert.Equal(t, len(`[1,"x"]`)+len(`[2]`), n.Lost)
}

func TestEntries(t *testing.T) {
	assert.Nil(t, entries(nil))
	assert.Equal(t, "{}", string(entries(map[string][]byte{})))
	got := entries(map[string][]byte{"b": []byte("\xff\"\n"), "": nil, "a\xed\xa0\x80": []byte("é")})
	assert.Equal(t, "{\"\":\"\",\"a\uFFFD\":\"é\",\"b\":\"\uFFFD\\\"\\u000a\"}", string(got))
	assert.True(t, json.Valid(got))
}
