package proof

import (
	"fmt"
	"strings"
)

// Check proves that bin has the properties that the package promises. The error is an [*Error].
//
// It takes time and memory linear in the size of bin and may be used concurrently.
func Check(bin []byte) error {
	m, err := parse(bin)
	if err != nil {
		return err
	}
	if err := m.outline(); err != nil {
		return err
	}
	w := walker{m: m, body: &body{}}
	for i := range m.bodies {
		if err := w.function(i); err != nil {
			return err
		}
	}
	return m.callGraph()
}

// function proves what is proved of one defined function.
func (w *walker) function(i int) error {
	m := w.m
	f := m.imported + i
	r := m.bodies[i]
	if w.body.read(&r); r.err != nil {
		e := r.err.(*Error)
		e.Function = f
		return e
	}
	w.list = w.body.list
	if m.accessor(w.list, f) {
		return nil
	}
	m.current = f
	if err := w.walk(m.types[m.functions[f]]); err != nil {
		err.Function = f
		return err
	}
	m.counted[i] = w.entered
	return nil
}

// outline checks what is outside of code.
func (m *module) outline() error {
	if m.tick < 0 || m.grow < 0 {
		return missing("%s or %s is not imported", tickImport, growImport)
	}
	fuel, depth := -1, -1
	for _, e := range m.exports {
		private := strings.HasPrefix(e.name, privatePrefix)
		switch e.kind {
		case kindFunction:
			if int(e.index) == m.tick || int(e.index) == m.grow {
				return missing("export %q lets the meter be called", e.name)
			}
		case kindGlobal:
			switch e.name {
			case fuelExport:
				fuel = int(e.index)
			case depthExport:
				depth = int(e.index)
			}
			if private {
				m.globals[e.index].exported = true
			}
		default:
			if private {
				return missing("export %q is no function and no global", e.name)
			}
		}
	}
	if fuel < 0 || depth < 0 || fuel == depth {
		return missing("%s or %s is not exported", fuelExport, depthExport)
	}
	m.fuel, m.depth = uint32(fuel), uint32(depth)
	for _, e := range m.exports {
		i := int(e.index)
		if e.kind == kindGlobal && (i == fuel && e.name != fuelExport || i == depth && e.name != depthExport) {
			return missing("export %q shows a counter", e.name)
		}
	}
	for _, c := range []struct {
		index int
		of    byte
	}{{fuel, i64}, {depth, i32}} {
		if g := m.globals[c.index]; g.of != c.of || !g.mutable || !g.zero {
			return missing("global %d is no counter", c.index)
		}
	}
	for i, g := range m.globals {
		if number := g.of >= 0x7c && g.of <= 0x7f; number && g.mutable && !g.exported {
			return missing("global %d is mutable and not exported", i)
		}
	}
	m.counted = make([]bool, len(m.bodies))
	m.callers = make([]bool, len(m.bodies))
	return nil
}

// accessor reports whether a function is one of those that read or write a v128 global for the host.
// They pay nothing: nothing in the module calls them.
//
//	global.get n; i64x2.extract_lane 0 or 1; end
//	local.get 0; i64x2.splat; local.get 1; i64x2.replace_lane 1; global.set n; end
func (m *module) accessor(list []instruction, f int) bool {
	n := len(list)
	if n != 3 && n != 6 {
		return false
	}
	w := walker{m: m, list: list}
	var global uint32
	var part uint8
	switch {
	case n == 3 && w.ops(0, opGlobalGet, opExtract, opEnd):
		global, part = list[0].a, 1<<list[1].a
	case n == 6 && w.index(0, opLocalGet, 0) && w.ops(1, opSplat) && w.index(2, opLocalGet, 1) &&
		w.index(3, opReplace, 1) && w.ops(4, opGlobalSet, opEnd):
		global, part = list[4].a, 4
	default:
		return false
	}
	if int64(global) >= int64(len(m.globals)) || m.globals[global].of != v128 || list[1].a > 1 {
		return false
	}
	m.globals[global].parts |= part
	m.accessors[uint32(f)] = true
	return true
}

// direct notes a call of a function of the module.
func (m *module) direct(w *walker, f uint32) {
	m.called[f] = true
	if !w.entered {
		m.callers[m.current-m.imported] = true
		m.edges = append(m.edges, edge{m.current, int(f)})
	}
}

// An edge is a call by a function that does not count its frame.
type edge struct{ from, to int }

// callGraph checks what needs all functions: nothing refers to the meter or an accessor, every v128
// global has its accessors, and a function that does not count its frame calls none that calls others.
func (m *module) callGraph() error {
	for f := range m.referred {
		if int(f) == m.tick || int(f) == m.grow || m.accessors[f] {
			return &Error{Function: int(f), Reason: "code can call a function that is for the host"}
		}
	}
	for f := range m.accessors {
		if m.called[f] {
			return &Error{Function: int(f), Reason: "code calls a function that is for the host"}
		}
	}
	for _, e := range m.exports {
		if e.kind == kindFunction && m.accessors[e.index] && !strings.HasPrefix(e.name, privatePrefix) {
			return missing("export %q is a function that is for the host", e.name)
		}
	}
	for i, g := range m.globals {
		if g.of == v128 && g.mutable && g.parts != 7 {
			return missing("global %d is mutable and has no accessors", i)
		}
	}
	for _, e := range m.edges {
		if to := e.to - m.imported; m.counted[to] || m.callers[to] {
			reason := fmt.Sprintf("calls function %d, which calls others, without counting its frame", e.to)
			return &Error{Function: e.from, Reason: reason}
		}
	}
	return nil
}

func missing(format string, args ...any) error {
	return &Error{Function: -1, Reason: fmt.Sprintf(format, args...)}
}
