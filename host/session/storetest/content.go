package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

func badHeader(t *testing.T, s session.Store) {
	long := strings.Repeat("x", session.MaxLine)
	for _, h := range []session.Header{
		{}, {ID: "s", CreatedAt: -1}, {ID: "s", DelegationDepth: -1}, {ID: "s", Cwd: &long},
	} {
		_, err := s.Create(t.Context(), h)
		require.Error(t, err)
	}
}

func large(t *testing.T, s session.Store) {
	want := []session.Event{
		event(0, `"`+strings.Repeat("long ", 1<<20)+`"`),
		event(1, `{"n":1}`),
		event(2, `[`+strings.Repeat("1,", 1<<18)+`1]`),
	}
	l := create(t, s, "s", want...)
	more := events(3, 20_000)
	require.NoError(t, l.Append(t.Context(), more...))
	require.NoError(t, l.Sync(t.Context()))
	require.NoError(t, l.Close())
	v := view(t, s, "s")
	assert.Equal(t, int64(20_003), v.Next())
	next := int64(0)
	for e, err := range v.Events(t.Context(), 0) {
		require.NoError(t, err)
		require.Equal(t, next, e.Seq)
		if next < 3 {
			require.True(t, bytes.Equal(want[next].Data, e.Data), "data of seq %d", next)
		}
		next++
	}
	assert.Equal(t, int64(20_003), next)
}

// oddJSON comes back with every token as it was: the store has no opinion on what it keeps.
func oddJSON(t *testing.T, s session.Store) {
	l := create(t, s, "s", events(0, 1)...)
	for _, data := range []string{
		`null`, `false`, `0`, `-0.0e-7`, `1e400`, `12345678901234567890123`, `""`, `[]`, `{}`,
		`"\ud83e"`, `"\u0000\u2028</script>&"`, `"\u00e9é"`, `{"a":1,"a":2,"":3,"__proto__":4}`,
		strings.Repeat("[", 2000) + strings.Repeat("]", 2000),
	} {
		e := event(l.Next(), data)
		require.NoError(t, l.Append(t.Context(), e), data)
	}
	// White space between tokens can be lost, what is on one line cannot be on two.
	for _, data := range []string{"{\n\t\"a\": [\r\n1,\n2 ]\n}", "\n7\n"} {
		require.NoError(t, l.Append(t.Context(), event(l.Next(), data)))
	}
	// An event that was read is stored as the text that it was read from.
	parsed, err := session.ParseEvent(fmt.Appendf(nil,
		"{\"seq\":%d,\n \"type\":\"x\", \"time\":1.0, \"data\":1, \"extra\":[2]}", l.Next()))
	require.NoError(t, err)
	require.NoError(t, l.Append(t.Context(), parsed))
	require.NoError(t, l.Close())

	v := view(t, s, "s")
	got, err := read(t.Context(), v, 1)
	require.NoError(t, err)
	compact := func(data []byte) string {
		var b bytes.Buffer
		require.NoError(t, json.Compact(&b, data))
		return b.String()
	}
	require.Len(t, got, 17)
	assert.Equal(t, `12345678901234567890123`, string(got[5].Data))
	assert.Equal(t, `"\ud83e"`, string(got[9].Data))
	assert.Equal(t, `{"a":1,"a":2,"":3,"__proto__":4}`, string(got[12].Data))
	assert.Equal(t, `{"a":[1,2]}`, compact(got[14].Data))
	assert.Equal(t, `7`, compact(got[15].Data))
	assert.JSONEq(t, `{"seq":17,"type":"x","time":1.0,"data":1,"extra":[2]}`, text(got[16]))
}
