// Package rounds measures operations beside each other. In every round each of them has its turn, so that
// what the machine does beside the measuring falls on all of them.
package rounds

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// A Subject is something whose operation is measured.
type Subject struct {
	Name string
	Op   func() error
}

// A Figure is what one operation of a subject takes.
type Figure struct {
	Name   string
	Time   time.Duration // of the fastest round: what else the machine does makes the others slower
	Worst  time.Duration // of the slowest round
	Bytes  float64       // allocated, on Go's heap
	Allocs float64
}

// A Clock says how long to measure.
type Clock struct {
	Rounds int
	Each   time.Duration // of one subject in one round
}

// Measure runs every subject once to warm it up and then in rounds. Between two operations it looks at the
// context.
func (c Clock) Measure(ctx context.Context, subjects ...Subject) ([]Figure, error) {
	figures := make([]Figure, len(subjects))
	times := make([][]time.Duration, len(subjects))
	counts := make([]int, len(subjects))
	for i, s := range subjects {
		figures[i].Name = s.Name
		var err error
		if counts[i], err = c.calibrate(ctx, s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	for range max(1, c.Rounds) {
		for i, s := range subjects {
			took, mem, err := repeat(ctx, s.Op, counts[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			n := float64(counts[i])
			times[i] = append(times[i], time.Duration(float64(took)/n))
			figures[i].Bytes, figures[i].Allocs = float64(mem.TotalAlloc)/n, float64(mem.Mallocs)/n
		}
	}
	for i := range figures {
		figures[i].Summarize(times[i])
	}
	return figures, nil
}

// Summarize takes the fastest and the slowest of all times, of which there has to be one.
func (f *Figure) Summarize(times []time.Duration) {
	f.Time, f.Worst = slices.Min(times), slices.Max(times)
}

// calibrate returns how many operations fit into the time of a round, at least one.
func (c Clock) calibrate(ctx context.Context, s Subject) (int, error) {
	for n := 1; ; n *= 4 {
		took, _, err := repeat(ctx, s.Op, n)
		if err != nil {
			return 0, err
		}
		if took >= c.Each/8 {
			return max(1, int(float64(n)*float64(c.Each)/float64(max(1, took)))), nil
		}
	}
}

// repeat runs an operation n times. Of the memory statistics the totals are differences.
func repeat(ctx context.Context, op func() error, n int) (time.Duration, runtime.MemStats, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range n {
		if err := op(); err != nil {
			return 0, after, err
		}
		if ctx.Err() != nil {
			return 0, after, ctx.Err()
		}
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	after.TotalAlloc -= before.TotalAlloc
	after.Mallocs -= before.Mallocs
	return took, after, nil
}
