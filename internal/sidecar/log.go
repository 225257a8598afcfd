package sidecar

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// maxLogged is how much of a message is sent, in bytes.
const maxLogged = 8 << 10

// logged are the params of the notification log.
type logged struct {
	Level   string `json:"level"` // "debug", "info", "warn" or "error"
	Message string `json:"message"`
	Guest   string `json:"guest,omitempty"`   // ID@VERSION
	Session string `json:"session,omitempty"` // the id
}

// clientLog tells the client what is logged, besides another handler. What the client has no room for it
// does not get.
type clientLog struct {
	next  slog.Handler
	to    *atomic.Pointer[jsonrpc.Conn] // nil until the client wants it
	attrs []slog.Attr
}

func (h *clientLog) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level) || h.to.Load() != nil && level >= slog.LevelInfo
}

func (h *clientLog) Handle(ctx context.Context, r slog.Record) error {
	var err error
	if h.next.Enabled(ctx, r.Level) {
		err = h.next.Handle(ctx, r)
	}
	if conn := h.to.Load(); conn != nil {
		if failed := conn.TryNotify("log", h.params(r)); !errors.Is(failed, jsonrpc.ErrClosed) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

func (h *clientLog) params(r slog.Record) logged {
	l := logged{Level: strings.ToLower(r.Level.String()), Message: r.Message}
	var rest []string
	each := func(a slog.Attr) bool {
		switch a.Key {
		case "guest":
			l.Guest = a.Value.String()
		case "session":
			l.Session = a.Value.String()
		default:
			rest = append(rest, a.Key+"="+a.Value.String())
		}
		return true
	}
	for _, a := range h.attrs {
		each(a)
	}
	r.Attrs(each)
	if len(rest) > 0 {
		l.Message += " (" + strings.Join(rest, ", ") + ")"
	}
	if len(l.Message) > maxLogged {
		l.Message = strings.ToValidUTF8(l.Message[:maxLogged], "") + "…"
	}
	return l
}

func (h *clientLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &clientLog{h.next.WithAttrs(attrs), h.to, append(append([]slog.Attr(nil), h.attrs...), attrs...)}
}

// WithGroup is not used by anything that logs here.
func (h *clientLog) WithGroup(string) slog.Handler { return h }
