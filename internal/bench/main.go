package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == pipeChild {
		serveChild(os.Stdin, os.Stdout)
		return
	}
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A bench is one run of the program.
type bench struct {
	ctx   context.Context
	clock clock
	dir   string // for what is built and cached; removed at the end
	later []func() error
}

// defers keeps what is to be closed when the table is printed.
func (b *bench) defers(f func() error) { b.later = append(b.later, f) }

func (b *bench) closeAll() error {
	var first error
	for i := len(b.later) - 1; i >= 0; i-- {
		if err := b.later[i](); err != nil && first == nil {
			first = err
		}
	}
	b.later = nil
	return first
}

// sections are the tables by name, in the order in which they are printed.
var sections = []struct {
	name string
	make func(*bench) (*table, error)
}{
	{"call", (*bench).calls},
	{"meter", (*bench).metering},
	{"turn", (*bench).turns},
	{"adapter", (*bench).adapters},
	{"stop", (*bench).stops},
	{"start", (*bench).starts},
	{"languages", (*bench).languages},
}

func run(args []string, w io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	rounds := flags.Int("rounds", 7, "rounds; the fastest counts")
	each := flags.Duration("each", 150*time.Millisecond, "time for a subject in a round")
	only := flags.String("only", "", "sections to run, a regular expression: call, meter, turn, adapter, stop, start, languages")
	if err := flags.Parse(args); err != nil {
		return err
	}
	wanted, err := regexp.Compile("^(" + *only + ")")
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	dir, err := os.MkdirTemp("", "pintle-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{ctx: context.Background(), clock: clock{max(1, *rounds), *each}, dir: dir}
	for _, s := range sections {
		if !wanted.MatchString(s.name) {
			continue
		}
		t, err := s.make(b)
		if cerr := b.closeAll(); err == nil {
			err = cerr
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := t.print(w); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }
