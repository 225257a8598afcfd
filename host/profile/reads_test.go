package profile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
)

func TestRangesBecomeSelectors(t *testing.T) {
	toHost(t, onOmp(t), "read", "read", conversions{
		`{"path":"a","offset":5.0,"limit":1e2}`: `{"path":"a:raw:5-104"}`,
		`{"path":"a","offset":-0,"limit":2}`:    `{"path":"a:raw:1-2"}`,
		`{"path":"a","offset":0.0}`:             `{"path":"a"}`,
		`{"path":"a","offset":0.5}`:             `{"path":"a"}`,
		`{"path":"a","offset":-1,"limit":2}`:    `{"path":"a"}`,
		`{"path":"a","offset":3,"limit":false}`: `{"path":"a"}`,
		`{"path":"a","offset":null}`:            `{"path":"a"}`,
		`{"path":"a","limit":[1]}`:              `{"path":"a"}`,
		`{"path":"","offset":1}`:                `{"path":":raw:1"}`,
		`{"path":null,"offset":1}`:              `{"path":null,"offset":1}`,
		`{"offset":1,"x":2,"filePath":"a"}`:     `{"x":2,"path":"a:raw:1"}`,
		// The last line must be a number that JavaScript tells from its neighbours.
		`{"path":"a","offset":9007199254740991}`:                          `{"path":"a:raw:9007199254740991"}`,
		`{"path":"a","offset":9007199254740991,"limit":1}`:                `{"path":"a:raw:9007199254740991-9007199254740991"}`,
		`{"path":"a","offset":9007199254740990,"limit":2}`:                `{"path":"a:raw:9007199254740990-9007199254740991"}`,
		`{"path":"a","offset":9007199254740990,"limit":3}`:                `{"path":"a"}`,
		`{"path":"a","offset":9007199254740991,"limit":9007199254740991}`: `{"path":"a"}`,
		`{"path":"a","offset":9007199254740992}`:                          `{"path":"a"}`,
		`{"path":"a","limit":9007199254740991}`:                           `{"path":"a:raw:1-9007199254740991"}`,
		`{"path":"a","offset":1e400,"limit":1}`:                           `{"path":"a"}`,
		`{"path":"a","offset":1,"offset":2,"limit":1}`:                    `{"path":"a:raw:2-2"}`,
	})
}

func TestSelectorsOfURLs(t *testing.T) {
	toHost(t, onOmp(t), "read", "read", conversions{
		`{"path":"HtTpS://h?a#b","offset":1}`: `{"path":"HtTpS://h/:raw:1?a#b"}`,
		`{"path":"http://h/#a?b","offset":1}`: `{"path":"http://h/:raw:1#a?b"}`,
		`{"path":"http://?q","offset":1}`:     `{"path":"http://:raw:1?q"}`,
		`{"path":"http://h?a","offset":0}`:    `{"path":"http://h?a"}`,
		`{"path":"ftp://h?a","offset":1}`:     `{"path":"ftp://h?a:raw:1"}`,
		`{"path":"http:/h?a","offset":1}`:     `{"path":"http:/h?a:raw:1"}`,
		`{"path":"x http://h?a","offset":1}`:  `{"path":"x http://h?a:raw:1"}`,
	})
	toProvider(t, onOmp(t), "read", "read", conversions{
		`{"path":"http://h/"}`:             `{"filePath":"http://h/"}`,
		`{"path":"http://h/:5"}`:           `{"filePath":"http://h","offset":5}`,
		`{"path":"http://h/:0?q"}`:         `{"filePath":"http://h?q"}`,
		`{"path":"HTTP://h/:raw:1-2?q:3"}`: `{"filePath":"HTTP://h?q:3","offset":1,"limit":2}`,
		`{"path":"http://h/a/:raw:1"}`:     `{"filePath":"http://h/a/","offset":1}`,
		`{"path":"http://h/p?q:5"}`:        `{"filePath":"http://h/p?q:5"}`,
		`{"path":"http://h:8080?q"}`:       `{"filePath":"http://h?q","offset":8080}`,
		`{"path":"/h/:raw:1"}`:             `{"filePath":"/h/","offset":1}`,
	})
}

func TestSelectorsBecomeRanges(t *testing.T) {
	toProvider(t, onOmp(t), "read", "read", conversions{
		`{"path":"a:12"}`:                       `{"filePath":"a","offset":12}`,
		`{"path":"a:007-0009"}`:                 `{"filePath":"a","offset":7,"limit":3}`,
		`{"path":"a:rAw:1-1"}`:                  `{"filePath":"a","offset":1,"limit":1}`,
		`{"path":"a:0-0"}`:                      `{"filePath":"a"}`,
		`{"path":"a:5-0"}`:                      `{"filePath":"a","offset":5}`,
		`{"path":"a:5-4"}`:                      `{"filePath":"a","offset":5}`,
		`{"path":"a:5-9007199254740991"}`:       `{"filePath":"a","offset":5,"limit":9007199254740987}`,
		`{"path":"a:5-9007199254740992"}`:       `{"filePath":"a","offset":5}`,
		`{"path":"a:9007199254740992-5"}`:       `{"filePath":"a"}`,
		`{"path":"a:9007199254740991"}`:         `{"filePath":"a","offset":9007199254740991}`,
		`{"path":"a:000000000000000000000005"}`: `{"filePath":"a","offset":5}`,
		`{"path":"a:-5"}`:                       `{"filePath":"a:-5"}`,
		`{"path":"a:5-"}`:                       `{"filePath":"a:5-"}`,
		`{"path":"a:x-5"}`:                      `{"filePath":"a:x-5"}`,
		`{"path":"a:1-2-3"}`:                    `{"filePath":"a:1-2-3"}`,
		`{"path":"a5-6"}`:                       `{"filePath":"a5-6"}`,
		`{"path":"a:raw:"}`:                     `{"filePath":"a:raw:"}`,
		`{"path":"raw:5"}`:                      `{"filePath":"raw","offset":5}`,
		`{"path":"a:draw:5"}`:                   `{"filePath":"a:draw","offset":5}`,
		`{"path":"a:raw:raw:5"}`:                `{"filePath":"a:raw","offset":5}`,
		`{"path":"a:1:2"}`:                      `{"filePath":"a:1","offset":2}`,
		`{"path":"a:٣"}`:                        `{"filePath":"a:٣"}`,
		`{"path":""}`:                           `{"filePath":""}`,
		`{"filePath":"a:5"}`:                    `{"filePath":"a:5"}`,
		`{"path":["a:5"],"x":1}`:                `{"path":["a:5"],"x":1}`,
	})
}

func fanOut(t *testing.T, tools *profile.Toolset, c profile.Call, known []profile.Todo) (arguments []string, fanOut bool) {
	t.Helper()
	got := tools.ToHost(c, known)
	for _, call := range got.Calls {
		assert.Equal(t, tools.HostName(c.Name), call.Name)
		arguments = append(arguments, string(call.Arguments))
	}
	return arguments, got.FanOut
}

func TestJoinedPaths(t *testing.T) {
	for in, want := range map[string][]string{
		`{"path":"/a;/b"}`:                       {`{"path":"/a"}`, `{"path":"/b"}`},
		`{"x":1,"file_path":"/;\ufeff/b\u00a0"}`: {`{"x":1,"path":"/"}`, `{"x":1,"path":"/b"}`},
		`{"path":"c:/;/x"}`:                      {`{"path":"c:/"}`, `{"path":"/x"}`},
		`{"path":"c:/a;Z:\\b","offset":"no"}`:    {`{"path":"c:/a"}`, `{"path":"Z:\\b"}`},
		`{"path":"\\\\h\\a;/b","limit":2}`:       {`{"path":"\\\\h\\a:raw:1-2"}`, `{"path":"/b:raw:1-2"}`},
		`{"path":"/a;/a","offset":0}`:            {`{"path":"/a"}`, `{"path":"/a"}`},
	} {
		got, fan := fanOut(t, onOmp(t), profile.Call{Name: "read", Arguments: json.RawMessage(in)}, nil)
		assert.Equal(t, want, got, in)
		assert.True(t, fan, in)
	}
	toHost(t, onOmp(t), "read", "read", conversions{
		`{"path":";"}`:                 `{"path":";"}`,
		`{"path":"/a;b"}`:              `{"path":"/a;b"}`,
		`{"path":"/a;\\b","offset":1}`: `{"path":"/a;\\b:raw:1"}`,
		`{"path":"/a;1:/b"}`:           `{"path":"/a;1:/b"}`,
		`{"path":"/a;é:/b"}`:           `{"path":"/a;é:/b"}`,
		`{"path":"/a;c:"}`:             `{"path":"/a;c:"}`,
		`{"path":"/a;\u0085"}`:         `{"path":"/a;\u0085"}`,
		`{"path":"/a;https://h/b"}`:    `{"path":"/a;https://h/b"}`,
	})
}

// What comes out stays in proportion: many paths do not each get a copy of long arguments.
func TestJoinedPathsWithLongArguments(t *testing.T) {
	tools := onOmp(t)
	path := strings.Repeat("/a;", 5000)
	long := strings.Repeat("x", 1000)
	all, _ := fanOut(t, tools, profile.Call{Name: "read", Arguments: json.RawMessage(`{"path":"` + path + `","i":"why"}`)}, nil)
	require.Len(t, all, 5000)
	assert.Equal(t, `{"path":"/a","i":"why"}`, all[4999])
	few, _ := fanOut(t, tools, profile.Call{Name: "read", Arguments: json.RawMessage(`{"path":"/a;/b","i":"` + long + `"}`)}, nil)
	require.Len(t, few, 2)
	toHost(t, tools, "read", "read", conversions{
		`{"offset":1,"path":"` + path + `","i":"` + long + `"}`: `{"path":"` + path + `:raw:1","i":"` + long + `"}`,
	})
}

func TestFilesAreRestated(t *testing.T) {
	toProvider(t, onPi(t), "read", "read", conversions{
		`{"limit":null,"offset":"x","filePath":"f","path":"p"}`: `{"filePath":"f","offset":"x","limit":null}`,
		`{"filePath":null,"path":"p:5"}`:                        `{"filePath":"p:5"}`,
		`{"filePath":3,"path":"p"}`:                             `{"filePath":3,"path":"p"}`,
		`{}`:                                                    `{}`,
	})
	toProvider(t, onOmp(t), "write", "write", conversions{
		`{"content":[1, 2],"path":"\ud83d"}`: `{"filePath":"\ud83d","content":[1, 2]}`,
		`{"path":"p:5-6"}`:                   `{"filePath":"p:5-6"}`,
	})
	toProvider(t, onPi(t), "write", "write", conversions{`{"path":"p","offset":1}`: `{"filePath":"p"}`})
}
