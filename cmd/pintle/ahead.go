package main

import (
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
)

// ahead is what the next request makes of a session's history, as data.
type ahead struct {
	// File is the session's log, "" if it is in memory.
	File  string        `json:"file,omitempty"`
	Route message.Route `json:"route"`
	// Messages are the history as it is stored.
	Messages []message.Message `json:"messages"`
	// Diagnostics are the messages that go without their replay state, Reports what else is lost.
	Diagnostics []replay.Diagnostic `json:"diagnostics"`
	Reports     []replay.Report     `json:"reports"`
	// Recovery is what taking up the session does, nil if there is nothing to do.
	Recovery *recoveryData `json:"recovery,omitempty"`
}

// lookAhead says what a request on a route would make of a session's history.
func lookAhead(s *session.State, route message.Route) ahead {
	a := ahead{Route: route, Messages: s.Messages(), Diagnostics: []replay.Diagnostic{}, Reports: []replay.Report{}}
	report := func(r replay.Report) { a.Reports = append(a.Reports, r) }
	same := func(provider string) bool { return provider == route.Provider }
	r := replay.Reader{Route: route, OnReport: report,
		OnDiagnostic: func(d replay.Diagnostic) { a.Diagnostics = append(a.Diagnostics, d) }}
	_, _ = r.History(replay.Own(a.Messages, same, route, false, report)) // fails in reference mode only
	return a
}
