package jsonspan

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func scan(t require.TestingT, doc string) (*Doc, Node) {
	d, err := Scan([]byte(doc), 2)
	require.NoError(t, err)
	return d, d.Root()
}

func TestEdit(t *testing.T) {
	one, two := []byte(`"one"`), []byte(`"two"`)
	at := func(n Node, i int) Node {
		c := n.First()
		for range i {
			c = c.Next()
		}
		return c
	}
	for name, c := range map[string]struct {
		doc, want string
		edit      func(*Edit, Node)
	}{
		"nothing":              {` [ 1 ] `, ` [ 1 ] `, func(e *Edit, n Node) {}},
		"set":                  {`[ 1 , 2 ]`, `[ "one" , 2 ]`, func(e *Edit, n Node) { e.Set(at(n, 0), one) }},
		"set the root":         {` 7 `, ` "one" `, func(e *Edit, n Node) { e.Set(n, one) }},
		"replace a span":       {`[10]`, `["one"]`, func(e *Edit, n Node) { e.Replace(Span{1, 3}, one) }},
		"remove the first":     {`[ 1 , 2 , 3 ]`, `[ 2 , 3 ]`, func(e *Edit, n Node) { e.Remove(at(n, 0)) }},
		"remove the middle":    {`[ 1 , 2 ,  3 ]`, `[ 1 ,  3 ]`, func(e *Edit, n Node) { e.Remove(at(n, 1)) }},
		"remove the last":      {`[ 1 , 2 ]`, `[ 1 ]`, func(e *Edit, n Node) { e.Remove(at(n, 1)) }},
		"remove the only":      {`{ "a" : 1 }`, `{  }`, func(e *Edit, n Node) { e.Remove(at(n, 0)) }},
		"remove a member":      {`{"a":1,"b":2,"c":3}`, `{"a":1,"c":3}`, func(e *Edit, n Node) { e.Remove(at(n, 1)) }},
		"insert in front":      {`[ 1]`, `[ "one","two",1]`, func(e *Edit, n Node) { e.Prepend(n, one, two) }},
		"insert into an empty": {`[ ]`, `["one" ]`, func(e *Edit, n Node) { e.Append(n, one) }},
		"insert behind":        {`[1 , 2]`, `[1,"one","two" , 2]`, func(e *Edit, n Node) { e.After(at(n, 0), one, two) }},
		"append":               {`[1 ]`, `[1,"one" ]`, func(e *Edit, n Node) { e.Append(n, one) }},
		"add a member":         {`{"a":1}`, `{"a":1,"x\"<":"one"}`, func(e *Edit, n Node) { e.AddMember(n, `x"<`, one) }},
		"replace all elements": {`[1,2]`, `["one"]`, func(e *Edit, n Node) {
			e.Remove(at(n, 1))
			e.Remove(at(n, 0))
			e.Append(n, one)
		}},
		"swap by removing and inserting": {`[1,2,3]`, `["two",2,"one",3]`, func(e *Edit, n Node) {
			e.After(at(n, 1), one)
			e.Remove(at(n, 0))
			e.Before(at(n, 0), two)
		}},
		"set and insert at one place": {`[1]`, `["two","one","two"]`, func(e *Edit, n Node) {
			e.After(at(n, 0), two)
			e.Set(at(n, 0), one)
			e.Before(at(n, 0), two)
		}},
		"inside and beside a container": {`[[],[1]]`, `[["one"],"two",["two"]]`, func(e *Edit, n Node) {
			e.Append(at(n, 0), one)
			e.After(at(n, 0), two)
			e.Set(at(at(n, 1), 0), two)
		}},
		"several at one place keep their order": {`[1]`, `["one","two",1]`, func(e *Edit, n Node) {
			e.Prepend(n, one)
			e.Prepend(n, two)
		}},
	} {
		d, root := scan(t, c.doc)
		e := d.Edit()
		c.edit(e, root)
		got, err := e.Bytes()
		require.NoError(t, err, name)
		assert.Equal(t, c.want, string(got), name)
		changed, err := e.Changed()
		require.NoError(t, err, name)
		assert.Equal(t, Equal([]byte(c.doc), got), changed == nil, name)
	}
}

func TestChanged(t *testing.T) {
	for _, c := range []struct {
		with    string
		changed bool
	}{{`{ "x":[1.0,"A"]}`, false}, {`{"x":[1,"\u0041"]}`, false}, {`{"x":[1,"B"]}`, true}, {`{"x":[1]}`, true}} {
		d, root := scan(t, `[0,{"x":[1,"A"]} ,2]`)
		e := d.Edit()
		e.Set(root.First().Next(), []byte(c.with))
		got, err := e.Changed()
		require.NoError(t, err)
		assert.Equal(t, c.changed, got != nil, c.with)
	}
	// Removing one element and inserting an equal one changes nothing, wherever that is.
	d, root := scan(t, `[1,2,2]`)
	e := d.Edit()
	e.Remove(root.First().Next())
	e.Append(root, []byte(`2.0`))
	got, err := e.Changed()
	require.NoError(t, err)
	assert.Nil(t, got)
	e.Remove(root.First())
	got, err = e.Changed()
	require.NoError(t, err)
	assert.Equal(t, `[2,2.0]`, string(got))
}

func TestEditRefusals(t *testing.T) {
	d, root := scan(t, `[[1],2]`)
	other, _ := scan(t, `[3]`)
	for name, edit := range map[string]func(*Edit){
		"set twice":          func(e *Edit) { e.Set(root.First(), nil); e.Set(root.First(), nil) },
		"set inside removed": func(e *Edit) { e.Remove(root.First()); e.Set(root.First().First(), []byte("2")) },
		"another document":   func(e *Edit) { e.Remove(other.Root().First()) },
		"absent node":        func(e *Edit) { e.Set(Node{}, []byte("1")) },
		"remove the root":    func(e *Edit) { e.Remove(root) },
		"append to a number": func(e *Edit) { e.Append(root.First().Next(), []byte("1")) },
		"span outside":       func(e *Edit) { e.Replace(Span{3, 99}, nil) },
		"span backwards":     func(e *Edit) { e.Replace(Span{3, 2}, nil) },
	} {
		e := d.Edit()
		edit(e)
		_, err := e.Bytes()
		assert.Error(t, err, name)
		_, err = e.Changed()
		assert.Error(t, err, name)
	}
}

// A random edit of a random list is the same edit of the parsed list, and nothing else changes.
func TestEditMeansWhatItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		space := rapid.SampledFrom([]string{"", " ", "\n  "})
		list := rapid.SliceOfN(rapid.IntRange(0, 99), 0, 6).Draw(t, "list")
		object := rapid.Bool().Draw(t, "object")
		brackets := [2]string{"[", "]"}
		if object {
			brackets = [2]string{"{", "}"}
		}
		element := func(v int) string {
			if object {
				return `"k` + strconv.Itoa(v) + `":` + strconv.Itoa(v)
			}
			return strconv.Itoa(v)
		}
		doc := ` {"before": 1e2, "list":` + brackets[0]
		for i, v := range list {
			if i > 0 {
				doc += space.Draw(t, "s") + ","
			}
			doc += space.Draw(t, "s") + element(v)
		}
		doc += space.Draw(t, "s") + brackets[1] + `, "after": "\ud800"}`
		before := []byte(doc)

		d, root := scan(t, doc)
		box, _ := root.Member("list")
		e := d.Edit()
		next := 100
		fresh := func(label string) (raw [][]byte, values []int) {
			for range rapid.IntRange(0, 2).Draw(t, label) {
				raw, values = append(raw, []byte(element(next))), append(values, next)
				next++
			}
			return raw, values
		}
		var want []int
		raw, values := fresh("front")
		e.Prepend(box, raw...)
		want = append(want, values...)
		child := box.First()
		for _, v := range list {
			raw, values = fresh("before")
			e.Before(child, raw...)
			want = append(want, values...)
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				want = append(want, v)
			case 1:
				e.Remove(child)
			case 2:
				e.Set(child, []byte(strconv.Itoa(next)))
				want = append(want, next)
				next++
			}
			raw, values = fresh("after")
			e.After(child, raw...)
			want = append(want, values...)
			child = child.Next()
		}
		raw, values = fresh("end")
		e.Append(box, raw...)
		want = append(want, values...)

		got, err := e.Bytes()
		require.NoError(t, err)
		changed, err := e.Changed()
		require.NoError(t, err)
		assert.Equal(t, Equal(before, got), changed == nil, "%s %s", before, got)
		assert.Equal(t, doc, string(before), "the document itself was changed")
		require.True(t, json.Valid(got), "%s", got)
		assert.True(t, bytes.HasPrefix(got, []byte(` {"before": 1e2, "list":`)))
		assert.True(t, bytes.HasSuffix(got, []byte(`, "after": "\ud800"}`)))
		var parsed struct{ List json.RawMessage }
		require.NoError(t, json.Unmarshal(got, &parsed))
		var read []int
		dec := json.NewDecoder(bytes.NewReader(parsed.List))
		for {
			token, err := dec.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			if number, ok := token.(float64); ok {
				read = append(read, int(number))
			}
		}
		assert.True(t, slices.Equal(want, read), "want %v, got %v in %s", want, read, got)
	})
}
