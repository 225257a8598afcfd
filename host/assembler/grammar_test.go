package assembler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
)

const (
	start0 = `{"type":"block-start","index":0,"blockType":"text"}`
	delta0 = `{"type":"text-delta","index":0,"text":"a"}`
	end0   = `{"type":"block-end","index":0,"block":{"type":"text","text":"a"}}`
	usage  = `{"type":"usage","usage":{"inputTokens":1,"outputTokens":1}}`
)

// checked returns the first violation of a stream, and requires that it is the only one ever returned.
func checked(t *testing.T, reference bool, list string) *assembler.Violation {
	t.Helper()
	g := assembler.Grammar{Reference: reference}
	var first error
	chunks := parsed(t, list)
	for i := range chunks {
		err := g.Check(&chunks[i])
		if first == nil && err != nil {
			var v *assembler.Violation
			require.ErrorAs(t, err, &v)
			require.Equal(t, i, v.At)
			first = err
		}
		require.Equal(t, first, err)
	}
	err := g.End()
	if first != nil {
		require.Equal(t, first, err)
	}
	require.Equal(t, err, g.End())
	if err == nil {
		return nil
	}
	var v *assembler.Violation
	require.ErrorAs(t, err, &v)
	return v
}

func TestGrammar(t *testing.T) {
	none := assembler.Violation{}
	v := func(at int, kind assembler.ViolationKind) assembler.Violation {
		return assembler.Violation{At: at, Kind: kind}
	}
	for name, c := range map[string]struct {
		chunks string
		want   assembler.Violation
	}{
		"legal":                    {start0 + "," + delta0 + "," + end0 + "," + usage + "," + stop, none},
		"interleaved":              {start0 + `,{"type":"block-start","index":9007199254740991,"blockType":"tool-call"},` + delta0 + `,{"type":"tool-call-delta","index":9007199254740991,"id":"c","argumentsDelta":""},` + end0 + `,{"type":"block-end","index":9007199254740991,"block":{"type":"tool-call"}},` + stop, none},
		"finish alone":             {stop, none},
		"unknown types":            {`{"type":"audio"},` + start0 + `,{"type":"audio","index":-1},` + end0 + "," + stop, none},
		"open at an error":         {start0 + `,{"type":"finish","reason":{"kind":"error"}}`, none},
		"open at an abort":         {start0 + `,{"type":"finish","reason":{"kind":"aborted"}}`, none},
		"open at max-tokens":       {start0 + "," + maxTokens, v(1, assembler.OpenAtFinish)},
		"open at stop":             {start0 + "," + delta0 + "," + stop, v(2, assembler.OpenAtFinish)},
		"second finish":            {stop + "," + stop, v(1, assembler.AfterFinish)},
		"unknown after the finish": {stop + `,{"type":"audio"}`, v(1, assembler.AfterFinish)},
		"bad index after finish":   {stop + `,{"type":"block-start","index":-1,"blockType":"text"}`, v(1, assembler.AfterFinish)},
		"usage after the finish":   {usage + "," + stop + "," + usage, v(2, assembler.AfterFinish)},
		"second usage":             {usage + "," + start0 + "," + usage, v(2, assembler.RepeatedUsage)},
		"second start":             {start0 + "," + start0, v(1, assembler.RepeatedStart)},
		"second start, other kind": {start0 + `,{"type":"block-start","index":0,"blockType":"reasoning"}`, v(1, assembler.RepeatedStart)},
		"delta without start":      {delta0, v(0, assembler.DeltaMismatch)},
		"delta after the end":      {start0 + "," + end0 + "," + delta0, v(2, assembler.DeltaMismatch)},
		"delta of another kind":    {start0 + `,{"type":"reasoning-delta","index":0,"text":"a"}`, v(1, assembler.DeltaMismatch)},
		"call delta on text":       {start0 + `,{"type":"tool-call-delta","index":0,"id":"c","argumentsDelta":"a"}`, v(1, assembler.DeltaMismatch)},
		"text delta on a plugin's": {`{"type":"block-start","index":0,"blockType":"chart"},` + delta0, v(1, assembler.DeltaMismatch)},
		"end without start":        {end0, v(0, assembler.EndNotOpen)},
		"second end":               {start0 + "," + end0 + "," + end0, v(2, assembler.EndNotOpen)},
		"end of another kind":      {start0 + `,{"type":"block-end","index":0,"block":{"type":"reasoning"}}`, v(1, assembler.EndKindMismatch)},
		"no finish":                {start0 + "," + end0, v(assembler.End, assembler.NoFinish)},
		"open and no finish":       {start0, v(assembler.End, assembler.NoFinish)},
		"negative index":           {`{"type":"block-start","index":-1,"blockType":"text"}`, v(0, assembler.BadIndex)},
		"fractional index":         {`{"type":"text-delta","index":0.5,"text":""}`, v(0, assembler.BadIndex)},
		"huge index":               {`{"type":"reasoning-delta","index":9007199254740992,"text":""}`, v(0, assembler.BadIndex)},
		"infinite index":           {`{"type":"tool-call-delta","index":1e999,"id":"c","argumentsDelta":""}`, v(0, assembler.BadIndex)},
		"no index":                 {`{"type":"block-end","block":{"type":"text"}}`, v(0, assembler.BadIndex)},
		"the negative zero":        {`{"type":"block-start","index":-0,"blockType":"text"},` + delta0 + "," + end0 + "," + stop, none},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reference := range []bool{false, true} {
				got := checked(t, reference, "["+c.chunks+"]")
				if c.want == none {
					assert.Nil(t, got)
					continue
				}
				require.NotNil(t, got)
				assert.NotEmpty(t, got.Detail)
				got.Detail = ""
				assert.Equal(t, c.want, *got)
			}
		})
	}
}

func TestIndexReuse(t *testing.T) {
	list := "[" + start0 + "," + end0 + `,{"type":"block-start","index":0,"blockType":"reasoning"}` +
		`,{"type":"reasoning-delta","index":0,"text":""},{"type":"block-end","index":0,"block":{"type":"reasoning"}},` + stop + "]"
	got := checked(t, false, list)
	require.NotNil(t, got)
	assert.Equal(t, assembler.IndexReused, got.Kind)
	assert.Equal(t, 2, got.At)
	assert.Nil(t, checked(t, true, list))
}

func TestViolationAsText(t *testing.T) {
	v := checked(t, false, "["+start0+","+start0+"]")
	assert.Equal(t, `chunk stream at chunk 1: a second start of block 0, which is open as "text" (repeated-start)`, v.Error())
	assert.JSONEq(t, `{"at":1,"kind":"repeated-start","message":"a second start of block 0, which is open as \"text\""}`, jsonOf(t, v))
	for c, says := range map[*message.Chunk]string{
		{Type: message.BlockEnd, Block: &message.Block{Type: message.Image}}: `carries "image"`,
		{Type: message.BlockEnd}: "carries no block",
	} {
		g := assembler.Grammar{}
		require.NoError(t, g.Check(&message.Chunk{Type: message.BlockStart, BlockType: message.Text}))
		assert.ErrorContains(t, g.Check(c), says)
	}
	v = checked(t, false, "[]")
	assert.Equal(t, `chunk stream at its end: it has no finish chunk (no-finish)`, v.Error())
	assert.JSONEq(t, `{"at":"end","kind":"no-finish","message":"it has no finish chunk"}`, jsonOf(t, v))
}
