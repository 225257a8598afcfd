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
	used    int   // bytes of records and of unfinished lines
	dropped int64 // bytes beyond the limit
	records []logRecord
	partial [3][]byte // the last, unfinished line of each standard stream
	said    firstLine // on standard error
}

// A firstLine keeps the first line of a stream that is not blank, whatever the quota: it is where
// language runtimes say why they end the program.
type firstLine struct {
	text []byte
	done bool
}

func (l *firstLine) write(text []byte) {
	for !l.done && len(text) > 0 {
		if len(l.text) == 0 { // a flood of blank lines costs as little as one
			text = bytes.TrimLeft(text, " \t\r\n")
		}
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		l.text = append(l.text, line[:min(len(line), maxReasonBytes-len(l.text))]...)
		text = rest
		if whole {
			l.text = bytes.TrimSpace(l.text)
			l.done = len(l.text) > 0
		}
	}
}

func (l *firstLine) String() string {
	return strings.ToValidUTF8(string(bytes.TrimSpace(l.text)), "\uFFFD")
}

type logRecord struct {
	level slog.Level
	text  string
	// complaint says that it came on standard error. Those of a call that failed are a crash report of
	// the language's runtime, whose first line is in the error already: for debugging only.
	complaint bool
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

func (b *logBuffer) drop(n int64) { b.dropped += n }

func (b *logBuffer) add(level slog.Level, text string) {
	if room := b.room(); len(text)+recordCost > room {
		keep := max(0, room-recordCost)
		b.drop(int64(len(text) - min(keep, len(text))))
		if keep == 0 {
			return
		}
		text = text[:min(keep, len(text))]
	}
	b.used += len(text) + recordCost
	b.records = append(b.records, logRecord{level: level, text: strings.ToValidUTF8(text, "\uFFFD")})
}

// stream takes a piece of standard output or error and adds a record for each whole line.
func (b *logBuffer) stream(fd int, text []byte) {
	if fd == 2 {
		b.said.write(text)
	}
	if n := len(text) - b.room(); n > 0 {
		b.drop(int64(n))
		text = text[:len(text)-n]
	}
	for {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		b.partial[fd] = append(b.partial[fd], line...)
		b.used += len(line)
		if !whole {
			return
		}
		b.endLine(fd)
		text = rest
	}
}

// endLine makes a record of a stream's unfinished line.
func (b *logBuffer) endLine(fd int) {
	level := slog.LevelInfo
	if fd == 2 {
		level = slog.LevelWarn
	}
	b.used -= len(b.partial[fd]) // add charges it
	before := len(b.records)
	b.add(level, string(b.partial[fd]))
	if fd == 2 && len(b.records) > before {
		b.records[before].complaint = true
	}
	b.partial[fd] = b.partial[fd][:0]
}

// flush hands the records of a call to a logger, may be nil, and empties the buffer. It returns the
// first line that the guest wrote to standard error.
func (b *logBuffer) flush(ctx context.Context, logger *slog.Logger, failed bool) (firstError string) {
	if b.used == 0 && b.dropped == 0 && len(b.said.text) == 0 {
		return ""
	}
	for fd, rest := range b.partial {
		if len(rest) > 0 {
			b.endLine(fd)
		}
	}
	if logger != nil {
		for _, r := range b.records {
			if failed && r.complaint {
				r.level = slog.LevelDebug
			}
			logger.Log(ctx, r.level, r.text)
		}
		if b.dropped > 0 {
			logger.Log(ctx, slog.LevelWarn, "guest log cut off", "dropped", strconv.FormatInt(b.dropped, 10)+" bytes")
		}
	}
	firstError = b.said.String()
	*b = logBuffer{limit: b.limit}
	return firstError
}
