package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
)

// A logHandler writes what guests and the host log as single lines for people:
//
//	pintle: warn: style@0.1.0: no rules are set
type logHandler struct {
	mu    *sync.Mutex
	w     io.Writer
	least slog.Level
	attrs []slog.Attr
}

func newLogHandler(w io.Writer, least slog.Level) *logHandler {
	return &logHandler{mu: &sync.Mutex{}, w: w, least: least}
}

func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.least }

func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	var line strings.Builder
	fmt.Fprintf(&line, "pintle: %s: ", strings.ToLower(r.Level.String()))
	var rest []string
	each := func(a slog.Attr) bool {
		if a.Key == "guest" {
			line.WriteString(oneLine(a.Value.String(), 80) + ": ")
		} else {
			rest = append(rest, a.Key+"="+oneLine(a.Value.String(), 400))
		}
		return true
	}
	for _, a := range h.attrs {
		each(a)
	}
	r.Attrs(each)
	line.WriteString(oneLine(r.Message, 1000))
	if len(rest) > 0 {
		line.WriteString(" (" + strings.Join(rest, ", ") + ")")
	}
	line.WriteByte('\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := io.WriteString(h.w, line.String())
	return err
}

func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{mu: h.mu, w: h.w, least: h.least, attrs: append(append([]slog.Attr(nil), h.attrs...), attrs...)}
}

// WithGroup is not used by anything that logs here.
func (h *logHandler) WithGroup(string) slog.Handler { return h }
