package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

func TestPlainLogNamedAsCompressed(t *testing.T) {
	path := newLog().turn(1).end(1).write(t, "log.zstd")
	r, err := Repair(t.Context(), path, filepath.Join(t.TempDir(), "copy.jsonl"), Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"read the file as the plain log that it is: only its name is that of a compressed one"}, r.Done)
	assert.Equal(t, int64(2), r.After.Events)
}

func TestNoLog(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "an empty file",
		" \n":                                    "blank text",
		"hello\nyou\n":                           "text of another kind",
		"\x7fELF\x00\x01\n\x02":                  "a binary file",
		"\x1f\x8b\x08":                           "a gzip file",
		"PK\x03\x04":                             "a zip file",
		"[1]\n":                                  "JSON of another kind, or a log of which nothing is left",
		"x\n" + newLog().turn(1).lines[1] + "\n": "",
		newLog().lines[0] + "\n":                 "",
	} {
		path := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		got, err := NoLog(t.Context(), path)
		require.NoError(t, err)
		assert.Equal(t, want, got, "%q", text)
		if want != "" {
			r := check(t, path)
			require.Len(t, r.Findings, 1, "%q", text)
			assert.Contains(t, r.Findings[0].Detail, want)
			assert.NotContains(t, r.Findings[0].Detail, "0 lines")
			assert.False(t, r.Curable())
		}
	}
}

func TestLineWithoutItsFeedIsCut(t *testing.T) {
	path := newLog().turn(1).end(1).write(t, "log")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(text, `{"type":"turn/start","seq":2,"time":5,"data":{"turn":2}}`...), 0o600))
	r := check(t, path)
	require.Equal(t, []string{"TORN fault"}, codes(r.Findings))
	assert.Equal(t, "it is cut off when the session is taken up", r.Findings[0].Here)
	assert.Nil(t, r.Refused)
}

func TestEveryUnknownKindIsTold(t *testing.T) {
	l := newLog().turn(1).add("a/b", `{}`, "").add("a/c", `{}`, "").add("a/b", `{}`, "").add("a/d", `{}`, `,"ignorable":true`).end(1)
	r := check(t, l.write(t, "log"))
	assert.Equal(t, []string{"EVENT_UNSUPPORTED fault", "EVENT_UNSUPPORTED fault"}, codes(r.Findings))
	assert.Equal(t, []string{"a/b", "a/c"}, r.Unknown())
	assert.False(t, r.Curable())
	r = check(t, l.add("turn/end", `{"turn":7}`, `,"surfaceOp":"append"`).write(t, "log"))
	require.Equal(t, session.Validation, r.Refused.Code)
	assert.Equal(t, []string{"EVENT_UNSUPPORTED fault", "EVENT_UNSUPPORTED fault", "EVENT_UNSUPPORTED fault", "VALIDATION fault"}, codes(r.Findings))
	assert.Equal(t, `2 "a/b", 1 "a/c"`, r.refusedKinds(session.EventUnsupported, 3))
}
