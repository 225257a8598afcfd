package main

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// jsonValue parses a file, stdout or stderr, and compares a value in it, by a path of keys and indices,
// with the JSON given; without one the value only has to be there.
//
//	json stdout report.contributions.0.reason '"blank"'
//	json stdout problems '[]'
//	! json stdout error
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: [!] json FILE PATH [VALUE]")
	}
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &v); err != nil {
		ts.Fatalf("%s is not JSON: %v", args[0], err)
	}
	found := true
	for _, step := range strings.Split(args[1], ".") {
		if v, found = member(v, step); !found {
			break
		}
	}
	got, err := json.Marshal(v)
	ts.Check(err)
	same := found
	if found && len(args) == 3 {
		var want any
		if err := json.Unmarshal([]byte(args[2]), &want); err != nil {
			ts.Fatalf("%s: %v", args[2], err)
		}
		text, err := json.Marshal(want)
		ts.Check(err)
		same = string(text) == string(got)
	}
	if same == neg {
		ts.Fatalf("%s at %s: present %t: %s", args[0], args[1], found, got)
	}
}

func member(v any, step string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		inner, ok := v[step]
		return inner, ok
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// holds wants a folder to hold exactly these entries:
//
//	holds . turn.json guest.wasm
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: holds DIR [entry]...")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	want := map[string]bool{}
	for _, name := range args[1:] {
		want[name] = true
	}
	for _, e := range entries {
		if !want[e.Name()] {
			ts.Fatalf("%s holds %s", args[0], e.Name())
		}
		delete(want, e.Name())
	}
	for name := range want {
		ts.Fatalf("%s does not hold %s", args[0], name)
	}
}

// isUTF8 wants a file, stdout or stderr, to be text in UTF-8:
//
//	utf8 stdout
func isUTF8(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] utf8 FILE")
	}
	if utf8.ValidString(ts.ReadFile(args[0])) == neg {
		ts.Fatalf("%s is UTF-8: %t", args[0], neg)
	}
}
