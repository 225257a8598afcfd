package doctor

import (
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// blocks tells of blocks that are none, and of those of other kinds than known ones.
func (b *piBranch) blocks(i int, content []byte, known ...string) {
	w := jsonspan.Walk(content)
	if len(content) == 0 || content[0] != '[' {
		return
	}
	told := map[string]bool{}
	for at := 1; w.Next(); at++ {
		block := w.Raw()
		kind, ok := jsonvalue.TextOf(jsonvalue.Pick(block, "type")[0])
		if !ok {
			b.invalid(i, fmt.Sprintf("block %d of the message has no type", at))
			return
		}
		if slices.Contains(known, kind) {
			if missing := missingIn(kind, block); missing != "" {
				b.invalid(i, fmt.Sprintf("block %d of the message, of type %s, has no %s", at, kind, missing))
				return
			}
			continue
		}
		if !told[kind] && len(told) <= maxKinds {
			told[kind] = true
			f := unknownBlock(kind)
			f.Effect = "it stays in the file; what becomes of it in a request is up to the provider's part of Pi"
			b.add(i, f)
		}
	}
}

// missingIn names what a block of a known kind needs and does not have, "" if it has all. Texts may be empty;
// images without content are refused by providers. Calls are looked at elsewhere.
func missingIn(kind string, block []byte) string {
	switch kind {
	case "text", "thinking":
		if _, ok := jsonvalue.TextOf(jsonvalue.Pick(block, kind)[0]); !ok {
			return kind
		}
	case "image":
		for i, value := range jsonvalue.Pick(block, "data", "mimeType") {
			if len(value) <= len(`""`) || value[0] != '"' {
				return [...]string{"data", "mimeType"}[i]
			}
		}
	}
	return ""
}
