package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// salvaged is what a salvage gives.
type salvaged struct {
	header  *Header
	events  []Event
	entries []*Error
	summary SalvageSummary
}

func salvage(t require.TestingT, log []byte) (got salvaged) {
	s := Salvage(bytes.NewReader(log))
	for e, err := range s.Events(context.Background()) {
		var entry *Error
		if errors.As(err, &entry) {
			got.entries = append(got.entries, entry)
			continue
		}
		require.NoError(t, err)
		got.events = append(got.events, e)
	}
	if h, ok := s.Header(); ok {
		got.header = &h
	}
	got.summary = s.Summary()
	require.Equal(t, int64(len(got.events)), got.summary.Events)
	return got
}

func (s *salvaged) seqs() (seqs []int64) {
	for _, e := range s.events {
		seqs = append(seqs, e.Seq)
	}
	return seqs
}

func (s *salvaged) codes() (codes []string) {
	for _, e := range s.entries {
		code := string(e.Code)
		if e.Line > 0 {
			code += fmt.Sprintf("@%d", e.Line)
		}
		if e.Code == SeqGap || e.Code == SeqRepeated {
			code += fmt.Sprintf(" %d/%d", e.Expected, e.Found)
		}
		codes = append(codes, code)
	}
	return codes
}

func TestSalvage(t *testing.T) {
	at := func(seq int64) string { return line(StepStart, seq) }
	for _, c := range []struct {
		name     string
		log      string
		seqs     []int64
		codes    []string
		lost     int64
		noHeader bool
	}{
		{"sound", logOf(headerLine, at(0), row123, at(4)), []int64{0, 1, 2, 3, 4}, nil, 0, false},
		{"header only", logOf(headerLine), nil, nil, 0, false},
		{"header without a line feed", headerLine, nil, nil, 0, false},
		{"last line without a line feed", logOf(headerLine, at(0)) + at(1), []int64{0, 1}, nil, 0, false},
		{"torn", logOf(headerLine, at(0)) + at(1)[:9], []int64{0}, []string{"TORN@3"}, 1, false},
		{"garbage", logOf(headerLine, at(0), "!", "", "\x00\xff", at(1), line(TurnEnd, 2)), []int64{0, 1, 2},
			[]string{"CORRUPT_LINE@3", "CORRUPT_LINE@4", "CORRUPT_LINE@5"}, 3, false},
		{"lost line", logOf(headerLine, at(0), "!", at(2)), []int64{0, 2}, []string{"CORRUPT_LINE@3", "SEQ_GAP@4 1/2"}, 1, false},
		{"no events", logOf(headerLine, at(0), "null", "421", "[]", "{}", at(1)), []int64{0, 1},
			[]string{"SEQ_GAP@3 1/-1", "SEQ_GAP@4 1/-1", "SEQ_GAP@5 1/-1", "SEQ_GAP@6 1/-1"}, 4, false},
		{"repeated", logOf(headerLine, at(0), at(1), at(0), at(1), at(2)), []int64{0, 1, 2},
			[]string{"SEQ_REPEATED@4 2/0", "SEQ_REPEATED@5 2/1"}, 2, false},
		{"out of order", logOf(headerLine, at(0), at(5), at(6), at(1), at(2), at(7)), []int64{0, 5, 6, 1, 2, 7},
			[]string{"SEQ_GAP@3 1/5", "SEQ_GAP@5 7/1", "SEQ_GAP@7 3/7"}, 0, false},
		{"row that overlaps", logOf(headerLine, at(0), at(2), row123, at(4)), []int64{0, 2, 1, 3, 4},
			[]string{"SEQ_GAP@3 1/2", "SEQ_GAP@4 3/1", "SEQ_REPEATED@4 2/2"}, 0, false},
		{"row again", logOf(headerLine, at(0), row123, row123, at(4)), []int64{0, 1, 2, 3, 4}, []string{"SEQ_REPEATED@4 4/1"}, 1, false},
		{"malformed row", logOf(headerLine, strings.Replace(row123, "[1,1]", "[1]", 1), at(4)), []int64{4},
			[]string{"CORRUPT_LINE@2", "SEQ_GAP@3 0/4"}, 1, false},
		{"negative seq", logOf(headerLine, at(-7), at(0)), []int64{0}, []string{"SEQ_GAP@2 0/-1"}, 1, false},
		{"no header, an event instead", logOf(at(0), at(1)), []int64{0, 1}, []string{"HEADER_INVALID@1"}, 0, true},
		{"spoiled header", logOf(headerLine[1:], at(0)), []int64{0}, []string{"HEADER_NOT_JSON@1"}, 1, true},
		{"newer version", logOf(`{"version":4}`, at(0)), []int64{0}, []string{"FORMAT_UNSUPPORTED@1"}, 1, true},
		{"retired fields", logOf(strings.Replace(headerLine, `"id"`, `"sandboxMode":1,"id"`, 1), at(0)), []int64{0}, []string{"HEADER_RETIRED_FIELDS@1"}, 1, true},
		{"empty", "", nil, []string{"HEADER_MISSING@1"}, 0, true},
		{"two logs in one file", logOf(headerLine, at(0), at(1), headerLine, at(0), at(1), at(2)), []int64{0, 1, 2},
			[]string{"SEQ_GAP@4 2/-1", "SEQ_REPEATED@5 2/0", "SEQ_REPEATED@6 2/1"}, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := salvage(t, []byte(c.log))
			assert.Equal(t, c.seqs, got.seqs())
			assert.Equal(t, c.codes, got.codes())
			assert.Equal(t, c.lost, got.summary.Lost)
			assert.Equal(t, int64(len(strings.SplitAfter(c.log, "\n"))-1+min(1, len(c.log)-strings.LastIndex(c.log, "\n")-1)), got.summary.Lines)
			assert.Equal(t, c.noHeader, got.header == nil)
			lines := strings.SplitAfter(c.log, "\n")
			for _, e := range got.entries {
				assert.NotEmpty(t, e.Detail)
				if e.Code != HeaderMissing {
					assert.Equal(t, lines[e.Line-1], c.log[e.Offset:e.End])
				}
			}
			for i, e := range got.events {
				at := strings.SplitAfter(c.log[e.offset:], "\n")[0]
				assert.Equal(t, lines[e.line-1], at, "%d", i)
			}
		})
	}
}

// A log cut at any byte gives all lines that are whole, and the last one if it is.
func TestSalvageCutAnywhere(t *testing.T) {
	lines := []string{headerLine, line(TurnStart, 0), row123, line(TurnEnd, 4), line(TurnStart, 5)}
	counts := []int{0, 1, 4, 5, 6}
	log := []byte(logOf(lines...))
	for n := range len(log) + 1 {
		got := salvage(t, log[:n])
		want, length := 0, 0
		for i, l := range lines {
			if length += len(l); length <= n {
				want = counts[i]
			}
			length++
		}
		require.Len(t, got.events, want, "%d", n)
		require.Equal(t, n >= len(headerLine), got.header != nil)
	}
}

// Of a frame that is cut off it gives what a scan takes, and a last line that only lacks its line feed.
func TestSalvageFramesCutAnywhere(t *testing.T) {
	log := append(framed(headerLine+"\n", logOf(line(TurnStart, 0))), rawFrame(logOf(row123)[:30], logOf(row123)[30:]+logOf(line(TurnEnd, 4)))...)
	header := len(framed(headerLine + "\n"))
	for n := range len(log) + 1 {
		got := salvage(t, log[:n])
		if n < header {
			require.NotEmpty(t, got.entries)
			continue
		}
		require.NotNil(t, got.header)
		taken, err := scanFrames(log[:n])
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(got.events), len(taken.events))
		for i, e := range got.events {
			require.Equal(t, int64(i), e.Seq)
		}
		torn := taken.total > taken.committed
		require.Equal(t, torn, len(got.entries) == 1, "%d", n)
		require.LessOrEqual(t, len(got.entries), 1)
		if torn {
			require.Equal(t, Torn, got.entries[0].Code)
			require.Equal(t, [2]int64{taken.committed, taken.total}, [2]int64{got.entries[0].Offset, got.entries[0].End})
		}
	}
}

// What a scan takes, a salvage gives too, in both forms, and of a sound log it has nothing to report.
func TestSalvageAgreesWithScan(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	plain := []byte(logOf(headerLine, line(TurnStart, 0), row123, line(TurnEnd, 4), line(TurnStart, 5)))
	packed := append(framed(headerLine+"\n", logOf(line(TurnStart, 0), row123)), rawFrame(logOf(line(TurnEnd, 4)))...)
	for _, log := range [][]byte{plain, packed} {
		scanIt := scanFrames
		if log[0] == '{' {
			scanIt = func(log []byte) (scanned, error) { return scan(NewScanner(bytes.NewReader(log))) }
		}
		require.Empty(t, salvage(t, log).entries)
		for at := range log {
			spoiled := bytes.Clone(log)
			spoiled[at] ^= byte(1 + random.IntN(255))
			got := salvage(t, spoiled)
			taken, err := scanIt(spoiled)
			for i, e := range taken.events {
				require.Less(t, i, len(got.events), "at %d", at)
				require.Equal(t, string(e.AppendJSON(nil)), string(got.events[i].AppendJSON(nil)))
			}
			if err != nil {
				require.NotEmpty(t, got.entries)
			}
		}
	}
}

func TestSalvageFrames(t *testing.T) {
	header := framed(headerLine + "\n")
	batch := func(from, n int64) string {
		var lines []string
		for i := range n {
			lines = append(lines, line(StepStart, from+i))
		}
		return logOf(lines...)
	}
	spoil := func(frame []byte, at int) []byte {
		frame = bytes.Clone(frame)
		frame[at] ^= 0xff
		return frame
	}
	good := framed(batch(0, 2))
	later := framed(batch(4, 2))
	raw := rawFrame(batch(2, 1), batch(3, 1))
	swallowing := bytes.Clone(raw) // a block that claims to go on to where nothing is any more
	copy(swallowing[6:], "\xf8\xff\x0f")
	// One that was cut behind the head of its block, and whose block and checksum are as long as the next frame.
	even := raw[:9:9]
	size := len(later) - 4
	even = append(even[:6:6], byte(size<<3|1), byte(size>>5), byte(size>>13))
	last := framed(batch(6, 1))
	for _, c := range []struct {
		name  string
		log   []byte
		seqs  []int64
		codes []string
	}{
		{"a length that takes the next frame", joined(header, good, even, later, last), []int64{0, 1, 4, 5, 6}, nil},
		{"a length that takes the last frame", joined(header, good, even, later), []int64{0, 1, 4, 5}, nil},
		{"sound", joined(header, good, raw, later), []int64{0, 1, 2, 3, 4, 5}, nil},
		{"checksum", joined(header, good, spoil(raw, len(raw)-1), later), []int64{0, 1, 2, 3, 4, 5}, []string{"FRAME_CORRUPT"}},
		{"a byte in the text", joined(header, good, spoil(raw, 9), later), []int64{0, 1, 3, 4, 5},
			[]string{"CORRUPT_LINE@4", "SEQ_GAP@5 2/3", "FRAME_CORRUPT"}},
		{"a frame that cannot be decompressed", joined(header, spoil(good, 12), raw, later), []int64{2, 3, 4, 5}, []string{"FRAME_CORRUPT", "SEQ_GAP@2 0/2"}},
		{"a magic number", joined(header, good, spoil(raw, 1), later), []int64{0, 1, 4, 5}, []string{"FRAME_CORRUPT", "SEQ_GAP@4 2/4"}},
		{"reserved bit", joined(header, good, spoil(raw, 4), later), []int64{0, 1, 4, 5}, []string{"FRAME_CORRUPT", "SEQ_GAP@4 2/4"}},
		{"a length that swallows what follows", joined(header, good, swallowing, later), []int64{0, 1, 2, 4, 5}, nil},
		{"garbage between", joined(header, good, []byte("garbage"), raw, later), []int64{0, 1, 2, 3, 4, 5}, []string{"FRAME_CORRUPT"}},
		{"a little garbage between", joined(header, good, []byte("xy"), raw), []int64{0, 1, 2, 3}, []string{"FRAME_CORRUPT"}},
		{"garbage behind", joined(header, good, []byte("garbage")), []int64{0, 1}, []string{"FRAME_CORRUPT"}},
		{"part of a magic number", joined(header, good, header[:3]), []int64{0, 1}, []string{"TORN"}},
		{"torn", joined(header, good, raw[:len(raw)-8]), []int64{0, 1, 2}, []string{"TORN"}},
		{"torn behind a whole line", joined(header, good, raw[:len(raw)-5]), []int64{0, 1, 2, 3}, []string{"TORN"}},
		{"header spoiled", joined(spoil(header, 2), good), []int64{0, 1}, []string{"FRAME_CORRUPT", "HEADER_INVALID@1"}},
		{"everything in one frame", framed(headerLine + "\n" + batch(0, 3)), []int64{0, 1, 2}, []string{"FRAME_CORRUPT"}},
		{"lines across frames", joined(header, framed(batch(0, 2)[:50], batch(0, 2)[50:])), []int64{0, 1}, []string{"FRAME_CORRUPT"}},
		{"last line does not end", joined(header, framed(strings.TrimSuffix(batch(0, 2), "\n"))), []int64{0, 1}, []string{"FRAME_CORRUPT"}},
		{"an empty frame", joined(header, good, rawFrame(""), raw), []int64{0, 1, 2, 3}, []string{"FRAME_CORRUPT"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := salvage(t, c.log)
			if c.codes == nil && c.name != "sound" {
				assert.NotEmpty(t, got.entries)
			} else {
				assert.Equal(t, c.codes, got.codes())
			}
			assert.Equal(t, c.seqs, got.seqs())
			for _, e := range got.entries {
				if e.Code == FrameCorrupt || e.Code == Torn {
					assert.Zero(t, e.Line)
					assert.Less(t, e.Offset, e.End)
					assert.LessOrEqual(t, e.End, int64(len(c.log)))
				}
			}
		})
	}
}

// A file made to fail costs no more than its length times a constant.
func TestSalvageIsLinear(t *testing.T) {
	counted := func(n int) int64 {
		// Frames that all go on to the end of the file and fail there.
		log := bytes.Repeat([]byte(frameMagic+"\x00\x58\x02\x00\x00x"), n)
		r := &countingReader{ReadSeeker: bytes.NewReader(log)}
		for _, err := range Salvage(r).Events(context.Background()) {
			var e *Error
			require.ErrorAs(t, err, &e)
		}
		return r.n
	}
	assert.Less(t, counted(20_000), 40*counted(1_000))
}

type countingReader struct {
	io.ReadSeeker
	n int64
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.ReadSeeker.Read(p)
	r.n += int64(n)
	return n, err
}

func TestSalvageStops(t *testing.T) {
	log := []byte(logOf(headerLine, line(TurnStart, 0), "!", row123, line(TurnEnd, 4)))
	s := Salvage(bytes.NewReader(log))
	for stop := range 7 {
		n := 0
		for range s.Events(context.Background()) {
			if n++; n > stop {
				break
			}
		}
		assert.Equal(t, min(stop+1, 6), n)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := errors.New("stopped")
	cancel(stopped)
	for _, err := range s.Events(ctx) {
		assert.ErrorIs(t, err, stopped)
	}
	broken := errors.New("broken disk")
	s = Salvage(&brokenSeeker{bytes.NewReader(log), broken})
	s.Path = "x"
	for _, err := range s.Events(context.Background()) {
		assert.ErrorIs(t, err, broken)
		assert.ErrorContains(t, err, "x: ")
	}
}

type brokenSeeker struct {
	io.ReadSeeker
	err error
}

func (r *brokenSeeker) Read([]byte) (int, error) { return iotest.ErrReader(r.err).Read(nil) }

func TestSalvageNamesTheFile(t *testing.T) {
	s := Salvage(strings.NewReader("!\n"))
	s.Path = "x.jsonl"
	for _, err := range s.Events(context.Background()) {
		assert.ErrorContains(t, err, "x.jsonl:1: ")
	}
}

// A plain log is read as one although its first byte is spoiled, whatever bytes are in it.
func TestSalvageGoesByTheName(t *testing.T) {
	log := "!" + logOf(headerLine, line(TurnStart, 0), frameMagic, line(TurnEnd, 1))[1:]
	s := Salvage(strings.NewReader(log))
	s.Path = "x.jsonl"
	n := 0
	for _, err := range s.Events(context.Background()) {
		if err == nil {
			n++
		}
	}
	assert.Equal(t, 2, n)
	// A name that is wrong does not matter if the file says what it is.
	s = Salvage(bytes.NewReader(framed(headerLine+"\n", logOf(line(TurnStart, 0)))))
	s.Path = "x.jsonl"
	_, ok := s.Header()
	assert.True(t, ok)
}

func FuzzSalvage(f *testing.F) {
	plain := logOf(headerLine, line(TurnStart, 0), row123, "!", line(TurnEnd, 4))
	packed := append(framed(headerLine+"\n", plain[len(headerLine)+1:]), rawFrame(logOf(line(TurnStart, 5)))...)
	f.Add([]byte(plain))
	f.Add(packed)
	f.Add(packed[:len(packed)-5])
	f.Add(append([]byte("x"), packed...))
	f.Fuzz(func(t *testing.T, log []byte) {
		got := salvage(t, log)
		seen := map[int64]bool{}
		for _, seq := range got.seqs() {
			require.False(t, seen[seq] || seq < 0)
			seen[seq] = true
		}
		last := [2]int64{}
		for _, e := range got.entries {
			if e.Line > 0 {
				require.LessOrEqual(t, last[0], e.Line)
				last[0] = e.Line
			} else {
				require.LessOrEqual(t, last[1], e.Offset)
				last[1] = e.Offset
			}
		}
	})
}
