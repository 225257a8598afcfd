package doctor

import (
	"io"
	"strings"

	"github.com/pintle-wasm/pintle/host/session"
)

// maxBatch is how much text is written at a time and, in a Zstandard log, is in one frame.
const maxBatch = 1 << 20

// A logWriter writes a log. The first error ends it.
type logWriter struct {
	w      io.Writer
	packed bool
	buf    []byte
	err    error
}

func newLogWriter(w io.Writer, name string) *logWriter {
	return &logWriter{w: w, packed: strings.HasSuffix(name, ".zst") || strings.HasSuffix(name, ".zstd")}
}

// header begins the log. In a Zstandard log it has a frame of its own.
func (l *logWriter) header(h *session.Header) {
	l.buf = append(h.AppendJSON(l.buf), '\n')
	l.flush()
}

func (l *logWriter) event(e *session.Event) {
	l.buf = append(e.AppendJSON(l.buf), '\n')
	if len(l.buf) >= maxBatch {
		l.flush()
	}
}

func (l *logWriter) flush() error {
	if l.err == nil && len(l.buf) > 0 {
		text := l.buf
		if l.packed {
			text = session.AppendFrame(nil, text)
		}
		_, l.err = l.w.Write(text)
	}
	l.buf = l.buf[:0]
	return l.err
}
