package jsonvalue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

func TestPick(t *testing.T) {
	values := func(object string, keys ...string) []string {
		var list []string
		for _, value := range jsonvalue.Pick([]byte(object), keys...) {
			if value == nil {
				list = append(list, "absent")
			} else {
				list = append(list, string(value))
			}
		}
		return list
	}
	assert.Equal(t, []string{"2", "null", "absent"}, values(`{"b":null,"a":1,"x":{"c":3},"a":2}`, "a", "b", "c"))
	assert.Equal(t, []string{"1", "2"}, values(`{"\u0061":1,"\"":2}`, "a", `"`), "keys may be escaped")
	assert.Equal(t, []string{"absent"}, values(`{"\\u0061":1}`, "a"))
	assert.Equal(t, []string{"0"}, values(`{"":0}`, ""))
	for _, none := range []string{"", "null", `["a"]`, `"a"`, `{"a":1`, `{"a":1}{`, `{"a":1,}`} {
		assert.Equal(t, []string{"absent"}, values(none, "a"), none)
	}
}

func TestPickInto(t *testing.T) {
	var values [2][]byte
	assert.True(t, jsonvalue.PickInto(values[:], []byte(`{"a":1}`), "a", "b"))
	assert.Equal(t, [2][]byte{[]byte("1"), nil}, values)
	assert.True(t, jsonvalue.PickInto(values[:], []byte(`{"b":2}`), "a", "b"))
	assert.Equal(t, [2][]byte{nil, []byte("2")}, values, "nothing is left of the object before")
	assert.False(t, jsonvalue.PickInto(values[:], []byte(`[]`), "a", "b"))
	assert.Equal(t, [2][]byte{}, values)

	object := []byte(`{"id":"fast","value":"true","more":[1,2,3]}`)
	assert.Zero(t, testing.AllocsPerRun(100, func() { jsonvalue.PickInto(values[:], object, "id", "value") }))
}
