package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/internal/guestbench"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/rounds"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// examples has the same guest in every language, in folders with the languages' names.
const examples = "../../testdata/guests/example"

// Languages in the order of the table. The others are compared with the first one.
var guestLanguages = []string{"c", "rust", "assemblyscript", "typescript", "go"}

const typescript = "typescript"

// asked are the offers that are called, as the guest's cases.json asks them.
var asked = []struct{ contribution, adapter string }{{contribution: "greeting"}, {contribution: "template"}, {adapter: "codex"}}

// languages compares the example guest in all languages.
func (b *bench) languages() (*table, error) {
	t := &table{title: "The same guest in five languages",
		note: "A guest with two contributions and an adapter. Compile is the engine's part of loading the guest, from nothing (once)\n" +
			"  and from the cache; start makes an instance and runs what it does before the first call; put back is what comes before\n" +
			"  each call, and in the time of the calls. Image is what is copied for it, memory is linear memory, before a call and\n" +
			"  after the start. A KB is 1,000 bytes."}
	var guests []guestbench.Guest
	for _, language := range guestLanguages {
		g, err := exampleGuest(language)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", language, err)
		}
		guests = append(guests, g)
	}
	figures, err := guestbench.Measure(b.ctx, guestbench.Options{
		Clock: rounds.Clock{Rounds: b.clock.rounds, Each: b.clock.each}, Dir: b.path("languages"),
		Engine: func(cache string) runtime.Engine { return wazero.New(wazero.Config{CacheDir: cache}) },
	}, guests...)
	if err != nil {
		return nil, err
	}
	sizes := grid{"", []string{"file", "gzip", "memory", "at start", "image"}, nil}
	times := grid{"", []string{"compile", "cached", "start", "put back", "greeting", "template", "codex"}, nil}
	ratios := grid{"x C", append(append([]string{}, sizes.columns...), times.columns...), nil}
	for i := range figures {
		f, c := &figures[i], &figures[0]
		size, took := []string{guestLanguages[i]}, []string{guestLanguages[i]}
		for _, n := range sizesOf(f) {
			size = append(size, kilobytes(n))
		}
		for _, d := range timesOf(f) {
			took = append(took, short(d))
		}
		sizes.rows, times.rows = append(sizes.rows, size), append(times.rows, took)
		if i > 0 {
			ratios.rows = append(ratios.rows, ratiosOf(guestLanguages[i], f, c))
		}
		if guestLanguages[i] == typescript {
			t.scriptAims(f)
		}
	}
	t.grids = []grid{sizes, times, ratios}
	return t, nil
}

// scriptAims are those of guests in JavaScript. Without putting back, a call is what the guest and the
// engine do.
func (t *table) scriptAims(f *guestbench.Figures) {
	t.atMost(4, "ms", "typescript, start", millis(f.Start))
	t.atMost(40, "µs", "typescript, put back", micros(f.PutBack))
	t.atMost(20, "µs", "typescript, greeting without putting back", micros(f.Calls[0].Time-f.PutBack))
}

func sizesOf(f *guestbench.Figures) []int {
	return []int{f.Bytes, f.GzipBytes, f.MemoryBytes, f.StartBytes, f.ImageBytes}
}

func timesOf(f *guestbench.Figures) []time.Duration {
	list := []time.Duration{f.Compile, f.CompileWarm, f.Start, f.PutBack}
	for _, c := range f.Calls {
		list = append(list, c.Time)
	}
	return list
}

func ratiosOf(name string, f, c *guestbench.Figures) []string {
	row := []string{name}
	for i, n := range sizesOf(f) {
		row = append(row, digits(float64(n)/float64(sizesOf(c)[i])))
	}
	for i, d := range timesOf(f) {
		row = append(row, digits(float64(d)/float64(timesOf(c)[i])))
	}
	return row
}

func kilobytes(n int) string {
	if n >= 1_000_000 {
		return digits(float64(n)/1_000_000) + " MB"
	}
	return digits(float64(n)/1000) + " KB"
}

// exampleGuest reads the example guest in a language. Large ones are packed.
func exampleGuest(language string) (guestbench.Guest, error) {
	g := guestbench.Guest{Name: language}
	dir := filepath.Join(examples, language)
	cases, err := os.ReadFile(filepath.Join(dir, "cases.json"))
	if err != nil {
		return g, err
	}
	suite, err := guesttest.Parse("cases.json", cases)
	if err != nil {
		return g, err
	}
	for _, offer := range asked {
		c := guestbench.Choose(suite, offer.contribution, offer.adapter)
		if c == nil {
			return g, fmt.Errorf("cases.json has no case of %s", strings.TrimSpace(offer.contribution+" "+offer.adapter))
		}
		g.Asked = append(g.Asked, c)
	}
	g.File, err = os.ReadFile(filepath.Join(dir, "example.wasm"))
	if errors.Is(err, fs.ErrNotExist) {
		g.File, err = unpack(filepath.Join(dir, "example.wasm.gz"))
	}
	return g, err
}

func unpack(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, int64(wasmbin.DefaultLimits().ModuleBytes)+1))
}
