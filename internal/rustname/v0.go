package rustname

import (
	"strconv"
	"strings"
)

// The bounds of reading a symbol of the newer kind. References back into the symbol make it a graph, so the
// steps are counted as well as the depth.
const (
	maxDepth = 100
	maxSteps = 4096
	maxPath  = 1 << 10 // what hosts show
)

// v0 reads a symbol of Rust's RFC 2603, behind its _R.
func v0(s string) (string, bool) {
	s, _, _ = strings.Cut(s, ".") // what LLVM put behind it
	r := &v0Reader{s: s}
	r.path()
	// A crate may follow, that of the instance.
	if !r.failed && r.i < len(s) {
		r.silent++
		r.path()
	}
	if r.failed || r.i < len(s) || r.out.Len() == 0 {
		return "", false
	}
	return r.out.String(), true
}

// A v0Reader reads a symbol and writes the path. After a fault it reads nothing more.
type v0Reader struct {
	s      string
	i      int
	out    strings.Builder
	silent int // above 0: what is read is not written
	depth  int
	steps  int
	failed bool
}

func (r *v0Reader) fail() { r.failed = true }

func (r *v0Reader) peek() byte {
	if r.failed || r.i >= len(r.s) {
		return 0
	}
	return r.s[r.i]
}

func (r *v0Reader) next() byte {
	b := r.peek()
	if b == 0 {
		r.fail()
		return 0
	}
	r.i++
	return b
}

func (r *v0Reader) has(b byte) bool {
	if b != r.peek() {
		return false
	}
	r.i++
	return true
}

func (r *v0Reader) write(s string) {
	if r.silent > 0 || r.failed {
		return
	}
	if r.out.Len()+len(s) > maxPath {
		r.fail()
		return
	}
	r.out.WriteString(s)
}

// inside reads a part one level deeper.
func (r *v0Reader) inside(part func()) {
	r.depth++
	r.steps++
	if r.depth > maxDepth || r.steps > maxSteps {
		r.fail()
	}
	if !r.failed {
		part()
	}
	r.depth--
}

// silently reads a part that is not written.
func (r *v0Reader) silently(part func()) {
	r.silent++
	r.inside(part)
	r.silent--
}

// back reads a part again that stands further in front.
func (r *v0Reader) back(part func()) {
	at := r.base62()
	if at >= uint64(r.i) {
		r.fail()
		return
	}
	here := r.i
	r.i = int(at)
	r.inside(part)
	r.i = here
}

// base62 reads a number that ends with an underscore; that alone is 0.
func (r *v0Reader) base62() uint64 {
	if r.has('_') {
		return 0
	}
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	n := uint64(0)
	for range 12 { // more would not fit 64 bits
		b := r.next()
		if b == '_' {
			return n + 1
		}
		d := strings.IndexByte(digits, b)
		if d < 0 {
			break
		}
		n = n*62 + uint64(d)
	}
	r.fail()
	return 0
}

// disambiguator reads what tells things of one name apart: s and a number.
func (r *v0Reader) disambiguator() uint64 {
	if r.has('s') {
		return r.base62() + 1
	}
	return 0
}

func (r *v0Reader) identifier() string {
	punycode := r.has('u')
	from := r.i
	if !r.has('0') { // a number does not begin with 0
		for b := r.peek(); b >= '0' && b <= '9'; b = r.peek() {
			r.i++
		}
	}
	n, err := strconv.Atoi(r.s[from:r.i])
	r.has('_')
	if err != nil || r.failed || n > len(r.s)-r.i {
		r.fail()
		return ""
	}
	name := r.s[r.i : r.i+n]
	r.i += n
	if punycode {
		return "{" + name + "}" // the letters that are not ASCII stand behind the others
	}
	return name
}

func (r *v0Reader) path() {
	r.inside(func() {
		switch r.next() {
		case 'C':
			r.disambiguator()
			r.write(r.identifier())
		case 'N':
			r.nested(r.next())
		case 'M': // of an implementation
			r.disambiguator()
			r.silently(r.path)
			r.write("<")
			r.kind()
			r.write(">")
		case 'X':
			r.disambiguator()
			r.silently(r.path)
			r.implemented()
		case 'Y':
			r.implemented()
		case 'I':
			r.path()
			r.arguments()
		case 'B':
			r.back(r.path)
		default:
			r.fail()
		}
	})
}

func (r *v0Reader) implemented() {
	r.write("<")
	r.kind()
	r.write(" as ")
	r.path()
	r.write(">")
}

// nested reads a path inside another one. Upper-case namespaces are those of things without a name of their own.
func (r *v0Reader) nested(namespace byte) {
	r.path()
	number := r.disambiguator()
	name := r.identifier()
	if namespace < 'A' || namespace > 'Z' {
		if name != "" {
			r.write("::" + name)
		}
		return
	}
	what := map[byte]string{'C': "closure", 'S': "shim"}[namespace]
	if what == "" {
		what = string(namespace)
	}
	if name != "" {
		what += ":" + name
	}
	r.write("::{" + what + "#" + strconv.FormatUint(number, 10) + "}")
}

// arguments skips generic arguments, up to an E.
func (r *v0Reader) arguments() {
	for !r.failed && !r.has('E') {
		switch {
		case r.has('L'):
			r.base62()
		case r.has('K'):
			r.silently(r.constant)
		default:
			r.silently(r.kind)
		}
	}
}

// constant reads a constant, which is only seen in what is not written.
func (r *v0Reader) constant() {
	switch {
	case r.has('p'):
	case r.has('B'):
		r.back(r.constant)
	default:
		r.inside(r.kind)
		r.has('n')
		for b := r.next(); b != '_' && !r.failed; b = r.next() {
			if !strings.ContainsRune("0123456789abcdef", rune(b)) {
				r.fail()
			}
		}
	}
}
