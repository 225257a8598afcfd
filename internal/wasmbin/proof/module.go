package proof

// What is agreed with the rewriter and the host. It is written down again here on purpose: the proof
// shares nothing with what it checks.
const (
	privatePrefix = "$pintle."
	fuelExport    = privatePrefix + "fuel"
	depthExport   = privatePrefix + "depth"
	startExport   = privatePrefix + "start"
	meterModule   = "pintle/meter"
	tickImport    = "tick"
	growImport    = "grow"
)

const (
	kindFunction = 0
	kindTable    = 1
	kindMemory   = 2
	kindGlobal   = 3
)

const (
	i32  = 0x7f
	i64  = 0x7e
	v128 = 0x7b
)

type signature struct{ params, results []byte }

type global struct {
	of       byte
	mutable  bool
	exported bool  // under a private name
	zero     bool  // starts as the constant 0
	parts    uint8 // accessors of a v128: read low, read high, write
}

type export struct {
	name  string
	kind  byte
	index uint32
}

type module struct {
	types     []signature
	functions []uint32 // type of every function, imported ones first
	imported  int      // number of imported functions
	tick      int      // function index, -1 if there is none
	grow      int
	fuel      uint32 // global index
	depth     uint32
	globals   []global
	exports   []export
	bodies    []reader

	referred  map[uint32]bool // functions in element segments, global initialisers and ref.func
	called    map[uint32]bool // functions that code calls by name
	accessors map[uint32]bool
	current   int    // function that is looked at
	counted   []bool // functions that count their frame
	callers   []bool // functions that do not and call others
	edges     []edge
}

// parse reads what a proof needs to know of all sections.
func parse(bin []byte) (*module, error) {
	r := &reader{data: bin, end: len(bin)}
	if len(bin) < 8 || string(bin[:8]) != "\x00asm\x01\x00\x00\x00" {
		r.fail("not a module")
		return nil, r.err
	}
	r.pos = 8
	m := &module{
		tick: -1, grow: -1,
		referred: map[uint32]bool{}, called: map[uint32]bool{}, accessors: map[uint32]bool{},
	}
	rank := 0
	for r.more() {
		at := r.pos
		id := r.byte()
		body := r.part()
		if r.err != nil {
			return nil, r.err
		}
		if id == 0 {
			continue // an engine reads no more than names in it
		}
		if int(id) >= len(sectionRank) || sectionRank[id] <= rank {
			return nil, &Error{Function: -1, Offset: at, Reason: "section is unknown, repeated or out of order"}
		}
		rank = sectionRank[id]
		m.section(id, &body)
		if body.err == nil && body.pos != body.end {
			body.fail("bytes are left in the section")
		}
		if body.err != nil {
			return nil, body.err
		}
	}
	if len(m.bodies) != len(m.functions)-m.imported {
		r.fail("%d functions are declared, %d have a body", len(m.functions)-m.imported, len(m.bodies))
	}
	return m, r.err
}

var sectionRank = [...]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 10}

func (m *module) section(id byte, r *reader) {
	if id == 8 {
		r.fail("there is a start section: code would run before the host can meter it")
		return
	}
	if id == 12 {
		r.unsigned()
		return
	}
	read := [...]func(*reader){1: m.readType, 2: m.readImport, 3: m.readFunction, 4: readTable, 5: readLimits,
		6: m.readGlobal, 7: m.readExport, 9: m.readElement, 10: m.readBody, 11: m.readData}[id]
	for n := r.count(); n > 0 && r.err == nil; n-- {
		read(r)
	}
}

func (m *module) readType(r *reader) {
	if r.byte() != 0x60 {
		r.fail("not a function type")
		return
	}
	params := r.part()
	results := r.part()
	if r.err != nil {
		return
	}
	m.types = append(m.types, signature{r.data[params.pos:params.end], r.data[results.pos:results.end]})
}

func (m *module) readImport(r *reader) {
	from, name := r.text(), r.text()
	if from == meterModule && name != tickImport && name != growImport {
		r.fail("%s.%s is imported", from, name)
	}
	switch kind := r.byte(); kind {
	case kindFunction:
		t := m.typeIndex(r)
		if r.err != nil {
			return
		}
		if from == meterModule {
			m.meterImport(r, name, m.types[t])
		}
		m.functions = append(m.functions, t)
		m.imported++
		return
	case kindTable:
		readTable(r)
	case kindMemory:
		readLimits(r)
	case kindGlobal:
		of, mutable := r.byte(), r.byte()
		m.globals = append(m.globals, global{of: of, mutable: mutable == 1})
	default:
		r.fail("import of kind %d", kind)
	}
	if from == meterModule {
		r.fail("%s.%s is not a function", from, name)
	}
}

func (m *module) meterImport(r *reader, name string, t signature) {
	index, results := &m.tick, ""
	if name == growImport {
		index, results = &m.grow, string([]byte{i32})
	}
	if *index >= 0 {
		r.fail("%s.%s is imported twice", meterModule, name)
	}
	if string(t.params) != string([]byte{i32}) || string(t.results) != results {
		r.fail("%s.%s has the wrong type", meterModule, name)
	}
	*index = len(m.functions)
}

func (m *module) typeIndex(r *reader) uint32 {
	t := r.unsigned()
	if int64(t) >= int64(len(m.types)) {
		r.fail("type %d of %d", t, len(m.types))
	}
	return t
}

func (m *module) readFunction(r *reader) {
	m.functions = append(m.functions, m.typeIndex(r))
}

func readTable(r *reader) {
	r.byte()
	readLimits(r)
}

func readLimits(r *reader) {
	flags := r.byte()
	if flags > 1 {
		r.fail("limits of kind %d", flags)
	}
	r.unsigned()
	if flags == 1 {
		r.unsigned()
	}
}

func (m *module) readGlobal(r *reader) {
	g := global{of: r.byte(), mutable: r.byte() == 1}
	g.zero = m.readConstant(r)
	m.globals = append(m.globals, g)
}

// readConstant reads a constant expression of one instruction and reports whether it is an integer 0.
func (m *module) readConstant(r *reader) bool {
	zero := false
	switch op := r.byte(); op {
	case 0x41:
		zero = r.signed(32) == 0
	case 0x42:
		zero = r.signed(64) == 0
	case 0x43:
		r.skip(4)
	case 0x44:
		r.skip(8)
	case 0x23:
		r.unsigned()
	case 0xd0:
		r.byte()
	case 0xd2:
		m.referred[r.unsigned()] = true
	case 0xfd:
		if r.byte() != 12 {
			r.fail("vector instruction in a constant")
		}
		r.skip(16)
	default:
		r.fail("instruction 0x%02x in a constant", op)
	}
	if r.byte() != 0x0b {
		r.fail("a constant does not end")
	}
	return zero
}

func (m *module) readExport(r *reader) {
	e := export{name: r.text(), kind: r.byte(), index: r.unsigned()}
	counts := [...]int{kindFunction: len(m.functions), kindGlobal: len(m.globals)}
	if e.kind == kindFunction || e.kind == kindGlobal {
		if int64(e.index) >= int64(counts[e.kind]) {
			r.fail("export %q of something that is not there", e.name)
			return
		}
	}
	m.exports = append(m.exports, e)
}

func (m *module) readElement(r *reader) {
	flags := r.byte()
	if flags > 7 {
		r.fail("element segment of kind %d", flags)
		return
	}
	if flags&3 == 2 {
		r.unsigned() // table
	}
	if flags&1 == 0 {
		m.readConstant(r) // offset
	}
	if flags&3 != 0 {
		r.byte() // kind or type
	}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		if flags&4 != 0 {
			m.readConstant(r)
		} else {
			m.referred[r.unsigned()] = true
		}
	}
}

func (m *module) readBody(r *reader) {
	m.bodies = append(m.bodies, r.part())
}

func (m *module) readData(r *reader) {
	switch flags := r.byte(); flags {
	case 0:
		m.readConstant(r)
	case 1:
	case 2:
		r.unsigned()
		m.readConstant(r)
	default:
		r.fail("data segment of kind %d", flags)
	}
	r.part()
}
