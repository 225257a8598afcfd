package ordered

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// written is an object as JavaScript writes it: integer keys first, ascending, then the others as they came.
func written(keys []string, values map[string]string) string {
	order := slices.Clone(keys)
	slices.SortStableFunc(order, func(a, b string) int {
		return int(int64(arrayIndex(a)) - int64(arrayIndex(b)))
	})
	var members []string
	for _, key := range order {
		members = append(members, fmt.Sprintf("%q:%s", key, values[key]))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestObjectByTheLetter(t *testing.T) {
	key := rapid.SampledFrom([]string{"0", "1", "2", "7", "10", "11", "4294967294", "4294967295", "01", "", "a", "b", "c", "é"})
	rapid.Check(t, func(t *rapid.T) {
		var o Object
		var keys []string
		values := map[string]string{}
		for n := range rapid.IntRange(0, 40).Draw(t, "steps") {
			k := key.Draw(t, "key")
			_, known := values[k]
			require.Equal(t, known, o.Has(k))
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1:
				o.Delete(k)
				delete(values, k)
				keys = slices.DeleteFunc(keys, func(other string) bool { return other == k })
			case 2:
				before := o
				o = o.Clone()
				before.Set("of the other", json.RawMessage("1"))
			case 3:
				var ok bool
				o, ok = ParseObject(o.JSON())
				require.True(t, ok)
			default:
				values[k] = fmt.Sprint(n)
				o.Set(k, json.RawMessage(values[k]))
				if !known {
					keys = append(keys, k)
				}
			}
			require.Equal(t, written(keys, values), string(o.JSON()))
			require.Equal(t, len(keys), o.Len())
			for _, k := range keys {
				require.Equal(t, values[k], string(o.Get(k)))
			}
		}
	})
}

// Members are not moved and not looked at again for each one that is set, whatever its key.
func TestSetIsLinear(t *testing.T) {
	const n = 5000
	for name, key := range map[string]func(i int) string{
		"ascending":  func(i int) string { return fmt.Sprint(i) },
		"descending": func(i int) string { return fmt.Sprint(n - i) },
		"texts":      func(i int) string { return fmt.Sprint("k", i) },
	} {
		o, ok := ParseObject([]byte(`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10}`))
		require.True(t, ok)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range n {
			o.Set(key(i), json.RawMessage("0"))
		}
		o.JSON()
		runtime.ReadMemStats(&after)
		assert.Equal(t, n+10, o.Len())
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(n*1000), name)
	}
}

func TestManyReadAnObject(t *testing.T) {
	var o Object
	for _, key := range []string{"b", "2", "a", "1"} {
		o.Set(key, json.RawMessage(`"`+key+`"`))
	}
	done := make(chan string)
	for range 4 {
		go func() { done <- string(o.JSON()) }()
	}
	for range 4 {
		assert.Equal(t, `{"1":"1","2":"2","b":"b","a":"a"}`, <-done)
	}
}

func TestLists(t *testing.T) {
	assert.Equal(t, `[]`, string(AppendList(nil, nil)))
	assert.Equal(t, `x[1,{"a":2}]`, string(AppendList([]byte("x"), []json.RawMessage{[]byte("1"), []byte(`{"a":2}`)})))
	assert.Equal(t, `[]`, string(AppendTexts(nil, nil)))
	assert.Equal(t, `x["","a<\"b","\ud800"]`, string(AppendTexts([]byte("x"), []string{"", `a<"b`, "\xed\xa0\x80"})))
}
