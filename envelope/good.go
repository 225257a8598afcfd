package envelope

import "github.com/pintle-wasm/pintle/registry"

// goodTexts are the last texts of contributions with policy LastGood.
type goodTexts map[goodKey]string

// goodKey says whose text it is. What is registered is known by its registration: a replacement does not
// inherit its predecessor's text. What comes with each request is made anew each time and known by its id
// and its place among those with that id.
type goodKey struct {
	registered *registry.Contribution
	id         string
	place      int
}

// The bounds of what one session remembers.
const (
	maxGoodTexts = 256
	maxGoodBytes = 1 << 20 // of one text
)

func (g *goodTexts) add(key goodKey, content string) {
	if *g == nil {
		*g = goodTexts{}
	}
	if len(*g) < maxGoodTexts && len(content) <= maxGoodBytes {
		(*g)[key] = content
	}
}

// goodKeys are the keys of the contributions that came with a request.
type goodKeys map[*registry.Contribution]goodKey

func keysOf(extra []*registry.Contribution) goodKeys {
	if len(extra) == 0 {
		return nil
	}
	keys, places := make(goodKeys, len(extra)), map[string]int{}
	for _, c := range extra {
		keys[c] = goodKey{id: c.ID, place: places[c.ID]}
		places[c.ID]++
	}
	return keys
}

func (k goodKeys) of(c *registry.Contribution) goodKey {
	if key, ok := k[c]; ok {
		return key
	}
	return goodKey{registered: c}
}
