package stream_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/stream"
)

func TestSignature(t *testing.T) {
	many := func(n int) string {
		var keys []string
		for i := range n {
			keys = append(keys, fmt.Sprintf(`"k%d":%d`, i, i))
		}
		return `{"p":{` + strings.Join(keys, ",") + `}}`
	}
	for _, c := range []struct {
		maps []string
		want string
	}{
		{nil, ``},
		{[]string{`{}`, `null`, `{ }`}, ``}, {[]string{`{ }`}, ``},
		{[]string{`{"p":{}}`}, `{"p":{}}`},
		{[]string{`{ "p" : { "a" : 1.50 } }`}, `{ "p" : { "a" : 1.50 } }`},
		{[]string{`{"p":{"a":1}}`, `{"p":{"a":1}}`, `{}`}, `{"p":{"a":1}}`},
		{[]string{`{"p":{"a":1,"b":2}}`, `{"q":{"c":3}}`, `{"p":{"a":{"x":1}}}`, `{"p":{"a":{"y":2}}}`},
			`{"p":{"a":{"y":2},"b":2},"q":{"c":3}}`},
		{[]string{`{"p":{"a":1}}`, `{"p":{"a":null}}`}, `{"p":{"a":null}}`},
		{[]string{`{"p":{"a":1}}`, `{"p":{}}`}, `{"p":{"a":1}}`},
		// What is no object is as if it were not there.
		{[]string{`{"p":null}`}, ``}, {[]string{`[1]`, `7`, `"x"`, `true`}, ``},
		{[]string{`{"p":{"a":1},"q":3}`}, `{"p":{"a":1}}`},
		{[]string{`{"p":{"a":1}}`, `{"p":[2]}`, `[{"p":{}}]`}, `{"p":{"a":1}}`},
		// The last one of a key counts.
		{[]string{`{"p":{"a":1},"p":{"b":2}}`, `{"q":{}}`}, `{"p":{"b":2},"q":{}}`},
		{[]string{`{"p":{"a":1,"a":2}}`, `{"q":{}}`}, `{"p":{"a":2},"q":{}}`},
		{[]string{`{"p":{"a":1}}`, `{"\u0070":{"\u0061":2}}`}, `{"p":{"a":2}}`},
		{[]string{`{"p":{"\ud83d":1}}`, `{"p":{"\ud83d":2}}`}, `{"p":{"\ud83d":2}}`},
		{[]string{`{"p":{}}`, many(40), `{"p":{"k39":"x","k0":"y"}}`},
			strings.NewReplacer(`"k39":39`, `"k39":"x"`, `"k0":0`, `"k0":"y"`).Replace(many(40))},
	} {
		var parts []string
		for _, m := range c.maps {
			parts = append(parts, `{"type":"text-delta","id":"1","delta":"x","providerMetadata":`+m+`}`)
		}
		parts = append(parts, `{"type":"text-delta","id":"1","delta":"x"}`, finishStop)
		cfg := configFor(t, "pi")
		r := translate(t, cfg, parts...)
		assert.Equal(t, c.want, r.final.Content[0].Signature(), c.maps)
		block := string(r.final.Content[0].AppendJSON(nil))
		var fields struct{ TextSignature *string }
		require.NoError(t, json.Unmarshal([]byte(block), &fields))
		assert.Equal(t, c.want != "", fields.TextSignature != nil)

		cfg.Reference = true
		assert.Empty(t, translate(t, cfg, parts...).final.Content[0].Signature())
	}
}

// Every part of a block may have some, also the last one, and a snapshot has what had come by then.
func TestSignatureGrows(t *testing.T) {
	r := translate(t, configFor(t, "pi", "ls"),
		`{"type":"reasoning-start","id":"1","providerMetadata":{"p":{"a":1}}}`,
		`{"type":"reasoning-delta","id":"1","delta":"","providerMetadata":{"p":{"b":2}}}`,
		`{"type":"reasoning-end","id":"1","providerMetadata":{"p":{"c":3}}}`,
		`{"type":"reasoning-end","id":"2","providerMetadata":{"p":{"d":4}}}`, // of no block
		`{"type":"tool-input-end","id":"2","providerMetadata":{"p":{"d":4}}}`,
		`{"type":"tool-input-delta","id":"t","delta":"","providerMetadata":{"p":{"e":5}}}`,
		`{"type":"tool-input-end","id":"t","providerMetadata":{"p":{"f":6}}}`,
		call("t", "ls", `{}`), finishTools)
	var got []string
	for _, m := range r.snapshots {
		line := ""
		for _, b := range m.Content {
			line += b.Signature()
		}
		got = append(got, line)
	}
	abc := `{"p":{"a":1,"b":2,"c":3}}`
	assert.Equal(t, []string{
		``, `{"p":{"a":1}}`, `{"p":{"a":1,"b":2}}`, abc, abc /* start of the call */, abc + `{"p":{"e":5}}`,
		abc + `{"p":{"e":5,"f":6}}`, abc + `{"p":{"e":5,"f":6}}`,
	}, got)
}

// What several blocks say alike they may share, but not what only one of them says.
func TestSameMetadataOfManyBlocks(t *testing.T) {
	same := func(id string) string {
		return `{"type":"text-start","id":"` + id + `","providerMetadata":{"p":{"a":1}}}`
	}
	r := translate(t, configFor(t, "pi"), same("1"), same("2"),
		`{"type":"text-end","id":"1","providerMetadata":{"p":{"b":2}}}`, same("3"),
		`{"type":"text-end","id":"3","providerMetadata":{"p":{"c":3}}}`, same("4"), finishStop)
	var got []string
	for _, b := range r.final.Content {
		got = append(got, b.Signature())
	}
	assert.Equal(t, []string{`{"p":{"a":1,"b":2}}`, `{"p":{"a":1}}`, `{"p":{"a":1,"c":3}}`, `{"p":{"a":1}}`}, got)
}

func TestRedacted(t *testing.T) {
	for _, c := range []struct {
		metadata, text string
		want           bool
	}{
		{`{"anthropic":{"redactedData":"AAAA"}}`, "", true},
		{`{"a":{},"b":{"x":1,"redactedData":"A"}}`, "", true},
		{`{"anthropic":{"redactedData":"AAAA"}}`, "shown", false},
		{`{"anthropic":{"redactedData":""}}`, "", false}, {`{"anthropic":{"redactedData":null}}`, "", false},
		{`{"anthropic":{"redactedData":1}}`, "", false}, {`{"redactedData":"A"}`, "", false}, {`{"anthropic":{}}`, "", false},
	} {
		parts := []string{
			`{"type":"reasoning-start","id":"1","providerMetadata":` + c.metadata + `}`,
			`{"type":"reasoning-delta","id":"1","delta":"` + c.text + `"}`, `{"type":"reasoning-end","id":"1"}`,
			`{"type":"text-start","id":"1","providerMetadata":` + c.metadata + `}`, finishStop,
		}
		for _, host := range []string{"pi", "omp"} {
			cfg := configFor(t, host)
			r := translate(t, cfg, parts...)
			want := c.want && host == "pi"
			assert.Equal(t, want, r.final.Content[0].Redacted(), "%s %s", host, c.metadata)
			assert.Equal(t, want, strings.Contains(content(r.final), `,"redacted":true}`))
			assert.False(t, r.final.Content[1].Redacted(), "a text hides nothing")
			cfg.Reference = true
			assert.False(t, translate(t, cfg, parts...).final.Content[0].Redacted())
		}
	}
}

// A block whose every delta brings something new costs no more than what it brings, until it is read.
func TestMetadataOfManyDeltas(t *testing.T) {
	const n = 20_000
	parts := make([]stream.Part, 0, n+1)
	for i := range n {
		parts = append(parts, stream.Part{Type: stream.PartTextDelta, ID: "1", Metadata: fmt.Appendf(nil, `{"p":{"%d":%d}}`, i, i)})
	}
	parts = append(parts, parse(t, finishStop)...)
	cfg := configFor(t, "pi")
	var final *stream.Message
	allocated := testing.AllocsPerRun(1, func() {
		for e := range stream.Translate(t.Context(), cfg, valuesOf(parts)) {
			final = e.Message
		}
	})
	assert.Less(t, allocated, n/10.0)
	signature := final.Content[0].Signature()
	assert.True(t, json.Valid([]byte(signature)))
	assert.Equal(t, n, strings.Count(signature, ":")-1)
}
