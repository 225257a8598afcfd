package rustname

// basic are the types with a letter of their own.
var basic = map[byte]string{
	'a': "i8", 'b': "bool", 'c': "char", 'd': "f64", 'e': "str", 'f': "f32", 'h': "u8", 'i': "isize", 'j': "usize",
	'l': "i32", 'm': "u32", 'n': "i128", 'o': "u128", 'p': "_", 's': "i16", 't': "u16", 'u': "()", 'v': "...",
	'x': "i64", 'y': "u64", 'z': "!",
}

// kind reads a type.
func (r *v0Reader) kind() {
	r.inside(func() {
		b := r.peek()
		if name, ok := basic[b]; ok {
			r.i++
			r.write(name)
			return
		}
		switch b {
		case 'C', 'M', 'X', 'Y', 'N', 'I':
			r.path()
			return
		}
		switch r.next() {
		case 'B':
			r.back(r.kind)
		case 'A':
			r.write("[")
			r.kind()
			r.write("; _]")
			r.silently(r.constant)
		case 'S':
			r.write("[")
			r.kind()
			r.write("]")
		case 'T':
			r.tuple()
		case 'R':
			r.reference("&")
		case 'Q':
			r.reference("&mut ")
		case 'P':
			r.write("*const ")
			r.kind()
		case 'O':
			r.write("*mut ")
			r.kind()
		case 'F':
			r.write("fn")
			r.silently(r.signature)
		case 'D':
			r.dynamic()
		default:
			r.fail()
		}
	})
}

func (r *v0Reader) tuple() {
	r.write("(")
	for first := true; !r.failed && !r.has('E'); first = false {
		if !first {
			r.write(", ")
		}
		r.kind()
	}
	r.write(")")
}

func (r *v0Reader) reference(sign string) {
	if r.has('L') {
		r.base62()
	}
	r.write(sign)
	r.kind()
}

// signature skips that of a function.
func (r *v0Reader) signature() {
	r.binder()
	r.has('U')
	if r.has('K') && !r.has('C') {
		r.identifier()
	}
	for !r.failed && !r.has('E') {
		r.kind()
	}
	r.kind()
}

func (r *v0Reader) binder() {
	if r.has('G') {
		r.base62()
	}
}

// dynamic reads the traits of an object, without the types that they are bound to, and its lifetime.
func (r *v0Reader) dynamic() {
	r.write("dyn ")
	r.binder()
	for first := true; !r.failed && !r.has('E'); first = false {
		if !first {
			r.write(" + ")
		}
		r.path()
		for r.has('p') {
			r.identifier()
			r.silently(r.kind)
		}
	}
	if !r.has('L') {
		r.fail()
		return
	}
	r.base62()
}
