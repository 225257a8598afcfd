package differential_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
	"github.com/pintle-wasm/pintle/internal/wasmgen"
)

// A setup is where a rewritten module runs. The fuel that it uses must depend neither on the slices nor
// on the engine.
type setup struct {
	engine func(testing.TB) engine
	slice  int64 // of fuel
}

var setups = []setup{{firstEngine, 1}, {firstEngine, 1_000}, {firstEngine, 1 << 40}}

var errMaking = errors.New("instantiated")

// generated runs a generated module as it is and rewritten, with each setup, and returns what differs.
func generated(t testing.TB, data []byte, setups []setup) error {
	bin := wasmgen.Module(data)
	rewritten, err := rewrite(bin)
	if err != nil {
		return fmt.Errorf("a valid module is refused: %w", err)
	}
	if err := proof.Check(rewritten.Bytes); err != nil {
		return err
	}
	return compare(t, bin, rewritten, setups)
}

// compare runs a module and what was made of it.
func compare(t testing.TB, bin []byte, rewritten *wasmbin.Instrumented, setups []setup) error {
	w, err := newWorld(firstEngine(t), 0)
	if err != nil {
		return err
	}
	plain, wantErr := w.instantiate(bin, "", nil)
	vectors := true
	var twins []*instance
	for _, s := range setups {
		if w, err = newWorld(s.engine(t), s.slice); err != nil {
			return err
		}
		w.most = 1_000_000
		twin, err := w.instantiate(bin, "", rewritten)
		if trap(wantErr) != trap(err) {
			return fmt.Errorf("%w: %q, rewritten %q", errMaking, trap(wantErr), trap(err))
		}
		twins = append(twins, twin)
		vectors = vectors && w.engine.vectors()
	}
	if wantErr != nil {
		return nil
	}
	seed := fnv.New64()
	_, _ = seed.Write(bin)
	r := rand.New(rand.NewPCG(seed.Sum64(), 0))
	for range 3 {
		for _, name := range slices.Sorted(maps.Keys(plain.functions)) {
			if !vectors && hasVector(plain.functions[name]) {
				continue
			}
			args := arguments(r, plain.functions[name].Params)
			if err := sameRun(plain, twins, name, args); err != nil {
				return fmt.Errorf("%s%x: %w", name, args, err)
			}
		}
	}
	return nil
}

// sameRun calls one function everywhere and compares.
func sameRun(plain *instance, twins []*instance, name string, args []uint64) error {
	plain.module.setGlobal(wasmgen.Countdown, 400)
	want, wantErr := plain.call(name, args...)
	fuel := int64(0)
	for i, twin := range twins {
		twin.module.setGlobal(wasmgen.Countdown, 400)
		before := twin.world.used()
		got, err := twin.call(name, args...)
		if trap(wantErr) != trap(err) {
			return fmt.Errorf("%q, rewritten %q", trap(wantErr), trap(err))
		}
		if !slices.Equal(want, got) {
			return fmt.Errorf("%x, rewritten %x", want, got)
		}
		if d := differences(plain, twin, true); d != "" {
			return errors.New(d)
		}
		if !slices.Equal(plain.world.log, twin.world.log) {
			return fmt.Errorf("calls of host functions %v, rewritten %v", plain.world.log, twin.world.log)
		}
		used := twin.world.used() - before
		if i > 0 && used != fuel {
			return fmt.Errorf("used %d of fuel, with another engine or slice %d", fuel, used)
		}
		if fuel = used; fuel <= 0 {
			return fmt.Errorf("used %d of fuel", fuel)
		}
	}
	return nil
}

// arguments makes arguments for a function, in words.
func arguments(r *rand.Rand, types []wasmbin.ValueType) []uint64 {
	var args []uint64
	for _, t := range types {
		v := r.Uint64() >> (r.Uint32() & 63)
		switch t {
		case wasmbin.I32, wasmbin.F32:
			v = uint64(uint32(v))
		case wasmbin.V128:
			args = append(args, r.Uint64())
		case wasmbin.FuncRef, wasmbin.ExternRef:
			v = 0
		}
		args = append(args, v)
	}
	return args
}

func TestGenerated(t *testing.T) { testGenerated(t, setups) }

func testGenerated(t *testing.T, setups []setup) {
	for seed := range uint64(150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { require.NoError(t, generated(t, randomBytes(seed, 6_000), setups)) })
	}
}

// randomBytes makes up to most bytes.
func randomBytes(seed uint64, most int) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	data := make([]byte, r.IntN(most))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

const codeSection = 10

// A module that does something else is found out: one bit of the original is changed before it is rewritten.
func TestDifferencesAreFound(t *testing.T) {
	found := 0
	for seed := range uint64(200) {
		bin := wasmgen.Module(randomBytes(seed, 3_000))
		m, err := wasmbin.Parse(bin, limits())
		require.NoError(t, err)
		i := slices.IndexFunc(m.Sections, func(s wasmbin.Section) bool { return s.ID == codeSection })
		from, end := m.Sections[i].Body, m.Sections[i].End
		other := bytes.Clone(bin)
		other[from+int(seed*7919)%(end-from)] ^= 1
		rewritten, err := rewrite(other)
		if err != nil {
			continue
		}
		if err := compare(t, bin, rewritten, setups[1:2]); err != nil && !errors.Is(err, errMaking) {
			found++
		}
	}
	assert.Greater(t, found, 10, "modules that do something else")
}

func FuzzDifferential(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(randomBytes(seed, 200<<(seed/2)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 10_000 {
			return
		}
		require.NoError(t, generated(t, data, setups))
	})
}
