package model

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A Catalog are the models of one provider. It does not change and is safe for concurrent use.
type Catalog struct {
	// ProviderID is the provider's key in the document.
	ProviderID string
	// Rows are all models in order. Ids may occur more than once: see [Catalog.Clashes].
	Rows []Row

	last map[string]int // the last row of each id
	ids  []string       // in order of their first rows
}

// Harvest reads the models of a provider from a configuration, {"provider": {id: {"models": {…}}}}, as the
// configuration hook of a plugin leaves it: those of the preferred id if there is such a member, else of
// the first provider. It is false if there is no provider; a provider without models is one.
func Harvest(config json.RawMessage, prefer string, o Options) (*Catalog, bool) {
	providers, _ := ordered.ParseObject(jsonvalue.Pick(config, "provider")[0])
	id, found := "", false
	for key := range providers.All() {
		if !found || prefer != "" && key == prefer {
			id, found = key, true
		}
	}
	if !found {
		return nil, false
	}
	return read(id, providers.Get(id), o), true
}

func read(id string, provider json.RawMessage, o Options) *Catalog {
	c := &Catalog{ProviderID: id, last: map[string]int{}}
	models, _ := ordered.ParseObject(jsonvalue.Pick(provider, "models")[0])
	for modelID, entry := range models.All() {
		for _, row := range Rows(modelID, entry, o) {
			if _, known := c.last[row.Model.ID]; !known {
				c.ids = append(c.ids, row.Model.ID)
			}
			c.last[row.Model.ID] = len(c.Rows)
			c.Rows = append(c.Rows, row)
		}
	}
	return c
}

// Models are the models of all rows.
func (c *Catalog) Models() []Model {
	models := make([]Model, len(c.Rows))
	for i := range c.Rows {
		models[i] = c.Rows[i].Model
	}
	return models
}

// IDs are the different ids in order of their first rows.
func (c *Catalog) IDs() []string { return c.ids }

// Call returns the row by which a model is called: the last one with the id.
func (c *Catalog) Call(id string) (*Row, bool) {
	at, ok := c.last[id]
	if !ok {
		return nil, false
	}
	return &c.Rows[at], true
}

// A Clash is an id that several models of a catalog have. A host lists them all, and each of them is
// called as the last.
type Clash struct {
	ID string
	// Rows are the indexes of its rows, two at least.
	Rows []int
}

// Clashes are the ids that occur more than once, in order of their first rows.
func (c *Catalog) Clashes() []Clash {
	at := map[string][]int{}
	for i := range c.Rows {
		id := c.Rows[i].Model.ID
		at[id] = append(at[id], i)
	}
	var clashes []Clash
	for _, id := range c.ids {
		if len(at[id]) > 1 {
			clashes = append(clashes, Clash{ID: id, Rows: at[id]})
		}
	}
	return clashes
}

// ErrNoProvider is returned by [List] for a document that has no provider.
var ErrNoProvider = errors.New(`no provider: want {"provider": {id: {"models": {…}}}} or {id: {"models": {…}}}`)

// List reads the models of all providers of a document in order: a configuration as [Harvest] takes it, or
// the map of providers alone, as models.dev has it, in which members without models are no providers. The
// error is ErrNoProvider or wraps what is wrong with the JSON.
func List(document []byte, o Options) ([]*Catalog, error) {
	doc, err := jsonspan.Scan(document, 0)
	if err != nil {
		return nil, fmt.Errorf("list of models: %w", err)
	}
	root, ok := ordered.ParseObject(doc.Root().Raw())
	if !ok {
		return nil, fmt.Errorf("list of models: %w", ErrNoProvider)
	}
	providers, config := ordered.ParseObject(root.Get("provider"))
	if !config {
		providers = root
	}
	var list []*Catalog
	for id, provider := range providers.All() {
		models := jsonspan.Walk(jsonvalue.Pick(provider, "models")[0])
		if config || models.Kind() == jsonspan.Object {
			list = append(list, read(id, provider, o))
		}
	}
	if list == nil {
		return nil, fmt.Errorf("list of models: %w", ErrNoProvider)
	}
	return list, nil
}
