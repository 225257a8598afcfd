package main

import (
	"strconv"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// deadline makes the script fail at the command with status that ends later than this after now. Without a time
// there is none any more:
//
//	deadline 10s
//	deadline
func deadline(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: deadline [TIME]")
	}
	if len(args) == 0 {
		ts.Setenv(deadlineEnv, "")
		return
	}
	bound, err := time.ParseDuration(args[0])
	ts.Check(err)
	ts.Setenv(deadlineEnv, strconv.FormatInt(time.Now().Add(bound*raceFactor).UnixNano(), 10))
}

const deadlineEnv = "SCRIPT_DEADLINE"

func keepsDeadline(ts *testscript.TestScript) {
	set := ts.Getenv(deadlineEnv)
	if set == "" {
		return
	}
	at, err := strconv.ParseInt(set, 10, 64)
	ts.Check(err)
	if late := time.Since(time.Unix(0, at)); late > 0 {
		ts.Fatalf("the deadline is over by %s", late)
	}
}
