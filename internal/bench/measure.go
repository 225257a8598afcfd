package main

import (
	"context"
	"time"

	"github.com/pintle-wasm/pintle/internal/rounds"
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

// A clock says how long to measure.
type clock struct {
	rounds int
	each   time.Duration // of one subject in one round
}

// measure runs every subject once to warm it up and then in rounds.
func (c clock) measure(subjects ...subject) ([]figure, error) {
	list := make([]rounds.Subject, len(subjects))
	for i, s := range subjects {
		list[i] = rounds.Subject{Name: s.name, Op: s.op}
	}
	measured, err := rounds.Clock{Rounds: c.rounds, Each: c.each}.Measure(context.Background(), list...)
	if err != nil {
		return nil, err
	}
	figures := make([]figure, len(measured))
	for i, f := range measured {
		figures[i] = figure{name: f.Name, time: f.Time, bytes: f.Bytes, allocs: f.Allocs, worst: f.Worst}
	}
	return figures, nil
}

// summarize takes the fastest and the slowest of all times.
func (f *figure) summarize(times []time.Duration) {
	var all rounds.Figure
	all.Summarize(times)
	f.time, f.worst = all.Time, all.Worst
}
