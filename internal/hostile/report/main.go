// Command report runs the hostile guests on every engine of the build and prints what became of them. It
// fails if that is not what the table says.
//
//	go run -tags wasmtime ./internal/hostile/report [--json] [NAME…]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/hostile"
	"github.com/pintle-wasm/pintle/runtime"
)

func main() {
	dir := flag.String("corpus", "testdata/guests/hostile", "the folder of the corpus")
	asJSON := flag.Bool("json", false, "print the results as JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	surprises, err := report(ctx, os.Stdout, *dir, *asJSON, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || surprises > 0 {
		os.Exit(1)
	}
}

// report runs the guests with these names, or all, and returns how many surprises there were.
func report(ctx context.Context, w *os.File, dir string, asJSON bool, names []string) (surprises int, err error) {
	corpus, err := hostile.Open(dir)
	if err != nil {
		return 0, err
	}
	if missing := corpus.Missing(); len(missing) > 0 {
		return 0, fmt.Errorf("there is no guest for %v", missing)
	}
	chosen := slices.DeleteFunc(corpus.Guests, func(e hostile.Entry) bool { return len(names) > 0 && !slices.Contains(names, e.Name) })
	if len(chosen) == 0 {
		return 0, fmt.Errorf("there is no guest %v", names)
	}
	out := &table{w: w, color: isTerminal(w)}
	if asJSON {
		out.w = io.Discard
	}
	results := []hostile.Result{}
	for i := range enginetest.All() {
		out.head(enginetest.All()[i].Name())
		for _, e := range chosen {
			if ctx.Err() != nil {
				return surprises, ctx.Err()
			}
			r := corpus.Run(ctx, func() runtime.Engine { return enginetest.All()[i] }, &e)
			out.row(r)
			results = append(results, r)
			surprises += len(r.Surprises)
		}
	}
	out.sum(len(results), surprises)
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return surprises, e.Encode(results)
	}
	return surprises, out.err
}
