package model_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
)

func host(t testing.TB, name string) *profile.Profile {
	t.Helper()
	p, err := profile.Named(name)
	require.NoError(t, err)
	return p
}

func TestRows(t *testing.T) {
	const (
		head = `{"id":"m","name":"m","reasoning":false,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":`
		text = head + `128000,"maxTokens":8192}`
	)
	for entry, want := range map[string]string{
		`{}`: text, ``: text, `[]`: text, `{"name":null,"reasoning":null,"limit":null,"cost":null,"modalities":null,"attachment":null}`: text,
		// The last of two members counts, however its key is written; broken JSON says nothing.
		`{"limit":{"context":1},"l\u0069mit":{"context":7,"c\u006fntext":9,"output":2,"output":3}}`: head + `9,"maxTokens":3}`,
		`{"limit":{"context":1},}`: text,
		// Types that are wrong.
		`{"name":7,"reasoning":"true","limit":[1],"cost":"1","modalities":{"input":"image"},"attachment":1}`: text,
		`{"limit":{"context":"1","output":true},"cost":{"input":"1","output":null}}`:                         text,
		// Limits.
		`{"limit":{"context":8191}}`:                                 head + `8191,"maxTokens":8191}`,
		`{"limit":{"context":8193}}`:                                 head + `8193,"maxTokens":8192}`,
		`{"limit":{"context":null,"output":0}}`:                      head + `128000,"maxTokens":0}`,
		`{"limit":{"context":1e6,"output":64000.0}}`:                 head + `1000000,"maxTokens":64000}`,
		`{"limit":{"context":1.9,"output":-1.9}}`:                    head + `1,"maxTokens":-1}`,
		`{"limit":{"context":1e300,"output":-1e300}}`:                head + `9007199254740991,"maxTokens":-9007199254740991}`,
		`{"limit":{"context":1e999,"output":-1e999}}`:                text,
		`{"limit":{"context":9007199254740992,"output":4294967296}}`: head + `9007199254740991,"maxTokens":4294967296}`,
		// Rates.
		`{"cost":{"input":1.5e1,"output":1e-7,"cache_read":-0.1,"cache_write":-1e999,"cacheRead":5}}`: `{"id":"m","name":"m","reasoning":false,"input":["text"],"cost":{"input":15,"output":1e-7,"cacheRead":-0.1,"cacheWrite":0},"contextWindow":128000,"maxTokens":8192}`,
		// Names keep halves of surrogate pairs, and nothing is escaped for HTML.
		`{"name":"<\ud83e & \u00e9>"}`: `{"id":"m","name":"<\ud83e & é>","reasoning":false,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":128000,"maxTokens":8192}`,
		// Input, as declared, in its order.
		`{"modalities":{"input":["pdf","image",1,null,"text"]}}`:          `{"id":"m","name":"m","reasoning":false,"input":["image","text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":128000,"maxTokens":8192}`,
		`{"modalities":{"input":[],"output":["text"]},"attachment":true}`: `{"id":"m","name":"m","reasoning":false,"input":["text","image"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":128000,"maxTokens":8192}`,
	} {
		rows := model.Rows("m", json.RawMessage(entry), model.Options{Profile: host(t, "pi")})
		require.Len(t, rows, 1, entry)
		assert.Equal(t, want, string(rows[0].Model.AppendJSON(nil)), entry)
		assert.Equal(t, `{}`, string(rows[0].EntryOptions), entry)
	}
}

func TestRowsOfVariants(t *testing.T) {
	const variants = `"variants":{"a":{"parameters":[{"id":"effort","value":"max"},{"id":"fast","value":"false"}]},` +
		`"b":{"parameters":[{"id":"effort","value":"low"},{"id":"fast","value":"false"}]},"c":{"parameters":[{"id":"fast","value":"true"}]}}`
	entry := json.RawMessage(`{"name":"M","reasoning":true,"options":{"b":1,"a":2},` + variants + `}`)
	const rest = `"reasoning":true,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":128000,"maxTokens":8192`
	for name, want := range map[string]string{
		"pi":  `"thinkingLevelMap":{"minimal":null,"low":"low","medium":null,"high":null,"max":"max"}`,
		"omp": `"thinking":{"mode":"effort","efforts":["low","max"],"defaultLevel":"max"}`,
	} {
		rows := model.Rows("m", entry, model.Options{Profile: host(t, name)})
		require.Len(t, rows, 2)
		assert.Equal(t, `{"id":"m","name":"M",`+rest+`,`+want+`}`, string(rows[0].Model.AppendJSON(nil)))
		assert.Equal(t, `{"id":"m-fast","name":"M Fast",`+rest+`}`, string(rows[1].Model.AppendJSON(nil)))
		encoded, err := json.Marshal(rows[0].Model)
		require.NoError(t, err)
		assert.Equal(t, string(rows[0].Model.AppendJSON(nil)), string(encoded))
		assert.Equal(t, []string{"max", "low"}, rows[0].Variant.Levels)
		assert.Equal(t, "low", rows[0].Variant.Levels[1])
		assert.Equal(t, `{"b":1,"a":2}`, string(rows[1].EntryOptions))
	}
	// A model that does not think declares no levels; they can be chosen all the same.
	rows := model.Rows("m", json.RawMessage(`{"name":"M",`+variants+`}`), model.Options{Profile: host(t, "omp")})
	assert.Zero(t, rows[0].Model.Thinking)
	assert.Len(t, rows[0].Variant.Levels, 2)
	// One level is one to choose.
	rows = model.Rows("m", json.RawMessage(`{"reasoning":true,"variants":{"a":`+optionsOf("effort=high")+`}}`), model.Options{Profile: host(t, "omp")})
	assert.Equal(t, model.Thinking{Form: "efforts", Levels: []string{"high"}}, rows[0].Model.Thinking)
	// Other dimensions can be asked for.
	rows = model.Rows("m", entry, model.Options{Profile: host(t, "omp"), Split: []string{}})
	require.Len(t, rows, 1)
	assert.Equal(t, "m", rows[0].Model.ID)
	assert.Empty(t, rows[0].Variant.Levels, "only the fast variant is left")
}

// What comes out of an entry stays in proportion to it, however long its id, its name and its list of kinds
// are, which all variants repeat.
func TestRowsOfLongNames(t *testing.T) {
	const n = 2000
	var variants []string
	for i := range n {
		variants = append(variants, fmt.Sprintf(`"v%d":{"p":[{"id":"fast","value":"%d"}]}`, i, i))
	}
	long := strings.Repeat("x", 200_000)
	size := func(rows []model.Row) (bytes int) {
		for i := range rows {
			bytes += len(rows[i].Model.AppendJSON(nil))
		}
		return bytes
	}
	options := model.Options{Profile: host(t, "pi")}
	entry := json.RawMessage(`{"name":"` + long + `","modalities":{"input":["image"` + strings.Repeat(`,"text"`, 20_000) +
		`]},"variants":{` + strings.Join(variants, ",") + `}}`)
	rows := model.Rows("m", entry, options)
	require.Len(t, rows, n)
	assert.Equal(t, "m Fast 7", rows[7].Model.Name)
	assert.Equal(t, []string{"image", "text"}, slices.Compact(rows[7].Model.Input))
	assert.Less(t, size(rows), 500*n)
	rows = model.Rows(long, entry, options)
	require.Len(t, rows, 1)
	assert.Equal(t, long, rows[0].Model.ID)
	assert.Equal(t, long, rows[0].Model.Name)
	assert.Empty(t, rows[0].Variant.Levels)
}

// The options of a call are those of the entry, and those of the variant win.
func TestRowOptions(t *testing.T) {
	row := func(entry string) model.Row {
		return model.Rows("m", json.RawMessage(entry), model.Options{Profile: host(t, "pi")})[0]
	}
	r := row(`{"options":{"z":1,"parameters":0,"a":{"deep":1}},"variants":{"l":{"a":{"x":2},"parameters":[{"id":"effort","value":"low"}],"n":null}}}`)
	assert.Equal(t, `{"z":1,"parameters":[{"id":"effort","value":"low"}],"a":{"x":2},"n":null}`, string(r.Options("low")))
	assert.Equal(t, string(r.Options("low")), string(r.Options("")))
	r = row(`{"options":{"z":1,"2":2},"variants":{"l":{"10":3,"2":4,"a":5,"1":6}}}`)
	assert.Equal(t, `{"1":6,"2":4,"10":3,"z":1,"a":5}`, string(r.Options("")))
	r = row(`{"options":{"z":1}}`)
	assert.Equal(t, `{"z":1}`, string(r.Options("high")))
	r = row(`{"options":[1],"variants":{"a":{"x":1}}}`)
	assert.Equal(t, `{"x":1}`, string(r.Options("")))
	r = row(`{}`)
	assert.Equal(t, `{}`, string(r.Options("")))
}

func TestDeclare(t *testing.T) {
	omp := host(t, "omp")
	for _, c := range []struct {
		offered []string
		want    string
	}{
		{nil, `{}`},
		{[]string{"none", "LOW"}, `{}`},
		{[]string{"max", "low", "max", "what"}, `{"thinking":{"mode":"effort","efforts":["low","max"],"defaultLevel":"max"}}`},
		{[]string{"high", "medium", "low", "minimal"}, `{"thinking":{"mode":"effort","efforts":["minimal","low","medium","high"],"defaultLevel":"medium"}}`},
	} {
		d := model.Declare(omp, c.offered)
		assert.Equal(t, c.want, string(d.AppendJSON(nil)))
	}
	pi := model.Declare(host(t, "pi"), []string{"xhigh"})
	assert.Equal(t, `x{"thinkingLevelMap":{"minimal":null,"low":null,"medium":null,"high":null,"xhigh":"xhigh"}}`, string(pi.AppendJSON([]byte("x"))))
	assert.Equal(t, "xhigh", pi.Default())
	var none model.Thinking
	assert.Empty(t, none.Default())
	assert.Equal(t, `{}`, string(none.AppendJSON(nil)))
}

// Without the profile of a host there is nothing to say about levels, but for everything else there is.
func TestRowsWithoutAHost(t *testing.T) {
	rows := model.Rows("m", json.RawMessage(`{"reasoning":true,"variants":{"l":`+optionsOf("effort=low")+`,"h":`+optionsOf("effort=high")+`}}`), model.Options{})
	require.Len(t, rows, 1)
	assert.Equal(t, []string{"low", "high"}, rows[0].Variant.Levels)
	assert.Zero(t, rows[0].Model.Thinking)
	assert.Equal(t, `{}`, string(rows[0].Model.Thinking.AppendJSON(nil)))
}
