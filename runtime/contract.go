package runtime

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// A Problem is one place where a module does not keep the contract.
type Problem struct {
	Subject  string `json:"subject"`            // for example `export pintle_alloc`
	Fault    string `json:"fault"`              // missing, wrong signature, unknown, not listed, …
	Expected string `json:"expected,omitempty"` // a signature
	Found    string `json:"found,omitempty"`
	Hint     string `json:"hint,omitempty"`
}

func (p Problem) String() string {
	s := p.Subject + ": " + p.Fault
	if p.Expected != "" {
		s += ": expected " + p.Expected
	}
	if p.Found != "" {
		s += ", found " + p.Found
	}
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
}

// Report writes problems one to a line.
func Report(problems []Problem) string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = "  " + p.String()
	}
	return strings.Join(lines, "\n")
}

// Faults of a contract. Missing and wrong signature are kept apart: the first is often a build flag,
// the second another ABI.
const (
	faultMissing   = "missing"
	faultSignature = "wrong signature"
	faultUnknown   = "unknown"
	faultGranted   = "not asked for in the manifest"
)

// reseedExport is an optional function () -> () of guests that use real random numbers: the host calls it
// when it has put an instance back, so that no two calls go on from the same numbers.
const reseedExport = "pintle_reseed"

var (
	sigInit  = wasmbin.FuncType{}
	sigAlloc = wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32}, Results: []wasmbin.ValueType{wasmbin.I32}}
	sigOp    = wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32, wasmbin.I32}, Results: []wasmbin.ValueType{wasmbin.I64}}
)

// checkContract compares what a module imports and exports with what its manifest promises.
func checkContract(m *wasmbin.Module, manifest *abi.Manifest) []Problem {
	c := &contract{module: m}
	c.imports(manifest)
	c.memory()
	c.marker()
	c.function(abi.AllocExport, sigAlloc, true)
	c.function(abi.InitExport, sigInit, false)
	c.function(reseedExport, sigInit, false)
	if _, ok := m.Export("_start"); ok {
		c.add(Problem{Subject: "export _start", Fault: "a command, not a reactor",
			Hint: "build a library: Go with -buildmode=c-shared, clang with -mexec-model=reactor"})
	}
	c.operations(manifest)
	return c.problems
}

type contract struct {
	module   *wasmbin.Module
	problems []Problem
}

func (c *contract) add(p Problem) { c.problems = append(c.problems, p) }

func (c *contract) imports(manifest *abi.Manifest) {
	offered := map[string]wasmbin.FuncType{}
	for _, f := range hostFuncs() {
		offered[f.Module+"."+f.Name] = f.Type
	}
	for _, im := range c.module.Imports {
		name := im.Module + "." + im.Name
		sig, known := offered[name]
		p := Problem{Subject: "import " + name}
		switch {
		case im.Kind != wasmbin.FuncKind:
			p.Fault, p.Found = "only functions can be imported", im.Kind.String()
		case !known:
			p.Fault, p.Found = faultUnknown, im.Type.String()
			p.Hint = "the host offers " + offeredModules
		case !sig.Equal(im.Type):
			p.Fault, p.Expected, p.Found = faultSignature, sig.String(), im.Type.String()
		case im.Module == abi.HostModule && importHint(manifest, im.Name) != "":
			p.Fault, p.Hint = faultGranted, importHint(manifest, im.Name)
		default:
			continue
		}
		c.add(p)
	}
}

func (c *contract) memory() {
	p := Problem{Subject: "export " + abi.MemoryExport, Expected: "the module's own memory"}
	e, ok := c.module.Export(abi.MemoryExport)
	switch {
	case !ok:
		p.Fault = faultMissing
	case e.Kind != wasmbin.MemoryKind:
		p.Fault, p.Found = faultSignature, e.Kind.String()
	case len(c.module.Memories) == 0:
		p.Fault = "the module defines no memory"
	default:
		return
	}
	c.add(p)
}

func (c *contract) marker() {
	if _, ok := c.module.Export(abi.TransportExport); !ok {
		c.add(Problem{Subject: "export " + abi.TransportExport, Fault: faultMissing, Expected: "an export of any kind"})
	}
}

func (c *contract) function(name string, want wasmbin.FuncType, required bool) {
	e, ok := c.module.Export(name)
	p := Problem{Subject: "export " + name, Expected: "function " + want.String()}
	switch {
	case !ok && required:
		p.Fault = faultMissing
	case ok && e.Kind != wasmbin.FuncKind:
		p.Fault, p.Found = faultSignature, e.Kind.String()
	case ok && !e.Type.Equal(want):
		p.Fault, p.Found = faultSignature, "function "+e.Type.String()
	default:
		return
	}
	c.add(p)
}

// operations checks that exported and listed operations are the same.
func (c *contract) operations(manifest *abi.Manifest) {
	offers := offers(manifest)
	for _, it := range abi.Interfaces() {
		listed, offered := offers[it.ID]
		for _, op := range it.Operations {
			_, exported := c.module.Export(op.Export)
			if exported && !offered {
				c.add(Problem{Subject: "export " + op.Export, Fault: "the manifest offers nothing of " + it.ID,
					Hint: "list it in the manifest or leave the export out"})
				continue
			}
			if op.Optional && exported != slices.Contains(listed, op.Export) {
				p := Problem{Subject: "export " + op.Export, Fault: "listed in the manifest but not exported"}
				if exported {
					p.Fault = "exported but not listed in the manifest"
					p.Hint = "an optional operation is listed under `operations` of the adapters that have it"
				}
				c.add(p)
				continue
			}
			if exported || (offered && !op.Optional) {
				c.function(op.Export, sigOp, true)
			}
		}
	}
}

// offers returns the interfaces of which the manifest offers something, each with the optional
// operations that its offers list.
func offers(m *abi.Manifest) map[string][]string {
	listed := map[string][]string{}
	for _, c := range m.Contributions {
		listed[c.Interface] = nil // it has no optional operations
	}
	for _, a := range m.Adapters {
		listed[a.Interface] = append(listed[a.Interface], a.Operations...)
	}
	return listed
}

// refuseContract makes the error of an artifact with problems.
func refuseContract(a *Artifact) error {
	if len(a.Problems) == 0 {
		return nil
	}
	noun := "problems"
	if len(a.Problems) == 1 {
		noun = "problem"
	}
	return &Error{Kind: KindContract, Guest: a.Title(), Reason: fmt.Sprintf(
		"%d %s with transport %s:\n%s", len(a.Problems), noun, a.Transport(), Report(a.Problems))}
}
