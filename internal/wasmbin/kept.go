package wasmbin

// registers is how many values an engine surely has registers for. Where there are more, each of them may
// get a place of its own in the frame without a call.
const registers = 8

// kept counts the values that outlive calls. An engine may give each of them a place of its own in the
// frame, however short it lives behind the call, so a long function has a large frame even if it has few
// operands and locals. wazero does so: a function of 10,000 calls whose results are added up takes as many
// places for two locals. Values for which there are no registers get such places without a call.
type kept struct {
	slots int // of 8 bytes
	sets  int // slots of locals that have got a value since the last call
}

// outlive counts what is new since the last call and lives on behind this one, whose arguments are off
// the stack already: operands that have been pushed, and locals that have been set or have come together
// from several paths.
func (b *body) outlive() {
	s := &b.stack
	b.kept.slots += min(s.pushed, s.slots) + min(b.kept.sets, b.localSlots)
	b.kept.sets, s.pushed = 0, 0
}

// meet counts the locals that have another value at a label than in front of its block: those that were
// set in it. In a loop they are new values in each round, which the calls in it may find.
func (b *body) meet(f *frame) {
	changed := min(2*int(b.cost.sets-f.sets), b.localSlots)
	if f.op == opLoop {
		b.kept.slots += changed
	} else {
		b.kept.sets += changed
	}
}
