package guesttest_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

// Only expectations that differ are written anew; all else stays as it is written.
func TestUpdate(t *testing.T) {
	s := suite(t, `[ {"name": "same",  "contribution":"c", "text": "\u0054" },
  {
    "name" : "other text",
    "contribution": "c",
    "text":	"old",
    "config": {"n": 1.0}
  },
  {"nothing" : true, "name": "other kind", "contribution": "c"},
  {"name": "new", "contribution": "c"},
  {
    "name": "new, in lines",
    "contribution": "c"
  },
  {"name": "broke", "contribution": "c", "text": "T"},
  {"name": "other error", "contribution": "c", "error": "E"},
  {"name": "payload", "adapter": "a", "payload": {}, "result": {"a": 1}},
  {
    "name": "payload in lines",
    "adapter": "a",
    "payload": {},
    "result": {
      "a": 1
    }
  },
  {"name": "unchanged now", "adapter": "a", "payload": {}, "result": {
    "a": 1} }
]
`)
	failed := guesttest.Answer{Kind: guesttest.Failure, Err: &runtime.Error{Kind: runtime.KindTrap, Guest: "g@1", Reason: "no tide\ntoday"}}
	body := guesttest.Answer{Kind: guesttest.Payload, Payload: []byte(`{ "b" : [1.0, "<"] }`)}
	answers := []guesttest.Answer{
		{Kind: guesttest.Text, Text: "T"}, {Kind: guesttest.Text, Text: "n\"e<w>\n\u2028é"}, {Kind: guesttest.Text, Text: "T"},
		{Kind: guesttest.Nothing}, {Kind: guesttest.Text, Text: "T"}, failed, failed, body, body, {Kind: guesttest.Unchanged},
	}
	var results []guesttest.Result
	for i, c := range s.Cases {
		results = append(results, guesttest.Result{Case: c, Answer: answers[i], Passed: i == 0})
	}
	text, taken, err := s.Update(results)
	require.NoError(t, err)
	assert.Len(t, taken, 8)
	assert.Equal(t, `[ {"name": "same",  "contribution":"c", "text": "\u0054" },
  {
    "name" : "other text",
    "contribution": "c",
    "text":	"n\"e<w>\n\u2028é",
    "config": {"n": 1.0}
  },
  {"text" : "T", "name": "other kind", "contribution": "c"},
  {"name": "new", "contribution": "c", "nothing": true},
  {
    "name": "new, in lines",
    "contribution": "c",
    "text": "T"
  },
  {"name": "broke", "contribution": "c", "text": "T"},
  {"name": "other error", "contribution": "c", "error": "no tide"},
  {"name": "payload", "adapter": "a", "payload": {}, "result": {"b":[1.0,"<"]}},
  {
    "name": "payload in lines",
    "adapter": "a",
    "payload": {},
    "result": {
      "b": [
        1.0,
        "<"
      ]
    }
  },
  {"name": "unchanged now", "adapter": "a", "payload": {}, "unchanged": true }
]
`, string(text))
}

// What an update writes is what the next run finds.
func TestUpdateRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(?s).{0,20}`).Draw(t, "text")
		want := rapid.SampledFrom([]string{`, "text": "x"`, `, "nothing": true`, `,"error":"x"`, ``}).Draw(t, "want")
		s, err := guesttest.Parse("cases.json", []byte(`[{"name": "n", "contribution": "c"`+want+`}]`))
		require.NoError(t, err)
		updated, _, err := s.Update([]guesttest.Result{{Case: s.Cases[0], Answer: guesttest.Answer{Kind: guesttest.Text, Text: text}}})
		require.NoError(t, err)
		again, err := guesttest.Parse("cases.json", updated)
		require.NoError(t, err, string(updated))
		assert.Equal(t, guesttest.Want{Kind: guesttest.Text, Text: strings.ToValidUTF8(text, "\ufffd")}, again.Cases[0].Want)
	})
}

func TestWriteJUnit(t *testing.T) {
	s := suite(t, `[{"name": "a <&\"", "contribution": "c", "text": "T"}, {"name": "b", "adapter": "a", "payload": 1, "unchanged": true}]`)
	var b bytes.Buffer
	require.NoError(t, guesttest.WriteJUnit(&b, "g@1", []guesttest.Result{
		{Case: s.Cases[0], Fault: "want \x1b", Diff: []string{"- T", "+ <é>"}, Answer: guesttest.Answer{Duration: 1500}},
		{Case: s.Cases[1], Passed: true, Answer: guesttest.Answer{Duration: time.Second + 500}},
	}))
	var v struct {
		Suite struct {
			Name     string `xml:"name,attr"`
			Time     string `xml:"time,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Class   string `xml:"classname,attr"`
				Time    string `xml:"time,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal(b.Bytes(), &v), b.String())
	assert.Equal(t, "g@1", v.Suite.Name)
	assert.Equal(t, "1.000002", v.Suite.Time)
	assert.Equal(t, []int{2, 1}, []int{v.Suite.Tests, v.Suite.Failures})
	assert.Equal(t, "a <&\"", v.Suite.Cases[0].Name)
	assert.Equal(t, "c", v.Suite.Cases[0].Class)
	assert.Equal(t, "0.000002", v.Suite.Cases[0].Time)
	assert.Equal(t, "want \ufffd", v.Suite.Cases[0].Failure.Message)
	assert.Equal(t, "want \ufffd\n- T\n+ <é>", v.Suite.Cases[0].Failure.Text)
	assert.Nil(t, v.Suite.Cases[1].Failure)

	require.Error(t, guesttest.WriteJUnit(brokenWriter{}, "g", nil))
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("full") }
