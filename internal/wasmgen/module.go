package wasmgen

import "fmt"

// A Signature is the type of a function: parameters and results as value types of the binary format.
type Signature struct {
	Params, Results []byte
}

// A Host is a function that generated modules may import from the module "host".
type Host struct {
	Name string
	Signature
}

// Hosts returns all functions that a generated module may import.
func Hosts() []Host {
	return []Host{
		{"nothing", Signature{}},
		{"number", Signature{[]byte{i32}, []byte{i32}}},
		{"numbers", Signature{[]byte{i64, f64}, []byte{i64, f32}}},
	}
}

// Countdown is the exported i32 global that a module counts down. Calls stop early once it is 0.
const Countdown = "countdown"

const (
	digest     = 1 // the global that collects what is of no other use
	memoryMax  = 6 // pages; bulk operations of more than one piece fit into two
	tableMax   = 60
	countdown  = 400 // function entries and loop iterations of one call from outside
	bodyBudget = 250 // instructions of one function, roughly
)

type global struct {
	of      byte
	mutable bool
}

// A module under construction.
type module struct {
	*choices
	types     []Signature
	imports   []int // type of each imported function
	functions []int // type of each defined function
	tables    []table
	memory    bool
	pages     int      // at the start
	globals   []global // the countdown, the digest, and others
	elements  []segment
	data      []segment
	funcrefs  bool // functions may be referred to: a declarative segment lists them all
}

// A segment of elements, all functions, or of data. Only a passive one can be used by code.
type segment struct {
	size    int
	passive bool
}

type table struct {
	of   byte
	size int
	// at is what the table's entries are at the start: function indices, -1 for none. Code may change
	// them.
	at []int
}

// Module makes a module.
func Module(data []byte) []byte {
	m := &module{choices: &choices{data: data}}
	hosts := Hosts()
	m.types = []Signature{{}}
	out := []byte("\x00asm\x01\x00\x00\x00")

	var imports, functions, tables, memories, globals, exports, elements, code, segments vector
	for range m.below(4) {
		h := hosts[m.below(len(hosts))]
		m.imports = append(m.imports, len(m.types))
		imports.add(uleb(append(text(text(nil, "host"), h.Name), 0), uint64(len(m.types))))
		m.types = append(m.types, h.Signature)
	}
	for range 1 + m.below(4) {
		m.types = append(m.types, Signature{m.list(4), m.list(3)})
	}
	for i := range 1 + m.below(6) {
		of := m.below(len(m.types))
		m.functions = append(m.functions, of)
		functions.add(uleb(nil, uint64(of)))
		exports.add(uleb(append(text(nil, fmt.Sprintf("f%d", i)), 0), uint64(len(m.imports)+i)))
	}
	m.funcrefs = m.one(2)
	m.addTables(&tables, &exports)
	if m.most(8) {
		m.memory = true
		m.pages = [...]int{1, 2, 3, 1, 2, 1, 3, 1, 2, 1, 2, 0}[m.below(12)]
		memories.add([]byte{1, byte(m.pages), memoryMax})
		exports.add(append(text(nil, "memory"), 2, 0))
	}
	m.addGlobals(&globals, &exports)
	m.addElements(&elements)
	m.addData(&segments)
	for i := range m.functions {
		body := m.function(i)
		code.add(append(uleb(nil, uint64(len(body))), body...))
	}
	m.addReaders(&functions, &exports, &code)

	types := vector{}
	for _, t := range m.types {
		item := append(uleb([]byte{0x60}, uint64(len(t.Params))), t.Params...)
		types.add(append(uleb(item, uint64(len(t.Results))), t.Results...))
	}
	out = types.section(out, 1)
	out = imports.section(out, 2)
	out = functions.section(out, 3)
	out = tables.section(out, 4)
	out = memories.section(out, 5)
	out = globals.section(out, 6)
	out = exports.section(out, 7)
	if start := m.start(); start >= 0 {
		out = append(out, 8, 1, byte(start))
	}
	out = elements.section(out, 9)
	if len(m.data) > 0 {
		out = append(out, 12, 1, byte(len(m.data)))
	}
	out = code.section(out, 10)
	return segments.section(out, 11)
}

// list makes a list of up to n value types.
func (m *module) list(n int) []byte {
	var out []byte
	for range m.below(n + 1) {
		out = append(out, m.valueType())
	}
	return out
}

func (m *module) valueType() byte {
	return [...]byte{i32, i64, f32, f64, v128, i32, i64, funcref, i32, externref}[m.below(10)]
}

// start picks a function without parameters and results, -1 for no start function.
func (m *module) start() int {
	if !m.one(6) {
		return -1
	}
	for i, of := range m.functions {
		if t := m.types[of]; len(t.Params)+len(t.Results) == 0 {
			return len(m.imports) + i
		}
	}
	return -1
}

// function index i of all functions, imported ones first, has this type.
func (m *module) typeOf(i int) Signature { return m.types[m.typeIndex(i)] }

func (m *module) typeIndex(i int) int {
	if i < len(m.imports) {
		return m.imports[i]
	}
	return m.functions[i-len(m.imports)]
}

func (m *module) all() int { return len(m.imports) + len(m.functions) }

func (m *module) addTables(tables, exports *vector) {
	for i := range m.below(3) {
		t := table{of: funcref, size: m.below(tableMax / 2)}
		if m.one(4) {
			t.of = externref
		}
		t.at = make([]int, t.size)
		for j := range t.at {
			t.at[j] = -1
		}
		m.tables = append(m.tables, t)
		tables.add([]byte{t.of, 1, byte(t.size), tableMax})
		if m.one(3) {
			exports.add(append(text(nil, fmt.Sprintf("t%d", i)), 1, byte(i)))
		}
	}
}

func (m *module) addGlobals(globals, exports *vector) {
	m.globals = []global{{of: i32, mutable: true}, {of: i64, mutable: true}}
	globals.add(append(sleb([]byte{i32, 1, 0x41}, countdown), 0x0b))
	globals.add([]byte{i64, 1, 0x42, 1, 0x0b})
	exports.add(append(text(nil, Countdown), 3, 0))
	exports.add(append(text(nil, "digest"), 3, digest))
	for i := range m.below(8) {
		g := global{of: m.valueType(), mutable: m.most(4)}
		item := []byte{g.of, 0}
		if g.mutable {
			item[1] = 1
		}
		globals.add(append(m.constant(item, g.of), 0x0b))
		m.globals = append(m.globals, g)
		if m.one(3) && g.of != v128 { // an exported v128 cannot be read from outside
			exports.add(append(text(nil, fmt.Sprintf("g%d", i)), 3, byte(len(m.globals)-1)))
		}
	}
}

// addReaders exports a function for each global of type v128, whose value an engine may not show
// otherwise.
func (m *module) addReaders(functions, exports, code *vector) {
	for i, g := range m.globals {
		if g.of != v128 {
			continue
		}
		exports.add(uleb(append(text(nil, fmt.Sprintf("v%d", i)), 0), uint64(len(m.imports)+functions.n)))
		functions.add(uleb(nil, uint64(len(m.types))))
		code.add([]byte{4, 0, 0x23, byte(i), 0x0b})
	}
	m.types = append(m.types, Signature{nil, []byte{v128}})
}

func (m *module) addElements(elements *vector) {
	if m.funcrefs {
		item := uleb([]byte{3, 0}, uint64(m.all())) // declarative: functions may be referred to
		for i := range m.all() {
			item = uleb(item, uint64(i))
		}
		elements.add(item)
		m.elements = append(m.elements, segment{size: m.all()})
	}
	for range m.below(4) {
		at := m.below(len(m.tables) + 1) // the last one: passive
		n := m.below(6)
		passive := at == len(m.tables)
		if !passive && (m.tables[at].of != funcref || m.tables[at].size < n) {
			continue
		}
		var item []byte
		first := 0
		if passive {
			item = []byte{1, 0}
		} else {
			first = m.below(m.tables[at].size - n + 1)
			item = append(sleb([]byte{2, byte(at), 0x41}, int64(first)), 0x0b, 0)
		}
		item = uleb(item, uint64(n))
		for j := range n {
			f := m.below(m.all())
			item = uleb(item, uint64(f))
			if !passive {
				m.tables[at].at[first+j] = f
			}
		}
		elements.add(item)
		m.elements = append(m.elements, segment{n, passive})
	}
}

func (m *module) addData(segments *vector) {
	for range m.below(4) {
		content := make([]byte, m.below(20))
		for i := range content {
			content[i] = byte(m.below(256))
		}
		item := []byte{1}
		if m.memory && m.one(2) && (m.pages > 0 || m.one(4)) { // out of bounds, rarely: it cannot be instantiated
			item = append(sleb([]byte{0, 0x41}, int64(m.below(1000))), 0x0b)
		}
		m.data = append(m.data, segment{len(content), item[0] == 1})
		segments.add(append(uleb(item, uint64(len(content))), content...))
	}
}
