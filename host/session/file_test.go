package session

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNameAndContent(t *testing.T) {
	plain := []byte(`{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}` + "\n")
	packed := AppendFrame(nil, plain)
	for _, test := range []struct {
		name string
		data []byte
		want Code // "" if it can be read
	}{
		{"a.jsonl", plain, ""},
		{"a.jsonl", packed, HeaderNotJSON},
		{"a.jsonl", nil, HeaderMissing},
		{"a.jsonl.zstd", packed, ""},
		{"a.zst", packed, ""},
		{"a.jsonl.zstd", plain, FrameCorrupt},
		{"a.jsonl.zstd", nil, HeaderMissing},
		{"a.jsonl.zstd", packed[:2], HeaderMissing},
		{"a", plain, ""},
		{"a", packed, ""},
		{"a.log", packed, ""},
		{"a.log", packed[:3], HeaderMissing},
		{"a.log", nil, HeaderMissing},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		require.NoError(t, os.WriteFile(path, test.data, 0o600))
		v, err := ViewFile(t.Context(), path)
		l, lerr := OpenFile(t.Context(), path)
		if test.want == "" {
			require.NoError(t, err, test.name)
			require.NoError(t, lerr, test.name)
			require.NoError(t, v.Close())
			require.NoError(t, l.Close())
			continue
		}
		for _, err := range []error{err, lerr} {
			var refused *Error
			require.ErrorAs(t, err, &refused, test.name)
			assert.Equal(t, test.want, refused.Code, "%s: %v", test.name, err)
			assert.Equal(t, path, refused.Path)
		}
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(test.data, after))
	}
}

func TestOneWriterManyReaders(t *testing.T) {
	for _, name := range bothNames {
		path := newFile(t, name, 2)
		l, err := OpenFile(t.Context(), path)
		require.NoError(t, err)
		_, err = OpenFile(t.Context(), path)
		require.ErrorIs(t, err, ErrLocked)
		require.ErrorContains(t, err, path)
		before, err := ViewFile(t.Context(), path)
		require.NoError(t, err)
		require.NoError(t, l.Append(t.Context(), notes(2, 2)...))
		after, err := ViewFile(t.Context(), path)
		require.NoError(t, err)
		assert.Len(t, texts(t, before), 2)
		assert.Len(t, texts(t, after), 4)
		require.NoError(t, before.Close())
		require.NoError(t, after.Close())
		_, err = OpenFile(t.Context(), path)
		require.ErrorIs(t, err, ErrLocked, "the views had no lock to give back")
		require.NoError(t, l.Close())
		l, err = OpenFile(t.Context(), path)
		require.NoError(t, err)
		require.NoError(t, l.Close())
	}
}

// Readers see whole events in order, and more and more of them, while a writer goes on.
func TestReadersBesideAWriter(t *testing.T) {
	for _, name := range bothNames {
		path := newFile(t, name, 1)
		l, err := OpenFile(t.Context(), path)
		require.NoError(t, err)
		written := make(chan struct{})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				last := int64(0)
				for done := false; !done; {
					select {
					case <-written:
						done = true // and once more
					default:
					}
					v, err := ViewFile(t.Context(), path)
					if !assert.NoError(t, err) {
						return
					}
					next := int64(0)
					for e, err := range v.Events(t.Context(), 0) {
						if !assert.NoError(t, err) || !assert.Equal(t, next, e.Seq) {
							return
						}
						next++
					}
					assert.Equal(t, v.Next(), next)
					assert.GreaterOrEqual(t, next, last)
					last = next
					assert.NoError(t, v.Close())
				}
				assert.EqualValues(t, 601, last)
			})
		}
		for range 60 {
			require.NoError(t, l.Append(t.Context(), notes(l.Next(), 10)...))
		}
		close(written)
		wg.Wait()
		require.NoError(t, l.Close())
	}
}

// A log that has been cut anywhere is taken up where its last whole line ends, and goes on from there.
func TestEveryTornTail(t *testing.T) {
	for _, name := range bothNames {
		t.Run(name, func(t *testing.T) {
			path := newFile(t, name, 2)
			l, err := OpenFile(t.Context(), path)
			require.NoError(t, err)
			require.NoError(t, l.Append(t.Context(), notes(2, 3)...))
			require.NoError(t, l.Close())
			whole, err := os.ReadFile(path)
			require.NoError(t, err)

			most := int64(0)
			for length := len(whole); length >= 0; length-- {
				require.NoError(t, os.WriteFile(path, whole[:length], 0o600))
				v, verr := ViewFile(t.Context(), path)
				l, err := OpenFile(t.Context(), path)
				if err != nil {
					var refused *Error
					require.ErrorAs(t, err, &refused)
					require.Equal(t, HeaderMissing, refused.Code)
					require.Equal(t, err, verr)
					continue
				}
				require.NoError(t, verr)
				next := l.Next()
				most = max(most, next)
				require.Equal(t, next, v.Next())
				require.Equal(t, l.Tail(), v.Tail())
				require.Equal(t, textsOf(notes(0, int(next))), texts(t, l))
				require.Equal(t, textsOf(notes(0, int(next))), texts(t, v))
				require.NoError(t, v.Close())

				if length%2 == 0 {
					require.NoError(t, l.Cut(t.Context()))
					require.Zero(t, l.Tail())
					require.Equal(t, next, l.Next())
					require.Equal(t, textsOf(notes(0, int(next))), texts(t, l))
				}
				require.NoError(t, l.Append(t.Context(), notes(next, 2)...))
				require.Zero(t, l.Tail())
				require.Equal(t, textsOf(notes(0, int(next)+2)), texts(t, l))
				require.NoError(t, l.Close())
				again, err := ViewFile(t.Context(), path)
				require.NoError(t, err)
				require.Zero(t, again.Tail())
				require.Equal(t, textsOf(notes(0, int(next)+2)), texts(t, again))
				require.NoError(t, again.Close())
			}
			assert.EqualValues(t, 5, most)
		})
	}
}

// Nothing changes a damaged log.
func TestDamagedLogIsLeftAlone(t *testing.T) {
	for name, damage := range map[string]func(data []byte) []byte{
		plainName: func(data []byte) []byte {
			return append(bytes.Replace(data, []byte(`"seq":1`), []byte(`"seq":7`), 1), `{"type":"turn/end","seq":4,"time":1,"data":{}}`+"\n"...)
		},
		packedName: func(data []byte) []byte {
			data[len(data)-6] ^= 0xff
			return data
		},
	} {
		path := newFile(t, name, 4)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		data = damage(data)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		for range 2 {
			_, err = OpenFile(t.Context(), path)
			var refused *Error
			require.ErrorAs(t, err, &refused, name)
			assert.Equal(t, path, refused.Path)
			_, verr := ViewFile(t.Context(), path)
			assert.Equal(t, err, verr)
		}
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, data, after)
	}
}

// A view whose file is cut by somebody else says so, and does not end as if nothing were missing.
func TestViewOfAFileThatShrinks(t *testing.T) {
	path := newFile(t, plainName, 5)
	v, err := ViewFile(t.Context(), path)
	require.NoError(t, err)
	defer v.Close()
	require.NoError(t, os.Truncate(path, size(t, path)-10))
	count := 0
	var last error
	for _, err := range v.Events(t.Context(), 0) {
		if last = err; err == nil {
			count++
		}
	}
	assert.Equal(t, 4, count)
	require.ErrorIs(t, last, errMoved)
	require.ErrorContains(t, last, path)
}

// A view whose file is overwritten says that, and not that the log is damaged.
func TestViewOfAFileThatIsOverwritten(t *testing.T) {
	path := newFile(t, plainName, 5)
	v, err := ViewFile(t.Context(), path)
	require.NoError(t, err)
	defer v.Close()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text = bytes.Replace(text, []byte(`"seq":3`), []byte(`"seq":9`), 1)
	last := textsOf(notes(4, 1))[0]
	end := `{"type":"turn/end","seq":4,"time":1,"data":{}}`
	text = bytes.Replace(text, []byte(last), []byte(end+strings.Repeat(" ", len(last)-len(end))), 1)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer f.Close()
	_, err = f.WriteAt(text, 0)
	require.NoError(t, err)
	err = nil
	for _, err = range v.Events(t.Context(), 0) {
	}
	require.ErrorIs(t, err, errMoved)
	require.ErrorContains(t, err, path)
}

// What a view reads may be taken back while it is read, and then looks like damage.
func TestViewReadsAgain(t *testing.T) {
	path := newFile(t, plainName, 2)
	sound, err := os.ReadFile(path)
	require.NoError(t, err)
	damaged := append(bytes.Clone(sound), "half a li\n"+`{"type":"turn/end","seq":2,"time":1,"data":{}}`+"\n"...)
	for _, test := range []struct {
		name          string
		before, after []byte
		next          int64 // -1 for damage
	}{
		{"damage that goes", damaged, sound, 2},
		{"damage that stays", damaged, damaged, -1},
		{"a log that is cut", sound, sound[:len(sound)-1], 1},
	} {
		require.NoError(t, os.WriteFile(path, test.before, 0o600))
		ctx := &meddling{Context: t.Context(), times: 1, meddle: func() { require.NoError(t, os.WriteFile(path, test.after, 0o600)) }}
		v, err := ViewFile(ctx, path)
		if test.next < 0 {
			var refused *Error
			require.ErrorAs(t, err, &refused, test.name)
			continue
		}
		require.NoError(t, err, test.name)
		assert.Equal(t, test.next, v.Next(), test.name)
		require.NoError(t, v.Close())
	}
}

// A writer that does not know the lock moves the file while it is read: it is read again, but not for
// ever.
func TestOpeningWhileTheFileMoves(t *testing.T) {
	path := newFile(t, plainName, 1)
	ctx := &meddling{Context: t.Context(), meddle: func() {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime().Add(1)))
	}}
	ctx.times = 3
	l, err := OpenFile(ctx, path)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	ctx.times = 1000
	_, err = OpenFile(ctx, path)
	require.ErrorIs(t, err, errMoved)
	require.ErrorContains(t, err, path)

	// Another file takes the name, of the same size and time.
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	other := filepath.Join(t.TempDir(), "other.jsonl")
	require.NoError(t, os.WriteFile(other, bytes.Replace(text, []byte(`{"n":0}`), []byte(`{"n":7}`), 1), 0o600))
	require.NoError(t, os.Chtimes(other, info.ModTime(), info.ModTime()))
	ctx = &meddling{Context: t.Context(), times: 1, meddle: func() { require.NoError(t, os.Rename(other, path)) }}
	l, err = OpenFile(ctx, path)
	require.NoError(t, err)
	assert.Contains(t, texts(t, l)[0], `{"n":7}`, "what has the name now")
	require.NoError(t, l.Close())
}

// A meddling context does something to the file each time that it is asked, which is while it is read.
type meddling struct {
	context.Context
	times  int
	asked  int
	meddle func()
}

func (m *meddling) Err() error {
	m.asked++
	if m.asked%2 == 0 && m.times > 0 { // the first question is before the file is opened
		m.times--
		m.meddle()
	}
	return m.Context.Err()
}

// A long log is read in little memory.
func TestViewInBoundedMemory(t *testing.T) {
	const events, batch = 200_000, 5000
	for _, name := range bothNames {
		path := newFile(t, name, 0)
		l, err := OpenFile(t.Context(), path)
		require.NoError(t, err)
		for l.Next() < events {
			require.NoError(t, l.Append(t.Context(), notes(l.Next(), batch)...))
		}
		require.NoError(t, l.Close())
		v, err := ViewFile(t.Context(), path)
		require.NoError(t, err)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		before, most, count := m.HeapAlloc, uint64(0), 0
		for _, err := range v.Events(t.Context(), 0) {
			require.NoError(t, err)
			if count++; count%10_000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
		require.Equal(t, events, count)
		require.NoError(t, v.Close())
		require.Less(t, most, before+4<<20, fmt.Sprintf("%s: the log has %d bytes", name, size(t, path)))
	}
}
