package session

import (
	"bytes"
	"context"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A frame that is torn may hold very much, and many events in one line. Its lines are stored again as
// they are, in frames of bounded size.
func TestCutKeepsLinesAsTheyAre(t *testing.T) {
	ctx := context.Background()
	const rows, members = 400, 2000
	want := ""
	for i := range rows {
		want += textRow(strconv.Itoa(2+i*members), "1", "["+strings.Repeat("0,", members-2)+"0]",
			"["+strings.Repeat(`"a",`, members-1)+`"a"]`) + "\n"
	}
	require.Greater(t, len(want), keptFrame)
	path := newFile(t, packedName, 2)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	frame := AppendFrame(nil, []byte(want+"!\n"))
	require.NoError(t, os.WriteFile(path, append(bytes.Clone(before), frame[:len(frame)-1]...), 0o600))
	l, _ := openFaulty(t, path)
	require.EqualValues(t, 2+rows*members, l.Next())

	var memory [2]runtime.MemStats
	runtime.ReadMemStats(&memory[0])
	require.NoError(t, l.Cut(ctx))
	runtime.ReadMemStats(&memory[1])
	// Only making events of the rows would take some 150 MB.
	assert.Less(t, memory[1].TotalAlloc-memory[0].TotalAlloc, uint64(80<<20))
	require.EqualValues(t, 2+rows*members, l.Next())
	assert.Zero(t, l.Tail())

	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after[:len(before)])
	assert.Equal(t, 2, bytes.Count(after[len(before):], []byte(frameMagic)))
	decoder, err := zstd.NewReader(bytes.NewReader(after[len(before):]))
	require.NoError(t, err)
	defer decoder.Close()
	got, err := io.ReadAll(decoder)
	require.NoError(t, err)
	require.True(t, want == string(got), "the lines are others")

	second := bytes.LastIndex(after, []byte(frameMagic)) - len(before)
	require.NoError(t, l.Append(ctx, notes(l.Next(), 1)...))
	require.NoError(t, l.Close())
	v, err := ViewFile(ctx, path)
	require.NoError(t, err)
	assert.EqualValues(t, 3+rows*members, v.Next())
	require.NoError(t, v.Close())

	// What was stored again before a write failed is there.
	require.NoError(t, os.WriteFile(path, append(bytes.Clone(before), frame[:len(frame)-1]...), 0o600))
	var f *faulty
	l, f = openFaulty(t, path)
	f.writes = second + 10
	require.Error(t, l.Cut(ctx))
	assert.Greater(t, l.Next(), int64(2))
	assert.Less(t, l.Next(), int64(2+rows*members))
	next := l.Next()
	f.writes = plenty
	require.NoError(t, l.Append(ctx, notes(next, 1)...))
	v, err = ViewFile(ctx, path)
	require.NoError(t, err)
	assert.Equal(t, next+1, v.Next())
	require.NoError(t, v.Close())
}

// If the whole lines of a torn frame cannot be stored again, the log goes on without them: nobody was
// told that they had been stored.
func TestCutFails(t *testing.T) {
	ctx := context.Background()
	var lines []byte
	for _, e := range notes(2, 500) {
		lines = append(e.AppendJSON(lines), '\n')
	}
	frame := AppendFrame(nil, lines)
	for _, fail := range []func(f *faulty){
		func(f *faulty) { f.writes = 10 },
		func(f *faulty) { f.syncs = 0 },
	} {
		path := newFile(t, packedName, 2)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, append(text, frame[:len(frame)-1]...), 0o600))
		l, f := openFaulty(t, path)
		require.EqualValues(t, 502, l.Next())
		fail(f)
		require.Error(t, l.Cut(ctx))
		assert.EqualValues(t, 2, l.Next())
		assert.Zero(t, l.Tail())
		assert.Equal(t, textsOf(notes(0, 2)), texts(t, l))
		f.writes, f.syncs = plenty, plenty
		require.NoError(t, l.Append(ctx, notes(2, 1)...))
		require.NoError(t, l.Sync(ctx))
		assert.Equal(t, textsOf(notes(0, 3)), texts(t, l))
	}
}
