package jsonspan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Members finds what the scanned tree has, in exactly the documents that are objects.
func checkMembers(t *testing.T, data []byte) {
	t.Helper()
	var got, want []string
	ok := Members(data, func(key, value []byte) { got = append(got, string(key), string(value)) })
	doc, err := Scan(data, 1)
	require.Equal(t, err == nil && doc.Root().Kind() == Object, ok, "%q", data)
	if !ok {
		return
	}
	for m := doc.Root().First(); m.Kind() != Absent; m = m.Next() {
		want = append(want, string(m.RawKey()), string(m.Raw()))
	}
	require.Equal(t, want, got, "%q", data)
}

func TestMembers(t *testing.T) {
	for _, d := range documents {
		checkMembers(t, []byte(d))
		checkMembers(t, []byte(`{"x":`+d+`}`))
		checkMembers(t, []byte(" {\t\"x\" :"+d+" , \"y\":\r\n[1] } "))
	}
	one := []byte(`{"type":"text-delta","index":0,"text":"x"}`)
	require.Zero(t, testing.AllocsPerRun(10, func() { Members(one, func(_, _ []byte) {}) }))
}

func FuzzMembers(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(`{"x":` + d + `}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkMembers(t, data) })
}
