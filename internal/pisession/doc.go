// Package pisession reads the session files of Pi, the coding agent: JSON Lines with a header and entries
// that form a tree. It reads damaged ones too, says of each line what Pi makes of it, and finds the branch
// and the context that Pi would go on with. Pi's own description is docs/session-format.md in its package;
// where that is silent, what its versions 0.74 and 1.6 do is what counts.
//
// It holds an index of the entries, and one line at a time.
package pisession
