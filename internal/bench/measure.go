package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// A subject is something whose operation is measured.
type subject struct {
	name string
	op   func() error
}

// A figure is what one operation of a subject takes.
type figure struct {
	name   string
	time   time.Duration // of the fastest round: what else the machine does makes the others slower
	bytes  float64       // allocated, on Go's heap
	allocs float64
	worst  time.Duration // of the slowest round
	floor  int           // the figure of its table to which it is compared
}

// A clock says how long to measure: in every round each subject has its turn, so that what the machine
// does beside it falls on all of them.
type clock struct {
	rounds int
	each   time.Duration // of one subject in one round
}

// measure runs every subject once to warm it up and then in rounds.
func (c clock) measure(subjects ...subject) ([]figure, error) {
	figures := make([]figure, len(subjects))
	times := make([][]time.Duration, len(subjects))
	counts := make([]int, len(subjects))
	for i, s := range subjects {
		figures[i].name = s.name
		var err error
		if counts[i], err = c.calibrate(s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	for range c.rounds {
		for i, s := range subjects {
			took, mem, err := repeat(s.op, counts[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			n := float64(counts[i])
			times[i] = append(times[i], time.Duration(float64(took)/n))
			figures[i].bytes, figures[i].allocs = float64(mem.TotalAlloc)/n, float64(mem.Mallocs)/n
		}
	}
	for i := range figures {
		figures[i].summarize(times[i])
	}
	return figures, nil
}

// summarize takes the fastest and the slowest of all times.
func (f *figure) summarize(times []time.Duration) {
	f.time, f.worst = slices.Min(times), slices.Max(times)
}

// calibrate returns how many operations fit into the time of a round, at least one.
func (c clock) calibrate(s subject) (int, error) {
	for n := 1; ; n *= 4 {
		took, _, err := repeat(s.op, n)
		if err != nil {
			return 0, err
		}
		if took >= c.each/8 {
			return max(1, int(float64(n)*float64(c.each)/float64(took))), nil
		}
	}
}

// repeat runs an operation n times. Of the memory statistics the totals are differences.
func repeat(op func() error, n int) (time.Duration, runtime.MemStats, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range n {
		if err := op(); err != nil {
			return 0, after, err
		}
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	after.TotalAlloc -= before.TotalAlloc
	after.Mallocs -= before.Mallocs
	return took, after, nil
}
