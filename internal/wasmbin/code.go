package wasmbin

// Code bodies: their sizes and locals are read, their instructions are not.

func (p *parser) code(r *reader) error {
	n, err := r.count("code bodies", p.limits.Functions)
	if err != nil {
		return err
	}
	arity := p.arity()
	cost := uint64(0)
	for i := range n {
		body, err := r.span("code body")
		if err != nil {
			return err
		}
		p.m.bodies = append(p.m.bodies, body)
		size := body.left()
		if size > p.limits.BodyBytes {
			return &LimitError{What: functionName("bytes of", i), Got: uint64(size), Max: uint64(p.limits.BodyBytes)}
		}
		locals, err := p.locals(&body, i)
		if err != nil {
			return err
		}
		cost += uint64(size) * (uint64(size) + 8*locals) * arity / usualArity
		if cost > p.limits.CompileCost {
			return &LimitError{What: "compile cost", Got: cost, Max: p.limits.CompileCost}
		}
	}
	p.m.CompileCost = cost
	return nil
}

// usualArity is the number of parameters or results up to which a type does not add to the compile cost.
const usualArity = 16

// arity returns the largest number of parameters or results of a type, at least usualArity. A call, block
// or loop of such a type takes two bytes and gives the compiler that many values to keep track of.
func (p *parser) arity() uint64 {
	most := usualArity
	for _, t := range p.m.types {
		most = max(most, len(t.Params), len(t.Results))
	}
	return uint64(most)
}

func (p *parser) locals(r *reader, function int) (uint64, error) {
	groups, err := r.count("groups of locals", p.limits.Locals)
	if err != nil {
		return 0, err
	}
	total := uint64(0)
	for range groups {
		n, err := r.u32("number of locals")
		if err != nil {
			return 0, err
		}
		if _, err := r.valueType(); err != nil {
			return 0, err
		}
		if total += uint64(n); total > uint64(p.limits.Locals) {
			return 0, &LimitError{What: functionName("locals of", function), Got: total, Max: uint64(p.limits.Locals)}
		}
	}
	return total, nil
}
