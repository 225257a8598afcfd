package payloadview

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
)

func rewrite(t *testing.T, doc string, edits ...adaptersv2.Edit) (string, error) {
	t.Helper()
	view, err := Rewriting().Scan([]byte(doc))
	require.NoError(t, err)
	plan, err := view.Plan(&adaptersv2.Answer{Messages: &adaptersv2.MessageEdits{Edits: edits}})
	if err != nil {
		return "", err
	}
	return string(bytes.Join(plan.Pieces(MessagesPart), nil)), nil
}

func edit(t *testing.T, op, at, value string) adaptersv2.Edit {
	t.Helper()
	var steps []any
	require.NoError(t, json.Unmarshal([]byte(at), &steps))
	e := adaptersv2.Edit{Op: adaptersv2.Op(op)}
	for _, s := range steps {
		if name, ok := s.(string); ok {
			e.At = append(e.At, adaptersv2.Member(name))
		} else {
			e.At = append(e.At, adaptersv2.Index(uint64(s.(float64))))
		}
	}
	if value != "" {
		e.Value = adaptersv2.JSON(value)
	}
	return e
}

// What a program saw of a document with a member twice is the last one.
func TestRewritingTakesTheLastOfSeveralMembers(t *testing.T) {
	for _, test := range []struct{ doc, op, at, value, want string }{
		{`{"a":1, "a":2}`, "set", `["a"]`, "3", `{"a":1, "a":3}`},
		{`{"a":1,"\u0061":2,"b":3}`, "set", `["a"]`, "4", `{"a":1,"\u0061":4,"b":3}`},
		{`{"a":1,"b":{},"a":2,"c":4,"a":3}`, "remove", `["a"]`, "", `{"b":{},"c":4}`},
		{`{"a":1,"a":2}`, "remove", `["a"]`, "", `{}`},
		{`{"a":1,"a":{"b":[0,1],"b":[2,3]}}`, "set", `["a","b",1]`, "4", `{"a":1,"a":{"b":[0,1],"b":[2,4]}}`},
		{`{"a":{"b":1},"a":{"b":2,"b":3}}`, "remove", `["a","b"]`, "", `{"a":{"b":1},"a":{}}`},
		{`{"a":{"b":1},"a":{}}`, "set", `["a","b"]`, "2", `{"a":{"b":1},"a":{"b":2}}`},
	} {
		got, err := rewrite(t, test.doc, edit(t, test.op, test.at, test.value))
		require.NoError(t, err, test.doc)
		assert.Equal(t, test.want, got, test.doc)
	}
	_, err := rewrite(t, `{"a":{"b":1},"a":2}`, edit(t, "set", `["a","b"]`, "3"))
	assert.ErrorContains(t, err, "there is no such place")
}

func TestRewritingIsNotBounded(t *testing.T) {
	var edits []adaptersv2.Edit
	for range maxEdits + 1 {
		edits = append(edits, edit(t, "insert", `["a",0]`, "1"))
	}
	got, err := rewrite(t, `{"a":[]}`, edits...)
	require.NoError(t, err)
	assert.Equal(t, `{"a":[`+strings.Repeat("1,", maxEdits)+`1]}`, got)
	large := `"` + strings.Repeat("x", maxValues) + `"`
	got, err = rewrite(t, `{"a":[]}`, edit(t, "set", `["a"]`, large))
	require.NoError(t, err)
	assert.Equal(t, `{"a":`+large+`}`, got)
}
