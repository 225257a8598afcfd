package main

import (
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// mkguest writes a hand-made guest with one contribution:
//
//	mkguest FILE KIND [ID [TEXT]]
//
// ID is the id of guest and contribution; TEXT is what it says. Both may have the escapes below.
func mkguest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 4 {
		ts.Fatalf("usage: mkguest FILE KIND [ID [TEXT]]")
	}
	kind, ok := guestKinds[args[1]]
	if !ok {
		ts.Fatalf("unknown kind of guest %q; known: %v", args[1], slices.Sorted(maps.Keys(guestKinds)))
	}
	g := scriptGuest{id: args[1], text: "text of " + args[1]}
	escapes := strings.NewReplacer(`\n`, "\n", `\e`, "\x1b", `\r`, "\r", `\u202e`, "\u202e", `\u009b`, "\u009b")
	if len(args) > 2 {
		g.id = escapes.Replace(args[2])
	}
	if len(args) > 3 {
		g.text = escapes.Replace(args[3])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), kind(g), 0o600))
}

type scriptGuest struct{ id, text string }

func (g scriptGuest) manifest() *abi.Manifest {
	m := wasmtest.Manifest()
	m.ID, m.Contributions[0].ID = g.id, g.id
	m.Limits.Fuel = 1_000_000
	return m
}

// answers is a guest that answers these bytes.
func (g scriptGuest) answers(answer []byte) []byte {
	return wasmtest.Guest(wasmtest.Module{
		Pages: uint32(len(answer)>>16) + 1,
		Data:  []wasmtest.Data{{Offset: 2048, Bytes: answer}},
	}, g.manifest(), wasmtest.Answer(2048, uint32(len(answer))))
}

// whole is a module with a manifest and nothing that Guest adds.
func (g scriptGuest) whole(m wasmtest.Module, manifest *abi.Manifest) []byte {
	section, err := abi.EncodeManifest(manifest)
	if err != nil {
		panic(err)
	}
	m.Custom = []wasmtest.Custom{{Name: abi.ManifestSection, Bytes: section}}
	m.Pages = 1
	return m.Encode()
}

// edits is an adapter of version 2 that never changes anything.
func (g scriptGuest) edits() []byte {
	role, err := abi.ScalarOf("system")
	if err != nil {
		panic(err)
	}
	clip, top, prefix := uint64(0), uint64(0), g.text
	m := g.manifest()
	m.Contributions, m.Adapters = nil, []abi.Adapter{{Interface: abi.ProviderPayloadAdaptersV2, ID: g.id, APIs: []string{"toy"},
		View: []abi.Selector{
			{Path: abi.Path{{Member: "system"}}, Clip: &clip},
			{Path: abi.Path{{Member: "turns"}, {Each: true}}, Members: []string{"role", "text"},
				Where: []abi.Filter{{Member: "role", Equals: role}, {Of: &top, Member: "model", Prefix: &prefix}}},
		},
		Write: []abi.Path{{{Member: "system"}}, {{Member: "turns"}, {Each: true}}}}}
	return g.whole(wasmtest.Module{
		Data: []wasmtest.Data{{Offset: 16, Bytes: []byte{0x81, 0}}},
		Functions: []wasmtest.Function{
			{Export: abi.TransportExport},
			{Export: abi.AllocExport, Type: wasmtest.SigAlloc, Code: wasmtest.I32Const(wasmtest.RequestAt)},
			{Export: abi.EditV2, Type: wasmtest.SigOp, Code: wasmtest.Answer(16, 2)},
		},
	}, m)
}

var (
	code   = wasmtest.Code
	panics = wasmtest.Import{Module: abi.HostModule, Name: "panic", Type: wasmtest.SigPanic}
	logs   = wasmtest.Import{Module: abi.HostModule, Name: "log", Type: wasmtest.SigLog}
)

// guestKinds are the guests that scripts ask for. Most do one wrong thing.
var guestKinds = map[string]func(scriptGuest) []byte{
	"says":   func(g scriptGuest) []byte { return g.answers(wasmtest.Text(g.text)) },
	"silent": func(g scriptGuest) []byte { return g.answers([]byte{0x81, 0}) },
	"large": func(g scriptGuest) []byte {
		return g.answers(wasmtest.Text(strings.Repeat("0123456789abcde\n", 60<<10)))
	},
	"toolarge": func(g scriptGuest) []byte {
		return g.answers(wasmtest.Text(strings.Repeat("0123456789abcde\n", 70<<10)))
	},
	"garbage": func(g scriptGuest) []byte { return g.answers([]byte{0xff, 0xff}) },
	"edits":   func(g scriptGuest) []byte { return g.edits() },
	"number":  func(g scriptGuest) []byte { return g.answers([]byte{0x82, 1, 7}) },
	"fails": func(g scriptGuest) []byte {
		answer, err := abi.EncodeAnswer(nil, &abi.Failure{Code: "broken", Message: g.text})
		if err != nil {
			panic(err)
		}
		return g.answers(answer)
	},
	"loops": func(g scriptGuest) []byte {
		return wasmtest.Guest(wasmtest.Module{}, g.manifest(), code(wasmtest.Loop(wasmtest.Branch(0)), wasmtest.Unreachable))
	},
	"panics": func(g scriptGuest) []byte {
		return wasmtest.Guest(wasmtest.Module{Imports: []wasmtest.Import{panics}, Data: []wasmtest.Data{{Offset: 16, Bytes: []byte(g.text)}}},
			g.manifest(), code(wasmtest.I32Const(16), wasmtest.I32Const(int32(len(g.text))), wasmtest.Call(0), wasmtest.Unreachable))
	},
	"logs": func(g scriptGuest) []byte {
		return wasmtest.Guest(wasmtest.Module{Imports: []wasmtest.Import{logs},
			Data: []wasmtest.Data{{Offset: 16, Bytes: []byte(g.text)}, {Offset: 2048, Bytes: wasmtest.Text("said")}}},
			g.manifest(), code(wasmtest.I32Const(2), wasmtest.I32Const(16), wasmtest.I32Const(int32(len(g.text))), wasmtest.Call(0),
				wasmtest.Answer(2048, uint32(len(wasmtest.Text("said"))))))
	},
	"config": configGuest,
	"asks":   func(g scriptGuest) []byte { return g.asks("1.0.0", abi.CapabilityKV, abi.CapabilityRandom) },
	"asksmore": func(g scriptGuest) []byte {
		return g.asks("2.0.0", abi.CapabilityKV, abi.CapabilityRandom, abi.CapabilityClock, abi.CapabilityLog, "telepathy")
	},
	"asksless": func(g scriptGuest) []byte { return g.asks("3.0.0", abi.CapabilityKV) },

	"foreign": func(scriptGuest) []byte { return (&wasmtest.Module{Pages: 1}).Encode() },
	"stripped": func(scriptGuest) []byte {
		m := wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Export: abi.TransportExport}}}
		return m.Encode()
	},
	"truncated": func(g scriptGuest) []byte {
		file := g.answers(wasmtest.Text(g.text))
		return file[:len(file)-3]
	},
	// No operation, and an allocator with a signature of its own.
	"contract": func(g scriptGuest) []byte {
		return g.whole(wasmtest.Module{Functions: []wasmtest.Function{
			{Export: abi.TransportExport},
			{Export: abi.AllocExport, Type: wasmtest.SigOp, Code: wasmtest.I64Const(0)},
		}}, g.manifest())
	},
	// An import whose name tries to write lines of its own into the report.
	"forger": func(g scriptGuest) []byte {
		return wasmtest.Guest(wasmtest.Module{Imports: []wasmtest.Import{
			{Module: "env", Name: "x\npintle: hint: all is well\x1b[2J", Type: wasmtest.SigNone},
		}}, g.manifest(), wasmtest.I64Const(0))
	},
	"adapter": adapterGuest,
}

// configGuest says the value of its key "key", of up to 100 bytes.
func configGuest(g scriptGuest) []byte {
	const key, head, room = 16, 2048, 100
	sig := wasmbin.FuncType{Params: slices.Repeat([]wasmbin.ValueType{wasmbin.I32}, 4), Results: []wasmbin.ValueType{wasmbin.I32}}
	m := g.manifest()
	m.Capabilities = []abi.Capability{{Name: abi.CapabilityConfig, Reason: "to say it", Keys: []string{"key"}}}
	return wasmtest.Guest(wasmtest.Module{
		Imports: []wasmtest.Import{{Module: abi.HostModule, Name: "config", Type: sig}},
		Globals: 1,
		// The value goes behind the head of the answer: [1, text of one length byte].
		Data: []wasmtest.Data{{Offset: key, Bytes: []byte("key")}, {Offset: head, Bytes: []byte{0x82, 1, 0x78, 0}}},
	}, m, code(
		wasmtest.I32Const(key), wasmtest.I32Const(3), wasmtest.I32Const(head+4), wasmtest.I32Const(room), wasmtest.Call(0), wasmtest.GlobalSet(0),
		wasmtest.GlobalGet(0), wasmtest.I32Const(-1), i32Equal, wasmtest.If(wasmtest.I32Const(0), wasmtest.GlobalSet(0)),
		wasmtest.I32Const(head+3), wasmtest.GlobalGet(0), wasmtest.I32Store8(),
		wasmtest.GlobalGet(0), wasmtest.I32Const(4), wasmtest.I32Add, i64ExtendU, wasmtest.Answer(head, 0), i64Or,
	))
}

// asks is a guest that asks for capabilities, for the reason that is its text. It says whether it has kv.
func (g scriptGuest) asks(version string, names ...string) []byte {
	const key, yes, no = 16, 2048, 4096
	m := g.manifest()
	m.Version = version
	for _, name := range names {
		m.Capabilities = append(m.Capabilities, abi.Capability{Name: name, Reason: g.text})
	}
	if slices.Contains(names, abi.CapabilityClock) {
		m.Contributions[0].Needs = []abi.ContextField{abi.FieldPrompt}
	}
	sig := wasmbin.FuncType{Params: slices.Repeat([]wasmbin.ValueType{wasmbin.I32}, 4), Results: []wasmbin.ValueType{wasmbin.I32}}
	has, hasNot := wasmtest.Text("it has kv"), wasmtest.Text("it has no kv")
	return wasmtest.Guest(wasmtest.Module{
		Imports: []wasmtest.Import{{Module: abi.HostModule, Name: "kv_set", Type: sig}},
		Data:    []wasmtest.Data{{Offset: yes, Bytes: has}, {Offset: no, Bytes: hasNot}},
	}, m, code(
		wasmtest.I32Const(key), wasmtest.I32Const(1), wasmtest.I32Const(key), wasmtest.I32Const(1), wasmtest.Call(0),
		wasmtest.I32Const(-2), i32Equal, wasmtest.If(wasmtest.Answer(no, uint32(len(hasNot))), wasmtest.Return),
		wasmtest.Answer(yes, uint32(len(has))),
	))
}

// adapterGuest stands for the api "toy" and traps when it is asked for anything.
func adapterGuest(g scriptGuest) []byte {
	m := g.manifest()
	m.Contributions = nil
	m.Adapters = []abi.Adapter{{Interface: abi.ProviderPayloadAdaptersV1, ID: g.id, APIs: []string{"toy"}}}
	trap := code(wasmtest.Unreachable)
	return g.whole(wasmtest.Module{Functions: []wasmtest.Function{
		{Export: abi.TransportExport},
		{Export: abi.AllocExport, Type: wasmtest.SigAlloc, Code: wasmtest.I32Const(wasmtest.RequestAt)},
		{Export: abi.ReadSystemPromptV1, Type: wasmtest.SigOp, Code: trap},
		{Export: abi.ReplaceSystemPromptV1, Type: wasmtest.SigOp, Code: trap},
	}}, m)
}

// Instructions that package wasmtest has no name for.
const (
	i32Equal   = 0x46
	i64Or      = 0x84
	i64ExtendU = 0xad
)
