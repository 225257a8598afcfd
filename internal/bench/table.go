package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// A table is one group of figures that belong together.
type table struct {
	title   string
	note    string // what one operation is
	figures []figure
	grids   []grid // in the place of figures
	aims    []aim
}

// A grid is a table whose rows are compared in more ways than one.
type grid struct {
	corner  string
	columns []string
	rows    [][]string // each begins with its name
}

func (g *grid) print(w io.Writer) error {
	width := len([]rune(g.corner))
	for _, row := range g.rows {
		width = max(width, len([]rune(row[0])))
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range append([][]string{append([]string{g.corner}, g.columns...)}, g.rows...) {
		name := row[0] + strings.Repeat(" ", width-len([]rune(row[0]))) // the writer would align names to the right
		fmt.Fprintf(tw, "  %s\t%s\t\n", name, strings.Join(row[1:], "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// An aim is a bound that the project has set itself for a figure or a ratio.
type aim struct {
	what    string
	got     float64
	bound   float64
	atLeast bool   // or at most
	unit    string // "times", "µs", …
}

func (a aim) String() string {
	limit, missed := "at most", a.got/a.bound
	if a.atLeast {
		limit, missed = "at least", a.bound/a.got
	}
	verdict := "met"
	if missed > 1 {
		verdict = fmt.Sprintf("MISSED by %.0f %%", 100*(missed-1))
	}
	return fmt.Sprintf("%s: %s %s %s, is %s: %s", a.what, limit, digits(a.bound), a.unit, digits(a.got), verdict)
}

func (t *table) find(name string) figure {
	for _, f := range t.figures {
		if f.name == name {
			return f
		}
	}
	panic("no figure " + name) // a mistake in this program
}

// ratio returns how many times longer one figure is than another.
func (t *table) ratio(of, to string) float64 {
	return float64(t.find(of).time) / float64(t.find(to).time)
}

func (t *table) atMost(bound float64, unit, what string, got float64) {
	t.aims = append(t.aims, aim{what, got, bound, false, unit})
}

func (t *table) atLeast(bound float64, unit, what string, got float64) {
	t.aims = append(t.aims, aim{what, got, bound, true, unit})
}

// add puts figures into the table that are compared to the first of them.
func (t *table) add(figures []figure) {
	first := len(t.figures)
	for _, f := range figures {
		f.floor = first
		t.figures = append(t.figures, f)
	}
}

// print writes the table and the aims.
func (t *table) print(w io.Writer) error {
	fmt.Fprintf(w, "%s\n  %s\n\n", t.title, t.note)
	for i := range t.grids {
		if err := t.grids[i].print(w); err != nil {
			return err
		}
	}
	if len(t.figures) > 0 {
		if err := t.printFigures(w); err != nil {
			return err
		}
	}
	for _, a := range t.aims {
		fmt.Fprintf(w, "  %v\n", a)
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (t *table) printFigures(w io.Writer) error {
	width := 0
	for _, f := range t.figures {
		width = max(width, len([]rune(f.name)))
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "  \ttime\tx floor\tslowest\tbytes\tallocs\t\n")
	for _, f := range t.figures {
		pad := strings.Repeat(" ", width-len([]rune(f.name))) // the writer would align names to the right
		fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\t%.0f\t%.1f\t\n", f.name+pad, short(f.time),
			digits(float64(f.time)/float64(t.figures[f.floor].time)), short(f.worst), f.bytes, f.allocs)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// short writes a time with three digits.
func short(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d)
	case d < time.Millisecond:
		return digits(micros(d)) + " µs"
	case d < time.Second:
		return digits(millis(d)) + " ms"
	}
	return digits(d.Seconds()) + " s"
}

// digits writes a number with three digits, or all of its whole ones.
func digits(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
