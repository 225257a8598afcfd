package session

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// textRow is a row with the given parts, for spoiling one at a time.
func textRow(seq, time, dt, texts string) string {
	return fmt.Sprintf(`{"type":"text-chunks","seq0":%s,"time0":%s,"data":{"turn":1,"step":1,"index":0,"dt":%s,"texts":%s}}`, seq, time, dt, texts)
}

func TestUnpack(t *testing.T) {
	for _, c := range []struct{ record, want string }{
		{textRow("4", "50", "[1,-2]", `["a","","\u00e9\ud83e"]`), `
{"type":"assistant/chunk","seq":4,"time":50,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"a"}}}
{"type":"assistant/chunk","seq":5,"time":51,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":""}}}
{"type":"assistant/chunk","seq":6,"time":49,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"\u00e9\ud83e"}}}`},
		{textRow("1e0", "-5.0", "[]", `["a"]`), `
{"type":"assistant/chunk","seq":1,"time":-5,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"a"}}}`},
		{`{"data":{"args":["{\"r"],"id":"c","index":-1.5,"dt":[],"turn":2,"step":3},"\u0074ype":"tool-call-chunks","seq0":9,"seq0":0,"time0":0}`, `
{"type":"assistant/chunk","seq":0,"time":0,"data":{"turn":2,"step":3,"chunk":{"type":"tool-call-delta","index":-1.5,"id":"c","argumentsDelta":"{\"r"}}}`},
		{`{"type":"tool-call-chunks","seq0":0,"time0":0,"data":{"turn":2,"step":3,"index":0,"id":"","name":"","dt":[],"args":[""]}}`, `
{"type":"assistant/chunk","seq":0,"time":0,"data":{"turn":2,"step":3,"chunk":{"type":"tool-call-delta","index":0,"id":"","name":"","argumentsDelta":""}}}`},
		{textRow("9007199254740990", "9007199254740991", "[0]", `["a","b"]`), `
{"type":"assistant/chunk","seq":9007199254740990,"time":9007199254740991,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"a"}}}
{"type":"assistant/chunk","seq":9007199254740991,"time":9007199254740991,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"b"}}}`},
		// What is no row comes back as it is.
		{`{"type":"audio-chunks","seq0":1,"data":"x"}`, "\n" + `{"type":"audio-chunks","seq0":1,"data":"x"}`},
		{`null`, "\nnull"}, {` 421 `, "\n421"}, {`["text-chunks"]`, "\n" + `["text-chunks"]`},
	} {
		events, err := Unpack([]byte(c.record))
		require.NoError(t, err, c.record)
		var got strings.Builder
		for i := range events {
			fmt.Fprintf(&got, "\n%s", events[i].AppendJSON(nil))
		}
		assert.Equal(t, c.want, got.String())
	}
	events, err := Unpack([]byte(`{"type":"x","seq":1.5}`))
	require.NoError(t, err)
	assert.Equal(t, int64(-1), events[0].Seq)
}

func TestUnpackRefuses(t *testing.T) {
	const good = `["a","b"]`
	call := func(rest string) string {
		return `{"type":"tool-call-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,` + rest + `}}`
	}
	for _, record := range []string{
		strings.Replace(textRow("4", "50", "[1]", good), `"seq0"`, `"seq"`, 1),
		strings.Replace(textRow("4", "50", "[1]", good), `"seq0"`, `"more":1,"seq0"`, 1),
		strings.Replace(textRow("4", "50", "[1]", good), `"turn"`, `"more":1,"turn"`, 1),
		strings.Replace(textRow("4", "50", "[1]", good), `"turn":1,`, ``, 1),
		strings.Replace(textRow("4", "50", "[1]", good), `"index":0`, `"index":"0"`, 1),
		strings.Replace(textRow("4", "50", "[1]", good), `"step":1`, `"step":null`, 1),
		strings.Replace(textRow("4", "50", "[1]", good), `"turn":1`, `"turn":1,"name":"n"`, 1),
		strings.Replace(textRow("4", "50", "[1]", good), "text-chunks", "reasoning-chunks\",\"x\":\"", 1),
		`{"type":"text-chunks","seq0":1,"time0":1,"data":[]}`,
		`{"type":"text-chunks","seq0":1,"time0":1,"data":null}`,
		`{"type":"text-chunks","seq0":1,"time0":1}`,
		`{"type":"text-chunks"}`,
		textRow("-1", "50", "[1]", good), textRow("0.5", "50", "[1]", good), textRow(`"4"`, "50", "[1]", good),
		textRow("null", "50", "[1]", good), textRow("9007199254740991", "50", "[1]", good), textRow("1e300", "50", "[1]", good),
		textRow("4", "0.5", "[1]", good), textRow("4", "null", "[1]", good), textRow("4", "9007199254740992", "[1]", good),
		textRow("4", "9007199254740991", "[1]", good), textRow("4", "-9007199254740991", "[-1]", good),
		textRow("4", "0", "[9007199254740991,-9007199254740992]", `["a","b","c"]`),
		textRow("4", "50", "[]", good), textRow("4", "50", "[1,1]", good), textRow("4", "50", "[0.5]", good),
		textRow("4", "50", `["1"]`, good), textRow("4", "50", `{"a":1}`, good), textRow("4", "50", "1", good),
		textRow("4", "50", "[]", "[]"), textRow("4", "50", "[1]", `["a",5]`), textRow("4", "50", "[1]", `["a",null]`),
		textRow("4", "50", "[1]", `{"a":"a","b":"b"}`), textRow("4", "50", "[]", `"a"`), textRow("4", "50", "[]", `[["a"]]`),
		call(`"dt":[],"args":["a"]`), call(`"id":5,"dt":[],"args":["a"]`), call(`"id":"c","dt":[],"texts":["a"]`),
		call(`"id":"c","name":null,"dt":[],"args":["a"]`), call(`"id":"c","name":"n","more":1,"dt":[],"args":["a"]`),
		// A row whose members would be far larger than it is itself.
		call(`"id":"` + strings.Repeat("x", 100_000) + `","dt":[` + strings.Repeat("0,", 20_000) + `0],"args":[""` + strings.Repeat(`,""`, 20_001) + `]`),
	} {
		_, err := Unpack([]byte(record))
		var e *Error
		require.ErrorAs(t, err, &e, "%.300s", record)
		assert.Equal(t, RowMalformed, e.Code, "%.300s", record)
		assert.NotEmpty(t, e.Detail)
	}
	var e *Error
	_, err := Unpack([]byte(`{"type"`))
	require.ErrorAs(t, err, &e)
	assert.Equal(t, CorruptLine, e.Code)
}

// near draws an event that would belong to a run of a kind, or nearly so.
func near(t *rapid.T, kind string, seq, time int64) string {
	pick := func(label string, usual string, others ...string) string {
		if rapid.IntRange(0, 60).Draw(t, label) != 60 {
			return usual
		}
		return rapid.SampledFrom(others).Draw(t, label+" other")
	}
	text := rapid.SampledFrom([]string{`""`, `"a"`, `" now."`, `"\u00e9\ud83e"`, `"Totals 12,50 €"`, `"\"}]"`, "\"\xff\"", "\"\u2028\x7f\""}).Draw(t, "text")
	text = pick("value", text, `5`, `null`, `["a"]`)
	number := func(label string) string { return pick(label, "1", "2", "1.0", "-0", "1e400", `"1"`, "null") }
	kind = pick("kind", kind, "text", "reasoning", "tool-call")
	chunk := fmt.Sprintf(`{"type":"%s-delta","index":%s,"text":%s%s}`, kind, number("index"), text, pick("extra", "", `,"lang":"x"`, `,"id":"c"`, `,"text":"dup"`))
	if kind == "tool-call" {
		id := pick("id", `"c"`, `"d"`, `"\u0063"`, `5`)
		name := pick("name", `,"name":"n"`, ``, `,"name":"m"`, `,"name":null`, `,"name":"n","name":"n"`)
		chunk = fmt.Sprintf(`{"type":"tool-call-delta","index":%s,"id":%s%s,"argumentsDelta":%s}`, number("index"), id, name, text)
	}
	if rapid.IntRange(0, 20).Draw(t, "finish") == 20 {
		chunk = `{"type":"finish","reason":{"kind":"stop"}}`
	}
	data := fmt.Sprintf(`{"turn":%s,%s"step":%s,"chunk":%s}`, number("turn"), pick("space", "", " \t", "\n"), number("step"), chunk)
	data = pick("data", data, `null`, `[]`, strings.TrimSuffix(data, "}")+`,"more":1}`)
	return fmt.Sprintf(`{"type":%s,"seq":%d,"time":%s,"data":%s%s}`,
		pick("type", `"assistant/chunk"`, `"assistant\/chunk"`, `"turn/start"`, `"text-chunk"`, `5`), seq,
		pick("time", fmt.Sprint(time), "0.5", `"x"`, "9007199254740991", "-9007199254740991", "1e3"), data,
		pick("envelope", "", `,"ignorable":true`, `,"surfaceOp":"append"`, `,"sourceEventSeqs":[]`, `,"seq":7`, `,"extra":1`))
}

// Packing is lossless whatever the events look like, and never writes a run of fewer than three.
func TestPackLosesNothing(t *testing.T) {
	packed := 0
	rapid.Check(t, func(t *rapid.T) {
		var events []Event
		kind := rapid.SampledFrom([]string{"text", "reasoning", "tool-call"}).Draw(t, "kind of run")
		seq, time := int64(rapid.IntRange(0, 3).Draw(t, "seq0")), int64(1000)
		for range rapid.IntRange(0, 25).Draw(t, "n") {
			e, err := ParseEvent([]byte(near(t, kind, seq, time)))
			require.NoError(t, err)
			if rapid.IntRange(0, 9).Draw(t, "made") == 0 && e.bare && jsonspan.Valid(e.Data) {
				e.raw = nil // as a program makes it
			}
			events = append(events, e)
			seq += int64(rapid.SampledFrom([]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2}).Draw(t, "step"))
			time += int64(rapid.SampledFrom([]int{0, 1, 3, -10}).Draw(t, "gap"))
		}
		packed += checkLossless(t, events)
	})
	assert.NotZero(t, packed, "no run was ever packed")
}

// checkLossless returns the number of rows.
func checkLossless(t require.TestingT, events []Event) (rows int) {
	var back []Event
	for _, record := range Pack(events) {
		require.Equal(t, -1, bytes.IndexByte(record, '\n'))
		unpacked, err := Unpack(record)
		require.NoError(t, err, "%s", record)
		if len(unpacked) != 1 {
			require.GreaterOrEqual(t, len(unpacked), minRun)
			rows++
		}
		back = append(back, unpacked...)
	}
	require.Equal(t, len(events), len(back))
	for i := range events {
		want, got := events[i].AppendJSON(nil), back[i].AppendJSON(nil)
		require.True(t, sameEvent(want, got), "%s\n%s", want, got)
	}
	return rows
}

// sameEvent compares events without regard to the order of members and the spelling of numbers.
func sameEvent(a, b []byte) bool {
	var nodes [2]map[string]string
	for i, data := range [2][]byte{a, b} {
		nodes[i] = map[string]string{}
		flatten(nodes[i], "", data)
	}
	if len(nodes[0]) != len(nodes[1]) {
		return false
	}
	for at, value := range nodes[0] {
		other, ok := nodes[1][at]
		if !ok || !jsonspan.Equal([]byte(value), []byte(other)) {
			return false
		}
	}
	return true
}

func flatten(into map[string]string, at string, data []byte) {
	doc, err := jsonspan.Scan(data, 1)
	if err != nil || doc.Root().Kind() < jsonspan.Array || doc.Root().First().Kind() == jsonspan.Absent {
		into[at] = string(data)
		return
	}
	n := 0
	for m := doc.Root().First(); m.Kind() != jsonspan.Absent; m = m.Next() {
		place := m.Key()
		if doc.Root().Kind() == jsonspan.Array {
			place = fmt.Sprint(n)
		}
		flatten(into, at+"/"+place, m.Raw())
		n++
	}
}

func TestPackSplitsWhatGetsTooLarge(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	var events []Event
	for i := range 40 {
		events = append(events, Event{Type: AssistantChunk, Seq: int64(i), Data: []byte(`{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"` + long + `"}}`)})
	}
	long = long[:5000]
	for i := range 3000 { // with an id that is too long to be repeated so often
		events = append(events, Event{Type: AssistantChunk, Seq: int64(40 + i), Data: []byte(`{"turn":1,"step":1,"chunk":{"type":"tool-call-delta","index":0,"id":"` + long + `","argumentsDelta":""}}`)})
	}
	assert.Equal(t, 4+26, checkLossless(t, events))
	for _, record := range Pack(events) {
		assert.Less(t, len(record), maxRow+maxRow/4)
	}
}

// A few bytes of a row cannot become very many of events, and finding out what a log holds does not make
// them.
func TestRowsAreBounded(t *testing.T) {
	record := func(id, members int) string {
		return `{"type":"tool-call-chunks","seq0":0,"time0":0,"data":{"turn":1,"step":1,"index":0,"id":"` +
			strings.Repeat("x", id) + `","dt":[` + strings.Repeat("0,", members-2) + `0],"args":[` +
			strings.Repeat(`"",`, members-1) + `""]}}`
	}
	for _, c := range []struct {
		id, members int
		ok          bool
	}{
		{400, 100_000, false}, {64, 100_000, true}, {10_000, 2000, false}, {450, 500, true}, {450, 5000, false},
	} {
		text := record(c.id, c.members)
		events, err := Unpack([]byte(text))
		require.Equal(t, c.ok, err == nil, "%d times %d", c.members, c.id)
		size := 0
		for i := range events {
			size += len(events[i].Data)
		}
		require.LessOrEqual(t, size, 256<<10+70*len(text))
	}

	text := headerLine + "\n" + record(64, 100_000) + "\n"
	s := NewScanner(strings.NewReader(text))
	n := testing.AllocsPerRun(1, func() {
		s = NewScanner(strings.NewReader(text))
		require.NoError(t, s.through(t.Context()))
	})
	assert.EqualValues(t, 100_000, s.Next())
	assert.Less(t, n, 1000.0)
	n = testing.AllocsPerRun(1, func() {
		s = NewScanner(strings.NewReader(text))
		s.from = 99_990
		got, err := scan(s)
		require.NoError(t, err)
		require.Len(t, got.events, 10)
	})
	assert.Less(t, n, 1000.0)
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte(textRow("4", "50", "[1,2]", `["a","","\u00e9"]`)))
	f.Add([]byte(`{"type":"tool-call-chunks","seq0":0,"time0":0,"data":{"turn":2,"step":3,"index":0,"id":"c","name":"n","dt":[],"args":[""]}}`))
	f.Add([]byte(`{"type":"assistant/chunk","seq":3,"time":4,"data":{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"x"}}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, record []byte) {
		events, err := Unpack(record)
		if err != nil {
			var e *Error
			require.ErrorAs(t, err, &e)
			return
		}
		require.NotEmpty(t, events)
		for i := range events {
			require.True(t, jsonspan.Valid(events[i].AppendJSON(nil)))
			require.Equal(t, events[0].Seq+int64(i), events[i].Seq)
		}
		if events[0].Seq >= 0 {
			checkLossless(t, events)
		}
	})
}
