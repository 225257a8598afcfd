package session

import (
	"context"
	"fmt"
	"iter"
	"sync"
)

// A Memory is a [Store] that keeps logs as long as it lives. The zero value is ready for use; it must not
// be copied.
type Memory struct {
	mu   sync.Mutex
	logs map[string]*memoryLog // only those that have been appended to
}

var _ Store = (*Memory)(nil)

// A memoryLog is one stored log. Events are only ever added, so that a view has its own part of them.
type memoryLog struct {
	header Header
	events []Event
	open   bool // in a writer
}

// Create implements [Store].
func (m *Memory) Create(ctx context.Context, h Header) (Log, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.logs[h.ID] != nil {
		return nil, fmt.Errorf("session %q: %w", h.ID, ErrExists)
	}
	return &memoryWriter{memoryView: memoryView{header: h}, store: m}, nil
}

func (m *Memory) find(ctx context.Context, id string) (*memoryLog, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if l := m.logs[id]; l != nil {
		return l, nil
	}
	return nil, fmt.Errorf("session %q: %w", id, ErrNotFound)
}

// Open implements [Store].
func (m *Memory) Open(ctx context.Context, id string) (Log, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, err := m.find(ctx, id)
	if err != nil {
		return nil, err
	}
	if l.open {
		return nil, fmt.Errorf("session %q: %w: close it there first, or only view it here", id, ErrLocked)
	}
	l.open = true
	return &memoryWriter{memoryView: l.view(), store: m, log: l}, nil
}

// View implements [Store].
func (m *Memory) View(ctx context.Context, id string) (View, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l, err := m.find(ctx, id)
	if err != nil {
		return nil, err
	}
	v := l.view()
	return &v, nil
}

// List implements [Store].
func (m *Memory) List(ctx context.Context) iter.Seq2[Header, error] {
	return func(yield func(Header, error) bool) {
		if ctx.Err() != nil {
			yield(Header{}, context.Cause(ctx))
			return
		}
		m.mu.Lock()
		headers := make([]Header, 0, len(m.logs))
		for _, l := range m.logs {
			headers = append(headers, l.header)
		}
		m.mu.Unlock()
		for _, h := range headers {
			if !yield(h, nil) {
				return
			}
		}
	}
}

func (l *memoryLog) view() memoryView {
	return memoryView{header: l.header, events: l.events}
}

type memoryView struct {
	header Header
	events []Event
	closed bool
}

func (v *memoryView) Header() Header { return v.header }
func (v *memoryView) Next() int64    { return int64(len(v.events)) }
func (v *memoryView) Tail() int64    { return 0 }

func (v *memoryView) Close() error {
	v.closed = true
	return nil
}

func (v *memoryView) usable(ctx context.Context) error {
	if v.closed {
		return ErrClosed
	}
	return context.Cause(ctx)
}

func (v *memoryView) Events(ctx context.Context, from int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if from < 0 {
			yield(Event{}, fmt.Errorf("events from seq %d: the first one is 0", from))
			return
		}
		for i := from; ; i++ {
			if err := v.usable(ctx); err != nil {
				yield(Event{}, err)
				return
			}
			if i >= int64(len(v.events)) || !yield(v.events[i], nil) {
				return
			}
		}
	}
}

// A memoryWriter is the one writer of a log.
type memoryWriter struct {
	memoryView
	store *Memory
	log   *memoryLog // nil before the first Append
}

// Cut does nothing: no write is left half done.
func (w *memoryWriter) Cut(ctx context.Context) error { return w.usable(ctx) }

// Sync does nothing: the log is as safe as it will be.
func (w *memoryWriter) Sync(ctx context.Context) error { return w.usable(ctx) }

func (w *memoryWriter) Append(ctx context.Context, events ...Event) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	if len(events) == 0 {
		return nil
	}
	next := w.Next()
	own := make([]Event, len(events))
	for i := range events {
		e := &events[i]
		if want := next + int64(i); e.Seq != want {
			return fmt.Errorf("cannot append %s: the next seq is %d", e.describe(), want)
		}
		if own[i] = *e; e.raw != nil {
			continue // nobody changes it
		}
		var err error
		if own[i], err = ParseEvent(e.AppendJSON(nil)); err != nil {
			return fmt.Errorf("cannot append %s: %w", e.describe(), err)
		}
	}
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if w.log == nil {
		if w.store.logs[w.header.ID] != nil {
			return fmt.Errorf("session %q: %w", w.header.ID, ErrExists)
		}
		if w.store.logs == nil {
			w.store.logs = map[string]*memoryLog{}
		}
		w.log = &memoryLog{header: w.header, open: true}
		w.store.logs[w.header.ID] = w.log
	}
	w.log.events = append(w.log.events, own...)
	w.events = w.log.view().events
	return nil
}

func (w *memoryWriter) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	if w.log != nil {
		w.store.mu.Lock()
		defer w.store.mu.Unlock()
		w.log.open = false
	}
	return nil
}
