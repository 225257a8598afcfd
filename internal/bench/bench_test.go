package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == pipeChild {
		serveChild(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// Every operation checks its answer, so a run shows that what is compared does the same work. Nothing is
// said about times.
func TestEverySectionRuns(t *testing.T) {
	for _, s := range sections {
		t.Run(s.name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, run([]string{"-rounds", "1", "-each", "1ns", "-only", s.name + "$"}, &out))
			assert.Regexp(t, `x floor|x C`, out.String())
		})
	}
}

func TestVerdicts(t *testing.T) {
	tab := &table{figures: []figure{{name: "a", time: 100}, {name: "b", time: 350}}}
	tab.atMost(4, "times", "small enough", tab.ratio("b", "a"))
	tab.atMost(2.8, "times", "too large", tab.ratio("b", "a"))
	tab.atLeast(7, "GB/s", "too slow", 3.5)
	var out bytes.Buffer
	require.NoError(t, tab.print(&out))
	assert.Contains(t, out.String(), "small enough: at most 4 times, is 3.5: met\n")
	assert.Contains(t, out.String(), "too large: at most 2.8 times, is 3.5: MISSED by 25 %\n")
	assert.Contains(t, out.String(), "too slow: at least 7 GB/s, is 3.5: MISSED by 100 %\n")
	assert.Contains(t, out.String(), "350 ns")
}
