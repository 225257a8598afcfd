package jsonkind

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReadable(t *testing.T) {
	type inner struct {
		Text string         `json:"text"`
		List []bool         `json:"list"`
		Map  map[string]int `json:"map"`
	}
	for in, want := range map[string]string{
		`[]`:                       "want an object, found array",
		`{"in":7}`:                 "in: want an object, found number",
		`{"in":{"text":[]}}`:       "in.text: want a text, found array",
		`{"in":{"list":{}}}`:       "in.list: want a list, found object",
		`{"in":{"list":[1]}}`:      "in.list: want true or false, found number",
		`{"in":{"map":"x"}}`:       "in.map: want an object, found string",
		`{"in":{"map":{"a":"x"}}}`: "in.map: want another type, found string",
	} {
		var v struct {
			In inner `json:"in"`
		}
		assert.EqualError(t, Readable(json.Unmarshal([]byte(in), &v)), want, in)
	}
	other := errors.New("other")
	assert.Equal(t, other, Readable(other))
}
