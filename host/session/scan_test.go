package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const headerLine = `{"type":"session","version":0,"id":"s","createdAt":1700000000000,"cwd":"/work","delegationDepth":0}`

// line writes a line of a log.
func line(kind string, seq int64) string {
	return fmt.Sprintf(`{"type":%q,"seq":%d,"time":5,"data":{"turn":1}}`, kind, seq)
}

// logOf joins lines, each ended.
func logOf(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// scanned is what a scanner makes of a log.
type scanned struct {
	header                       Header
	events                       []Event
	committed, total, next, kept int64
	issue                        *Error
}

func scan(s *Scanner) (scanned, error) {
	var got scanned
	for e, err := range s.Events() {
		if err != nil {
			return got, err
		}
		got.events = append(got.events, e)
	}
	header, err := s.Header()
	got.header, got.issue = header, s.Issue()
	got.committed, got.total, got.next, got.kept = s.Committed(), s.Total(), s.Next(), s.Kept()
	return got, err
}

func scanText(log string) (scanned, error) { return scan(NewScanner(strings.NewReader(log))) }

// A row that holds seqs 1 to 3.
const row123 = `{"type":"text-chunks","seq0":1,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[1,1],"texts":["a","b","c"]}}`

func TestScanCommits(t *testing.T) {
	start, one, end := line(TurnStart, 0), line(StepStart, 1), line(TurnEnd, 1)
	for _, c := range []struct {
		name  string
		lines []string // behind the header
		rest  string   // behind the last line feed
		taken int      // of the lines
		next  int64
		issue Code
	}{
		{name: "header only"},
		{name: "whole", lines: []string{start, end}, taken: 2, next: 2},
		{name: "carriage returns", lines: []string{start + "\r", " " + end + "\t\r"}, taken: 2, next: 2},
		{name: "complete JSON without a line feed", lines: []string{start}, rest: end, taken: 1, next: 1},
		{name: "part of a character", lines: []string{start}, rest: `{"x":"` + "\xc3", taken: 1, next: 1},
		{name: "a row", lines: []string{start, row123}, taken: 2, next: 4},
		{name: "row of one", lines: []string{textRow("0", "1", "[]", `["x"]`)}, taken: 1, next: 1},
		{name: "bytes that are not UTF-8", lines: []string{start, strings.Replace(one, `"turn"`, "\"\xff\xed\xa0\x80\"", 1)}, taken: 2, next: 2},
		{name: "seq as a fraction that is none", lines: []string{start, strings.Replace(one, `:1,`, `:0.1e1,`, 1)}, taken: 2, next: 2},
		{name: "the last of two seqs", lines: []string{start, strings.Replace(one, `:1,`, `:7,"\u0073eq":1,`, 1)}, taken: 2, next: 2},
		{name: "a time that is wrong is not looked at", lines: []string{strings.Replace(start, `:5`, `:"x"`, 1)}, taken: 1, next: 1},
		{name: "an event without a type or data", lines: []string{`{"seq":0}`}, taken: 1, next: 1},
		{name: "deep", lines: []string{strings.Replace(start, `{"turn":1}`, strings.Repeat("[", 9999)+strings.Repeat("]", 9999), 1)}, taken: 1, next: 1},

		{name: "not JSON", lines: []string{start, "!", one}, taken: 1, next: 1, issue: CorruptLine},
		{name: "empty", lines: []string{start, "", one}, taken: 1, next: 1, issue: CorruptLine},
		{name: "a mark of byte order", lines: []string{start, "\ufeff" + one}, taken: 1, next: 1, issue: CorruptLine},
		{name: "a zero byte", lines: []string{start, one + "\x00"}, taken: 1, next: 1, issue: CorruptLine},
		{name: "a space of another script", lines: []string{start, one + "\u00a0"}, taken: 1, next: 1, issue: CorruptLine},
		{name: "too deep", lines: []string{start, strings.Repeat("[", 1<<20)}, taken: 1, next: 1, issue: CorruptLine},
		{name: "malformed row", lines: []string{start, strings.Replace(row123, "[1,1]", "[1]", 1)}, taken: 1, next: 1, issue: CorruptLine},
		{name: "first of several issues", lines: []string{start, line(StepStart, 5), "!"}, taken: 1, next: 1, issue: SeqGap},
		{name: "gap", lines: []string{start, line(StepStart, 2)}, taken: 1, next: 1, issue: SeqGap},
		{name: "gap that closes again", lines: []string{start, line(StepStart, 2), one}, taken: 1, next: 1, issue: SeqGap},
		{name: "repeated", lines: []string{start, start}, taken: 1, next: 1, issue: SeqGap},
		{name: "first is not 0", lines: []string{one}, issue: SeqGap},
		{name: "null", lines: []string{start, "null"}, taken: 1, next: 1, issue: SeqGap},
		{name: "number", lines: []string{start, "421"}, taken: 1, next: 1, issue: SeqGap},
		{name: "text", lines: []string{start, `"turn/end"`}, taken: 1, next: 1, issue: SeqGap},
		{name: "boolean", lines: []string{start, "true"}, taken: 1, next: 1, issue: SeqGap},
		{name: "list", lines: []string{start, `[{"type":"turn/end","seq":1}]`}, taken: 1, next: 1, issue: SeqGap},
		{name: "object without a seq", lines: []string{start, "{}"}, taken: 1, next: 1, issue: SeqGap},
		{name: "seq of another type", lines: []string{start, strings.Replace(one, `:1,`, `:"1",`, 1)}, taken: 1, next: 1, issue: SeqGap},
		{name: "fractional seq", lines: []string{start, strings.Replace(one, `:1,`, `:1.5,`, 1)}, taken: 1, next: 1, issue: SeqGap},
		{name: "row that overlaps", lines: []string{start, one, row123}, taken: 2, next: 2, issue: SeqGap},
		{name: "row with a gap", lines: []string{row123}, issue: SeqGap},
		{name: "a row's tag without a row", lines: []string{start, `{"type":"text-chunks","seq":1,"time":5,"data":{}}`}, taken: 1, next: 1, issue: CorruptLine},

		// The end of a turn behind the issue, that is none.
		{name: "end that is not complete", lines: []string{start, "!"}, rest: end, taken: 1, next: 1, issue: CorruptLine},
		{name: "end that is not readable", lines: []string{start, "!", end + "}"}, taken: 1, next: 1, issue: CorruptLine},
		{name: "end inside another event", lines: []string{start, "!", `{"type":"x","seq":1,"data":{"type":"turn/end"}}`}, taken: 1, next: 1, issue: CorruptLine},
		{name: "end that another type follows", lines: []string{start, "!", `{"type":"turn/end","seq":1,"type":"x"}`}, taken: 1, next: 1, issue: CorruptLine},
		{name: "row behind the issue", lines: []string{start, "!", row123}, taken: 1, next: 1, issue: CorruptLine},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := logOf(append([]string{headerLine}, c.lines...)...) + c.rest
			got, err := scanText(text)
			require.NoError(t, err)
			want := len(logOf(append([]string{headerLine}, c.lines[:c.taken]...)...))
			assert.Equal(t, int64(want), got.committed)
			assert.Equal(t, int64(len(text)), got.total)
			assert.Equal(t, c.next, got.next)
			assert.Equal(t, c.next, got.kept)
			require.Len(t, got.events, int(c.next))
			for i, e := range got.events {
				assert.Equal(t, int64(i), e.Seq)
			}
			if c.issue == "" {
				assert.Nil(t, got.issue)
				return
			}
			require.NotNil(t, got.issue)
			assert.Equal(t, c.issue, got.issue.Code)
			assert.Equal(t, int64(want), got.issue.Offset)
		})
	}
}

func TestScanRefusesDamage(t *testing.T) {
	start, one, end := line(TurnStart, 0), line(StepStart, 1), line(TurnEnd, 2)
	for _, c := range []struct {
		name            string
		lines           []string
		code            Code
		at              int // the line at fault, from 0 behind the header
		expected, found int64
	}{
		{"not JSON", []string{start, "!x", one, end}, CorruptLine, 1, 0, 0},
		{"empty", []string{start, "", one, end}, CorruptLine, 1, 0, 0},
		{"malformed row", []string{start, strings.Replace(row123, "[1,1]", "[1]", 1), line(TurnEnd, 4)}, CorruptLine, 1, 0, 0},
		{"gap", []string{start, end, line(StepStart, 9)}, SeqGap, 1, 1, 2},
		{"gap, end later", []string{start, line(StepStart, 5), "!", line(TurnEnd, 0)}, SeqGap, 1, 1, 5},
		{"repeated", []string{start, one, end, end}, SeqGap, 3, 3, 2},
		{"null", []string{start, "null", one, end}, SeqGap, 1, 1, -1},
		{"number", []string{start, one, "421", end}, SeqGap, 2, 2, -1},
		{"end without a seq", []string{start, `{"type":"turn/end"}`}, SeqGap, 1, 1, -1},
		{"end spelled with escapes", []string{start, "[]", `{"\u0074ype":"turn\/\u0065nd"}`}, SeqGap, 1, 1, -1},
		{"row that overlaps", []string{start, one, row123, line(TurnEnd, 4)}, SeqGap, 2, 2, 1},
		{"the first issue, not the worst", []string{start, line(StepStart, 3), "!", "!", end}, SeqGap, 1, 1, 3},
		{"first is not 0", []string{one, end}, SeqGap, 0, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewScanner(strings.NewReader(logOf(append([]string{headerLine}, c.lines...)...) + "{"))
			s.Path = "x.jsonl"
			got, err := scan(s)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.code, e.Code)
			assert.Equal(t, int64(c.at+2), e.Line)
			from := len(logOf(append([]string{headerLine}, c.lines[:c.at]...)...))
			assert.Equal(t, int64(from), e.Offset)
			assert.Equal(t, int64(from+len(c.lines[c.at])+1), e.End)
			assert.Equal(t, [2]int64{c.expected, c.found}, [2]int64{e.Expected, e.Found})
			assert.Contains(t, e.Error(), fmt.Sprintf("x.jsonl:%d: ", e.Line))
			for i := range got.events {
				assert.Equal(t, int64(i), got.events[i].Seq)
			}
			for _, err := range s.Events() { // it stays refused
				assert.Equal(t, error(e), err)
			}
			_, err = s.Header()
			assert.NoError(t, err)
		})
	}
}

func TestHeader(t *testing.T) {
	with := func(field string) string { return strings.TrimSuffix(headerLine, "}") + "," + field + "}" }
	without := func(field string) string { return strings.Replace(headerLine, field, "", 1) }
	for _, c := range []struct {
		line string
		code Code
	}{
		{headerLine, ""}, {headerLine + "\r", ""}, {with(`"more":{"x":[1]},"version":0.0`), ""},
		{with(`"seedLength":3,"origin":"subagent","parentSession":"p","agentPreset":"a"`), ""},
		{without(`"cwd":"/work",`), ""},
		{"", HeaderNotJSON}, {"{", HeaderNotJSON}, {"\ufeff" + headerLine, HeaderNotJSON}, {headerLine + "x", HeaderNotJSON},
		{"null", HeaderInvalid}, {"[]", HeaderInvalid}, {"0", HeaderInvalid}, {"{}", HeaderInvalid},
		{without(`"type":"session",`), HeaderInvalid}, {with(`"type":"event"`), HeaderInvalid},
		{without(`"version":0,`), HeaderInvalid}, {with(`"version":"0"`), HeaderInvalid}, {with(`"version":null`), HeaderInvalid},
		{without(`"id":"s",`), HeaderInvalid}, {with(`"id":5`), HeaderInvalid}, {with(`"id":""`), HeaderInvalid},
		{without(`"createdAt":1700000000000,`), HeaderInvalid}, {with(`"createdAt":1.5`), HeaderInvalid},
		{with(`"createdAt":-1`), HeaderInvalid}, {with(`"createdAt":"1"`), HeaderInvalid},
		{without(`,"delegationDepth":0`), HeaderInvalid}, {with(`"delegationDepth":-1`), HeaderInvalid}, {with(`"delegationDepth":null`), HeaderInvalid},
		{with(`"cwd":null`), HeaderInvalid}, {with(`"parentSession":1`), HeaderInvalid}, {with(`"agentPreset":[]`), HeaderInvalid},
		{with(`"seedLength":-1`), HeaderInvalid}, {with(`"seedLength":0.5`), HeaderInvalid}, {with(`"seedLength":null`), HeaderInvalid},
		{with(`"origin":"fork"`), HeaderInvalid}, {with(`"origin":null`), HeaderInvalid},
		{with(`"sandboxMode":"read-only"`), HeaderRetiredFields}, {with(`"approvalPolicy":null`), HeaderRetiredFields},
		{with(`"version":1`), FormatUnsupported}, {`{"version":4,"shape":"unknown"}`, FormatUnsupported},
		{with(`"version":-1`), FormatUnsupported}, {with(`"version":0.5`), FormatUnsupported}, {with(`"version":1e999`), FormatUnsupported},
		{with(`"version":2,"sandboxMode":1`), FormatUnsupported},
	} {
		got, err := scanText(c.line + "\n" + "not JSON\n")
		if c.code == "" {
			require.NoError(t, err, c.line)
			assert.Equal(t, "s", got.header.ID)
			assert.Equal(t, int64(len(c.line)+1), got.committed)
			again, err := ParseHeader(got.header.AppendJSON(nil))
			require.NoError(t, err)
			assert.Equal(t, got.header, again)
			continue
		}
		var e *Error
		require.ErrorAs(t, err, &e, c.line)
		assert.Equal(t, c.code, e.Code, c.line)
		assert.Equal(t, [2]int64{1, 0}, [2]int64{e.Line, e.Offset})
		assert.NotEmpty(t, e.Detail)
	}
	for _, log := range []string{"", headerLine, "{", strings.Repeat("x", 1<<20)} {
		_, err := scanText(log)
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, HeaderMissing, e.Code)
	}
	for version, word := range map[string]string{"4": "newer", "0.5": "newer", "1e999": "newer", "-1": "older", "-1e999": "older"} {
		_, err := ParseHeader([]byte(with(`"version":` + version)))
		assert.ErrorContains(t, err, word)
	}
}

func TestScanKeepsWhereEventsWere(t *testing.T) {
	got, err := scanText(logOf(headerLine, line(TurnStart, 0), row123))
	require.NoError(t, err)
	first := int64(len(headerLine) + 1)
	second := first + int64(len(line(TurnStart, 0))+1)
	assert.Equal(t, [2]int64{2, first}, [2]int64{got.events[0].line, got.events[0].offset})
	for _, e := range got.events[1:] {
		assert.Equal(t, [2]int64{3, second}, [2]int64{e.line, e.offset})
	}
}

func TestScanCanStopAndGoOn(t *testing.T) {
	s := NewScanner(strings.NewReader(logOf(headerLine, line(TurnStart, 0), row123, line(TurnEnd, 4))))
	var seqs []int64
	for range 10 {
		for e, err := range s.Events() {
			require.NoError(t, err)
			seqs = append(seqs, e.Seq)
			break
		}
	}
	assert.Equal(t, []int64{0, 1, 2, 3, 4}, seqs)
}

func TestScanFrom(t *testing.T) {
	s := NewScanner(strings.NewReader(logOf(headerLine, line(TurnStart, 0), row123, line(TurnEnd, 4))))
	s.from = 2
	got, err := scan(s)
	require.NoError(t, err)
	assert.Len(t, got.events, 3)
	assert.Equal(t, int64(2), got.events[0].Seq)
	assert.Equal(t, int64(5), got.next)
}

// A reader that gives a byte at a time, and one that fails, make no difference but for the failure.
func TestScanReaders(t *testing.T) {
	text := logOf(headerLine, line(TurnStart, 0), row123, line(TurnEnd, 4)) + "{"
	whole, err := scanText(text)
	require.NoError(t, err)
	slow, err := scan(NewScanner(iotest.OneByteReader(strings.NewReader(text))))
	require.NoError(t, err)
	assert.Equal(t, whole, slow)
	broken := errors.New("broken disk")
	for _, n := range []int{0, 50, 150} {
		s := NewScanner(io.MultiReader(strings.NewReader(text[:n]), iotest.ErrReader(broken)))
		s.Path = "x.jsonl"
		_, err = scan(s)
		assert.ErrorIs(t, err, broken)
		assert.ErrorContains(t, err, "x.jsonl: ")
		var e *Error
		assert.False(t, errors.As(err, &e))
	}
}

// A line that is too long may be a good one: the log is refused, wherever it is. It costs no memory.
func TestScanLongLine(t *testing.T) {
	long := func(n int) io.Reader { return io.LimitReader(zeros{}, int64(n)) }
	head, tail := logOf(headerLine, line(TurnStart, 0)), "\n"+logOf(line(StepStart, 1))
	s := NewScanner(io.MultiReader(strings.NewReader(head), long(8*MaxLine), strings.NewReader(tail)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := scan(s)
	runtime.ReadMemStats(&after)
	var refused *Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, CorruptLine, refused.Code)
	assert.Equal(t, int64(3), refused.Line)
	assert.Equal(t, int64(len(head)), refused.Offset)
	// Without its line feed it was never committed.
	got, err = scan(NewScanner(io.MultiReader(strings.NewReader(head), long(MaxLine+1))))
	require.NoError(t, err)
	assert.Equal(t, int64(len(head)), got.committed)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(6*MaxLine))

	// One that is just not too long is read.
	event := `{"type":"x","seq":0,"time":1,"data":""}`
	for extra, next := range []int64{1, 0} {
		pad := MaxLine - len(event) + extra
		got, err = scan(NewScanner(io.MultiReader(strings.NewReader(headerLine+"\n"+event[:len(event)-2]),
			long(pad), strings.NewReader(event[len(event)-2:]+"\n"))))
		assert.Equal(t, next == 0, err != nil)
		assert.Equal(t, next, got.next, "none of a log that is refused")
	}
}

// zeros reads as the digit 0 for ever.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// checkPrefix checks that what is committed is a log of its own.
func checkPrefix(t *testing.T, log []byte) {
	t.Helper()
	got, err := scan(NewScanner(bytes.NewReader(log)))
	if err != nil {
		var e *Error
		require.ErrorAs(t, err, &e)
		return
	}
	require.Equal(t, int64(len(log)), got.total)
	require.LessOrEqual(t, got.committed, got.total)
	require.Equal(t, got.next, int64(len(got.events)))
	again, err := scan(NewScanner(bytes.NewReader(log[:got.committed])))
	require.NoError(t, err)
	require.Equal(t, again.total, again.committed, "the committed part has a torn tail")
	require.Nil(t, again.issue)
	again.total, again.issue = got.total, got.issue
	require.Equal(t, got, again)
}

func FuzzScan(f *testing.F) {
	whole := logOf(headerLine, line(TurnStart, 0), row123, line(TurnEnd, 4), line(TurnStart, 5))
	f.Add([]byte(whole))
	f.Add([]byte(whole[:len(whole)-3]))
	f.Add([]byte(whole + "null\n"))
	f.Add([]byte(logOf(headerLine, "", line(TurnEnd, 0))))
	f.Add([]byte(headerLine))
	f.Fuzz(func(t *testing.T, log []byte) { checkPrefix(t, log) })
}

// A log cut at any byte holds the whole lines in front of the cut.
func TestScanCutAnywhere(t *testing.T) {
	log := []byte(logOf(headerLine, line(TurnStart, 0), row123, line(TurnEnd, 4), line(TurnStart, 5)))
	for n := range len(log) + 1 {
		checkPrefix(t, log[:n])
		got, err := scan(NewScanner(bytes.NewReader(log[:n])))
		lines := int64(bytes.LastIndexByte(log[:n], '\n') + 1)
		if lines == 0 {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, lines, got.committed)
	}
}

// A byte that was changed anywhere never makes the scanner take events that were not there.
func TestScanSpoiledAnywhere(t *testing.T) {
	log := []byte(logOf(headerLine, line(TurnStart, 0), row123, line(TurnEnd, 4), line(TurnStart, 5)))
	random := rand.New(rand.NewPCG(1, 2))
	for at := range log {
		spoiled := bytes.Clone(log)
		spoiled[at] = byte(random.IntN(256))
		checkPrefix(t, spoiled)
	}
}
