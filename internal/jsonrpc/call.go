package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"
)

// Call sends a request and waits for its answer, which it decodes into result unless that is nil; a
// *json.RawMessage gets the answer as it is. The peer's error is an [Error]. When the context is done first,
// the request is cancelled at the peer, and the error is the context's cause. At the end of the connection
// the error is [ErrClosed].
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	encoded, err := c.encode(method, params)
	if err != nil {
		return err
	}
	id, answered := c.expect()
	defer c.unexpect(id)
	if err := c.send(ctx, requestParts(id, method, encoded)); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m := <-answered:
		return m.decode(method, result)
	case <-ctx.Done():
		c.outgoing.force(requestParts(ID{}, cancelMethod, json.RawMessage(`{"id":`+id.json+`}`)))
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	case <-c.ctx.Done():
		return fmt.Errorf("%s: %w", method, ErrClosed)
	}
}

// Notify sends a notification. It waits while the peer reads nothing.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	encoded, err := c.encode(method, params)
	if err == nil {
		err = c.send(ctx, requestParts(ID{}, method, encoded))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// TryNotify is [Conn.Notify] without waiting: while the peer reads nothing, nothing is sent.
func (c *Conn) TryNotify(method string, params any) error {
	encoded, err := c.encode(method, params)
	if err == nil {
		_, err = c.outgoing.offer(requestParts(ID{}, method, encoded), false)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func (c *Conn) encode(method string, params any) (json.RawMessage, error) {
	if params == nil {
		return nil, nil
	}
	encoded, err := encode(params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	if len(encoded)+maxID > c.limits.Message {
		return nil, fmt.Errorf("%s: %d bytes of params: at most %d are sent", method, len(encoded), c.limits.Message)
	}
	return encoded, nil
}

// send waits for room, until the context or the connection ends.
func (c *Conn) send(ctx context.Context, parts [][]byte) error {
	if c.ctx.Err() != nil {
		return ErrClosed
	}
	return c.outgoing.put(ctx, parts) // which the connection's end wakes
}

func (c *Conn) expect() (ID, <-chan message) {
	answered := make(chan message, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	id := numberID(c.lastID)
	c.pending[id] = answered
	return id, answered
}

func (c *Conn) unexpect(id ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// deliver gives an answer to the one who waits for it, if anybody still does.
func (c *Conn) deliver(m message) {
	c.mu.Lock()
	answered := c.pending[m.id]
	delete(c.pending, m.id)
	c.mu.Unlock()
	if answered == nil {
		c.log.Debug("an answer that nobody waits for was ignored", "id", m.id)
		return
	}
	answered <- m
}

func (m message) decode(method string, result any) error {
	if m.err != nil {
		return fmt.Errorf("%s: %w", method, m.err)
	}
	if raw, ok := result.(*json.RawMessage); ok {
		*raw = m.result
		return nil
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(m.result, result); err != nil {
		return fmt.Errorf("%s: the answer: %w", method, err)
	}
	return nil
}
