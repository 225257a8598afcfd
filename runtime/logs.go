package runtime

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
)

// A logBuffer collects what a guest logs in one call, up to a number of bytes. Records are handed to
// the host's logger after the call, so that a slow logger never runs on the guest's clock.
type logBuffer struct {
	limit   int
	used    int
	dropped int // bytes beyond the limit
	records []logRecord
	partial [3][]byte // the last, unfinished line of each standard stream
	errors  string    // the first line on standard error
}

type logRecord struct {
	level slog.Level
	text  string
}

// recordCost is charged for each record on top of its text, so that empty ones are bounded as well.
const recordCost = 16

func guestLevel(n uint32) slog.Level {
	switch n {
	case 0:
		return slog.LevelDebug
	case 2:
		return slog.LevelWarn
	case 3:
		return slog.LevelError
	}
	return slog.LevelInfo
}

func (b *logBuffer) room() int { return max(0, b.limit-b.used) }

func (b *logBuffer) drop(n int) { b.dropped += n }

func (b *logBuffer) add(level slog.Level, text string) {
	if room := b.room(); len(text)+recordCost > room {
		keep := max(0, room-recordCost)
		b.drop(len(text) - min(keep, len(text)))
		if keep == 0 {
			return
		}
		text = text[:min(keep, len(text))]
	}
	b.used += len(text) + recordCost
	b.records = append(b.records, logRecord{level, strings.ToValidUTF8(text, "\uFFFD")})
}

// stream takes a piece of standard output or error and adds a record for each whole line.
func (b *logBuffer) stream(fd int, text []byte) {
	if n := len(text) - b.room() - len(b.partial[fd]); n > 0 {
		b.drop(n)
		text = text[:len(text)-min(n, len(text))]
	}
	text = append(b.partial[fd], text...)
	for {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			break
		}
		b.line(fd, line)
		text = rest
	}
	b.partial[fd] = append(b.partial[fd][:0:0], text...)
}

func (b *logBuffer) line(fd int, line []byte) {
	level := slog.LevelInfo
	if fd == 2 {
		level = slog.LevelWarn
		if b.errors == "" {
			b.errors = strings.ToValidUTF8(string(bytes.TrimSpace(line[:min(len(line), maxReasonBytes)])), "\uFFFD")
		}
	}
	b.add(level, string(line))
}

// flush hands the records to a logger, may be nil, and empties the buffer. It returns the first line
// that the guest wrote to standard error.
func (b *logBuffer) flush(ctx context.Context, logger *slog.Logger) (firstError string) {
	for fd, rest := range b.partial {
		if len(rest) > 0 {
			b.line(fd, rest)
		}
	}
	if logger != nil {
		for _, r := range b.records {
			logger.Log(ctx, r.level, r.text)
		}
		if b.dropped > 0 {
			logger.Log(ctx, slog.LevelWarn, "guest log cut off", "dropped", strconv.Itoa(b.dropped)+" bytes")
		}
	}
	firstError = b.errors
	*b = logBuffer{limit: b.limit}
	return firstError
}
