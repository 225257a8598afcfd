// Package guestbench measures guests: what it takes to load, to start, to call and to put back each of them,
// all in one run, so that they can be compared.
package guestbench

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/rounds"
	"github.com/pintle-wasm/pintle/runtime"
)

// A Guest is a guest to be measured.
type Guest struct {
	Name string // of the file, for errors
	File []byte
	// Asked are the calls to measure.
	Asked []*guesttest.Case
}

//go:embed floor.wasm
var floor []byte

// Floor is a guest that does nothing but answer a text of one letter: what the host itself takes.
func Floor() Guest {
	return Guest{Name: "floor.wasm", File: floor, Asked: []*guesttest.Case{{Name: "floor", Contribution: "a"}}}
}

// Options say how to measure.
type Options struct {
	Clock rounds.Clock
	// Time, if set, is for all rounds together, and says how long Clock.Each is.
	Time time.Duration
	// Engine makes an engine that keeps compiled code in a folder.
	Engine func(cacheDir string) runtime.Engine
	// Dir is an empty folder for compiled code, which the caller removes.
	Dir string
	// Grants are the capabilities that guests get if they ask.
	Grants []string
	// Progress is told what is being done; nil: nobody is.
	Progress func(what string)
}

// Figures are what was measured of one guest.
type Figures struct {
	Guest     string `json:"guest"` // id@version
	Bytes     int    `json:"bytes"`
	GzipBytes int    `json:"gzipBytes"`

	// Loading is everything until the guest can be called. Compiling is the engine's part of it, without and
	// with what an earlier process compiled.
	Compile     time.Duration `json:"compileNs"`
	Load        time.Duration `json:"loadNs"`
	CompileWarm time.Duration `json:"compileCachedNs"`
	LoadWarm    time.Duration `json:"loadCachedNs"`

	// Start is making an instance and running what it does before the first call.
	Start time.Duration `json:"startNs"`
	// PutBack is making an instance that has run what it was; 0 if that cannot be, for the reasons in Fresh.
	PutBack time.Duration `json:"putBackNs"`
	Fresh   []string      `json:"fresh,omitempty"`

	StartBytes  int `json:"startBytes"`  // linear memory after the start
	MemoryBytes int `json:"memoryBytes"` // linear memory before a call
	ImageBytes  int `json:"imageBytes"`  // what is copied to put back

	Calls []CallFigures `json:"calls"`
}

// CallFigures are those of one call, which includes putting the instance back.
type CallFigures struct {
	Contribution string        `json:"contribution,omitempty"`
	Adapter      string        `json:"adapter,omitempty"`
	Case         string        `json:"case"`
	Time         time.Duration `json:"timeNs"`
	Worst        time.Duration `json:"worstNs"` // of the slowest round
	Fuel         uint64        `json:"fuel"`
	Allocated    int           `json:"allocatedBytes"` // by the host, in Go
}

// Measure measures guests beside each other. Its errors say whose they are.
func Measure(ctx context.Context, opts Options, guests ...Guest) (_ []Figures, err error) {
	m := &measuring{ctx: ctx, opts: opts}
	defer func() { err = errors.Join(err, m.close()) }()
	// What the process does once, the first load would pay for.
	if _, _, err := m.load(&measured{guest: Floor(), cache: filepath.Join(opts.Dir, "first")}); err != nil {
		return nil, err
	}
	for i, g := range guests {
		if err := m.add(i, g); err != nil {
			return nil, fmt.Errorf("%s: %w", g.Name, err)
		}
	}
	m.say("measuring")
	if err := m.run(); err != nil {
		return nil, err
	}
	out := make([]Figures, len(m.all))
	for i, one := range m.all {
		out[i] = one.Figures
	}
	return out, nil
}

// A measuring is one run. Subjects of all guests are measured together and then noted.
type measuring struct {
	ctx      context.Context
	opts     Options
	all      []*measured
	subjects []rounds.Subject
	notes    []func(rounds.Figure)
	later    []func() error
}

type measured struct {
	Figures
	guest Guest
	cache string
}

func (m *measuring) say(what string) {
	if m.opts.Progress != nil {
		m.opts.Progress(what)
	}
}

func (m *measuring) close() error {
	var errs []error
	for i := len(m.later) - 1; i >= 0; i-- {
		errs = append(errs, m.later[i]())
	}
	return errors.Join(errs...)
}

func (m *measuring) measure(name string, op func() error, note func(rounds.Figure)) {
	m.subjects, m.notes = append(m.subjects, rounds.Subject{Name: name, Op: op}), append(m.notes, note)
}

func (m *measuring) run() error {
	clock := m.opts.Clock
	if m.opts.Time > 0 {
		clock.Each = m.opts.Time / time.Duration(max(1, clock.Rounds)*len(m.subjects))
	}
	figures, err := clock.Measure(m.ctx, m.subjects...)
	if err != nil {
		return err
	}
	for i, f := range figures {
		m.notes[i](f)
	}
	return nil
}

// add loads a guest for the first time and notes what is to be measured of it.
func (m *measuring) add(i int, g Guest) error {
	one := &measured{guest: g, cache: filepath.Join(m.opts.Dir, strconv.Itoa(i))}
	m.all = append(m.all, one)
	one.Bytes = len(g.File)
	var err error
	if one.GzipBytes, err = packed(g.File); err != nil {
		return err
	}
	m.say("compiling " + g.Name)
	if one.Load, one.Compile, err = m.load(one); err != nil {
		return err
	}
	m.measure(g.Name+": load", func() error {
		load, compile, err := m.load(one)
		if one.CompileWarm == 0 || compile < one.CompileWarm {
			one.CompileWarm = compile
		}
		if one.LoadWarm == 0 || load < one.LoadWarm {
			one.LoadWarm = load
		}
		return err
	}, func(rounds.Figure) {})
	r := m.runtime(m.opts.Engine(one.cache))
	m.later = append(m.later, func() error { return r.Close(context.WithoutCancel(m.ctx)) })
	return m.addCalls(r, one)
}

func packed(file []byte) (int, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(file)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Len(), err
}

// runtime remembers no answers: they would be all that is measured.
func (m *measuring) runtime(engine runtime.Engine) *runtime.Runtime {
	return runtime.New(engine, runtime.Options{Remember: runtime.Remember{SessionBytes: -1, HostBytes: -1}})
}

func (m *measuring) options(config map[string]string) runtime.GuestOptions {
	return runtime.GuestOptions{Config: config, Grants: m.opts.Grants}
}

// load loads a guest in a runtime of its own.
func (m *measuring) load(one *measured) (load, compile time.Duration, err error) {
	engine := &timedEngine{Engine: m.opts.Engine(one.cache)}
	r := m.runtime(engine)
	var config map[string]string
	if len(one.guest.Asked) > 0 {
		config = one.guest.Asked[0].Config
	}
	start := time.Now()
	_, err = r.Load(m.ctx, one.guest.Name, one.guest.File, m.options(config))
	load = time.Since(start)
	return load, engine.took, errors.Join(err, r.Close(context.WithoutCancel(m.ctx)))
}

// A timedEngine knows how long it compiled.
type timedEngine struct {
	runtime.Engine
	took time.Duration
}

func (e *timedEngine) Compile(ctx context.Context, module []byte, host []runtime.HostFunc) (runtime.Code, error) {
	start := time.Now()
	defer func() { e.took += time.Since(start) }()
	return e.Engine.Compile(ctx, module, host)
}
