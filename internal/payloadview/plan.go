package payloadview

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// An EditError says why the edits of an answer are not carried out.
type EditError struct {
	Group string // prompt or messages; empty for the whole answer
	Index int    // of the edit in its group
	At    adaptersv2.Address
	Err   error
}

func (e *EditError) Error() string {
	if e.Group == "" {
		return "edits: " + e.Err.Error()
	}
	return fmt.Sprintf("%s: edit %d at %s: %s", e.Group, e.Index, e.At, e.Err)
}

// A Plan is an answer whose edits can be carried out: each is allowed, its place was found, and none is
// in another one's way.
type Plan struct {
	data   []byte
	ops    []op // by address
	prompt *op  // where the prompt is; nil: the answer names no place
}

// op is one edit, or the place of the prompt.
type op struct {
	what   what
	prompt bool // it belongs to the prompt
	index  int  // in its group
	seq    int  // in the answer, the prompt's first
	at     adaptersv2.Address
	value  []byte
	spot   spot
}

type what uint8

const (
	look what = iota // the place of the prompt; it need not be there
	set
	insert
	remove
	extend
)

// Plan checks an answer and finds its places. An error is an [*EditError]; then nothing of the answer
// is to be carried out.
func (v *View) Plan(answer *adaptersv2.Answer) (*Plan, error) {
	p := &Plan{data: v.data}
	if answer == nil {
		return p, nil
	}
	if answer.Prompt != nil {
		if err := p.add(v.program, answer.Prompt.Edits, true); err != nil {
			return nil, err
		}
	}
	if answer.Messages != nil {
		if err := p.add(v.program, answer.Messages.Edits, false); err != nil {
			return nil, err
		}
	}
	if err := p.size(); err != nil && !v.program.unbounded {
		return nil, err
	}
	if answer.Prompt != nil && len(answer.Prompt.At) > 0 && len(answer.Prompt.At) <= maxAddress {
		p.ops = append(p.ops, op{what: look, prompt: true, at: answer.Prompt.At})
	}
	slices.SortStableFunc(p.ops, func(a, b op) int {
		return cmp.Or(compareAddresses(a.at, b.at), cmp.Compare(a.what/extend, b.what/extend)) // what appends, behind what sets
	})
	if err := p.conflict(); err != nil {
		return nil, err
	}
	r := resolver{view: v, last: v.program.unbounded}
	if err := r.resolve(p.ops); err != nil {
		return nil, err
	}
	p.ops = append(p.ops, r.also...)
	if i := slices.IndexFunc(p.ops, func(o op) bool { return o.what == look }); i >= 0 {
		prompt := p.ops[i]
		p.prompt, p.ops = &prompt, slices.Delete(p.ops, i, i+1)
	}
	return p, nil
}

func (o *op) refuse(err error) error {
	group := "messages"
	if o.prompt {
		group = "prompt"
	}
	return &EditError{Group: group, Index: o.index, At: o.at, Err: err}
}

func (p *Plan) add(program *Program, edits []adaptersv2.Edit, prompt bool) error {
	for i, e := range edits {
		if len(p.ops) == maxEdits && !program.unbounded {
			return &EditError{Err: fmt.Errorf("there are more than %d", maxEdits)}
		}
		o := op{prompt: prompt, index: i, seq: len(p.ops), at: e.At, value: e.Value}
		switch e.Op {
		case adaptersv2.OpSet:
			o.what = set
		case adaptersv2.OpInsert:
			o.what = insert
		case adaptersv2.OpRemove:
			o.what = remove
		case adaptersv2.OpAppend:
			o.what = extend
		default:
			return o.refuse(fmt.Errorf("the operation %.40q is unknown; it is set, insert, remove or append", e.Op))
		}
		if err := o.check(program); err != nil {
			return o.refuse(err)
		}
		p.ops = append(p.ops, o)
	}
	return nil
}

// check looks at what can be told of an edit without the document.
func (o *op) check(program *Program) error {
	switch {
	case len(o.at) == 0:
		return errors.New("it has no address")
	case len(o.at) > maxAddress:
		return fmt.Errorf("its address has %d steps, at most %d are allowed", len(o.at), maxAddress)
	case slices.ContainsFunc(o.at, func(s adaptersv2.Step) bool { return !utf8.ValidString(s.Member) }):
		return errors.New("a name in its address is not UTF-8")
	case !program.writes(o.at):
		return ErrNoWritePath
	case o.what == insert && !o.at[len(o.at)-1].InList:
		return errors.New("elements are inserted into lists; the last step is an index")
	case o.what == remove && o.value != nil:
		return errors.New("it removes something and has a value")
	case o.what != remove && !valid(o.value, jsonspan.MaxDepth-len(o.at)):
		return errors.New("its value is not one JSON text in UTF-8")
	case o.what == extend && !isText(o.value):
		return errNoText
	}
	return nil
}

// ErrNoWritePath is wrapped by the error about an edit at a place that the adapter does not ask to write.
var ErrNoWritePath = errors.New("the manifest has no write path that leads there")

var errNoText = errors.New("text can be appended to strings only")

// isText tells whether a valid JSON text is a string.
func isText(value []byte) bool { return value[jsonspan.SkipSpace(value, 0)] == '"' }

// valid tells whether a value is one JSON text that nests at most depth containers.
func valid(value []byte, depth int) bool {
	if !utf8.Valid(value) {
		return false
	}
	end, ok := jsonspan.SkipValue(value, jsonspan.SkipSpace(value, 0), depth)
	return ok && jsonspan.SkipSpace(value, end) == len(value)
}

func (p *Plan) size() error {
	size := 0
	for i := range p.ops {
		size += len(p.ops[i].value)
	}
	if size > maxValues {
		return &EditError{Err: fmt.Errorf("their values have %d bytes together, at most %d are allowed", size, maxValues)}
	}
	return nil
}

// writes tells whether an address is at or below a write path.
func (p *Program) writes(at adaptersv2.Address) bool {
	return p.anywhere || slices.ContainsFunc(p.write, func(path abi.Path) bool {
		if len(at) < len(path) {
			return false
		}
		for i, s := range path {
			if s.Each != at[i].InList || !s.Each && s.Member != at[i].Member {
				return false
			}
		}
		return true
	})
}

// conflict refuses an edit in another one's way. The edits are sorted, so what is below an address
// follows it.
func (p *Plan) conflict() error {
	var taken *op // the last one that sets or removes something
	for i := range p.ops {
		o := &p.ops[i]
		if o.what == look {
			continue
		}
		if taken != nil && len(o.at) >= len(taken.at) && compareAddresses(o.at[:len(taken.at)], taken.at) == 0 {
			switch below := len(o.at) > len(taken.at); {
			case !below && o.what == insert:
			case !below && o.what == extend && taken.what == set:
				if !isText(taken.value) {
					return o.refuse(errNoText)
				}
			default:
				return o.refuse(fmt.Errorf("another edit sets or removes %s", taken.at))
			}
		}
		if o.what == set || o.what == remove {
			taken = o
		}
	}
	return nil
}

func compareAddresses(a, b adaptersv2.Address) int { return slices.CompareFunc(a, b, compareSteps) }

func compareSteps(a, b adaptersv2.Step) int {
	switch {
	case a.InList && b.InList:
		return cmp.Compare(a.Index, b.Index)
	case a.InList:
		return 1
	case b.InList:
		return -1
	}
	return cmp.Compare(a.Member, b.Member)
}

// Prompt returns the string at the place of the prompt as it is written in the document; ok is false if
// there is none.
func (p *Plan) Prompt() (raw []byte, ok bool) {
	if p.prompt == nil || p.prompt.spot.kind != isThere || p.data[p.prompt.spot.from] != '"' {
		return nil, false
	}
	return p.data[p.prompt.spot.from:p.prompt.spot.to], true
}
