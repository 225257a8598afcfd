package differential_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
)

// counts is what a run of the suite has done.
type counts struct {
	Scripts    int
	Modules    int // compared
	Refused    int // refused although they are valid
	Results    int // calls compared that end
	Traps      int // calls compared that trap
	Invalid    int // refused as they must be
	Malformed  int
	Unlinkable int // commands about linking, which is not the rewriter's affair
	Text       int // commands about the text format
	Vector     int // calls that the engine's Go interface cannot make
	Left       int // commands for modules that are not there
}

// TestSuite runs every command of the core test suite against every module as it is and rewritten. The
// numbers are pinned: less than that means that something is no longer tested.
func TestSuite(t *testing.T) {
	testSuite(t, firstEngine, counts{
		Scripts: 148, Modules: 1598, Refused: 1, Results: 45_889, Traps: 2_457, Invalid: 2_146, Malformed: 719,
		Unlinkable: 83, Text: 1_091,
	})
}

func testSuite(t *testing.T, make func(testing.TB) engine, want counts) {
	dir, spectest := suiteDir(t)
	shared, err := os.ReadFile(spectest)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	var total counts
	for _, file := range files {
		total.Scripts++
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			run := &scriptRun{t: t, dir: dir, total: &total, names: map[string]*twins{}}
			run.plain, run.rewritten = run.world(firstEngine(t), shared), run.world(make(t), shared)
			run.commands(readScript(t, file).Commands)
		})
	}
	assert.Equal(t, want, total)
}

// twins are one module in both worlds, nil if it could not be made.
type twins struct{ plain, rewritten *instance }

type scriptRun struct {
	t                *testing.T
	dir              string
	plain, rewritten *world
	total            *counts
	names            map[string]*twins
	last             *twins
	calls            int
}

func (r *scriptRun) world(e engine, shared []byte) *world {
	w, err := newWorld(e, 1_000)
	require.NoError(r.t, err)
	_, err = e.instantiate(shared, "spectest")
	require.NoError(r.t, err)
	return w
}

func (r *scriptRun) commands(list []command) {
	for i, c := range list {
		switch c.Type {
		case "module":
			as := ""
			if i+1 < len(list) && list[i+1].Type == "register" {
				as = list[i+1].As
			}
			r.last = r.module(c, as)
			r.names[c.Name] = r.last
		case "register":
			// The engine wants to know the name when it makes the instance.
		case "assert_return", "action", "assert_trap", "assert_exhaustion":
			r.action(c)
		case "assert_invalid", "assert_malformed":
			r.refused(c)
		case "assert_unlinkable":
			r.total.Unlinkable++
		case "assert_uninstantiable":
			r.uninstantiable(c)
		default:
			r.t.Errorf("line %d: unknown command %q", c.Line, c.Type)
		}
	}
}

func (r *scriptRun) read(c command) []byte {
	bin, err := os.ReadFile(filepath.Join(r.dir, c.Filename))
	require.NoError(r.t, err)
	return bin
}

// limits are the default ones, but for two modules of the suite that have more of something than any
// guest.
func limits() wasmbin.Limits {
	l := wasmbin.DefaultLimits()
	l.Locals, l.BranchTargets = 2_000, 20_000
	return l
}

func rewrite(bin []byte) (*wasmbin.Instrumented, error) {
	m, err := wasmbin.Parse(bin, limits())
	if err != nil {
		return nil, err
	}
	return m.Instrument()
}

func (r *scriptRun) module(c command, as string) *twins {
	bin := r.read(c)
	rewritten, err := rewrite(bin)
	if err != nil {
		// The one rule that is stricter than the standard: it leaves no room for two decoders to
		// disagree.
		if !strings.Contains(err.Error(), "the code of an instruction is not in its shortest encoding") {
			r.t.Errorf("line %d: a valid module is refused: %v", c.Line, err)
		}
		r.total.Refused++
		return nil
	}
	if err := proof.Check(rewritten.Bytes); err != nil {
		r.t.Errorf("line %d: %v", c.Line, err)
	}
	plain, err := r.plain.instantiate(bin, as, nil)
	if err != nil {
		r.t.Errorf("line %d: the engine refuses the module as it is: %v", c.Line, err)
		return nil
	}
	twin, err := r.rewritten.instantiate(bin, as, rewritten)
	if err != nil {
		r.t.Errorf("line %d: the rewritten module cannot be made: %v", c.Line, err)
		return nil
	}
	r.total.Modules++
	pair := &twins{plain, twin}
	r.compare(c, pair)
	return pair
}

func (r *scriptRun) action(c command) {
	pair := r.last
	if c.Action.Module != "" {
		pair = r.names[c.Action.Module]
	}
	if pair == nil {
		r.total.Left++
		return
	}
	if c.Action.Type == "get" {
		a, okA := pair.plain.module.global(c.Action.Field)
		b, okB := pair.rewritten.module.global(c.Action.Field)
		if !okA || !okB || a != b {
			r.t.Errorf("line %d: global %q: %x and %x", c.Line, c.Action.Field, a, b)
		}
		r.total.Results++
		return
	}
	args, err := words(c.Action.Args)
	require.NoError(r.t, err, "line %d", c.Line)
	if !r.rewritten.engine.vectors() && hasVector(pair.rewritten.functions[c.Action.Field]) {
		r.total.Vector++
		return
	}
	got, gotErr := pair.rewritten.call(c.Action.Field, args...)
	want, wantErr := pair.plain.call(c.Action.Field, args...)
	if traps := c.Type == "assert_trap" || c.Type == "assert_exhaustion"; traps != (wantErr != nil) {
		r.t.Errorf("line %d: the module as it is does not do what the suite says: %v", c.Line, wantErr)
	}
	if trap(wantErr) != trap(gotErr) {
		r.t.Errorf("line %d: %s: %q, rewritten %q", c.Line, c.Action.Field, trap(wantErr), trap(gotErr))
	}
	if wantErr != nil {
		r.total.Traps++
	} else {
		r.total.Results++
		if !slices.Equal(want, got) && !sameNaN(want, got, c.Expected) {
			r.t.Errorf("line %d: %s%x: %x, rewritten %x", c.Line, c.Action.Field, args, want, got)
		}
	}
	r.compare(c, pair)
}

// sameNaN reports whether the suite expects some NaN, and both results are one.
func sameNaN(a, b []uint64, expected []value) bool {
	if len(a) != 1 || len(b) != 1 || len(expected) != 1 || !strings.Contains(fmt.Sprint(expected[0].Value), "nan") {
		return false
	}
	if expected[0].Type == "f32" {
		x, y := math.Float32frombits(uint32(a[0])), math.Float32frombits(uint32(b[0]))
		return x != x && y != y
	}
	x, y := math.Float64frombits(a[0]), math.Float64frombits(b[0])
	return x != x && y != y
}

func (r *scriptRun) compare(c command, pair *twins) {
	r.calls++
	if d := differences(pair.plain, pair.rewritten, r.calls%64 == 0); d != "" {
		r.t.Errorf("line %d: after %s %s: %s", c.Line, c.Type, c.Action.Field, d)
	}
}

func (r *scriptRun) refused(c command) {
	if c.ModuleType == "text" {
		r.total.Text++
		return
	}
	if _, err := rewrite(r.read(c)); err == nil {
		r.t.Errorf("line %d: accepted, but %s", c.Line, c.Text)
		return
	}
	if c.Type == "assert_invalid" {
		r.total.Invalid++
	} else {
		r.total.Malformed++
	}
}

// uninstantiable compares modules that cannot be made, or whose start function traps.
func (r *scriptRun) uninstantiable(c command) {
	bin := r.read(c)
	rewritten, err := rewrite(bin)
	if err != nil {
		r.t.Errorf("line %d: a valid module is refused: %v", c.Line, err)
		return
	}
	_, want := r.plain.instantiate(bin, "", nil)
	_, got := r.rewritten.instantiate(bin, "", rewritten)
	// wazero makes a module although an element segment is out of bounds.
	lenient := c.Text == "out of bounds table access" && want == nil
	if trap(want) != trap(got) && !lenient {
		r.t.Errorf("line %d: %q, rewritten %q", c.Line, trap(want), trap(got))
	}
	r.total.Traps++
}
