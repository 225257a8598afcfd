// Package session keeps a session's log: an append-only sequence of events from which the history of the
// next request is derived. It reads and writes the JSON Lines logs of the replay-state protocol, sections
// "The session log" and "JSONL storage".
//
// A [Session] is a log that is being written. [Create] begins one and [Open] takes one up again: it
// closes what a crash left open ([Repair]) and says what it found ([Recovery]). [Session.Append] checks
// an event before it is stored, so that a log that was written here can be taken up again, always. A log
// that is only looked at goes through [Inspect], which writes nothing.
//
// Where logs are kept is a [Store]: [Dir] keeps files, [Memory] keeps nothing beyond the process, and
// package storetest says whether another one does what sessions need. A [State] is what a log amounts to,
// event by event, without a store.
//
// No check ever looks inside a replay state. A log whose metadata is foreign or wrong loads like any
// other; what that costs is for the reader of one message to say (package replay).
package session
