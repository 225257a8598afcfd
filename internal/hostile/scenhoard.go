package hostile

import (
	"context"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

func hoardScenarios() map[string]scenario {
	return map[string]scenario{
		"session-hoard": sessionHoard,
		"table-hoard":   tableHoard,
	}
}

// hoard lets a guest answer in 64 sessions, as many as it may have, on a host that gives all guests
// 64 MiB. How much the process grows is in the table.
func hoard(ctx context.Context, engine EngineMaker, file func(m *abi.Manifest) []byte) error {
	m := (&Entry{Name: "hoard"}).Manifest()
	m.State = abi.StateSession
	r := runtime.New(engine(), runtime.Options{MemoryBudget: 64 << 20})
	g, err := r.Load(ctx, "hoard", file(m), runtime.GuestOptions{})
	if err != nil {
		return err
	}
	answered := 0
	for i := range 64 {
		_, err := g.Call(ctx, runtime.Call{Op: abi.RenderV1, Session: fmt.Sprint(i), Request: longRequest})
		if err == nil {
			answered++
		} else if !isKind(err, runtime.KindMemory, runtime.KindRefused, runtime.KindQuarantined) {
			return err
		}
	}
	if answered == 0 {
		return fmt.Errorf("no session was answered")
	}
	return r.Close(ctx)
}

// sessionHoard grows to 16 MiB in each session and touches all of it.
func sessionHoard(ctx context.Context, engine EngineMaker) error {
	return hoard(ctx, engine, func(m *abi.Manifest) []byte {
		const fill = 11
		return attacking(wasmtest.Module{}, m,
			wasmtest.I32Const(255), wasmtest.MemoryGrow(), wasmtest.Drop,
			wasmtest.I32Const(1<<16), wasmtest.I32Const(7), wasmtest.I32Const(255<<16), []byte{0xfc, fill, 0})
	})
}

// tableHoard has 16 tables of 65,536 entries in each session, and hardly any memory.
func tableHoard(ctx context.Context, engine EngineMaker) error {
	return hoard(ctx, engine, func(m *abi.Manifest) []byte {
		const tables, sectionTable = 16, 4
		section := []byte{tables}
		for range tables {
			section = append(section, byte(wasmbin.FuncRef), 0, 0x80, 0x80, 0x04)
		}
		file := attacking(wasmtest.Module{}, m)
		return replaceSection(file, append([]byte{sectionTable, byte(len(section))}, section...))
	})
}
