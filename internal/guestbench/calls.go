package guestbench

import (
	"fmt"
	"maps"
	"time"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/rounds"
	"github.com/pintle-wasm/pintle/runtime"
)

// addCalls loads a guest once for each configuration and notes what is to be measured of its instances.
func (m *measuring) addCalls(r *runtime.Runtime, one *measured) error {
	var loaded []*runtime.Guest
	var configs []map[string]string
	with := func(config map[string]string) (*runtime.Guest, error) {
		for i := range configs {
			if maps.Equal(configs[i], config) {
				return loaded[i], nil
			}
		}
		g, err := r.Load(m.ctx, one.guest.Name, one.guest.File, m.options(config))
		if err == nil {
			loaded, configs = append(loaded, g), append(configs, config)
		}
		return g, err
	}
	if len(one.guest.Asked) == 0 {
		if _, err := with(nil); err != nil {
			return err
		}
	}
	one.Calls = make([]CallFigures, len(one.guest.Asked))
	for i, c := range one.guest.Asked {
		g, err := with(c.Config)
		if err == nil {
			err = m.addCall(g, c, &one.Calls[i])
		}
		if err != nil {
			return err
		}
	}
	return m.addInstances(loaded[0], one)
}

func (m *measuring) addCall(g *runtime.Guest, c *guesttest.Case, call *CallFigures) error {
	*call = CallFigures{Contribution: c.Contribution, Adapter: c.Adapter, Case: c.Name}
	ask, err := c.Prepare(g)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	if call.Fuel, err = ask(m.ctx); err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	m.measure(g.Name()+": "+c.Name, func() error { _, err := ask(m.ctx); return err }, func(f rounds.Figure) {
		call.Time, call.Worst, call.Allocated = f.Time, f.Worst, int(f.Bytes)
	})
	return nil
}

// addInstances notes start and putting back.
func (m *measuring) addInstances(g *runtime.Guest, one *measured) error {
	one.Guest = g.Name()
	reset := g.Reset()
	one.Fresh, one.MemoryBytes, one.ImageBytes = reset.Reasons, reset.MemoryBytes, reset.ImageBytes
	p, err := g.Probe()
	if err != nil {
		return err
	}
	m.later = append(m.later, func() error { p.Close(); return nil })
	if one.StartBytes, err = p.Start(m.ctx); err != nil {
		return err
	}
	m.measure(g.Name()+": start", func() error { _, err := p.Start(m.ctx); return err },
		func(f rounds.Figure) { one.Start = f.Time })
	if !reset.Copied {
		one.MemoryBytes = one.StartBytes
		return nil
	}
	m.measure(g.Name()+": put back", func() error { return p.PutBack(m.ctx) },
		func(f rounds.Figure) { one.PutBack = max(time.Nanosecond, f.Time) })
	return nil
}
