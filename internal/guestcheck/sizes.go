package guestcheck

import (
	"fmt"
	"time"

	"github.com/pintle-wasm/pintle/runtime"
)

func (g *Guest) limits(r *Report) {
	asked := g.Artifact.Manifest.Limits.MemoryBytes
	for _, memory := range g.Artifact.Module().Memories {
		start := uint64(memory.Min) << 16
		r.Add(Size, OK, "", "memory starts with %s", Bytes(start))
		if asked > 0 && start > asked {
			r.Add(Limits, Error, "raise [limits] memory in pintle.toml, or link the guest with less",
				"memory: it starts with %s, and asks for %s", Bytes(start), Bytes(asked))
		}
		if most := uint64(memory.Max) << 16; memory.HasMax && asked > most {
			r.Add(Limits, Warning, "lower [limits] memory in pintle.toml", "memory: it asks for %s, and never grows beyond %s", Bytes(asked), Bytes(most))
		}
	}
	if g.Bundle != nil {
		r.Add(Size, OK, "", "the file has %s: the program %s, its source map %s, the rest is the engine", Bytes(uint64(g.Artifact.Size)),
			Bytes(uint64(len(g.Bundle.Code))), Bytes(uint64(len(g.Bundle.Map))))
		return
	}
	r.Add(Size, OK, "", "the file has %s", Bytes(uint64(g.Artifact.Size)))
}

// Started reports what the guest is like when it has started; took is how long it took to load it.
func (g *Guest) Started(r *Report, guest *runtime.Guest, took time.Duration) {
	g.given(r, guest.Limits())
	reset := guest.Reset()
	if !reset.Copied {
		return // Static says why
	}
	asked := g.Artifact.Manifest.Limits.MemoryBytes
	r.Add(Size, OK, "", "a call begins with an image of %s, of a memory of %s", Bytes(uint64(reset.ImageBytes)), Bytes(uint64(reset.MemoryBytes)))
	if used := uint64(reset.MemoryBytes); asked > 8*used && asked > 8<<20 && asked <= guest.Limits().MemoryBytes {
		r.Add(Limits, Note, "", "memory: it asks for %s, and has %s when it has started", Bytes(asked), Bytes(used))
	}
	r.Add(Size, OK, "", "loaded in %s", took.Round(time.Millisecond))
}

// given reports what the guest asks for and a host does not give it unless it is set up to.
func (g *Guest) given(r *Report, has runtime.Limits) {
	asked := g.Artifact.Manifest.Limits
	count := func(n uint64) string { return fmt.Sprint(n) }
	for _, limit := range []struct {
		name       string
		asked, has uint64
		text       func(uint64) string
	}{
		{"memory", asked.MemoryBytes, has.MemoryBytes, Bytes},
		{"answer", asked.AnswerBytes, uint64(has.AnswerBytes), Bytes},
		{"log", asked.LogBytes, uint64(has.LogBytes), Bytes},
		{"fuel", asked.Fuel, has.Fuel, count},
	} {
		if limit.asked > limit.has {
			r.Add(Limits, Warning, "make do with less, or tell who runs it to raise the host's limit",
				"%s: it asks for %s, and a host gives %s unless it is set up to give more", limit.name, limit.text(limit.asked), limit.text(limit.has))
		}
	}
}

// NotStarted reports why a host does not load the guest.
func (g *Guest) NotStarted(r *Report, err error) {
	r.Add(Contract, Error, "", "a host does not load it: %s", err)
}

// Bytes is a number of bytes for people.
func Bytes(n uint64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
