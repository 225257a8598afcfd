package session

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// chunkEvents are what a turn's loop appends one by one.
func chunkEvents(from int64, n int) []Event {
	list := make([]Event, n)
	for i := range list {
		list[i] = Event{
			Type: AssistantChunk, Seq: from + int64(i), Time: 1_700_000_000_000,
			Data: []byte(`{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"Reading the ledger"}}`),
		}
	}
	return list
}

// BenchmarkAppend appends one chunk at a time. The floor writes lines of the same length to a bare file,
// and syncs as often; the metric is the ratio to it.
func BenchmarkAppend(b *testing.B) {
	for _, sync := range []bool{false, true} {
		for _, name := range bothNames {
			b.Run(fmt.Sprintf("%s/sync=%t", name, sync), func(b *testing.B) {
				ctx := b.Context()
				dir := b.TempDir()
				path := filepath.Join(dir, name)
				h := Header{ID: "s"}
				text := append(h.AppendJSON(nil), '\n')
				if name == packedName {
					text = AppendFrame(nil, text)
				}
				require.NoError(b, os.WriteFile(path, text, 0o600))
				l, err := OpenFile(ctx, path)
				require.NoError(b, err)
				defer l.Close()
				batch := chunkEvents(0, 1)
				line := append(batch[0].AppendJSON(nil), '\n')
				b.SetBytes(int64(len(line)))
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					batch[0].Seq = l.Next()
					if err := l.Append(ctx, batch...); err != nil {
						b.Fatal(err)
					}
					if sync {
						if err := l.Sync(ctx); err != nil {
							b.Fatal(err)
						}
					}
					n++
				}
				took := b.Elapsed()
				b.ReportMetric(float64(took)/float64(bareWrites(b, filepath.Join(dir, "bare"), line, n, sync)), "x-floor")
			})
		}
	}
}

// bareWrites is the time that n writes take.
func bareWrites(b *testing.B, path string, line []byte, n int, sync bool) time.Duration {
	f, err := os.Create(path)
	require.NoError(b, err)
	defer f.Close()
	start := time.Now()
	for range n {
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if sync {
			if err := f.Sync(); err != nil {
				b.Fatal(err)
			}
		}
	}
	return time.Since(start)
}

// BenchmarkAppendMany makes whole logs, chunk by chunk, of 2,000 and of 20,000 events: the cost of one
// must not grow with the log.
func BenchmarkAppendMany(b *testing.B) {
	for _, scale := range []int{1, 10} {
		for _, sync := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dx/sync=%t", scale, sync), func(b *testing.B) {
				events := chunkEvents(0, 2000*scale)
				dir := b.TempDir()
				path := filepath.Join(dir, plainName)
				line := append(events[0].AppendJSON(nil), '\n')
				b.SetBytes(int64(len(line) * len(events)))
				for b.Loop() {
					s := newFileStore{path: path}
					l, err := s.Create(b.Context(), Header{ID: "s"})
					require.NoError(b, err)
					for i := range events {
						if err := l.Append(b.Context(), events[i]); err != nil {
							b.Fatal(err)
						}
						if sync && i%20 == 19 {
							if err := l.Sync(b.Context()); err != nil {
								b.Fatal(err)
							}
						}
					}
					require.NoError(b, l.Close())
					require.NoError(b, os.Remove(path))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(events)), "ns/event")
			})
		}
	}
}

// BenchmarkView opens a log and reads its events, which goes through the file twice. The floor reads its
// lines twice.
func BenchmarkView(b *testing.B) {
	for _, name := range bothNames {
		for _, events := range []int{20_000, 200_000} {
			b.Run(fmt.Sprintf("%s/events=%d", name, events), func(b *testing.B) {
				ctx := b.Context()
				path := filepath.Join(b.TempDir(), name)
				plain := longFile(b, path, events)
				info, err := os.Stat(plain)
				require.NoError(b, err)
				b.SetBytes(info.Size())
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					v, err := ViewFile(ctx, path)
					if err != nil {
						b.Fatal(err)
					}
					count := 0
					for _, err := range v.Events(ctx, 0) {
						if err != nil {
							b.Fatal(err)
						}
						count++
					}
					if count != events || v.Close() != nil {
						b.Fatal(count)
					}
					n++
				}
				took := b.Elapsed()
				start := time.Now()
				for range 2 * n {
					readLines(b, plain)
				}
				b.ReportMetric(float64(took)/float64(time.Since(start)), "x-floor")
				b.ReportMetric(float64(took)/float64(n)/float64(events), "ns/event")
			})
		}
	}
}

// longFile makes a log of chunks, in batches of 100, and returns the plain one of the same content.
func longFile(b *testing.B, path string, events int) (plain string) {
	h := Header{ID: "s"}
	text := append(h.AppendJSON(nil), '\n')
	plain = filepath.Join(filepath.Dir(path), "plain.jsonl")
	for _, to := range []string{path, plain} {
		first := text
		if filepath.Base(to) == packedName {
			first = AppendFrame(nil, text)
		}
		require.NoError(b, os.WriteFile(to, first, 0o600))
		l, err := OpenFile(context.Background(), to)
		require.NoError(b, err)
		for l.Next() < int64(events) {
			require.NoError(b, l.Append(context.Background(), chunkEvents(l.Next(), 100)...))
		}
		require.NoError(b, l.Close())
	}
	return plain
}

func readLines(b *testing.B, path string) {
	f, err := os.Open(path)
	require.NoError(b, err)
	defer f.Close()
	r := bufio.NewReaderSize(f, readBuffer)
	for {
		if _, err := r.ReadSlice('\n'); err != nil {
			return
		}
	}
}
