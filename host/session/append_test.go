package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notes makes n events of a kind that means nothing.
func notes(from int64, n int) []Event {
	list := make([]Event, n)
	for i := range list {
		seq := from + int64(i)
		list[i] = Event{Type: "note", Seq: seq, Time: 1000 + seq, Data: fmt.Appendf(nil, `{"n":%d}`, seq), Ignorable: true}
	}
	return list
}

// texts reads a log as lines of JSON.
func texts(t *testing.T, v View) []string {
	t.Helper()
	list := []string{}
	for e, err := range v.Events(context.Background(), 0) {
		require.NoError(t, err)
		list = append(list, string(e.AppendJSON(nil)))
	}
	return list
}

func textsOf(events []Event) []string {
	list := []string{}
	for i := range events {
		list = append(list, string(events[i].AppendJSON(nil)))
	}
	return list
}

// newFile makes a log of n notes, plain or compressed, and returns its path.
func newFile(t *testing.T, name string, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	h := Header{ID: "s", CreatedAt: 1}
	text := append(h.AppendJSON(nil), '\n')
	if strings.HasSuffix(name, "zstd") {
		text = AppendFrame(nil, text)
	}
	require.NoError(t, os.WriteFile(path, text, 0o600))
	l, err := OpenFile(context.Background(), path)
	require.NoError(t, err)
	require.NoError(t, l.Append(context.Background(), notes(0, n)...))
	require.NoError(t, l.Close())
	return path
}

var bothNames = []string{plainName, packedName}

// A faulty file fails when it is told to.
type faulty struct {
	file
	// writes is how many bytes may still be written; the write that would exceed it is cut short.
	writes            int
	syncs, truncates  int // how many may still succeed
	failed, rewritten int
}

func (f *faulty) WriteAt(p []byte, at int64) (int, error) {
	f.rewritten += len(p)
	if len(p) <= f.writes {
		f.writes -= len(p)
		return f.file.WriteAt(p, at)
	}
	n, _ := f.file.WriteAt(p[:f.writes], at)
	f.writes = 0
	return n, syscall.ENOSPC
}

func (f *faulty) Sync() error {
	if f.syncs--; f.syncs < 0 {
		f.failed++
		return syscall.EIO
	}
	return f.file.Sync()
}

func (f *faulty) Truncate(size int64) error {
	if f.truncates--; f.truncates < 0 {
		return syscall.EIO
	}
	return f.file.Truncate(size)
}

const plenty = 1 << 30

// openFaulty opens a log whose file can fail.
func openFaulty(t *testing.T, path string) (*logFile, *faulty) {
	t.Helper()
	l, err := openFile(context.Background(), path)
	require.NoError(t, err)
	f := &faulty{file: l.f, writes: plenty, syncs: plenty, truncates: plenty}
	l.f = f
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l, f
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Size()
}

func TestAppend(t *testing.T) {
	for _, name := range bothNames {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			path := newFile(t, name, 3)
			l, err := OpenFile(ctx, path)
			require.NoError(t, err)
			assert.EqualValues(t, 3, l.Next())
			require.NoError(t, l.Append(ctx), "no event is no batch")
			require.NoError(t, l.Append(ctx, notes(3, 1)...))
			require.NoError(t, l.Append(ctx, notes(4, 100)...))
			big := notes(104, 3)
			big[1].Data = fmt.Appendf(nil, `%q`, strings.Repeat("x", 300_000))
			require.NoError(t, l.Append(ctx, big...))
			require.NoError(t, l.Sync(ctx))
			want := append(textsOf(notes(0, 104)), textsOf(big)...)
			assert.Equal(t, want, texts(t, l), "a log sees what it has appended")
			assert.EqualValues(t, 107, l.Next())
			require.NoError(t, l.Close())
			require.NoError(t, l.Close())

			v, err := ViewFile(ctx, path)
			require.NoError(t, err)
			defer v.Close()
			assert.Equal(t, want, texts(t, v))
			assert.Equal(t, "s", v.Header().ID)
			assert.Zero(t, v.Tail())
			last := 0
			for e, err := range v.Events(ctx, 105) {
				require.NoError(t, err)
				assert.EqualValues(t, 105+last, e.Seq)
				last++
			}
			assert.Equal(t, 2, last)
		})
	}
}

func TestAppendRefuses(t *testing.T) {
	ctx := context.Background()
	path := newFile(t, plainName, 2)
	l, err := OpenFile(ctx, path)
	require.NoError(t, err)
	before := size(t, path)
	for name, batch := range map[string][]Event{
		"a gap":                   notes(3, 1),
		"a seq that is there":     notes(1, 1),
		"a gap inside":            {notes(2, 1)[0], notes(4, 1)[0]},
		"no data":                 {{Type: "note", Seq: 2}},
		"data that is not JSON":   {{Type: "note", Seq: 2, Data: []byte(`{"a":`)}},
		"two values":              {{Type: "note", Seq: 2, Data: []byte(`1,"x":2`)}, {Type: "note", Seq: 3, Data: []byte(`}{`)}},
		"a malformed row":         {{Type: "text-chunks", Seq: 2, Data: []byte(`{}`)}},
		"a line that is too long": {{Type: "note", Seq: 2, Data: fmt.Appendf(nil, `%q`, strings.Repeat("x", MaxLine))}},
	} {
		err := l.Append(ctx, batch...)
		require.ErrorContains(t, err, path, name)
	}
	assert.Equal(t, before, size(t, path))
	assert.EqualValues(t, 2, l.Next())

	cancelled, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("enough"))
	require.EqualError(t, l.Append(cancelled, notes(2, 1)...), "enough")
	require.EqualError(t, l.Sync(cancelled), "enough")
	require.EqualError(t, l.Cut(cancelled), "enough")
	for _, err := range l.Events(cancelled, 0) {
		require.EqualError(t, err, "enough")
	}
	for _, err := range l.Events(ctx, -1) {
		require.ErrorContains(t, err, path)
	}

	require.NoError(t, l.Append(ctx, notes(2, 1)...), "it goes on")
	require.NoError(t, l.Close())
	for _, err := range []error{l.Append(ctx, notes(3, 1)...), l.Cut(ctx), l.Sync(ctx)} {
		require.ErrorIs(t, err, ErrClosed)
		require.ErrorContains(t, err, path)
	}
	for _, err := range l.Events(ctx, 0) {
		require.ErrorIs(t, err, ErrClosed)
	}
}

// JSON with line feeds between its tokens is one line in the log.
func TestAppendTextOfManyLines(t *testing.T) {
	ctx := context.Background()
	path := newFile(t, plainName, 0)
	l, err := OpenFile(ctx, path)
	require.NoError(t, err)
	defer l.Close()
	e, err := ParseEvent([]byte("{\n\"type\":\"note\",\r\n\"seq\":0,\"time\":1,\n\"data\":{\n\"a\":\"\\n\"}}\n"))
	require.NoError(t, err)
	require.NoError(t, l.Append(ctx, e, Event{Type: "note", Seq: 1, Data: []byte("[\n1]")}))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(data), "\n"))
	assert.Len(t, texts(t, l), 2)
}

// A write that fails leaves the file as it was, and the same events are stored the next time.
func TestAppendCutsBack(t *testing.T) {
	for _, name := range bothNames {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			path := newFile(t, name, 2)
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			l, f := openFaulty(t, path)
			for _, room := range []int{0, 1, 30, 100} {
				f.writes = room
				err := l.Append(ctx, notes(2, 20)...)
				require.ErrorIs(t, err, syscall.ENOSPC)
				after, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, before, after)
				require.EqualValues(t, 2, l.Next())
				require.Len(t, texts(t, l), 2)
			}
			f.writes = plenty
			require.NoError(t, l.Append(ctx, notes(2, 20)...))
			assert.Equal(t, textsOf(notes(0, 22)), texts(t, l))
		})
	}
}

// If not even that is possible, what is left is cut before anything else is written.
func TestAppendCutsBackLater(t *testing.T) {
	ctx := context.Background()
	path := newFile(t, plainName, 2)
	l, f := openFaulty(t, path)
	require.NoError(t, l.Append(ctx, notes(2, 3)...))
	before := size(t, path)
	f.writes, f.truncates = 100, 0
	err := l.Append(ctx, notes(5, 20)...)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorIs(t, err, syscall.EIO, "both are told")
	assert.EqualValues(t, 100, l.Tail())
	assert.Equal(t, before+100, size(t, path))
	assert.Len(t, texts(t, l), 5, "it is not stored")

	f.writes = plenty
	require.ErrorIs(t, l.Append(ctx, notes(5, 1)...), syscall.EIO, "nothing is written behind it")
	f.truncates = plenty
	require.NoError(t, l.Append(ctx, notes(5, 1)...))
	assert.Zero(t, l.Tail())
	assert.Equal(t, textsOf(notes(0, 6)), texts(t, l))
}

// A compressed log can always be read again, also one that compresses better than any log could.
func TestAppendNeverExpandsTooMuch(t *testing.T) {
	ctx := context.Background()
	path := newFile(t, packedName, 2)
	l, err := openFile(ctx, path)
	require.NoError(t, err)
	big := notes(2, 1)
	big[0].Data = fmt.Appendf(nil, `%q`, strings.Repeat("a", 1<<20))
	l.text = 1 << 30 // as if there had been so much
	require.NoError(t, l.Append(ctx, big...))
	assert.Greater(t, size(t, path), int64(1<<20))
	assert.False(t, expands(l.text, l.end))
	require.NoError(t, l.Append(ctx, notes(3, 1)...))
	require.NoError(t, l.Close())
	// The text is counted when a log is made, is opened, and is written.
	l, err = openFile(ctx, path)
	require.NoError(t, err)
	defer l.Close()
	h := Header{ID: "s", CreatedAt: 1}
	text := len(h.AppendJSON(nil)) + 1
	for _, e := range append(append(notes(0, 2), big...), notes(3, 1)...) {
		text += len(e.AppendJSON(nil)) + 1
	}
	assert.EqualValues(t, text, l.text)
	require.NoError(t, l.Append(ctx, notes(4, 1)...))
	assert.EqualValues(t, text+len(notes(4, 1)[0].AppendJSON(nil))+1, l.text)
}

// After a sync that failed the system may have given up what it had: it is written again, and a second
// sync that succeeds means what it says.
func TestSyncAfterFailure(t *testing.T) {
	ctx := context.Background()
	path := newFile(t, plainName, 2)
	l, f := openFaulty(t, path)
	require.NoError(t, l.Sync(ctx))
	at := size(t, path)
	require.NoError(t, l.Append(ctx, notes(2, 5)...))
	batch := size(t, path) - at
	f.syncs = 0
	require.ErrorIs(t, l.Sync(ctx), syscall.EIO)
	f.rewritten = 0
	require.ErrorIs(t, l.Sync(ctx), syscall.EIO)
	assert.EqualValues(t, batch, f.rewritten)
	require.NoError(t, l.Append(ctx, notes(7, 1)...), "appending goes on")
	batch = size(t, path) - at
	f.syncs, f.rewritten = plenty, 0
	require.NoError(t, l.Sync(ctx))
	assert.EqualValues(t, batch, f.rewritten)
	require.NoError(t, l.Sync(ctx))
	assert.EqualValues(t, batch, f.rewritten, "only once")
	assert.Equal(t, textsOf(notes(0, 8)), texts(t, l))
}

// A sync that succeeds for another reason makes nothing of it certain.
func TestSyncAfterFailureAndCut(t *testing.T) {
	ctx := context.Background()
	l, f := openFaulty(t, newFile(t, plainName, 2))
	require.NoError(t, l.Append(ctx, notes(2, 5)...))
	f.syncs = 0
	require.ErrorIs(t, l.Sync(ctx), syscall.EIO)
	f.syncs, f.writes = plenty, 10
	require.ErrorIs(t, l.Append(ctx, notes(7, 1)...), syscall.ENOSPC)
	f.writes, f.truncates = 10, 0
	require.ErrorIs(t, l.Append(ctx, notes(7, 1)...), syscall.EIO)
	require.NotZero(t, l.Tail())
	f.writes, f.truncates, f.rewritten = plenty, plenty, 0
	require.NoError(t, l.Sync(ctx))
	assert.EqualValues(t, l.end, f.rewritten)
}

// If the system has given it up, that is said, and goes on being said.
func TestSyncAfterLoss(t *testing.T) {
	ctx := context.Background()
	path := newFile(t, plainName, 2)
	l, f := openFaulty(t, path)
	require.NoError(t, l.Append(ctx, notes(2, 5)...))
	f.syncs = 0
	require.ErrorIs(t, l.Sync(ctx), syscall.EIO)
	f.syncs = plenty
	_, err := f.file.WriteAt(make([]byte, 40), l.end-40)
	require.NoError(t, err)
	for range 2 {
		require.ErrorContains(t, l.Sync(ctx), "lost")
	}
}

// A writer that does not know the lock is noticed before its text is overwritten or cut off.
func TestAppendNoticesAnotherWriter(t *testing.T) {
	for _, torn := range []string{"", `{"type":"no`} {
		ctx := t.Context()
		path := newFile(t, plainName, 2)
		write := func(text string) {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			defer f.Close()
			_, err = f.WriteString(text)
			require.NoError(t, err)
		}
		write(torn)
		l, err := OpenFile(ctx, path)
		require.NoError(t, err)
		write("\n" + textsOf(notes(2, 1))[0] + "\n")
		before := size(t, path)
		require.ErrorIs(t, l.Append(ctx, notes(2, 1)...), errMoved)
		require.ErrorContains(t, l.Append(ctx, notes(2, 1)...), path)
		if torn != "" {
			require.ErrorIs(t, l.Cut(ctx), errMoved)
		}
		assert.Equal(t, before, size(t, path))
		require.NoError(t, l.Close())
	}
}

// What is written to a file that has lost its name would be lost with the process.
func TestAppendNoticesAnotherFile(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"removed":  os.Remove,
		"replaced": func(path string) error { return os.Rename(newFile(t, "s", 2), path) },
	} {
		path := newFile(t, "s", 2)
		l, err := OpenFile(t.Context(), path)
		require.NoError(t, err)
		require.NoError(t, change(path))
		assert.ErrorIs(t, l.Append(t.Context(), notes(2, 1)...), errMoved, name)
		require.NoError(t, l.Close())
	}
}
