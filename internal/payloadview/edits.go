package payloadview

import (
	"cmp"
	"slices"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
)

// Edits returns the edits of a part in the order of the answer, each of them addressed in the document
// as it was. What appends to a text is a set of the whole text here, and texts that are set or extended
// several times are set once, so the operations are set, insert and remove. Values belong to the plan.
func (p *Plan) Edits(part Part) []adaptersv2.Edit {
	var ops []op
	for i := range p.ops {
		o := p.ops[i]
		if o.prompt && part&PromptPart == 0 || !o.prompt && part&MessagesPart == 0 {
			continue
		}
		if o.what != extend {
			ops = append(ops, o)
			continue
		}
		// The operations are in the order of their addresses, what extends a text behind what sets it.
		if n := len(ops); n > 0 && ops[n-1].what == set && compareAddresses(ops[n-1].at, o.at) == 0 {
			ops[n-1].value = joined(ops[n-1].value, o.value)
			continue
		}
		o.what, o.value = set, joined(p.data[o.spot.from:o.spot.to], o.value)
		ops = append(ops, o)
	}
	slices.SortStableFunc(ops, func(a, b op) int { return cmp.Compare(a.seq, b.seq) })
	edits := make([]adaptersv2.Edit, 0, len(ops))
	for i, o := range ops {
		if i > 0 && o.seq == ops[i-1].seq {
			continue // of a removal that takes several members of one name
		}
		edits = append(edits, adaptersv2.Edit{Op: operations[o.what], At: o.at, Value: o.value})
	}
	return edits
}

var operations = [...]adaptersv2.Op{set: adaptersv2.OpSet, insert: adaptersv2.OpInsert, remove: adaptersv2.OpRemove}
