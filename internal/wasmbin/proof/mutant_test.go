package proof

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A mutant is a rewritten function with one thing changed, without changing how long it is.
type mutant struct {
	what string
	at   int
	code []byte
}

const nop = 0x01

// mutants returns everything that is wrong in one place.
func (w *walker) mutants(end int) []mutant {
	var all []mutant
	next := func(i int) int {
		if i < len(w.list) {
			return int(w.list[i].at)
		}
		return end
	}
	put := func(what string, i int, code ...byte) {
		if at := next(i); len(code) == next(i+1)-at {
			all = append(all, mutant{what, at, code})
		}
	}
	drop := func(what string, i, n int) {
		at := next(i)
		all = append(all, mutant{what, at, bytes.Repeat([]byte{nop}, next(i+n)-at)})
	}
	fuel, depth, tick := byte(w.m.fuel), byte(w.m.depth), byte(w.m.tick) // longer indices: put leaves them out
	head, pieces := 0, false
	for i := range w.list {
		local, _, ok := w.byLocal(i, opI64ShrU)
		pieces = pieces || ok && local == 2
	}
	for i := range w.list {
		if w.list[i].op == opLoop {
			head = i + 1
		}
		if _, ok := w.charge(i); ok {
			switch {
			case i == head:
				drop("first charge dropped", i, chargeLength)
			case w.list[i+1].value > 16:
				drop("large charge dropped", i, chargeLength)
			default:
				drop("charge dropped", i, chargeLength)
			}
			put("charge of the wrong global", i, opGlobalGet, depth)
			put("charge to the wrong global", i+3, opGlobalSet, depth)
			put("charge that adds", i+2, 0x7c)
			put("charge that multiplies", i+2, 0x7e)
			put("charge below 0", i+1, opI64Const, 0x7f)
		}
		if w.check(i) {
			if i == head+chargeLength {
				drop("first check dropped", i, checkLength)
			} else {
				drop("check dropped", i, checkLength)
			}
			put("check of the wrong global", i, opGlobalGet, depth)
			put("check of something else", i+1, opI64Const, 0x40)
			put("check the wrong way round", i+2, 0x53)
			put("check with the arms exchanged", i+4, nop)
			put("check with another reason", i+5, opI32Const, 1)
			put("check that calls another function", i+6, opCall, tick+1)
			put("check that calls nothing", i+6, nop, nop)
		}
		if w.index(i, opGlobalGet, w.m.depth) && w.ops(i+1, opI32Const, opI32Add) {
			drop("prologue dropped", i, prologueLength-1)
			put("prologue with a small frame", i+1, opI32Const, 1)
			put("prologue with a small frame", i+1, opI32Const, 0xc0, 0)
			put("prologue that takes off", i+2, opI32Sub)
			put("prologue that counts elsewhere", i+3, opGlobalSet, fuel)
			put("prologue that looks elsewhere", i+4, opGlobalGet, fuel)
			put("prologue with another bound", i+5, opI32Const, 0xff, 0xff, 0xff, 0x00)
			put("prologue the wrong way round", i+6, 0x49)
			put("prologue with another reason", i+8, opI32Const, 0)
			put("prologue that calls another function", i+9, opCall, tick+1)
			put("prologue that goes on", i+10, nop)
			put("prologue without a block", i+12, opLoop, 0x40)
		}
		if w.index(i, opGlobalGet, w.m.depth) && w.ops(i+1, opI32Const, opI32Sub) {
			drop("epilogue dropped", i, epilogueLength)
			put("epilogue with another frame", i+1, opI32Const, 0xc0, 0)
			put("epilogue that counts again", i+2, opI32Add)
			put("epilogue for another global", i+3, opGlobalSet, fuel)
		}
		for _, op := range []uint16{opI64Mul, opI64ShrU} {
			if local, _, ok := w.byLocal(i, op); ok {
				drop("charge by length dropped", i, byLocalLength)
				put("charge by another local", i+1, opLocalGet, byte(local+1)%3)
				put("charge by nearly nothing", i+3, opI64Const, 63)
				put("charge the other way", i+4, 0x86)
				put("charge by length that adds", i+5, 0x7c)
			}
		}
		if w.m.grow >= 0 && w.index(i, opCall, uint32(w.m.grow)) {
			put("grow that does not ask", i, nop, nop)
			put("grow that asks the wrong function", i, opCall, tick)
		}
		if w.ops(i, opMemoryGrow) {
			put("grow by something else", i-1, opI32Const, 0x7f)
		}
		if w.ops(i, opI32GtU, opIf) || w.ops(i, opI32GtU, opBrIf) {
			if w.index(i-2, opLocalGet, 2) && pieces {
				put("pieces of any length", i-1, opI32Const, 0xff, 0xff, 0x3f)
				put("pieces the wrong way round", i, 0x49)
			}
		}
		switch w.list[i].op {
		case opMemoryCopy, opMemoryFill, opMemoryInit, opTableCopy, opTableFill, opTableInit:
			put("length from elsewhere", i-1, opLocalGet, 1)
			put("length computed", i-1, nop, nop, nop, nop)
		case opBlock:
			if !w.index(i-6, opCall, uint32(w.m.tick)) { // the block behind the prologue is another matter
				put("block that is a loop", i, opLoop, 0x40)
			}
		case opLocalGet:
			put("fuel read", i, opGlobalGet, fuel)
			put("depth read", i, opGlobalGet, depth)
			put("memory.grow without asking", i, opMemoryGrow, 0)
			put("the meter as a value", i, 0x10, tick)
		case opLocalSet, opGlobalSet:
			if w.list[i].a != w.m.fuel && w.list[i].a != w.m.depth {
				put("fuel written", i, opGlobalSet, fuel)
				put("depth written", i, opGlobalSet, depth)
			}
		case opCall:
			if int(w.list[i].a) > w.m.grow {
				put("call of tick", i, opCall, tick)
				put("call of grow", i, opCall, tick+1)
			}
		case opBr, opBrIf:
			put("branch to nowhere", i, byte(w.list[i].op), 0x7f)
		case opUnreachable:
			if w.entered && !w.index(i-1, opCall, uint32(w.m.tick)) {
				put("return past the epilogue", i, opReturn)
			}
		}
	}
	return all
}

// spare says of what is wrong that it may do no harm: the rewriter charges a little more than the proof
// wants, and checks a little more often.
func spare(what string) bool {
	return what == "charge dropped" || what == "large charge dropped" || what == "check dropped"
}

// Everything that is wrong in one place of a real guest is refused.
func TestMutants(t *testing.T) {
	made, accepted := map[string]int{}, map[string]int{}
	for at, bin := range guests(t) {
		m, err := parse(bin)
		require.NoError(t, err)
		require.NoError(t, m.outline())
		w := walker{m: m, body: &body{}}
		for i := 0; i < len(m.bodies); i += 1 + len(m.bodies)/150 {
			require.NoError(t, w.function(i))
			if at > 0 && len(w.list) > 1_000 || m.accessors[uint32(m.imported+i)] {
				continue // the time a function takes grows with the square of its length here
			}
			end := m.bodies[i].end
			for _, mu := range w.mutants(end) {
				place := m.bodies[i].data[mu.at : mu.at+len(mu.code)]
				was := bytes.Clone(place)
				copy(place, mu.code)
				made[mu.what]++
				if bytes.Equal(was, mu.code) {
					made[mu.what]--
				} else if w.function(i) == nil {
					if accepted[mu.what]++; at == 0 && mu.what == "large charge dropped" || !spare(mu.what) {
						t.Errorf("function %d, offset 0x%x: %s: proved", m.imported+i, mu.at, mu.what)
					}
				}
				copy(place, was)
			}
		}
	}
	for what, n := range made {
		assert.Less(t, accepted[what], n, what)
	}
	assert.Greater(t, len(made), 45, "kinds of mutants")
}

// A function that calls others and does not count its frame at all is refused, whether it says so by a
// call through a table, by a call of itself or by a call of one that calls others.
func TestUncounted(t *testing.T) {
	for _, bin := range guests(t)[:2] {
		m, err := parse(bin)
		require.NoError(t, err)
		require.NoError(t, m.outline())
		w := walker{m: m, body: &body{}}
		for i := range m.bodies {
			require.NoError(t, w.function(i))
		}
		found := 0
		for i := range m.bodies {
			require.NoError(t, w.function(i))
			if !w.entered || !w.recursive() {
				continue
			}
			found++
			code := bytes.Clone(bin)
			list := w.list
			from := chargeLength + checkLength
			wipe := func(from, to int) {
				for at := list[from].at; at < list[to].at; at++ {
					code[at] = nop
				}
			}
			wipe(from, from+prologueLength+1)
			wipe(len(list)-2-epilogueLength, len(list)-1)
			require.Error(t, Check(code), "function %d", m.imported+i)
		}
		require.Positive(t, found)
	}
}

// recursive reports whether the function calls through a table, or one that counts its frame.
func (w *walker) recursive() bool {
	for _, in := range w.list {
		if in.op == opIndirect || in.op == opCall && int(in.a) >= w.m.imported && w.m.counted[int(in.a)-w.m.imported] {
			return true
		}
	}
	return false
}
