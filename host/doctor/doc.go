// Package doctor looks over the log of a session before it is taken up again: what the next request
// would lose, what other systems would be stuck on, and what of it a repaired copy can cure. It reads logs
// of this system and of the reference, damaged ones too, and never changes one.
//
// Session files of Pi, the coding agent, are read as well: what Pi would make of one, what of it would be
// lost without a word, and what a provider would refuse.
//
// It judges nothing itself that another package decides: the states are judged by package replay, the
// log by package session. What it adds is the view of a whole session, and of readers that are stricter
// than these packages are.
package doctor
