package jsonrpc

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

func TestParse(t *testing.T) {
	m, fault := parse([]byte(`{"jsonrpc":"2.0","id":"a","method":"m","params":[1],"more":{}}`))
	require.Nil(t, fault)
	assert.Equal(t, message{id: ID{`"a"`}, method: "m", params: json.RawMessage("[1]")}, m)
	m, fault = parse([]byte(` {"params" : {} , "method":"\u006d","jsonrpc":"2\u002e0"}` + "\n"))
	require.Nil(t, fault)
	assert.Equal(t, message{method: "m", params: json.RawMessage("{}")}, m)
	m, fault = parse([]byte(`{"jsonrpc":"2.0","id":7,"result":null}`))
	require.Nil(t, fault)
	assert.Equal(t, message{id: ID{"7"}, isAnswer: true, result: json.RawMessage("null")}, m)
	m, fault = parse([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no","data":[]}}`))
	require.Nil(t, fault)
	assert.Equal(t, message{id: ID{"null"}, isAnswer: true, err: &Error{Code: -1, Message: "no", Data: json.RawMessage("[]")}}, m)
}

func TestParseFaults(t *testing.T) {
	for in, want := range map[string]struct {
		code int
		id   ID
	}{
		``:             {code: CodeParse},
		`{`:            {code: CodeParse},
		`{"a":1}}`:     {code: CodeParse},
		`{'a':1}`:      {code: CodeParse},
		"\xef\xbb\xbf": {code: CodeParse},
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":\"\xff\"}":               {code: CodeParse},
		`{"jsonrpc":"2.0","id":1,"method":"m","params":` + strings.Repeat("[", 1<<20) + `}`: {code: CodeParse},
		strings.Repeat("[", jsonspan.MaxDepth+1) + strings.Repeat("]", jsonspan.MaxDepth+1): {code: CodeParse},
		`[]`: {code: CodeInvalidRequest},
		`[{"jsonrpc":"2.0","id":1,"method":"m"}]`: {code: CodeInvalidRequest},
		`null`:                                   {code: CodeInvalidRequest},
		`1`:                                      {code: CodeInvalidRequest},
		`"a"`:                                    {code: CodeInvalidRequest},
		`{}`:                                     {code: CodeInvalidRequest},
		`{"id":1,"method":"m"}`:                  {code: CodeInvalidRequest, id: ID{"1"}},
		`{"jsonrpc":2.0,"id":1,"method":"m"}`:    {code: CodeInvalidRequest, id: ID{"1"}},
		`{"jsonrpc":"1.0","id":1,"method":"m"}`:  {code: CodeInvalidRequest, id: ID{"1"}},
		`{"jsonrpc":"2.0","id":1}`:               {code: CodeInvalidRequest, id: ID{"1"}},
		`{"jsonrpc":"2.0","id":"x","method":1}`:  {code: CodeInvalidRequest, id: ID{`"x"`}},
		`{"jsonrpc":"2.0","id":{},"method":"m"}`: {code: CodeInvalidRequest},
		`{"jsonrpc":"2.0","id":[],"method":"m"}`: {code: CodeInvalidRequest},
		`{"jsonrpc":"2.0","id":true,"method":"m"}`:                                 {code: CodeInvalidRequest},
		`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", maxID) + `","method":"m"}`: {code: CodeInvalidRequest},
		`{"jsonrpc":"2.0","result":1}`:                                             {code: CodeInvalidRequest},
	} {
		m, fault := parse([]byte(in))
		name := string(start([]byte(in)))
		if assert.NotNil(t, fault, name) {
			assert.Equal(t, want.code, fault.Code, name)
			assert.Equal(t, want.id, m.id, name)
		}
	}
}

// A bad answer must not be answered under its id: that is an id of ours.
func TestParseAnswersToNobody(t *testing.T) {
	for _, in := range []string{
		`{"id":1,"result":1}`, `{"jsonrpc":"2.0","id":1,"error":null}`, `{"jsonrpc":"2.0","id":1,"error":"no"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":1}}`, `{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`,
	} {
		m, fault := parse([]byte(in))
		assert.Nil(t, fault, in)
		assert.True(t, m.isAnswer, in)
	}
}

func TestIDs(t *testing.T) {
	for _, same := range [][2]string{{`"a"`, `"\u0061"`}, {`"😀"`, `"\ud83d\ude00"`}, {`"/"`, `"\/"`}} {
		a, ok := ParseID([]byte(same[0]))
		require.True(t, ok)
		b, ok := ParseID([]byte(same[1]))
		require.True(t, ok)
		assert.Equal(t, a, b)
	}
	seen := map[ID]string{{}: "none"}
	for _, text := range []string{`1`, `"1"`, `1.5`, `-1`, `null`, `"null"`, `""`, `"\ud83d"`, `"\ud83e"`, `9007199254740993`, `9007199254740992`} {
		id, ok := ParseID([]byte(text))
		require.True(t, ok, text)
		assert.NotContains(t, seen, id, text)
		seen[id] = text
		again, err := json.Marshal(id)
		require.NoError(t, err)
		assert.JSONEq(t, text, string(again))
		assert.Equal(t, id.String(), string(answerHead(id, ""))[len(`{"jsonrpc":"2.0","id":`):])
	}
	zero, err := json.Marshal(ID{})
	require.NoError(t, err)
	assert.Equal(t, "null", string(zero))
}

func TestEncode(t *testing.T) {
	raw := json.RawMessage(`{ "a" : "<" }`)
	got, err := encode(raw)
	require.NoError(t, err)
	assert.Same(t, &raw[0], &got[0], "not copied")
	got, err = encode(map[string]string{"a": "<&>"})
	require.NoError(t, err)
	assert.Equal(t, `{"a":"<&>"}`, string(got))
	got, err = encode(json.RawMessage(nil))
	require.NoError(t, err)
	assert.Equal(t, "null", string(got))
	_, err = encode(func() {})
	assert.Error(t, err)
	assert.Nil(t, Errorf(1, "x").With(func() {}).Data)
}

func TestParts(t *testing.T) {
	for want, parts := range map[string][][]byte{
		`{"jsonrpc":"2.0","id":1,"method":"a\"b"}`:                          requestParts(ID{"1"}, `a"b`, nil),
		`{"jsonrpc":"2.0","method":"m","params":[]}`:                        requestParts(ID{}, "m", json.RawMessage("[]")),
		`{"jsonrpc":"2.0","id":"x","result":{}}`:                            resultParts(ID{`"x"`}, json.RawMessage("{}")),
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"<"}}`:      errorParts(ID{}, Errorf(1, "<")),
		`{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"\ud83d"}}`:    errorParts(ID{"3"}, Errorf(1, "\xed\xa0\xbd")),
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":2}}`: errorParts(ID{"1"}, Errorf(1, "").With(2)),
		`{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":""}}`:          errorParts(ID{"2"}, &Error{Code: 1, Data: json.RawMessage("}")}),
	} {
		var got []byte
		for _, part := range parts {
			got = append(got, part...)
		}
		assert.Equal(t, want, string(got))
	}
}
