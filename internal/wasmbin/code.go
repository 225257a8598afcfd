package wasmbin

// Code bodies: their sizes and locals are read, their instructions are not.

func (p *parser) code(r *reader) error {
	n, err := r.count("code bodies", p.limits.Functions)
	if err != nil {
		return err
	}
	p.m.bodies = make([]reader, 0, n)
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
		if err := p.locals(&body, i); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) locals(r *reader, function int) error {
	groups, err := r.count("groups of locals", p.limits.Locals)
	if err != nil {
		return err
	}
	total := uint64(0)
	for range groups {
		n, err := r.u32("number of locals")
		if err != nil {
			return err
		}
		if _, err := r.valueType(); err != nil {
			return err
		}
		if total += uint64(n); total > uint64(p.limits.Locals) {
			return &LimitError{What: functionName("locals of", function), Got: total, Max: uint64(p.limits.Locals)}
		}
	}
	return nil
}
