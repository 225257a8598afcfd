package quickjs

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// maxNesting is how deep a request may nest, as in every message.
const maxNesting = 32

// payloadKey is the key of a request whose value crosses beside the JSON.
const payloadKey = "payload"

// appendRequest writes a request, one map of CBOR, as the JSON that a program gets, in one pass. A payload
// at its top, a byte string, is left out and returned; nil if there is none. Keys keep their order; those
// that are numbers become texts. Numbers that JSON does not have become null.
func appendRequest(dst, message []byte) (json, payload []byte, err error) {
	r := requestReader{in: message, out: dst}
	if err := r.top(); err != nil {
		return dst, nil, &Fault{BadRequest, fmt.Sprintf("the request is no message of the ABI: %v (at byte %d)", err, r.at)}
	}
	return r.out, r.payload, nil
}

type requestReader struct {
	in      []byte
	at      int
	out     []byte
	payload []byte
}

// Major types of CBOR (RFC 8949 section 3.1).
const (
	majorUnsigned = iota
	majorNegative
	majorBytes
	majorText
	majorList
	majorMap
	majorTag
	majorSimple
)

var (
	errCutOff  = errors.New("it is cut off")
	errNoText  = errors.New("a text is not UTF-8")
	errNoValue = errors.New("it has an item that messages do not have")
)

func (r *requestReader) top() error {
	major, _, n, err := r.head()
	if err != nil {
		return err
	}
	if major != majorMap {
		return errors.New("it is not a map")
	}
	r.out = append(r.out, '{')
	first := len(r.out)
	for ; n > 0; n-- {
		start := len(r.out)
		if start > first {
			r.out = append(r.out, ',')
		}
		key, err := r.key()
		if err != nil {
			return err
		}
		if string(key) == payloadKey && r.at < len(r.in) && r.in[r.at]>>5 == majorBytes {
			_, _, n, err := r.head()
			if err != nil {
				return err
			}
			if r.payload, err = r.take(n); err != nil {
				return err
			}
			if r.payload == nil {
				r.payload = []byte{}
			}
			r.out = r.out[:start]
			continue
		}
		if err := r.item(1); err != nil {
			return err
		}
	}
	r.out = append(r.out, '}')
	if r.at < len(r.in) {
		return errors.New("something follows the map")
	}
	return nil
}

func (r *requestReader) head() (major, info byte, n uint64, err error) {
	if r.at >= len(r.in) {
		return 0, 0, 0, errCutOff
	}
	b := r.in[r.at]
	major, info = b>>5, b&31
	r.at++
	if info < 24 {
		return major, info, uint64(info), nil
	}
	if info > 27 {
		return 0, 0, 0, errNoValue
	}
	wide, err := r.take(1 << (info - 24))
	if err != nil {
		return 0, 0, 0, err
	}
	for _, b := range wide {
		n = n<<8 | uint64(b)
	}
	return major, info, n, nil
}

func (r *requestReader) take(n uint64) ([]byte, error) {
	if n > uint64(len(r.in)-r.at) {
		return nil, errCutOff
	}
	b := r.in[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return b, nil
}

func (r *requestReader) text(n uint64) ([]byte, error) {
	b, err := r.take(n)
	if err == nil && !utf8.Valid(b) {
		err = errNoText
	}
	return b, err
}

// key reads a key and writes it with its colon.
func (r *requestReader) key() ([]byte, error) {
	major, _, n, err := r.head()
	if err != nil {
		return nil, err
	}
	switch major {
	case majorText:
		text, err := r.text(n)
		r.out = append(appendText(r.out, text), ':')
		return text, err
	case majorUnsigned:
		r.out = append(strconv.AppendUint(append(r.out, '"'), n, 10), '"', ':')
		return nil, nil
	}
	return nil, errors.New("a key is neither a text nor an unsigned number")
}

func (r *requestReader) item(depth int) error {
	major, info, n, err := r.head()
	if err != nil {
		return err
	}
	switch major {
	case majorUnsigned:
		r.out = strconv.AppendUint(r.out, n, 10)
	case majorNegative:
		r.out = appendNegative(r.out, n)
	case majorText:
		text, err := r.text(n)
		if err != nil {
			return err
		}
		r.out = appendText(r.out, text)
	case majorList, majorMap:
		if depth == maxNesting {
			return fmt.Errorf("more than %d lists and maps are nested", maxNesting)
		}
		return r.container(major, n, depth+1)
	case majorSimple:
		return r.simple(info, n)
	default:
		return errNoValue
	}
	return nil
}

func (r *requestReader) container(major byte, n uint64, depth int) error {
	open, end := byte('['), byte(']')
	if major == majorMap {
		open, end = '{', '}'
	}
	r.out = append(r.out, open)
	for i := range n {
		if i > 0 {
			r.out = append(r.out, ',')
		}
		if major == majorMap {
			if _, err := r.key(); err != nil {
				return err
			}
		}
		if err := r.item(depth); err != nil {
			return err
		}
	}
	r.out = append(r.out, end)
	return nil
}

func (r *requestReader) simple(info byte, n uint64) error {
	switch info {
	case 20:
		r.out = append(r.out, "false"...)
	case 21:
		r.out = append(r.out, "true"...)
	case 22:
		r.out = append(r.out, "null"...)
	case 25:
		r.number(half(uint16(n)))
	case 26:
		r.number(float64(math.Float32frombits(uint32(n))))
	case 27:
		r.number(math.Float64frombits(n))
	default:
		return errNoValue
	}
	return nil
}

func (r *requestReader) number(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		r.out = append(r.out, "null"...)
		return
	}
	r.out = strconv.AppendFloat(r.out, f, 'g', -1, 64)
}

// appendNegative writes -1-n.
func appendNegative(dst []byte, n uint64) []byte {
	if n == math.MaxUint64 {
		return append(dst, "-18446744073709551616"...)
	}
	return strconv.AppendUint(append(dst, '-'), n+1, 10)
}

// half returns the value of a float of 16 bits.
func half(bits uint16) float64 {
	exponent, mantissa := int(bits>>10&31), float64(bits&0x3ff)
	var f float64
	switch exponent {
	case 0:
		f = math.Ldexp(mantissa, -24)
	case 31:
		if f = math.Inf(1); mantissa != 0 {
			f = math.NaN()
		}
	default:
		f = math.Ldexp(mantissa+1024, exponent-25)
	}
	if bits>>15 != 0 {
		f = math.Copysign(f, -1)
	}
	return f
}
