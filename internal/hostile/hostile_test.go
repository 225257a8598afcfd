package hostile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/enginetest"
)

const corpusDir = "../../testdata/guests/hostile"

func open(t testing.TB) *Corpus {
	t.Helper()
	c, err := Open(corpusDir)
	require.NoError(t, err)
	c.Fuel = 10_000_000 // enough to see what happens; make hostile gives more
	return c
}

// Every guest of the table ends as the table says.
func TestCorpus(t *testing.T) { play(t, false) }

// The same for what takes more than one guest and one call at a time.
func TestScenarios(t *testing.T) { play(t, true) }

func play(t *testing.T, scenario bool) {
	c := open(t)
	for i := range c.Guests {
		e := &c.Guests[i]
		if (c.scenarios[e.Name] != nil) != scenario {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			r := c.Run(t.Context(), enginetest.New, e)
			t.Logf("%s %s fuel %d cpu %s wall %s load %s heap %d KiB resident %d KiB, %d files",
				r.Outcome, r.Kind, r.Fuel, r.CPU, r.Wall, r.Load, r.Heap>>10, r.Resident>>10, r.Files)
			for _, s := range r.Surprises {
				t.Error(s)
			}
		})
	}
}
