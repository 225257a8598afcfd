package main

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// deadline makes the script fail at the command with status that ends later than this after now, on a machine that
// compiles the stock adapters in a second. A slower or busier one has as much more time. Without a time there is
// none any more:
//
//	deadline 10s
//	deadline
func deadline(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: deadline [TIME]")
	}
	ts.Setenv(deadlineFrom, strconv.FormatInt(time.Now().UnixNano(), 10))
	ts.Setenv(deadlineFor, "")
	if len(args) > 0 {
		_, err := time.ParseDuration(args[0])
		ts.Check(err)
		ts.Setenv(deadlineFor, args[0])
	}
}

const (
	deadlineFrom = "SCRIPT_DEADLINE_FROM"
	deadlineFor  = "SCRIPT_DEADLINE_FOR"
)

func keepsDeadline(t *testing.T, ts *testscript.TestScript) {
	if ts.Getenv(deadlineFor) == "" {
		return
	}
	bound, err := time.ParseDuration(ts.Getenv(deadlineFor))
	ts.Check(err)
	from, err := strconv.ParseInt(ts.Getenv(deadlineFrom), 10, 64)
	ts.Check(err)
	took := time.Since(time.Unix(0, from))
	if took <= bound {
		return
	}
	begun := time.Now()
	warmUp(t, ts.Getenv("ROOT"), filepath.Join(t.TempDir(), "cache"))
	slowness := max(1, time.Since(begun).Seconds())
	if took.Seconds() > bound.Seconds()*slowness {
		ts.Fatalf("it took %s, and may take %s, %.1f times over on this machine now", took, bound, slowness)
	}
}
