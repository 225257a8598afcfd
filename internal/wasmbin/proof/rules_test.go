package proof

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Modules made by hand: functions 0 and 1 are tick and grow, globals 0 and 1 fuel and depth; type 0 is (i32) -> (),
// type 1 (i32) -> i32, type 2 () -> (), type 3 (i32, i32, i32) -> ().
func handmade(functions ...[]byte) []byte { return assembled(nil, nil, functions...) }

// assembled is handmade with more globals and exports.
func assembled(globals, exports [][]byte, functions ...[]byte) []byte {
	var types, bodies [][]byte
	for _, f := range functions {
		types = append(types, f[:1])
		bodies = append(bodies, append(signedSize(len(f)-1), f[1:]...))
	}
	return bytes.Join([][]byte{[]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{0x60, 1, i32, 0}, []byte{0x60, 1, i32, 1, i32}, []byte{0x60, 0, 0}, []byte{0x60, 3, i32, i32, i32, 0}),
		section(2, []byte("\x0cpintle/meter\x04tick\x00\x00"), []byte("\x0cpintle/meter\x04grow\x00\x01")),
		section(3, types...),
		section(6, append([][]byte{{i64, 1, 0x42, 0, 0x0b}, {i32, 1, 0x41, 0, 0x0b}}, globals...)...),
		section(7, append([][]byte{[]byte("\x0c$pintle.fuel\x03\x00"), []byte("\x0d$pintle.depth\x03\x01")}, exports...)...),
		section(10, bodies...),
	}, nil)
}

func signedSize(n int) []byte {
	var out []byte
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

func code(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func charge(n int64) []byte {
	return code([]byte{0x23, 0}, append([]byte{0x42}, signedBytes(n)...), []byte{0x7d, 0x24, 0})
}

var check = []byte{0x23, 0, 0x42, 0, 0x59, 0x04, 0x40, 0x05, 0x41, 0, 0x10, 0, 0x0b}

func enter(frame int64) []byte {
	add := append([]byte{0x41}, signedBytes(frame)...)
	return code([]byte{0x23, 1}, add, []byte{0x6a, 0x24, 1, 0x23, 1, 0x41, 0x80, 0x80, 0x80, 2, 0x4b, 0x04, 0x40, 0x41, 1, 0x10, 0, 0x00, 0x0b})
}

func leave(frame int64) []byte {
	return code([]byte{0x23, 1}, append([]byte{0x41}, signedBytes(frame)...), []byte{0x6b, 0x24, 1})
}

// Every rule about code, at its edge: what is just right is proved, what is just wrong is refused.
func TestRules(t *testing.T) {
	head := code([]byte{2, 0}, charge(50), check) // type () -> (), no locals
	block, end := []byte{0x02, 0x40}, []byte{0x0b}
	loop := []byte{0x03, 0x40}
	entered := func(frame int64, inside ...byte) []byte {
		return code(head, enter(frame), block, inside, end, leave(frame), end)
	}
	three := code([]byte{3, 0}, charge(50), check)
	threeLocals := []byte{0x20, 0, 0x20, 1, 0x20, 2}
	above := []byte{0x20, 2, 0x41, 0x80, 0x80, 4, 0x4b} // length > 65,536
	byLength := []byte{0x23, 0, 0x20, 2, 0xad, 0x42, 6, 0x88, 0x7d, 0x24, 0}
	fill := code(byLength, threeLocals, []byte{0xfc, 11, 0})
	other := []byte{0x20, 1, 0x41, 0x80, 0x80, 4, 0x4b} // the same of another local
	take := code([]byte{3, 0}, charge(1), check, end)   // type (i32, i32, i32) -> (), a leaf
	calls := func(n int64) []byte {
		call := []byte{0x41, 0, 0x41, 0, 0x41, 0, 0x10, 3}
		return code([]byte{2, 0}, charge(n), check, call, call, call, end)
	}
	grow := func(pages int64) []byte {
		price := append([]byte{0x42}, signedBytes(pages)...)
		return code([]byte{0x20, 0, 0x10, 1, 0x04, i32, 0x23, 0, 0x20, 0, 0xad}, price, []byte{0x7e, 0x7d, 0x24, 0},
			check, []byte{0x20, 0, 0x40, 0, 0x05, 0x41, 0x7f, 0x0b, 0x1a})
	}
	asks := func(n int64, grows ...[]byte) []byte {
		return code([]byte{0, 0}, charge(n), check, code(grows...), end)
	}
	muls := func(eighths int) []byte { return bytes.Repeat([]byte{0x41, 1, 0x41, 1, 0x6c, 0x1a}, eighths/3) }

	for name, test := range map[string]struct {
		functions [][]byte
		want      string // empty: proved
	}{
		"nothing":                    {[][]byte{code(head, end)}, ""},
		"no charge":                  {[][]byte{{2, 0, 0x0b}}, "the function does not begin with a charge"},
		"charge of 0":                {[][]byte{code([]byte{2, 0}, charge(0), check, end)}, "does not begin with a charge"},
		"charge below 0":             {[][]byte{code(head, charge(-1), end)}, "the fuel global is named"},
		"charge out of bounds":       {[][]byte{code(head, charge(1<<31+1), end)}, "the fuel global is named"},
		"no check":                   {[][]byte{code([]byte{2, 0}, charge(1), end)}, "does not look at what is left"},
		"no code":                    {[][]byte{{2, 0}}, "a function without an end"},
		"no end":                     {[][]byte{code(head, []byte{1})}, "does not end where its blocks end"},
		"code behind the end":        {[][]byte{code(head, end, []byte{1})}, "does not end where its blocks end"},
		"loop":                       {[][]byte{code(head, loop, charge(1), check, []byte{0x0c, 0}, end, end)}, ""},
		"loop without a charge":      {[][]byte{code(head, loop, []byte{0x0c, 0}, end, end)}, "the loop does not begin with a charge"},
		"loop without a check":       {[][]byte{code(head, loop, charge(1), []byte{0x0c, 0}, end, end)}, "the loop does not look"},
		"work":                       {[][]byte{code([]byte{2, 0}, charge(3), check, muls(24), end)}, ""},
		"too much work":              {[][]byte{code([]byte{2, 0}, charge(3), check, muls(27), end)}, "work of 3 eighths"},
		"work in a loop":             {[][]byte{code(head, loop, charge(3), check, muls(21), []byte{0x0c, 0}, end, end)}, ""},
		"work charged outside":       {[][]byte{code(head, loop, charge(3), check, muls(27), []byte{0x0c, 0}, end, end)}, "work of 3 eighths"},
		"work behind a loop":         {[][]byte{code([]byte{2, 0}, charge(3), check, loop, charge(1), check, end, muls(24), end)}, ""},
		"both arms":                  {[][]byte{code([]byte{2, 0}, charge(4), check, []byte{0x41, 0, 0x04, 0x40}, muls(24), []byte{0x05}, muls(24), end, end)}, ""},
		"the second arm":             {[][]byte{code([]byte{2, 0}, charge(4), check, []byte{0x41, 0, 0x04, 0x40, 0x05}, muls(33), end, end)}, "work of 2 eighths"},
		"a charge in one arm":        {[][]byte{code([]byte{2, 0}, charge(1), check, []byte{0x41, 0, 0x04, 0x40}, charge(9), end, muls(9), end)}, "work of 2 eighths"},
		"a charge jumped over":       {[][]byte{code([]byte{2, 0}, charge(1), check, block, []byte{0x41, 0, 0x0d, 0}, charge(9), end, muls(9), end)}, "work of 2 eighths"},
		"locals":                     {[][]byte{code([]byte{2, 1, 40, i32}, charge(1), check, end)}, "work of 2 eighths"},
		"dead code is free":          {[][]byte{code([]byte{2, 0}, charge(1), check, []byte{0}, muls(90), end)}, ""},
		"a long way":                 {[][]byte{code(head, charge(32_768), []byte{1}, end)}, ""},
		"a longer way":               {[][]byte{code(head, charge(32_769), []byte{1}, end)}, "32769 units are charged without a check"},
		"a way with a check":         {[][]byte{code(head, charge(30_000), []byte{1}, check, charge(30_000), end)}, ""},
		"a way around a check":       {[][]byte{code(head, charge(30_000), []byte{0x41, 0, 0x04, 0x40}, check, end, charge(30_000), end)}, "without a check"},
		"a call":                     {[][]byte{entered(72, 0x10, 2)}, ""},
		"a tail":                     {[][]byte{entered(72, code([]byte{0x10, 2}, charge(256), []byte{1})...)}, ""},
		"a long tail":                {[][]byte{entered(72, code([]byte{0x10, 2}, charge(257), []byte{1})...)}, "257 units are charged behind a call"},
		"a small frame":              {[][]byte{entered(63, 0x10, 2)}, "the frame is counted as 63 bytes, it has at least 64"},
		"operands":                   {[][]byte{entered(72, 0x41, 0, 0x41, 0, 0x1a, 0x1a, 0x10, 2)}, "it has at least 80"},
		"no frame":                   {[][]byte{entered(0, 0x10, 2)}, "a frame of 0 bytes"},
		"a frame beyond measure":     {[][]byte{entered(1<<30+1, 0x10, 2)}, "a frame of"},
		"calls itself uncounted":     {[][]byte{code(head, []byte{0x10, 2}, end)}, "calls function 2, which calls others"},
		"calls a leaf uncounted":     {[][]byte{code(head, []byte{0x10, 3}, end), code(head, end)}, ""},
		"calls a caller uncounted":   {[][]byte{code(head, []byte{0x10, 3}, end), code(head, []byte{0x10, 4}, end), code(head, end)}, "calls function 3, which calls others"},
		"calls a counter uncounted":  {[][]byte{code(head, []byte{0x10, 3}, end), entered(72, 0x10, 3)}, "calls function 3, which calls others"},
		"calls a table uncounted":    {[][]byte{code(head, []byte{0x41, 0, 0x11, 2, 0}, end)}, "a call through a table"},
		"another prologue":           {[][]byte{code(head, []byte{0x23, 1, 0x1a}, end)}, "not counted in the agreed way"},
		"no block":                   {[][]byte{code(head, enter(72), leave(72), end)}, "not counted in the agreed way"},
		"another epilogue":           {[][]byte{code(head, enter(72), block, end, leave(80), end)}, "not taken off at the end"},
		"code behind the epilogue":   {[][]byte{code(head, enter(72), block, end, leave(72), []byte{1}, end)}, "not taken off at the end"},
		"no epilogue":                {[][]byte{code(head, enter(72), block, end, end)}, "not taken off at the end"},
		"return past the epilogue":   {[][]byte{entered(72, 0x0f)}, "a return, which leaves the frame counted"},
		"branch past the epilogue":   {[][]byte{entered(72, 0x0c, 1)}, "a branch out of the function"},
		"br_table past the epilogue": {[][]byte{entered(72, 0x41, 0, 0x0e, 1, 1, 0)}, "a branch out of the function"},
		"branch to the epilogue":     {[][]byte{entered(72, 0x0c, 0)}, ""},
		"branch to nowhere":          {[][]byte{code(head, []byte{0x0c, 1}, end)}, "a branch to label 1 of 1"},
		"else without if":            {[][]byte{code(head, block, []byte{0x05}, end, end)}, "else without if"},
		"no operands":                {[][]byte{code(head, []byte{0x1a}, end)}, "the stack is empty"},
		"no operands in a block":     {[][]byte{code(head, []byte{0x41, 0}, block, []byte{0x1a}, end, []byte{0x1a}, end)}, "the stack is empty"},
		"depth read":                 {[][]byte{code(head, []byte{1, 0x23, 1, 0x1a}, end)}, "the depth global is named"},
		"tick called":                {[][]byte{code(head, []byte{0x41, 0, 0x10, 0}, end)}, "a call of the meter"},
		"grow called":                {[][]byte{code(head, []byte{0x41, 0, 0x10, 1, 0x1a}, end)}, "a call of the meter"},
		"tick as a value":            {[][]byte{code([]byte{2, 0}, charge(90), check, []byte{0xd2, 0, 0x1a}, end)}, "is for the host"},
		"no such type":               {[][]byte{code(head, []byte{0x02, 9, 0x0b}, end)}, "type 9 of 4"},
		"no such type of a call":     {[][]byte{entered(72, 0x41, 0, 0x11, 9, 0)}, "type 9 of 4"},
		"no such function":           {[][]byte{entered(72, 0x10, 9)}, "function 9 of 3"},
		"no such global":             {[][]byte{code(head, []byte{0x23, 9, 0x1a}, end)}, "global 9 of 2"},
		"unknown instruction":        {[][]byte{code(head, []byte{0x06, 0x40, 0x0b}, end)}, "unknown instruction"},
		"unknown vector instruction": {[][]byte{code(head, []byte{0xfd, 0x9a, 1}, end)}, "unknown instruction"},
		"a padded number":            {[][]byte{code(head, []byte{0x23, 0x82, 0, 0x1a}, end)}, "longer than it must be"},
		"a padded code":              {[][]byte{code(head, []byte{0xfc, 0x80, 0}, end)}, "longer than it must be"},
		"too many locals":            {[][]byte{code([]byte{2, 1, 0x81, 0x80, 0x40, i32}, charge(1), check, end)}, "locals"},
		"cut off":                    {[][]byte{code(head, []byte{0x43, 0, 0, 0})}, "cut off"},
		"memory.grow":                {[][]byte{code(head, []byte{0x41, 0, 0x40, 0, 0x1a}, end)}, "without asking the host"},
		"table.grow":                 {[][]byte{code(head, []byte{0xd0, 0x70, 0x41, 0, 0xfc, 15, 0, 0x1a}, end)}, "without a charge by entries"},
		"fill of any length":         {[][]byte{code(three, threeLocals, []byte{0xfc, 11, 0}, end)}, "not charged by its length"},
		"fill of 3,000":              {[][]byte{code(three, []byte{0x41, 0, 0x41, 0, 0x41, 0xb8, 0x17, 0xfc, 11, 0}, end)}, ""},
		"fill of 6,000":              {[][]byte{code(three, []byte{0x41, 0, 0x41, 0, 0x41, 0xf0, 0x2e, 0xfc, 11, 0}, end)}, "work of"},
		"fill of 65,537":             {[][]byte{code(three, charge(30_000), []byte{0x41, 0, 0x41, 0, 0x41, 0x81, 0x80, 4, 0xfc, 11, 0}, end)}, "not charged by its length"},
		"fill by length":             {[][]byte{code(three, fill, end)}, "the fuel global is named"},
		"fill behind a comparison":   {[][]byte{code(three, above, []byte{0x04, 0x40, 0}, end, fill, end)}, ""},
		"fill behind a branch":       {[][]byte{code(three, loop, charge(9), check, above, []byte{0x0d, 0}, end, fill, end)}, ""},
		"fill in the wrong arm":      {[][]byte{code(three, above, []byte{0x04, 0x40}, fill, end, end)}, "the fuel global is named"},
		"fill with both arms":        {[][]byte{code(three, above, []byte{0x04, 0x40}, end, fill, end)}, "the fuel global is named"},
		"fill of a changed length":   {[][]byte{code(three, above, []byte{0x04, 0x40, 0}, end, []byte{0x20, 0, 0x21, 2}, fill, end)}, "the fuel global is named"},
		"fill of another length":     {[][]byte{code(three, other, []byte{0x04, 0x40, 0}, end, fill, end)}, "the fuel global is named"},
		"fill at the end of a way":   {[][]byte{code(three, charge(31_744), above, []byte{0x04, 0x40, 0}, end, fill, end)}, ""},
		"fill beyond the end":        {[][]byte{code(three, charge(31_745), above, []byte{0x04, 0x40, 0}, end, fill, end)}, "32769 units"},
		"operands of calls":          {[][]byte{calls(6), take}, ""},
		"operands of calls for less": {[][]byte{calls(5), take}, "work of 2 eighths"},
		"a tail behind one arm":      {[][]byte{entered(72, code([]byte{0x41, 0, 0x04, 0x40, 0x10, 2, 0x0b}, charge(257), []byte{1})...)}, "behind a call"},
		"growing":                    {[][]byte{asks(2, grow(1024), grow(4096))}, ""},
		"growing for less":           {[][]byte{asks(1, grow(1024), grow(4096))}, "work of 8 eighths"},
		"growing for nothing":        {[][]byte{asks(9, grow(1023))}, "a call of the meter"},
		"growing at any price":       {[][]byte{asks(9, grow(1<<17))}, "a call of the meter"},
		"fill in a loop":             {[][]byte{code(three, above, []byte{0x04, 0x40, 0}, end, loop, charge(1), check, fill, end, end)}, "the fuel global is named"},
		"fill for less":              {[][]byte{code(three, above, []byte{0x04, 0x40, 0}, end, slices.Replace(slices.Clone(fill), 6, 7, 7), end)}, "the fuel global is named"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(handmade(test.functions...))
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// What cannot be read is refused, whatever an engine would say.
func TestSections(t *testing.T) {
	file := func(parts ...[]byte) []byte {
		return append([]byte("\x00asm\x01\x00\x00\x00"), bytes.Join(parts, nil)...)
	}
	types := section(1, []byte{0x60, 1, i32, 0})
	for name, test := range map[string]struct {
		bin  []byte
		want string
	}{
		"type":               {file(section(1, []byte{0x5f, 0, 0})), "not a function type"},
		"type of a function": {file(types, section(3, []byte{1})), "type 1 of 1"},
		"import":             {file(types, section(2, []byte("\x01m\x01n\x04\x00"))), "import of kind 4"},
		"import of the host": {file(types, section(2, []byte("\x0cpintle/meter\x01n\x00\x00"))), "pintle/meter.n is imported"},
		"global of the host": {file(types, section(2, []byte("\x0cpintle/meter\x04tick\x03\x7e\x01"))), "is not a function"},
		"table":              {file(section(4, []byte{0x70, 3, 0, 0})), "limits of kind 3"},
		"memory":             {file(section(5, []byte{4, 0})), "limits of kind 4"},
		"vector constant":    {file(section(6, []byte{v128, 0, 0xfd, 13, 0x0b})), "vector instruction in a constant"},
		"constant":           {file(section(6, []byte{i32, 0, 0x20, 0, 0x0b})), "instruction 0x20 in a constant"},
		"two in a constant":  {file(section(6, []byte{i32, 0, 0x41, 0, 0x41, 0, 0x0b})), "does not end"},
		"elements":           {file(section(9, []byte{8})), "element segment of kind 8"},
		"data":               {file(section(11, []byte{3, 0})), "data segment of kind 3"},
		"count":              {file([]byte{1, 2, 5, 0x60}), "5 items announced"},
		"size":               {file([]byte{1, 9, 0}), "9 items announced"},
		"cut off":            {file([]byte{1, 2, 1, 0x60}), "cut off"},
		"constant cut off":   {file([]byte{6, 5, 1, i32, 0, 0x43, 0}), "cut off"},
		"order":              {file(section(3), section(1)), "out of order"},
		"twice":              {file(section(1), section(1)), "repeated"},
		"unknown":            {file(section(13)), "section is unknown"},
		"padded":             {file([]byte{1, 0x81, 0, 0}), "longer than it must be"},
	} {
		t.Run(name, func(t *testing.T) { assert.ErrorContains(t, Check(test.bin), test.want) })
	}
}

// Functions that read and write a v128 for the host pay nothing, and nothing but the host calls them.
func TestAccessors(t *testing.T) {
	vector := append(append([]byte{v128, 1, 0xfd, 12}, make([]byte, 16)...), 0x0b)
	reader := func(global, lane byte) []byte { return []byte{2, 0, 0x23, global, 0xfd, 0x1d, lane, 0x0b} }
	writer := []byte{2, 0, 0x20, 0, 0xfd, 0x12, 0x20, 1, 0xfd, 0x1e, 1, 0x24, 2, 0x0b}
	nothing := code([]byte{2, 0}, charge(9), check)
	for name, test := range map[string]struct {
		functions [][]byte
		want      string
	}{
		"all":             {[][]byte{reader(2, 0), reader(2, 1), writer}, ""},
		"no lower half":   {[][]byte{reader(2, 1), writer}, "has no accessors"},
		"no upper half":   {[][]byte{reader(2, 0), writer}, "has no accessors"},
		"no writer":       {[][]byte{reader(2, 0), reader(2, 1)}, "has no accessors"},
		"called":          {[][]byte{reader(2, 0), reader(2, 1), writer, code(nothing, []byte{0x10, 2, 0x0b})}, "code calls"},
		"of fuel":         {[][]byte{reader(0, 0), reader(2, 0), reader(2, 1), writer}, "does not begin with a charge"},
		"of a third half": {[][]byte{reader(2, 2), reader(2, 0), reader(2, 1), writer}, "does not begin with a charge"},
		"of no global":    {[][]byte{reader(9, 0)}, "does not begin with a charge"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(assembled([][]byte{vector}, nil, test.functions...))
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.want)
		})
	}
}

// Counters are the module's own: another module could change one that is imported.
func TestImportedCounter(t *testing.T) {
	bin := bytes.Join([][]byte{[]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{0x60, 1, i32, 0}, []byte{0x60, 1, i32, 1, i32}),
		section(2, []byte("\x0cpintle/meter\x04tick\x00\x00"), []byte("\x0cpintle/meter\x04grow\x00\x01"), []byte("\x01m\x01n\x03\x7e\x01")),
		section(6, []byte{i32, 1, 0x41, 0, 0x0b}),
		section(7, []byte("\x0c$pintle.fuel\x03\x00"), []byte("\x0d$pintle.depth\x03\x01")),
	}, nil)
	assert.ErrorContains(t, Check(bin), "is no counter")
}
