package proof

// shortCopy is a memory.copy that is made in place if it is short, by a function if it is not:
//
//	local.set n; local.set from; local.set to; local.get n; i32.const most; i32.le_u; if
//	  charge by local n >> shift; local.get to; local.get from; local.get n; memory.copy
//	else
//	  local.get to; local.get from; local.get n; call f
//	end
func (w *walker) shortCopy() bool {
	i := w.i
	n, from, to, most := w.at(i, opLocalSet), w.at(i+1, opLocalSet), w.at(i+2, opLocalSet), w.at(i+4, opI32Const)
	if n == nil || from == nil || to == nil || most == nil || n.a == from.a || n.a == to.a || from.a == to.a {
		return false
	}
	operands := func(i int) bool {
		return w.index(i, opLocalGet, to.a) && w.index(i+1, opLocalGet, from.a) && w.index(i+2, opLocalGet, n.a)
	}
	if !w.index(i+3, opLocalGet, n.a) || !w.ops(i+5, opI32LeU) || !w.value(i+6, opIf, emptyBlock) {
		return false
	}
	local, shift, ok := w.byLocal(i+7, opI64ShrU)
	if i += 7 + byLocalLength; !ok || local != n.a || shift < 0 || shift > 6 || most.value < 0 || most.value > maxPiece {
		return false
	}
	if !operands(i) || !w.ops(i+3, opMemoryCopy, opElse) || !operands(i+5) || !w.ops(i+8, opCall, opEnd) {
		return false
	}
	w.use(8)
	w.unchecked(most.value >> shift)
	if n.a == 2 || from.a == 2 || to.a == 2 {
		w.now.length = unknown
	}
	w.operands(3, 3)
	w.call(w.list[i+8].a)
	w.i = i + 10
	return true
}
