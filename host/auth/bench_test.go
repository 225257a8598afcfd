package auth_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// measure runs work beside a floor in the same run; the metric x-floor is the ratio. Both are of size
// bytes.
func measure(b *testing.B, size int, work, floor func()) {
	b.Helper()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	var floors time.Duration
	for b.Loop() {
		work()
		b.StopTimer()
		start := time.Now()
		floor()
		floors += time.Since(start)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(floors), "x-floor")
}

var scales = []int{1, 10}

// 25 KB of text, and 250, with a secret in every 4 KB, as it is or in what the text is written in, and a hundred
// secrets that are not there. The floor is a strings.Replacer, which finds what is written as it is.
func BenchmarkRedactorText(b *testing.B) {
	const secret = `sk-live-"0123456789"/abcdef`
	var r auth.Redactor
	known := []string{secret, auth.Redacted}
	r.Add(auth.NewSecret(secret))
	for i := range 100 {
		other := fmt.Sprintf("eyJhbGciOiJIUzI1NiJ9.%s.sig-%d", strings.Repeat("eyJzdWIiOiIxMjM0NTY3ODkwIn0", 4), i)
		r.Add(auth.NewSecret(other))
		known = append(known, other, auth.Redacted)
	}
	floor := strings.NewReplacer(known...)
	quote := func(text string) string {
		quoted, err := json.Marshal(text)
		require.NoError(b, err)
		return string(quoted)
	}
	words := strings.Repeat(`the provider has refused the request: {"code":401,"detail":"authentication"} `, 52)
	for name, block := range map[string]string{
		"plain":   words + secret,
		"escaped": quote(quote(words)) + "?q=" + strings.Repeat("%7B%22a%22%3A1%7D", 50) + quote(secret),
		"base64":  base64.StdEncoding.EncodeToString([]byte(words+secret)) + " ",
	} {
		for _, scale := range scales {
			text := strings.Repeat(block, scale*(25<<10)/len(block))
			b.Run(fmt.Sprintf("%dx/%s", scale, name), func(b *testing.B) {
				measure(b, len(text), func() {
					if out := r.Text(text); strings.Count(out, auth.Redacted) != strings.Count(text, block) {
						b.Fatal("not all is redacted")
					}
				}, func() { _ = floor.Replace(text) })
			})
		}
	}
}

// A credential of many texts becomes known, and is looked for once. The floor is to check that it is JSON.
func BenchmarkRedactorAddCredential(b *testing.B) {
	for _, scale := range scales {
		var metadata []string
		for i := range 800 * scale {
			metadata = append(metadata, fmt.Sprintf(`"name-%d":"value-%d"`, i, i))
		}
		c := auth.APIKey(auth.NewSecret("sk-12345678"), json.RawMessage("{"+strings.Join(metadata, ",")+"}"))
		data := c.Reveal()
		b.Run(fmt.Sprintf("%dx", scale), func(b *testing.B) {
			measure(b, len(data), func() {
				var r auth.Redactor
				r.AddCredential(c)
				if r.Text("sk-12345678") != auth.Redacted {
					b.Fatal("not redacted")
				}
			}, func() { _ = jsonspan.Valid(data) })
		})
	}
}

// Many options of a loader over as many of a template. The floor is to check that both are JSON.
func BenchmarkFactoryOptions(b *testing.B) {
	for _, scale := range scales {
		object := func(name string) json.RawMessage {
			var members []string
			for i := range 800 * scale {
				members = append(members, fmt.Sprintf(`"%s-%d":"value"`, name, i))
			}
			return json.RawMessage("{" + strings.Join(members, ",") + "}")
		}
		template, more := object("template"), object("loaded")
		loaded, err := auth.ParseOptions(more)
		require.NoError(b, err)
		b.Run(fmt.Sprintf("%dx", scale), func(b *testing.B) {
			measure(b, len(template)+len(more), func() {
				if got, err := auth.FactoryOptions(template, auth.NewSecret("k"), loaded); err != nil || len(got) != 1600*scale {
					b.Fatal(len(got), err)
				}
			}, func() { _ = jsonspan.Valid(template) && jsonspan.Valid(more) })
		})
	}
}
