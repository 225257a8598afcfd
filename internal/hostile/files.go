package hostile

import (
	"maps"
	"os"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

// A variant is one file of an entry.
type variant struct {
	name string // empty: there is only one
	file []byte
}

// variants returns the files of an entry for a kind of state.
func (c *Corpus) variants(e *Entry, state abi.State) ([]variant, error) {
	m := e.Manifest()
	m.State = state
	if generate := c.generators[e.Name]; generate != nil {
		return generate(m)
	}
	file, err := os.ReadFile(c.Path(e, ".wasm"))
	if err != nil {
		return nil, err
	}
	if file, err = guestbuild.Attach(file, m); err != nil {
		return nil, err
	}
	return []variant{{file: file}}, nil
}

// A generator makes the files of an entry, the same ones each time.
type generator func(m *abi.Manifest) ([]variant, error)

func generators() map[string]generator {
	all := codeGenerators()
	for _, some := range []map[string]generator{
		answerGenerators(), brokenGenerators(), moduleGenerators(), sectionGenerators(), costGenerators(), stateGenerators(),
		largeGenerators(),
	} {
		maps.Copy(all, some)
	}
	return all
}
