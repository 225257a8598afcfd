package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pintle-wasm/pintle/internal/hostile"
)

// A table writes one line for each result. It colours only on a terminal.
type table struct {
	w     io.Writer
	color bool
	err   error
}

func isTerminal(f *os.File) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (t *table) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

const (
	bold  = "1"
	red   = "31"
	green = "32"
)

// paint colours a text, which has its width already.
func (t *table) paint(code, s string) string {
	if !t.color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t *table) head(engine string) {
	t.printf("%s\n", t.paint(bold, engine))
	t.printf("  %-28s %5s  %-7s  %-16s  %10s  %9s  %9s  %9s  %9s  %8s\n",
		"guest", "files", "outcome", "kind", "fuel", "computed", "took", "of 100 ms", "load", "host MiB")
}

func (t *table) row(r hostile.Result) {
	mark, color := " ", green
	if len(r.Surprises) > 0 {
		mark, color = "!", red
	}
	t.printf("%s %-28s %5d  %s  %-16s  %10d  %9s  %9s  %9s  %9s  %8.1f\n", mark, r.Guest, r.Files,
		t.paint(color, fmt.Sprintf("%-7s", r.Outcome)), r.Kind, r.Fuel, short(r.CPU), short(r.Wall), short(r.Stopped), short(r.Load), float64(r.Resident)/(1<<20))
	for _, s := range r.Surprises {
		t.printf("    %s\n", t.paint(red, fmt.Sprintf("%q", s)))
	}
}

// short writes a time with three digits.
func short(d time.Duration) string {
	switch {
	case d == 0:
		return "-"
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

func (t *table) sum(results, surprises int) {
	color, says := green, "no surprise"
	if surprises > 0 {
		color, says = red, fmt.Sprintf("%d surprises", surprises)
	}
	t.printf("%d results, %s\n", results, t.paint(color, says))
}
