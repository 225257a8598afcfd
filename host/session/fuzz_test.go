package session_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

// FuzzApply feeds any lines to a state. Nothing panics, what is refused changes nothing, and what is
// taken can be closed.
func FuzzApply(f *testing.F) {
	for _, text := range []string{opening, opening + result, opening + `
{"type":"user/message","seq":4,"time":1,"data":{"id":"x","role":"user","content":[],"source":{"kind":"user"}},"surfaceOp":{"op":"replace","start":2,"end":3},"sourceEventSeqs":[2,3]}`} {
		var log []byte
		for _, e := range lines(f, text) {
			log = append(e.AppendJSON(log), '\n')
		}
		f.Add(log)
	}
	for _, line := range []string{
		`{"type":"tool/result","seq":0,"time":1,"data":{"turn":1,"step":1,"callId":"c","content":[],"isError":false},"surfaceOp":"append"}`,
		`{"type":"turn/end","seq":0,"time":1,"data":{"reason":{"kind":"error","step":1,"failure":{}}}}`,
		`{"type":"steering/message","seq":0,"time":1,"data":{"turn":1,"content":[],"source":{}},"extra":1}`,
		`{"type":"request/header","seq":0,"time":1,"data":{"header":{"config":{"provider":"p","model":"m"},"tools":[]}}}`,
		`{"seq":0}`, `null`, `{"type":"\ud83e","seq":0,"data":{},"time":-0,"ignorable":true}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		s := session.NewState(session.Header{ID: "s"})
		var events []session.Event
		for line := range bytes.Lines(log) {
			e, err := session.ParseEvent(line)
			if err != nil {
				continue
			}
			for today, err := range session.Import(s.Header(), all([]session.Event{e})) {
				if err == nil {
					e = today
				}
			}
			events = append(events, e)
			next, surface, messages := s.Next(), s.Surface(), len(s.Messages())
			if err := s.Apply(&e); err != nil {
				require.Equal(t, next, s.Next())
				require.Equal(t, surface, s.Surface())
				require.Len(t, s.Messages(), messages)
			}
			s.RequestHeader()
		}
		session.Closers(events)
		closers := s.Closers()
		for i := range closers {
			require.NoError(t, s.Apply(&closers[i]))
		}
		require.Empty(t, s.Closers())
	})
}
