package differential_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
	"github.com/pintle-wasm/pintle/internal/wasmgen"
)

// slices of fuel that a tick gives; what a run uses must not depend on them.
var slicesOfFuel = []int64{1, 1_000, 1 << 40}

// generated runs a generated module as it is and rewritten, with each slice, and returns what differs.
func generated(data []byte) error {
	ctx := context.Background()
	bin := wasmgen.Module(data)
	rewritten, err := rewrite(bin)
	if err != nil {
		return fmt.Errorf("a valid module is refused: %w", err)
	}
	if err := proof.Check(rewritten.Bytes); err != nil {
		return err
	}
	cache := wazero.NewCompilationCache()
	defer cache.Close(ctx)
	config := wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2).WithCompilationCache(cache)
	var used []int64
	for _, slice := range slicesOfFuel {
		plain, err := newWorld(ctx, config, 0)
		if err != nil {
			return err
		}
		defer plain.close()
		twin, err := newWorld(ctx, config, slice)
		if err != nil {
			return err
		}
		defer twin.close()
		a, wantErr := plain.instantiate(bin, "", nil)
		b, gotErr := twin.instantiate(bin, "", rewritten)
		if trap(wantErr) != trap(gotErr) {
			return fmt.Errorf("instantiated: %q, rewritten %q", trap(wantErr), trap(gotErr))
		}
		if wantErr != nil {
			return nil
		}
		fuel, err := sameRuns(a, b, data)
		if err != nil {
			return fmt.Errorf("slice %d: %w", slice, err)
		}
		if used == nil {
			used = fuel
		}
		if !slices.Equal(used, fuel) {
			return fmt.Errorf("fuel used with slices of %d: %d, with slices of %d: %d", slicesOfFuel[0], used, slice, fuel)
		}
	}
	return nil
}

// sameRuns calls every exported function of both twins a few times and returns the fuel that each call used.
func sameRuns(a, b *instance, seed []byte) ([]int64, error) {
	if d := differences(a, b, true); d != "" {
		return nil, fmt.Errorf("instantiated: %s", d)
	}
	r := rand.New(rand.NewPCG(uint64(len(seed)), binary.LittleEndian.Uint64(append(seed[:len(seed):len(seed)], make([]byte, 8)...))))
	var names []string
	for name := range a.module.ExportedFunctionDefinitions() {
		names = append(names, name)
	}
	slices.Sort(names)
	var used []int64
	for range 3 {
		for _, name := range names {
			def := a.module.ExportedFunction(name).Definition()
			args := arguments(r, def.ParamTypes())
			for _, in := range []*instance{a, b} {
				in.module.ExportedGlobal(wasmgen.Countdown).(api.MutableGlobal).Set(400)
			}
			before := b.used()
			want, wantErr := a.call(name, args...)
			got, gotErr := b.call(name, args...)
			used = append(used, b.used()-before)
			if trap(wantErr) != trap(gotErr) {
				return nil, fmt.Errorf("%s%x: %q, rewritten %q", name, args, trap(wantErr), trap(gotErr))
			}
			if wantErr == nil && !sameResults(want, got, def.ResultTypes()) {
				return nil, fmt.Errorf("%s%x: %x, rewritten %x", name, args, want, got)
			}
			if d := differences(a, b, true); d != "" {
				return nil, fmt.Errorf("%s%x: %s", name, args, d)
			}
			if !slices.Equal(a.world.log, b.world.log) {
				return nil, fmt.Errorf("%s%x: calls of host functions %v, rewritten %v", name, args, a.world.log, b.world.log)
			}
			if used[len(used)-1] <= 0 {
				return nil, fmt.Errorf("%s%x: used %d of fuel", name, args, used[len(used)-1])
			}
		}
	}
	return used, nil
}

// arguments makes arguments for a function, in words.
func arguments(r *rand.Rand, types []api.ValueType) []uint64 {
	var args []uint64
	for _, t := range types {
		v := r.Uint64() >> (r.Uint32() & 63)
		switch t {
		case api.ValueTypeI32, api.ValueTypeF32:
			v = uint64(uint32(v))
		case 0x7b:
			args = append(args, r.Uint64())
		case 0x70, api.ValueTypeExternref:
			v = 0
		}
		args = append(args, v)
	}
	return args
}

func TestGenerated(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 7))
		data := make([]byte, r.IntN(6_000))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		require.NoError(t, generated(data), "seed %d", seed)
	}
}

func FuzzDifferential(f *testing.F) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 8))
		data := make([]byte, 200<<(seed/2))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 10_000 {
			return
		}
		require.NoError(t, generated(data))
	})
}
