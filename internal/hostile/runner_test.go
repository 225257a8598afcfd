package hostile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

func TestThereIsAGuestForEveryAttack(t *testing.T) { assert.Empty(t, open(t).Missing()) }

// Every file of the folder belongs to a line of the table, and has its manifest.
func TestFolderAndTableBelongTogether(t *testing.T) {
	c := open(t)
	known := map[string]bool{TableFile: true}
	for _, e := range c.Assembled() {
		known[e.Name+".wat"], known[e.Name+".wasm"] = true, true
		file, err := os.ReadFile(c.Path(&e, ".wasm"))
		require.NoError(t, err, "make hostile-build makes it")
		a, err := runtime.Examine(e.Name, file)
		require.NoError(t, err)
		want, err := abi.EncodeManifest(e.Manifest())
		require.NoError(t, err)
		got, err := abi.EncodeManifest(a.Manifest)
		require.NoError(t, err)
		assert.Equal(t, want, got, "%s: make hostile-build writes it anew", e.Name)
	}
	list, err := os.ReadDir(c.Dir)
	require.NoError(t, err)
	for _, f := range list {
		assert.True(t, known[f.Name()], "%s is in no line of the table", f.Name())
	}
}

// Generators make the same files each time.
func TestGeneratorsRepeatThemselves(t *testing.T) {
	for name, generate := range generators() {
		first, err := generate((&Entry{Name: name}).Manifest())
		require.NoError(t, err, name)
		second, err := generate((&Entry{Name: name}).Manifest())
		require.NoError(t, err, name)
		assert.NotEmpty(t, first, name)
		assert.True(t, assert.ObjectsAreEqual(first, second), name)
	}
}

func TestTableIsChecked(t *testing.T) {
	const attacks = "[attacks]\na = \"words\"\n"
	for name, test := range map[string]struct{ table, want string }{
		"no source":         {"[[guest]]\nname = \"nobody\"\ndoes = \"x\"\nattacks = [\"a\"]\noutcome = \"works\"", "nobody: it has 0 sources"},
		"twice":             {strings.Repeat("[[guest]]\nname = \"slow-run\"\ndoes = \"x\"\nattacks = [\"a\"]\noutcome = \"works\"\n", 2), "there are two of it"},
		"no attacks":        {"[[guest]]\nname = \"slow-run\"\ndoes = \"x\"\noutcome = \"works\"", "it needs does and attacks"},
		"unknown attack":    {"[[guest]]\nname = \"slow-run\"\ndoes = \"x\"\nattacks = [\"b\"]\noutcome = \"works\"", `unknown attack "b"`},
		"unknown outcome":   {"[[guest]]\nname = \"slow-run\"\ndoes = \"x\"\nattacks = [\"a\"]\noutcome = \"wins\"", `unknown outcome "wins"`},
		"no kind":           {"[[guest]]\nname = \"slow-run\"\ndoes = \"x\"\nattacks = [\"a\"]\noutcome = \"fails\"", "kind and reason belong"},
		"kind of a success": {"[[guest]]\nname = \"slow-run\"\ndoes = \"x\"\nattacks = [\"a\"]\noutcome = \"works\"\nkind = \"fuel\"", "kind and reason belong"},
		"unknown key":       {"[[guest]]\nname = \"slow-run\"\ndos = \"x\"", "table.toml"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, TableFile), []byte(attacks+test.table), 0o600))
		_, err := Open(dir)
		assert.ErrorContains(t, err, test.want, name)
	}
}

// A guest that does something else than the table says is a surprise, whatever it is.
func TestSurprises(t *testing.T) {
	guest := func(code ...any) generator {
		return func(m *abi.Manifest) ([]variant, error) {
			return one(attacking(wasmtest.Module{Globals: 1}, m, code...))
		}
	}
	stop := make(chan struct{})
	defer close(stop)
	var hoard []byte
	for name, test := range map[string]struct {
		generator generator
		scenario  scenario
		entry     Entry
		want      string // empty: nothing is wrong
	}{
		"as expected":  {guest(forever()), nil, Entry{Outcome: Fails, Kind: runtime.KindFuel, Reason: []string{"it used up its fuel"}, Endless: true}, ""},
		"works":        {guest(), nil, Entry{Outcome: Fails, Kind: runtime.KindFuel, Reason: []string{"x"}}, `its attack works: it answers "ok"`},
		"fails":        {guest(forever()), nil, Entry{Outcome: Works}, "fails with kind fuel, expected works"},
		"other kind":   {guest(wasmtest.Unreachable), nil, Entry{Outcome: Fails, Kind: runtime.KindFuel, Reason: []string{"x"}}, "fails with kind trap"},
		"other reason": {guest(wasmtest.Unreachable), nil, Entry{Outcome: Fails, Kind: runtime.KindTrap, Reason: []string{"cheese"}}, `the reason has no "cheese"`},
		"is refused":   {guest(wasmtest.Drop), nil, Entry{Outcome: Works}, "refused with kind refused, expected works"},
		"is loaded":    {guest(), nil, Entry{Outcome: Refused, Kind: runtime.KindRefused, Reason: []string{"x"}}, "it is loaded"},
		"not endless":  {guest(wasmtest.Unreachable), nil, Entry{Outcome: Fails, Kind: runtime.KindTrap, Reason: []string{"unreachable"}, Endless: true}, "with a short time it ends with"},
		"another guest": {
			func(m *abi.Manifest) ([]variant, error) {
				m.ID = "somebody"
				return guest(wasmtest.Unreachable)(m)
			}, nil, Entry{Outcome: Fails, Kind: runtime.KindTrap, Reason: []string{"unreachable"}}, "the error does not name the guest"},
		"other answers": {
			func(m *abi.Manifest) ([]variant, error) {
				const textAt = 19
				sig := wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32, wasmbin.I32}, Results: []wasmbin.ValueType{wasmbin.I32}}
				code := wasmtest.Code(wasmtest.I32Const(textAt), wasmtest.I32Const(2), wasmtest.Call(0), wasmtest.Drop)
				for at := range int32(2) {
					code = append(code, wasmtest.Code(wasmtest.I32Const(textAt+at), wasmtest.I32Const(textAt+at), wasmtest.I32Load8(), wasmtest.I32Const(15), 0x71,
						wasmtest.I32Const('a'), wasmtest.I32Add, wasmtest.I32Store8())...)
				}
				return one(attacking(wasmtest.Module{Imports: []wasmtest.Import{{Module: "wasi_snapshot_preview1", Name: "random_get", Type: sig}}}, m, code))
			}, nil, Entry{Outcome: Works, Capabilities: []string{abi.CapabilityRandom}}, "to the same question"},
		"goroutine":       {nil, func(context.Context, EngineMaker) error { go func() { <-stop }(); return nil }, Entry{Outcome: Works}, "1 goroutines are left over"},
		"memory":          {nil, func(context.Context, EngineMaker) error { hoard = make([]byte, 64<<20); return nil }, Entry{Outcome: Works, HostMiB: 32}, "the process grew by"},
		"scenario breaks": {nil, func(context.Context, EngineMaker) error { return errors.New("broken") }, Entry{Outcome: Works}, "broken"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Corpus{Dir: t.TempDir(), Fuel: 1_000_000, Patience: DefaultPatience, generators: map[string]generator{}, scenarios: map[string]scenario{}}
			if test.generator != nil {
				c.generators["test"] = test.generator
			} else {
				c.scenarios["test"] = test.scenario
			}
			if name == "goroutine" { // which does not end
				c.Patience = 10 * time.Millisecond
			}
			e := test.entry
			e.Name = "test"
			e.defaults()
			r := c.Run(t.Context(), enginetest.New, &e)
			if test.want == "" {
				assert.Empty(t, r.Surprises)
			} else {
				assert.Contains(t, strings.Join(r.Surprises, "\n"), test.want)
			}
		})
	}
	_ = hoard
}

// What takes longer than its budget is a surprise once it is so each time.
func TestLateCallsAreSurprises(t *testing.T) {
	for name, test := range map[string]struct {
		t    turnResult
		want string
	}{
		"in time":  {turnResult{wall: 240 * time.Millisecond, cpu: 51 * time.Millisecond}, ""},
		"late":     {turnResult{wall: 260 * time.Millisecond}, "the call took 260ms, at most 250ms are allowed"},
		"too much": {turnResult{cpu: 53 * time.Millisecond}, "the call computed for 53ms, at most 52ms are allowed"},
	} {
		r := &run{entry: &Entry{NsPerUnit: 2}}
		s := &stage{run: r, limits: runtime.Limits{Time: 100 * time.Millisecond, Fuel: 1_000_000}}
		s.timed(test.t)
		if test.want == "" {
			assert.Empty(t, r.noise, name)
		} else {
			require.Len(t, r.noise, 1, name)
			assert.Contains(t, r.noise[0], test.want)
		}
	}
}
