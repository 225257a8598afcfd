package main

import (
	"github.com/pintle-wasm/pintle/host/doctor"
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
	// OtherLayout are the ids of messages whose replay state only its own adapter can judge.
	OtherLayout []string `json:"otherLayout"`
	// Recovery is what taking up the session does, nil if there is nothing to do.
	Recovery *recoveryData `json:"recovery,omitempty"`

	faults []string // the diagnostics in words
}

// lookAhead says what a request on a route would make of a session's history.
func lookAhead(s *session.State, route message.Route) ahead {
	a := ahead{Route: route, Messages: s.Messages(), Diagnostics: []replay.Diagnostic{}, Reports: []replay.Report{}, OtherLayout: []string{}}
	report := func(r replay.Report) { a.Reports = append(a.Reports, r) }
	same := func(provider string) bool { return provider == route.Provider }
	r := replay.Reader{Route: route, OnReport: report}
	sent := r.Own(a.Messages, same)
	next := 0 // the diagnostics come in the order of the messages
	r.OnDiagnostic = func(d replay.Diagnostic) {
		for next < len(sent) && (sent[next].ID != d.MessageID || sent[next].Source.ReplayState == nil) {
			next++
		}
		if next == len(sent) {
			return
		}
		m := &sent[next]
		next++
		if doctor.IsOtherLayout(m, &d) {
			a.OtherLayout = append(a.OtherLayout, m.ID)
			return
		}
		a.Diagnostics, a.faults = append(a.Diagnostics, d), append(a.faults, doctor.StateFault(m, &d))
	}
	_, _ = r.History(sent) // fails in reference mode only
	return a
}
