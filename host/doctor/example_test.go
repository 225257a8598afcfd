package doctor_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pintle-wasm/pintle/host/doctor"
)

// An older agent is stuck on this session: the state of an answer that was cut still has the form, and
// the entries, that it had before the answer's tool call was dropped.
func Example() {
	ctx := context.Background()
	stuck := filepath.Join("..", "..", "examples", "response", "stuck.jsonl")
	report, err := doctor.Check(ctx, stuck, doctor.Options{})
	if err != nil {
		panic(err)
	}
	for _, f := range report.Findings {
		fmt.Printf("%s in %s: %s\n", f.Code, f.MessageID, f.Detail)
	}

	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	repaired, err := doctor.Repair(ctx, stuck, filepath.Join(dir, "stuck.jsonl"), doctor.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(repaired.Done, repaired.After.Faults())
	// Output:
	// INVALID_REPLAY_STATE in m-2: the replay state has the flat form of version 1
	// [dropped the replay state of 1 message] 0
}

// A session of Pi whose last write was cut off.
func ExampleIsPi() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "2026-11-30_s.jsonl")
	text := `{"type":"session","version":3,"id":"s","timestamp":"2026-11-30T10:00:00.000Z","cwd":"/srv/ferry"}
{"type":"message","id":"e1","parentId":null,"timestamp":"2026-11-30T10:00:01.000Z","message":{"role":"user","content":"hi"}}
{"type":"message","id":"e2","paren`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}
	pi, err := doctor.IsPi(path)
	if err != nil {
		panic(err)
	}
	report, err := doctor.Check(context.Background(), path, doctor.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(pi, report.Pi.Version, report.Pi.Leaf, report.Findings[0].Code)
	// Output: true 3 e1 TORN
}
