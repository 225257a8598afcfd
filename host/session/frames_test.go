package session

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// framed makes a frame of each text.
func framed(texts ...string) []byte {
	var out []byte
	for _, text := range texts {
		out = AppendFrame(out, []byte(text))
	}
	return out
}

// rawFrame makes a frame of blocks that are not compressed, with a checksum.
func rawFrame(blocks ...string) []byte {
	out := []byte(frameMagic + "\x04\x58") // a checksum, a window of 2 MiB
	var x xxh64
	x.reset()
	for i, block := range blocks {
		header := uint32(len(block)) << 3
		if i == len(blocks)-1 {
			header |= 1
		}
		out = append(out, byte(header), byte(header>>8), byte(header>>16))
		out = append(out, block...)
		x.write([]byte(block))
	}
	return binary.LittleEndian.AppendUint32(out, uint32(x.sum()))
}

// repeatFrame makes a frame without a checksum that holds one byte many times.
func repeatFrame(c byte, blocks int, last string) []byte {
	out := []byte(frameMagic + "\x00\x58")
	for range blocks {
		out = append(out, 0x02, 0x00, 0x10, c) // 128 KiB of it
	}
	header := uint32(len(last))<<3 | 1
	return append(append(out, byte(header), byte(header>>8), byte(header>>16)), last...)
}

func scanFrames(log []byte) (scanned, error) { return scan(NewZstdScanner(bytes.NewReader(log))) }

func TestFrames(t *testing.T) {
	header := headerLine + "\n"
	first := logOf(line(TurnStart, 0), row123)
	second := logOf(line(TurnEnd, 4))
	log := framed(header, first, second)
	got, err := scanFrames(log)
	require.NoError(t, err)
	plain, err := scanText(header + first + second)
	require.NoError(t, err)
	assert.Equal(t, plain.events, got.events)
	assert.Equal(t, plain.header, got.header)
	assert.Equal(t, [4]int64{int64(len(log)), int64(len(log)), 5, 5}, [4]int64{got.committed, got.total, got.next, got.kept})
	slow, err := scan(NewZstdScanner(iotest.OneByteReader(bytes.NewReader(log))))
	require.NoError(t, err)
	assert.Equal(t, got, slow)

	broken := errors.New("broken disk")
	for n := range log {
		_, err := scan(NewZstdScanner(io.MultiReader(bytes.NewReader(log[:n]), iotest.ErrReader(broken))))
		assert.ErrorIs(t, err, broken, "%d", n)
	}
}

// The tools of others are read: no checksum, a size of the content, several blocks, other levels.
func TestFramesOfOthers(t *testing.T) {
	text := logOf(line(TurnStart, 0), line(StepStart, 1)) + strings.Repeat(" ", 300_000) + logOf(line(TurnEnd, 2))
	for _, options := range [][]zstd.EOption{
		{zstd.WithEncoderCRC(false)}, {zstd.WithSingleSegment(true)}, {zstd.WithEncoderLevel(zstd.SpeedBestCompression)},
		{zstd.WithWindowSize(8 << 20)}, {zstd.WithAllLitEntropyCompression(true)}, {zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithNoEntropyCompression(true)},
	} {
		w, err := zstd.NewWriter(nil, options...)
		require.NoError(t, err)
		log := w.EncodeAll([]byte(text), w.EncodeAll([]byte(headerLine+"\n"), nil))
		got, err := scanFrames(log)
		require.NoError(t, err)
		assert.Equal(t, int64(3), got.next)
		assert.Equal(t, got.total, got.committed)
		var stream bytes.Buffer // a frame whose size its writer did not know
		w.Reset(&stream)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		got, err = scanFrames(append(framed(headerLine+"\n"), stream.Bytes()...))
		require.NoError(t, err)
		assert.Equal(t, int64(3), got.next)
	}
}

func TestFramesRefused(t *testing.T) {
	header := framed(headerLine + "\n")
	good := framed(logOf(line(TurnStart, 0)))
	at := func(log []byte, from int, with string) []byte {
		log = bytes.Clone(log)
		copy(log[from:], with)
		return log
	}
	spoiled := at(good, len(good)-1, "\x00\x00")
	if spoiled[len(spoiled)-1] == good[len(good)-1] {
		spoiled[len(spoiled)-1]++
	}
	skippable := append([]byte("\x50\x2a\x4d\x18\x03\x00\x00\x00"), "abc"...)
	for _, c := range []struct {
		name   string
		log    []byte
		code   Code
		offset int
	}{
		{"nothing", nil, HeaderMissing, 0},
		{"part of a magic number", header[:3], HeaderMissing, 0},
		{"part of a header", header[:6], HeaderMissing, 0},
		{"a header without its checksum", header[:len(header)-1], HeaderMissing, 0},
		{"a plain log", []byte(logOf(headerLine)), FrameCorrupt, 0},
		{"two lines with the header", framed(logOf(headerLine, line(TurnStart, 0))), FrameCorrupt, 0},
		{"a header that does not end", framed(headerLine), FrameCorrupt, 0},
		{"half a header and its rest", framed(headerLine[:5], headerLine[5:]+"\n"), FrameCorrupt, 0},
		{"an empty header", rawFrame(""), FrameCorrupt, 0},
		{"header is not JSON", framed("{\n"), HeaderNotJSON, 0},
		{"header is an empty line", framed("\n"), HeaderNotJSON, 0},
		{"header of another version", joined(framed("{\"version\":7}\n"), []byte("no frame")), FormatUnsupported, 0},
		{"checksum", joined(header, spoiled), FrameCorrupt, len(header)},
		{"checksum, more behind it", joined(header, spoiled, good), FrameCorrupt, len(header)},
		{"no line feed", joined(header, framed(line(TurnStart, 0))), FrameCorrupt, len(header)},
		{"no text", joined(header, rawFrame(""), good), FrameCorrupt, len(header)},
		{"no frame", joined(header, good, []byte("these are no frame")), FrameCorrupt, len(header) + len(good)},
		{"a frame to be skipped", joined(header, skippable, good), FrameCorrupt, len(header)},
		{"reserved bit", joined(header, at(good, 4, string(good[4]|8))), FrameCorrupt, len(header)},
		{"reserved block", joined(header, at(rawFrame("x\n"), 6, "\x17")), FrameCorrupt, len(header)},
		{"reserved block in a frame that is cut off", joined(header, at(rawFrame("x\n"), 6, "\x17")[:9]), FrameCorrupt, len(header)},
		{"unknown dictionary", joined(header, []byte(frameMagic+"\x21\x07\x02\x11\x00\x00x\n")), FrameCorrupt, len(header)},
		{"far window", joined(header, []byte(frameMagic+"\x00\x90\x11\x00\x00x\n")), FrameCorrupt, len(header)},
		{"content is not of its size", joined(header, []byte(frameMagic+"\x20\x05\x11\x00\x00x\n")), FrameCorrupt, len(header)},
		{"block that cannot be decompressed", joined(header, []byte(frameMagic+"\x00\x58\x15\x00\x00\xff\xff")), FrameCorrupt, len(header)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := scanFrames(c.log)
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.code, e.Code, "%v", e)
			assert.Equal(t, int64(c.offset), e.Offset)
			assert.NotEmpty(t, e.Detail)
			if c.code != FrameCorrupt {
				assert.Equal(t, int64(1), e.Line)
			}
		})
	}
}

// Wherever a log is cut, the events of whole lines that can be decompressed count, and the file is kept
// up to the last frame that is whole.
func TestFramesCutAnywhere(t *testing.T) {
	header := framed(headerLine + "\n")
	lines := []string{line(TurnStart, 0), line(StepStart, 1), line(AssistantChunk, 2), line(AssistantChunk, 3)}
	frames := [][]byte{
		header,
		framed(logOf(lines[0])),
		rawFrame(logOf(lines[1]), logOf(lines[2])[:20], logOf(lines[2])[20:]+logOf(lines[3])),
	}
	log := bytes.Join(frames, nil)
	start := len(header) + len(frames[1])
	for n := len(header); n <= len(log); n++ {
		got, err := scanFrames(log[:n])
		require.NoError(t, err, "%d", n)
		require.Equal(t, int64(n), got.total)
		switch {
		case n == len(log):
			require.Equal(t, [3]int64{int64(n), 4, 4}, [3]int64{got.committed, got.next, got.kept})
		case n >= start:
			// Of blocks that are not compressed every byte counts.
			text := log[start:n]
			whole := int64(1 + bytes.Count(text, []byte("}}\n")))
			require.Equal(t, [3]int64{int64(start), whole, 1}, [3]int64{got.committed, got.next, got.kept}, "%d", n)
		default:
			require.Equal(t, int64(len(header)), got.committed)
			require.Zero(t, got.kept)
		}
		checkFrames(t, log[:n])
	}
	for n := range len(header) {
		_, err := scanFrames(log[:n])
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, HeaderMissing, e.Code)
	}
	// A compressed frame whose checksum alone is cut off.
	log = log[:start-1]
	got, err := scanFrames(log)
	require.NoError(t, err)
	assert.Equal(t, [3]int64{int64(len(header)), 1, 0}, [3]int64{got.committed, got.next, got.kept})
}

// An issue inside a complete frame: the lines in front of it are kept, the frame is not.
func TestFramesWithATornTailInside(t *testing.T) {
	header := framed(headerLine + "\n")
	one := framed(logOf(line(TurnStart, 0)))
	mixed := framed(logOf(line(StepStart, 1), "!", line(StepStart, 2)))
	later := framed(logOf(line(StepStart, 2)))
	got, err := scanFrames(bytes.Join([][]byte{header, one, mixed, later, later[:9]}, nil))
	require.NoError(t, err)
	assert.Equal(t, CorruptLine, got.issue.Code)
	assert.Equal(t, int64(4), got.issue.Line)
	assert.Equal(t, int64(len(logOf(headerLine, line(TurnStart, 0), line(StepStart, 1)))), got.issue.Offset)
	assert.Equal(t, [3]int64{int64(len(header) + len(one)), 2, 1}, [3]int64{got.committed, got.next, got.kept})

	// At the start of a frame nothing has to be written again.
	got, err = scanFrames(bytes.Join([][]byte{header, one, framed("!\n"), later}, nil))
	require.NoError(t, err)
	assert.Equal(t, [3]int64{int64(len(header) + len(one)), 1, 1}, [3]int64{got.committed, got.next, got.kept})

	_, err = scanFrames(bytes.Join([][]byte{header, one, mixed, framed(logOf(line(TurnEnd, 2)))}, nil))
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, CorruptLine, e.Code)
	// A frame that cannot be read is damage, also behind an issue.
	bad := framed(logOf(line(StepStart, 2)))
	bad[len(bad)-1]++
	_, err = scanFrames(bytes.Join([][]byte{header, one, mixed, bad}, nil))
	require.ErrorAs(t, err, &e)
	assert.Equal(t, FrameCorrupt, e.Code)
}

// A few bytes can hold a lot of text, but not without end.
func TestFramesAreBounded(t *testing.T) {
	start := framed(headerLine+"\n", logOf(line(TurnStart, 0)))
	bomb := repeatFrame(' ', 64, " \n")
	log := append(start, bomb...)
	got, err := scanFrames(log)
	require.NoError(t, err)
	assert.Equal(t, int64(1), got.next)

	s := NewZstdScanner(bytes.NewReader(log))
	s.frames.text.total = 1 << 30 // as if there had been so much
	_, err = scan(s)
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, FrameCorrupt, e.Code)
	assert.Equal(t, int64(len(start)), e.Offset)
	assert.ErrorContains(t, e, errExpands.Error())
	assert.False(t, expands(1<<30+1024, 1))
	assert.True(t, expands(1<<30+1025, 1))

	// A header that does not end.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = scanFrames(repeatFrame(' ', MaxLine>>17+1, "\n"))
	runtime.ReadMemStats(&after)
	require.ErrorAs(t, err, &e)
	assert.Equal(t, FrameCorrupt, e.Code)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8*MaxLine))
}

// A frame that is not compressed is one for every reader, whatever its size.
func TestAppendStored(t *testing.T) {
	for _, n := range []int{1, 1000, 128 << 10, 128<<10 + 1, 300_000} {
		text := strings.Repeat("x", n-1) + "\n"
		frame := appendStored([]byte("z"), []byte(text))
		require.Equal(t, "z", string(frame[:1]))
		require.Greater(t, len(frame), n)
		decoder, err := zstd.NewReader(bytes.NewReader(frame[1:]))
		require.NoError(t, err)
		got, err := io.ReadAll(decoder)
		decoder.Close()
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	log := append(framed(headerLine+"\n"), appendStored(nil, []byte(logOf(line(TurnStart, 0))))...)
	got, err := scanFrames(log)
	require.NoError(t, err)
	assert.Equal(t, [2]int64{1, int64(len(log))}, [2]int64{got.next, got.committed})
}

func TestAppendFrame(t *testing.T) {
	assert.Equal(t, "x", string(AppendFrame([]byte("x"), nil)))
	frame := AppendFrame([]byte("x"), []byte("{}\n"))
	require.Equal(t, "x"+frameMagic, string(frame[:5]))
	assert.NotZero(t, frame[5]&4, "no checksum")
	done := make(chan []byte)
	for range 4 {
		go func() { done <- framed(strings.Repeat("{}\n", 1000)) }()
	}
	for range 4 {
		assert.Equal(t, framed(strings.Repeat("{}\n", 1000)), <-done)
	}
}

// checkFrames checks that what is committed, with what is kept written again, is the same log without a
// torn tail.
func checkFrames(t *testing.T, log []byte) {
	t.Helper()
	got, err := scanFrames(log)
	if err != nil {
		var e *Error
		require.ErrorAs(t, err, &e)
		return
	}
	require.Equal(t, int64(len(log)), got.total)
	require.LessOrEqual(t, got.committed, got.total)
	require.LessOrEqual(t, got.kept, got.next)
	var kept []byte
	for _, e := range got.events {
		if e.Seq >= got.kept {
			kept = append(e.AppendJSON(kept), '\n')
		}
	}
	again, err := scanFrames(AppendFrame(bytes.Clone(log[:got.committed]), kept))
	require.NoError(t, err)
	require.Equal(t, again.total, again.committed, "the committed part has a torn tail")
	require.Equal(t, got.next, again.next)
	require.Equal(t, len(got.events), len(again.events))
	for i := range got.events {
		require.Equal(t, string(got.events[i].AppendJSON(nil)), string(again.events[i].AppendJSON(nil)))
	}
	prefix, err := scanFrames(log[:got.committed])
	require.NoError(t, err)
	require.Equal(t, got.kept, prefix.next)
}

func FuzzScanZstd(f *testing.F) {
	header := framed(headerLine + "\n")
	whole := append(bytes.Clone(header), framed(logOf(line(TurnStart, 0), row123), logOf(line(TurnEnd, 4)))...)
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add(append(bytes.Clone(header), rawFrame(logOf(line(TurnStart, 0)), logOf(line(TurnEnd, 1)))...))
	f.Add(append(bytes.Clone(header), rawFrame(logOf(line(TurnStart, 0))+"!\n")...))
	f.Fuzz(func(t *testing.T, log []byte) { checkFrames(t, log) })
}

func TestFramesSpoiledAnywhere(t *testing.T) {
	log := append(framed(headerLine+"\n", logOf(line(TurnStart, 0), row123)), rawFrame(logOf(line(TurnEnd, 4)))...)
	random := rand.New(rand.NewPCG(1, 2))
	for at := range log {
		for range 4 {
			spoiled := bytes.Clone(log)
			spoiled[at] ^= byte(1 + random.IntN(255))
			checkFrames(t, spoiled)
			got, err := scanFrames(spoiled)
			if err == nil {
				for i, e := range got.events {
					require.Equal(t, int64(i), e.Seq, fmt.Sprint(at))
				}
			}
		}
	}
}

// A frame whose length has been damaged looks cut short. What is behind it was committed all the same.
func TestFrameCutShortBeforeAWholeOne(t *testing.T) {
	dir := t.TempDir()
	head := framed(headerLine + "\n")
	first, second, third := rawFrame(logOf(line(TurnStart, 0))), rawFrame(logOf(line(StepStart, 1))), rawFrame(logOf(line(StepEnd, 2)))
	for name, c := range map[string]struct {
		log     []byte
		refused bool
	}{
		"sound":      {joined(head, first, second, third), false},
		"torn":       {joined(head, first, second, third[:len(third)-3]), false},
		"cut inside": {joined(head, first, second[:len(second)-3], third), true},
		"longer":     {joined(head, first, longer(second), third), true},
		"last":       {joined(head, first, second, longer(third)), false},
	} {
		path := filepath.Join(dir, name+".zst")
		require.NoError(t, os.WriteFile(path, c.log, 0o600))
		l, err := OpenFile(t.Context(), path)
		if !c.refused {
			require.NoError(t, err, name)
			require.NoError(t, l.Close())
			continue
		}
		var refused *Error
		require.ErrorAs(t, err, &refused, name)
		assert.Equal(t, FrameCorrupt, refused.Code, name)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, c.log, after, name)
	}
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// longer makes the first block of a frame say that it is longer than the rest of the file.
func longer(frame []byte) []byte {
	frame = bytes.Clone(frame)
	frame[7] = 0x80 // 16 KiB and more
	return frame
}

// A bad line in a complete frame whose checksum is wrong is the frame's fault, wherever a turn ends.
func TestBadLineInADamagedFrame(t *testing.T) {
	bad := rawFrame(logOf(line(TurnStart, 0), line(TurnEnd, 1)))
	bad[9] ^= 1 // the brace that begins the first line
	_, err := scanFrames(joined(framed(headerLine+"\n"), bad))
	var refused *Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, FrameCorrupt, refused.Code)
	// In a frame that is right it is the line's.
	_, err = scanFrames(joined(framed(headerLine+"\n"), rawFrame(logOf("["+line(TurnStart, 0), line(TurnEnd, 1)))))
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, CorruptLine, refused.Code)
}

func TestBlockThatIsTooLarge(t *testing.T) {
	log := joined(framed(headerLine+"\n"), []byte(frameMagic+"\x04\x58\x01\x00\x20"), make([]byte, 300<<10))
	_, err := scanFrames(log) // one raw block of 256 KiB
	var refused *Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, FrameCorrupt, refused.Code)
}
