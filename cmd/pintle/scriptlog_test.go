package main

import (
	"bytes"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pintle-wasm/pintle/host/session"
)

// packlog writes a plain log as the reference would: runs of chunks in packed rows and, under a name that
// ends in .zstd, compressed, the header in a frame of its own.
//
//	packlog session.jsonl.zstd plain.jsonl
func packlog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: packlog TO FROM")
	}
	scanner := session.NewScanner(strings.NewReader(ts.ReadFile(args[1])))
	header, err := scanner.Header()
	ts.Check(err)
	var events []session.Event
	for e, err := range scanner.Events() {
		ts.Check(err)
		events = append(events, e)
	}
	head := append(header.AppendJSON(nil), '\n')
	body := append(bytes.Join(session.Pack(events), []byte("\n")), '\n')
	if strings.HasSuffix(args[0], ".zstd") {
		head, body = session.AppendFrame(nil, head), session.AppendFrame(nil, body)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append(head, body...), 0o600))
}

// lockfile takes a log as its writer until the end of the script.
//
//	lockfile session.jsonl
func lockfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lockfile FILE")
	}
	lock, err := session.LockFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Defer(func() { lock.Close() })
}
