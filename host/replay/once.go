package replay

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"sync"
)

// remembered is how many messages a Once keeps in mind, at 32 bytes and a little more for each.
const remembered = 4096

// A Once shows diagnostics and reports to people, each once for a message: a message that degrades does
// so on every request, and saying it once is enough. Its methods are hooks for a [Reader].
// One Once is meant for a whole process (see [Process]); the zero value is ready, and it is safe for
// concurrent use.
//
// It remembers the last 4,096 of what it has shown. What has no message id is shown every time.
type Once struct {
	// Logger is where to; nil is the default logger. The level is Warn.
	Logger *slog.Logger

	mu    sync.Mutex
	shown map[[sha256.Size]byte]bool
	order [][sha256.Size]byte
	next  int // the oldest, once order is full
}

// shown stands in where a hook is missing: what costs a message its fidelity is shown by default, and
// that once is meant for the whole process.
var shown Once

// Process is the Once that stands in where a hook is missing. It logs to the default logger.
func Process() *Once { return &shown }

// Diagnostic shows a diagnostic.
func (o *Once) Diagnostic(d Diagnostic) {
	if !o.first(d.MessageID, string(d.Code)) {
		return
	}
	o.warn("a replay state cannot be used: the message is sent as provider-neutral content",
		slog.String("code", string(d.Code)),
		slog.String("messageId", d.MessageID),
		slog.String("provider", d.Route.Provider),
		slog.String("model", d.Route.Model),
		slog.String("reason", string(d.Reason)),
		slog.String("detail", d.detail()),
	)
}

// Report shows a report, of an image once for each image of a message.
func (o *Once) Report(r Report) {
	if !o.first(r.MessageID, string(r.Code), r.AttachmentID) {
		return
	}
	attributes := []slog.Attr{
		slog.String("code", string(r.Code)),
		slog.String("messageId", r.MessageID),
	}
	if r.Route.Provider != "" || r.Route.Model != "" {
		attributes = append(attributes,
			slog.String("provider", r.Route.Provider), slog.String("model", r.Route.Model))
	}
	if r.AttachmentID != "" {
		attributes = append(attributes, slog.String("attachment", r.AttachmentID))
	}
	o.warn(r.String(), attributes...)
}

func (o *Once) warn(text string, attributes ...slog.Attr) {
	logger := o.Logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.LogAttrs(context.Background(), slog.LevelWarn, text, attributes...)
}

// first tells whether something is seen for the first time, and remembers it. Hashes are kept rather
// than the ids, whose length is anyone's.
func (o *Once) first(messageID string, facts ...string) bool {
	if messageID == "" {
		return true
	}
	h := sha256.New()
	for _, fact := range facts {
		h.Write([]byte(fact))
		h.Write([]byte{0})
	}
	h.Write([]byte(messageID))
	key := [sha256.Size]byte(h.Sum(nil))

	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shown[key] {
		return false
	}
	if o.shown == nil {
		o.shown = map[[sha256.Size]byte]bool{}
	}
	if len(o.order) < remembered {
		o.order = append(o.order, key)
	} else {
		delete(o.shown, o.order[o.next])
		o.order[o.next] = key
		o.next = (o.next + 1) % remembered
	}
	o.shown[key] = true
	return true
}
