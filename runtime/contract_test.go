package runtime_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// bare is a module with a manifest and nothing that wasmtest.Guest would add.
func bare(t *testing.T, m wasmtest.Module, manifest *abi.Manifest) []byte {
	t.Helper()
	section, err := abi.EncodeManifest(manifest)
	require.NoError(t, err)
	m.Pages, m.Custom = 1, []wasmtest.Custom{{Name: abi.ManifestSection, Bytes: section}}
	return m.Encode()
}

// unused is an engine that must not be asked to compile anything.
type unused struct {
	runtime.Engine
	t *testing.T
}

func (e unused) Compile(context.Context, []byte, []runtime.HostFunc) (runtime.Code, error) {
	e.t.Error("the engine saw a module that was to be refused")
	return nil, nil
}

func refusing(t *testing.T, limits runtime.Limits) *runtime.Runtime {
	t.Helper()
	r := runtime.New(unused{enginetest.New(), t}, runtime.Options{Limits: limits})
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	return r
}

// All that is wrong with a module is in one report, and missing is not the same as of another signature.
func TestContractReport(t *testing.T) {
	i32 := wasmbin.I32
	config := wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32, i32, i32}, Results: []wasmbin.ValueType{i32}}
	file := bare(t, wasmtest.Module{
		Imports: []wasmtest.Import{
			{Module: abi.HostModule, Name: "log", Type: wasmtest.SigPanic},
			{Module: abi.HostModule, Name: "config", Type: config},
			{Module: "env", Name: "puts", Type: wasmtest.SigAlloc},
			{Module: "wasi_snapshot_preview1", Name: "sock_connect", Type: config},
			{Module: "wasi_snapshot_preview1", Name: "sched_yield", Type: wasmbin.FuncType{Results: []wasmbin.ValueType{i32}}},
		},
		Functions: []wasmtest.Function{
			{Export: abi.AllocExport, Type: wasmtest.SigOp, Code: wasmtest.I64Const(0)},
			{Export: abi.InitExport, Type: wasmtest.SigAlloc, Code: wasmtest.I32Const(0)},
			{Export: "_start"},
			{Export: abi.ReadSystemPromptV1, Type: wasmtest.SigOp, Code: wasmtest.I64Const(0)},
		},
	}, wasmtest.Manifest())
	file = bytes.Replace(file, []byte("\x06memory\x02"), []byte("\x06memory\x00"), 1) // function 0 under that name

	const offers = "(the host offers pintle/1 (log, panic, config, kv_get, kv_set, kv_delete) and a subset of wasi_snapshot_preview1)"
	want := strings.Join([]string{
		"  import pintle/1.log: wrong signature: expected (i32, i32, i32) -> (), found (i32, i32) -> ()",
		"  import pintle/1.config: not asked for in the manifest (add a capability `config` with the keys that the guest reads)",
		"  import env.puts: unknown, found (i32) -> i32 " + offers,
		"  import wasi_snapshot_preview1.sock_connect: unknown, found (i32, i32, i32, i32) -> i32 " + offers,
		"  export memory: wrong signature: expected the module's own memory, found function",
		"  export pintle_abi_1: missing: expected an export of any kind",
		"  export pintle_alloc: wrong signature: expected function (i32) -> i32, found function (i32, i32) -> i64",
		"  export _initialize: wrong signature: expected function () -> (), found function (i32) -> i32",
		"  export _start: a command, not a reactor (build a library: Go with -buildmode=c-shared, clang with -mexec-model=reactor)",
		"  export developer_messages_v1_render: missing: expected function (i32, i32) -> i64",
		"  export provider_payload_adapters_v1_read_system_prompt: the manifest offers nothing of provider-payload-adapters/v1" +
			" (list it in the manifest or leave the export out)",
	}, "\n")
	a, err := runtime.Examine("g.wasm", file)
	require.NoError(t, err, "a report can show both what a guest is and what is wrong with it")
	assert.Equal(t, want, runtime.Report(a.Problems))

	_, err = refusing(t, runtime.Limits{}).Load(t.Context(), "g.wasm", file, runtime.GuestOptions{})
	e := asError(t, err)
	assert.Equal(t, runtime.KindContract, e.Kind)
	assert.Equal(t, runtime.OriginContract, e.Origin())
	assert.Equal(t, "11 problems with transport pintle/1:\n"+want, e.Reason)
}

func TestContractMemoryAndImportKinds(t *testing.T) {
	tests := map[string]struct {
		file []byte
		want string
	}{
		"no memory exported": {bytes.Replace(wasmtest.Says("x"), []byte("\x06memory\x02"), []byte("\x06memorx\x02"), 1),
			"export memory: missing: expected the module's own memory"},
		"a global imported": {insertBefore(wasmtest.Says("x"), 3, 2, 1, 3, 'e', 'n', 'v', 1, 'g', 3, 0x7f, 0),
			"import env.g: only functions can be imported, found global"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := refusing(t, runtime.Limits{}).Load(t.Context(), "g", test.file, runtime.GuestOptions{})
			assert.Equal(t, "1 problem with transport pintle/1:\n  "+test.want, asError(t, err).Reason)
		})
	}
}

// An optional operation is both exported and listed, or neither.
func TestContractOptionalOperations(t *testing.T) {
	const op = abi.ReplaceDeveloperMessagesV1
	for name, test := range map[string]struct {
		exported, listed bool
		want             string
	}{
		"neither":       {false, false, ""},
		"both":          {true, true, ""},
		"only exported": {true, false, "exported but not listed in the manifest"},
		"only listed":   {false, true, "listed in the manifest but not exported"},
	} {
		t.Run(name, func(t *testing.T) {
			manifest := wasmtest.Manifest()
			manifest.Contributions = nil
			manifest.Adapters = []abi.Adapter{{Interface: abi.ProviderPayloadAdaptersV1, ID: "a", APIs: []string{"x"}}}
			if test.listed {
				manifest.Adapters[0].Operations = []string{op}
			}
			m := wasmtest.Module{Functions: []wasmtest.Function{
				{Export: abi.TransportExport},
				{Export: abi.AllocExport, Type: wasmtest.SigAlloc, Code: wasmtest.I32Const(wasmtest.RequestAt)},
				{Export: abi.ReadSystemPromptV1, Type: wasmtest.SigOp, Code: wasmtest.I64Const(0)},
				{Export: abi.ReplaceSystemPromptV1, Type: wasmtest.SigOp, Code: wasmtest.I64Const(0)},
			}}
			if test.exported {
				m.Functions = append(m.Functions, wasmtest.Function{Export: op, Type: wasmtest.SigOp, Code: wasmtest.I64Const(0)})
			}
			a, err := runtime.Examine("g", bare(t, m, manifest))
			require.NoError(t, err)
			if test.want == "" {
				assert.Empty(t, a.Problems)
				return
			}
			require.Len(t, a.Problems, 1)
			assert.Equal(t, "export "+op, a.Problems[0].Subject)
			assert.Equal(t, test.want, a.Problems[0].Fault)
		})
	}
}

// What makes a file unfit is told before the engine sees it, and what to do about it.
func TestExamineRefuses(t *testing.T) {
	manifest, err := abi.EncodeManifest(wasmtest.Manifest())
	require.NoError(t, err)
	section := wasmtest.Custom{Name: abi.ManifestSection, Bytes: manifest}
	export := func(name string) *wasmtest.Module {
		return &wasmtest.Module{Pages: 1, Functions: []wasmtest.Function{{Export: name}}}
	}
	behind := export(abi.TransportExport)
	behind.Trailing = []wasmtest.Custom{section}
	two := export(abi.TransportExport)
	two.Custom = []wasmtest.Custom{section, section}
	for name, test := range map[string]struct {
		module *wasmtest.Module
		want   string
	}{
		"foreign":       {export("f"), "build it with `pintle build`"},
		"stripped":      {export(abi.TransportExport), "a tool stripped its custom sections"},
		"another one":   {export("pintle_abi_7"), "made for transport pintle/7; this host knows pintle/1"},
		"behind code":   {behind, "stands behind the code"},
		"two manifests": {two, "there are 2 sections pintle.manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := runtime.Examine("g.wasm", test.module.Encode())
			e := asError(t, err)
			assert.Equal(t, runtime.KindRefused, e.Kind)
			assert.Equal(t, "g.wasm", e.Guest)
			assert.Contains(t, e.Reason, test.want)
		})
	}
}

func TestMoreMemoryThanGrantedAtTheStart(t *testing.T) {
	file := wasmtest.Guest(wasmtest.Module{Pages: 17}, wasmtest.Manifest(), wasmtest.I64Const(0))
	_, err := refusing(t, runtime.Limits{MemoryBytes: 1 << 20}).Load(t.Context(), "g", file, runtime.GuestOptions{})
	e := asError(t, err)
	assert.Equal(t, runtime.KindMemory, e.Kind)
	assert.Equal(t, "it starts with 1088 KiB of memory and may have 1024 KiB", e.Reason)
}
