package auth

import (
	"encoding/base64"
	"math"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

const (
	// unknownLife is how long a token is taken to be good for that does not say.
	unknownLife = time.Hour
	// forever is how long a credential is presented as valid that cannot be refreshed.
	forever = 3650 * 24 * time.Hour
)

// TokenExpiry is when a token ends, in milliseconds of the Unix epoch: the exp claim of a JSON web
// token (RFC 7519, in seconds, fractions included), be it past or 0, and one hour from now for any
// other text. The token is not verified.
func TokenExpiry(token Secret, now time.Time) float64 {
	if exp, ok := expClaim(token.Reveal()); ok {
		return exp
	}
	return millis(now.Add(unknownLife))
}

func millis(t time.Time) float64 { return float64(t.UnixMilli()) }

// expClaim is the exp claim of a token in milliseconds.
func expClaim(token string) (ms float64, ok bool) {
	_, rest, ok := strings.Cut(token, ".")
	if !ok {
		return 0, false
	}
	segment, _, _ := strings.Cut(rest, ".")
	var exp []byte
	object := jsonspan.Members(wtf8.Repair(decode(segment)), func(key, value []byte) {
		if name, _ := wtf8.Unquote(key); name == "exp" {
			exp = value // the last one counts
		}
	})
	seconds, number := jsonvalue.NumberOf(exp)
	ms = seconds * 1000
	return ms, object && number && !math.IsInf(ms, 0)
}

// decode reads base64 in either alphabet as JavaScript hosts do: padding ends it, and what is in
// neither alphabet is passed over.
func decode(segment string) []byte {
	segment, _, _ = strings.Cut(segment, "=")
	digits := make([]byte, 0, len(segment))
	for i := range len(segment) {
		switch c := segment[i]; {
		case c == '+':
			digits = append(digits, '-')
		case c == '/':
			digits = append(digits, '_')
		case c == '-', c == '_', '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			digits = append(digits, c)
		}
	}
	if len(digits)%4 == 1 {
		digits = digits[:len(digits)-1] // six bits are no byte
	}
	out, err := base64.RawURLEncoding.DecodeString(string(digits))
	if err != nil {
		return nil
	}
	return out
}
