package main

import (
	"fmt"
	"strings"
	"time"
)

func (r *benchReport) print(p *printer) {
	g, f := &r.Guest, &r.Floor
	p.printf("%s  %s\n", p.paint(bold, oneLine(g.Guest, 200)), oneLine(r.File, 400))
	p.printf("\n  %-24s %12s %12s %10s\n", "", "this guest", "the floor", "ratio")
	size := func(what string, of, floor int) {
		p.printf("  %-24s %12s %12s %10s\n", what, bytesText(of), bytesText(floor), ratioText(float64(of), float64(floor)))
	}
	took := func(what string, of, floor time.Duration) {
		p.printf("  %-24s %12s %12s %10s\n", what, fineText(of), fineText(floor), ratioText(float64(of), float64(floor)))
	}
	size("file", g.Bytes, f.Bytes)
	size("file, gzip", g.GzipBytes, f.GzipBytes)
	took("compile", g.Compile, f.Compile)
	took("compile, from the cache", g.CompileWarm, f.CompileWarm)
	took("load", g.Load, f.Load)
	took("load, from the cache", g.LoadWarm, f.LoadWarm)
	took("start", g.Start, f.Start)
	if g.PutBack > 0 {
		took("put back", g.PutBack, f.PutBack)
	} else {
		p.printf("  %-24s %12s\n", "put back", "never")
	}
	size("memory after the start", g.StartBytes, f.StartBytes)
	size("memory before a call", g.MemoryBytes, f.MemoryBytes)
	if g.PutBack > 0 {
		size("image", g.ImageBytes, f.ImageBytes)
	}
	r.printCalls(p)
	if len(g.Fresh) > 0 {
		p.printf("\nstarted anew for each call: %s\n", oneLine(strings.Join(g.Fresh, "; "), 600))
	}
	if len(r.NotAsked) > 0 {
		p.printf("\nnot called, for want of a case: adapter %s\n", oneLine(strings.Join(r.NotAsked, ", "), 400))
	}
}

func (r *benchReport) printCalls(p *printer) {
	if len(r.Guest.Calls) == 0 {
		return
	}
	floor := r.Floor.Calls[0]
	p.head("calls")
	p.printf("  %-32s %10s %8s %12s  %s\n", "", "time", "x floor", "fuel", "case")
	for _, c := range append(r.Guest.Calls, floor) {
		name := "contribution " + c.Contribution
		if c.Adapter != "" {
			name = "adapter " + c.Adapter
		}
		if c.Case == floor.Case {
			name = "the floor"
		}
		line := fmt.Sprintf("  %-32s %10s %8s %12d", oneLine(name, 60), fineText(c.Time), ratioText(float64(c.Time), float64(floor.Time)), c.Fuel)
		if c.Case != floor.Case {
			line += "  " + oneLine(c.Case, 120)
		}
		p.printf("%s\n", line)
	}
}

// fineText is durationText with digits below a microsecond, and with three where they tell something.
func fineText(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d)
	case d < 10*time.Microsecond:
		return fmt.Sprintf("%.2f µs", float64(d)/1e3)
	case d < 100*time.Microsecond:
		return fmt.Sprintf("%.1f µs", float64(d)/1e3)
	case d >= time.Millisecond && d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	}
	return durationText(d)
}

func ratioText(of, floor float64) string {
	switch ratio := of / floor; {
	case floor <= 0:
		return ""
	case ratio >= 100:
		return fmt.Sprintf("%.0f", ratio)
	case ratio >= 10:
		return fmt.Sprintf("%.1f", ratio)
	default:
		return fmt.Sprintf("%.2f", ratio)
	}
}
