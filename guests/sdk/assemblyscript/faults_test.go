package assemblyscriptsdk_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/runtime"
)

func fault(t *testing.T, err error) *runtime.Error {
	t.Helper()
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	return e
}

// However a guest fails, its author reads the name of the function that did.
func TestFaultsNameTheAuthorsFunction(t *testing.T) {
	for id, kind := range map[string]runtime.Kind{
		"sink": runtime.KindTrap, "dive": runtime.KindTrap, "hoard": runtime.KindMemory, "spin": runtime.KindFuel,
	} {
		t.Run(id, func(t *testing.T) {
			g := load(t, faults, options{})
			_, err := g.render(id, nil)
			e := fault(t, err)
			assert.Equal(t, kind, e.Kind, "%v", e)
			assert.Contains(t, strings.Join(e.Trace, "\n"), "assembly/index/"+id)
			if id == "sink" {
				assert.Equal(t, "panic: no tide today (assembly/index.ts:10:3)", e.Reason)
			}
			text, err := g.render("calm", nil)
			require.NoError(t, err)
			assert.Equal(t, "calm", text)
		})
	}
}

func TestReasons(t *testing.T) {
	reason := func(kind string) string {
		_, err := load(t, probe, options{}).render("throw", &kind)
		e := fault(t, err)
		assert.Equal(t, runtime.KindTrap, e.Kind)
		assert.Contains(t, strings.Join(e.Trace, "\n"), "assembly/fault/fault")
		return e.Reason
	}
	assert.Equal(t, "panic: no tide 🚢 � today (assembly/fault.ts:6:24)", reason("throw"))
	assert.Equal(t, "panic: the tide is out (assembly/fault.ts:8:25)", reason("assert"))
	assert.Contains(t, reason("index"), "Index out of range (~lib/array.ts:")
	assert.Contains(t, reason("null"), "(assembly/fault.ts:11:10)")
	long := reason("long")
	assert.LessOrEqual(t, len(long), 4096+len("panic: "))
	assert.True(t, strings.HasSuffix(long, "tide ti (assembly/fault.ts:7:23)"), "%q", long[len(long)-60:])
}

// A recursion whose objects fill their stack is told once, and not by the function that tells it.
func TestStackOfObjectsIsFull(t *testing.T) {
	deep := "deep"
	g := load(t, probe, options{})
	for range 2 {
		_, err := g.render("throw", &deep)
		e := fault(t, err)
		assert.Equal(t, runtime.KindTrap, e.Kind)
		assert.Equal(t, "panic: stack overflow: its calls go too deep (--stackSize of asc makes room for more)", e.Reason)
		require.Greater(t, len(e.Trace), 10)
		assert.NotContains(t, strings.Join(e.Trace[2:], "\n"), "abort")
		assert.Contains(t, e.Trace[3], "assembly/fault/deep")
	}
}
