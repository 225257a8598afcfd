package auth

import (
	"encoding/base64"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var now = time.UnixMilli(1_700_000_000_000)

const inAnHour = 1_700_003_600_000

func token(claims string) Secret {
	return NewSecret("h." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".s")
}

func TestTokenExpiry(t *testing.T) {
	for claims, want := range map[string]float64{
		`{"exp":1800000000}`:             1_800_000_000_000,
		`{"exp":1800000000.5}`:           1_800_000_000_500,
		`{"exp":1.8e9}`:                  1_800_000_000_000,
		`{"exp":0}`:                      0,
		`{"exp":-5}`:                     -5000,
		` {"a":{"exp":1},"exp":2} `:      2000,
		`{"exp":1,"exp":2}`:              2000,
		`{"\u0065xp":3}`:                 3000,
		`{"exp":1800000001,"n":"ſmluš"}`: 1_800_000_001_000,
		"{\"exp\":7,\"n\":\"\xff\"}":     7000,
		`{"exp":"1800000000"}`:           inAnHour,
		`{"exp":null}`:                   inAnHour,
		`{"exp":true}`:                   inAnHour,
		`{"exp":1e999}`:                  inAnHour, // not a finite number
		`{"exp":1e308}`:                  inAnHour, // nor is that in milliseconds
		`{"Exp":1}`:                      inAnHour,
		`{"a":{"exp":1}}`:                inAnHour,
		`{}`:                             inAnHour,
		`[1]`:                            inAnHour,
		`null`:                           inAnHour,
		`"exp"`:                          inAnHour,
		`{"exp":1`:                       inAnHour,
		"\uFEFF" + `{"exp":1}`:           inAnHour,
		``:                               inAnHour,
	} {
		assert.Equal(t, want, TokenExpiry(token(claims), now), claims)
	}
	for text, want := range map[string]float64{
		"":                                inAnHour,
		"sk-123":                          inAnHour,
		".":                               inAnHour,
		"a..b":                            inAnHour,
		"h.eyJleHAiOjF9":                  1000, // the signature does not matter
		"h.eyJleHAiOjF9.a.b.c":            1000,
		".eyJleHAiOjF9.":                  1000,
		"h.eyJleHAiOjF9==.s":              1000,
		"h.eyJleHAiOjF9=AAAA.s":           1000, // padding is the end
		"h.eyJle HAi\nOjF9.s":             1000, // what is no digit is passed over
		"h.eyJleHAiOjF9A.s":               1000, // and six bits are no byte
		"h.eyJleHAiOjEsImEiOiI-Pz8_In0.s": 1000,
		"h.eyJleHAiOjEsImEiOiI+Pz8/In0.s": 1000, // the other alphabet
	} {
		assert.Equal(t, want, TokenExpiry(NewSecret(text), now), text)
	}
	assert.EqualValues(t, inAnHour, TokenExpiry(Secret{}, now))
}

func FuzzTokenExpiry(f *testing.F) {
	for _, seed := range []string{"h.eyJleHAiOjE4MDAwMDAwMDB9.s", "h.eyJleHAiOjF9", "a..b", "h.=.s", "h.e30.s", "h.W10.s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := TokenExpiry(NewSecret(text), now)
		assert.False(t, math.IsNaN(got) || math.IsInf(got, 0))
		if strings.Count(text, ".") == 0 {
			assert.EqualValues(t, inAnHour, got)
		}
		// Only the second segment counts.
		if head, rest, ok := strings.Cut(text, "."); ok {
			segment, _, _ := strings.Cut(rest, ".")
			assert.Equal(t, got, TokenExpiry(NewSecret("other"+strings.ReplaceAll(head, ".", "")+"."+segment+".more"), now))
		}
	})
}
