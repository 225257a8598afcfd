package bridge

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

func environment(pairs ...string) Environment {
	return Environment{Dir: "/work", Getenv: func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}}
}

func kindOf(t *testing.T, err error) Kind {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	return e.Kind
}

func TestSearchPaths(t *testing.T) {
	omp := []string{"/h/.omp/agent/pi-bridge.json", "/h/.pi/agent/pi-bridge.json", "/h/.pi/pi-bridge.json"}
	pi := []string{"/h/.pi/agent/pi-bridge.json", "/h/.pi/pi-bridge.json", "/h/.omp/agent/pi-bridge.json"}
	for _, c := range []struct {
		env  Environment
		want []string
	}{
		{environment("HOME", "/h"), omp},
		{environment("HOME", "/h", hostVariable, " pi\n"), pi},
		{environment("HOME", "/h", hostVariable, "PI"), omp},
		{environment("HOME", "", "USERPROFILE", "/h"), omp},
		{environment("HOME", "/h", "USERPROFILE", "/u"), omp},
		{Environment{Home: "/h"}, omp},
		{environment("HOME", "/h", configVariable, "x.json", agentDirVariable, "/a"), []string{"x.json"}},
		{environment("HOME", "/h", configVariable, " "), []string{" "}},
		{environment("HOME", "/h", agentDirVariable, "rel/../a/"), append([]string{"a/pi-bridge.json"}, omp...)},
		{environment("HOME", "/h", agentDirVariable, "/h/.pi/"), []string{pi[1], omp[0], omp[1]}},
		{environment("HOME", "/h", folderVariable, ".else"), omp},
		{environment(agentDirVariable, "/a"), []string{"/a/pi-bridge.json"}},
		{Environment{}, nil},
	} {
		assert.Equal(t, c.want, SearchPaths(c.env))
	}
}

func TestLoad(t *testing.T) {
	files := map[string]string{}
	read := func(path string) ([]byte, error) {
		text, ok := files[path]
		switch {
		case !ok:
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		case text == "denied":
			return nil, fs.ErrPermission
		}
		return []byte(text), nil
	}
	env := environment("HOME", "/h")
	c, err := Load(env, read)
	require.NoError(t, err)
	assert.Equal(t, Config{}, c, "no file is no error")

	files["/h/.pi/pi-bridge.json"] = `{"providers":[{"package":"last"}]}`
	c, err = Load(env, read)
	require.NoError(t, err)
	assert.Equal(t, "/h/.pi/pi-bridge.json", c.Path)

	files["/h/.pi/agent/pi-bridge.json"] = `{"providers":[{"package":"earlier"}]}`
	c, err = Load(env, read)
	require.NoError(t, err)
	assert.Equal(t, "earlier", c.Providers[0].Package)

	files["/h/.omp/agent/pi-bridge.json"] = `{`
	_, err = Load(env, read)
	assert.Equal(t, ConfigParse, kindOf(t, err), "a fault is no reason to look further")
	files["/h/.omp/agent/pi-bridge.json"] = "denied"
	_, err = Load(env, read)
	assert.Equal(t, ConfigRead, kindOf(t, err))
	assert.ErrorIs(t, err, fs.ErrPermission)
	assert.EqualError(t, err, "bridge: /h/.omp/agent/pi-bridge.json: read the configuration: permission denied")

	_, err = Load(environment("HOME", "/h", configVariable, "/mine.json"), read)
	assert.Equal(t, ConfigRead, kindOf(t, err), "a file that is named has to be there")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "/mine.json: the file that PI_BRIDGE_CONFIG names does not exist")
	files["/mine.json"] = `{"providers":[]}`
	c, err = Load(environment("HOME", "/h", configVariable, "/mine.json"), read)
	require.NoError(t, err)
	assert.Equal(t, "/mine.json", c.Path)
}

// Every fault says where it is and what to do.
func TestConfigFaults(t *testing.T) {
	for _, c := range []struct {
		text string
		kind Kind
		want string
	}{
		{"", ConfigParse, `f.json:1:1: the file is empty: it must have at least {"providers": []}`},
		{" \n\t\n", ConfigParse, `f.json:3:1: the file is empty: it must have at least {"providers": []}`},
		{"\uFEFF{\"providers\":[]}", ConfigParse, "f.json:1:1: the file begins with a byte order mark: save it as UTF-8 without one"},
		{"\xFF\xFE{\x00", ConfigParse, "f.json:1:1: the file is not UTF-8: save it as UTF-8"},
		{"{ // c\n}", ConfigParse, "f.json:1:3: comments are not allowed: remove them"},
		{"{\n  # c\n}", ConfigParse, "f.json:2:3: comments are not allowed: remove them"},
		{"{\n  \"ä\": [1,\n  ]}", ConfigParse, "f.json:3:3: no comma is allowed behind the last member: remove it"},
		{"{\"ä\": 1, }", ConfigParse, "f.json:1:10: no comma is allowed behind the last member: remove it"},
		{`{"a":1,,}`, ConfigParse, "f.json:1:8: unexpected ',': the file must be strict JSON"},
		{`{"a" }`, ConfigParse, "f.json:1:6: unexpected '}': the file must be strict JSON"},
		{"{'a': 1}", ConfigParse, "f.json:1:2: texts must be in double quotation marks"},
		{`{"providers": [`, ConfigParse, "f.json:1:16: the file ends too early: a bracket or a quotation mark is missing"},
		{`{"a": ü}`, ConfigParse, "f.json:1:7: unexpected 'ü': the file must be strict JSON"},
		{`{} {}`, ConfigParse, "f.json:1:4: unexpected '{': the file must be strict JSON"},
		{`[]`, ConfigShape, `f.json:1:1: the configuration must be an object: {"providers": [{"package": "…"}]}`},
		{"\n null", ConfigShape, `f.json:2:2: the configuration must be an object: {"providers": [{"package": "…"}]}`},
		{`{}`, ConfigShape, `f.json:1:1: "providers" is missing: add "providers": [{"package": "…"}]`},
		{`{"providers": null}`, ConfigShape, `f.json:1:15: "providers" must be a list: [{"package": "…"}]`},
		{`{"providers": [], "providers": {}}`, ConfigShape, `f.json:1:32: "providers" must be a list: [{"package": "…"}]`},
		{"{\"providers\": [{\"package\":\"p\"},\n\t\t5]}", ConfigShape, `f.json:2:3: providers[1] must be an object: {"package": "…"}`},
		{`{"x":1,"Providers":[]}`, ConfigShape, `f.json:1:1: "providers" is missing: add "providers": [{"package": "…"}]; the key "Providers" is unknown: did you mean "providers"?`},
		{`{"providers":[{"pakage":"a"}]}`, ConfigShape, `f.json:1:15: providers[0] needs a "package": the name, path or URL of an npm package, as a string; the key "pakage" is unknown: did you mean "package"?`},
		{`{"providers":[{"package":"","api":"a","Package":"a"}]}`, ConfigShape, `f.json:1:15: providers[0] needs a "package": the name, path or URL of an npm package, as a string; the key "Package" is unknown: did you mean "package"?`},
		{`{"providers":[{"packagespecifier":"a"}]}`, ConfigShape, `f.json:1:15: providers[0] needs a "package": the name, path or URL of an npm package, as a string; the key "packagespecifier" is unknown: did you mean "packageSpecifier"?`},
		{`{"providers": [{}]}`, ConfigShape, `f.json:1:16: providers[0] needs a "package": the name, path or URL of an npm package, as a string`},
	} {
		_, err := ParseConfig("f.json", []byte(c.text))
		require.Error(t, err, c.text)
		assert.Equal(t, "bridge: "+c.want, err.Error(), c.text)
		assert.Equal(t, c.kind, kindOf(t, err), c.text)
	}
	for _, entry := range []string{`{"package":""}`, `{"package":null}`, `{"package":3}`, `{"packageSpecifier":""}`, `{"packageSpecifier":7}`, `{"package":"","packageSpecifier":[]}`, `[]`, `null`, `"p"`} {
		_, err := ParseConfig("f.json", []byte(`{"providers":[`+entry+`]}`))
		assert.Equal(t, ConfigShape, kindOf(t, err), entry)
	}
}

func TestConfig(t *testing.T) {
	for in, want := range map[string]string{
		`{"providers":[]}`: `{"providers":[]}`,
		`{"other":1,"providers":[{"package":"p","x":{"y":[1]}}],"more":2}`: `{"providers":[{"package":"p","x":{"y":[1]}}]}`,
		`{"providers":[{"packageSpecifier":"q","api":"a"}]}`:               `{"providers":[{"api":"a","package":"q"}]}`,
		`{"providers":[{"package":"","packageSpecifier":"q"}]}`:            `{"providers":[{"package":"q"}]}`,
		`{"providers":[{"package":7,"packageSpecifier":"q"}]}`:             `{"providers":[{"package":"q"}]}`,
		`{"providers":[{"package":"p","packageSpecifier":"q"}]}`:           `{"providers":[{"package":"p","packageSpecifier":"q"}]}`,
		`{"providers":[{"package":" "},{"package":"p","package":"last"}]}`: `{"providers":[{"package":" "},{"package":"last"}]}`,
		`{"providers":5,"providers":[{"package":"p"}]}`:                    `{"providers":[{"package":"p"}]}`,
	} {
		c, err := ParseConfig("f.json", []byte(in))
		require.NoError(t, err, in)
		assert.JSONEq(t, want, string(c.Reveal()), in)
		assert.Equal(t, "f.json", c.Path)
	}
}

func TestEntry(t *testing.T) {
	c, err := ParseConfig("f.json", []byte(`{"providers":[{"package":"p","providerName":"n","api":"a","baseUrl":"b","directory":"d","apiKey":"K",
		"createOptions":{"z":1},"models":[{"id":"m","x":1}],"disableOAuth":true,"preferAuthMethod":"api","factoryExport":"f","pluginExport":"g","splitDimensions":["x","y"]},
		{"package":"p","providerName":null,"apiKey":null,"createOptions":null,"models":null,"disableOAuth":null,"splitDimensions":null},
		{"package":"p","models":[],"splitDimensions":[],"disableOAuth":false}]}`))
	require.NoError(t, err)
	e := c.Providers[0]
	require.NoError(t, e.Err())
	assert.Equal(t, []string{"p", "n", "a", "b", "d", "api", "f", "g"},
		[]string{e.Package, e.ProviderName, e.API, e.BaseURL, e.Directory, e.PreferAuthMethod, e.FactoryExport, e.PluginExport})
	assert.Equal(t, "K", e.APIKey.Reveal())
	assert.JSONEq(t, `{"z":1}`, e.CreateOptions.Reveal())
	assert.True(t, e.DisableOAuth)
	assert.Equal(t, []string{"x", "y"}, e.SplitDimensions)
	require.Len(t, e.Models, 1)
	assert.JSONEq(t, `{"id":"m","x":1}`, e.Models[0].Reveal())

	e = c.Providers[1]
	require.NoError(t, e.Err())
	assert.Nil(t, e.Models)
	assert.Nil(t, e.SplitDimensions)
	assert.False(t, e.APIKey.IsSet() || e.CreateOptions.IsSet() || e.DisableOAuth)
	e = c.Providers[2]
	assert.Equal(t, 0, len(e.Models))
	assert.NotNil(t, e.Models, "an empty list is a list")
	assert.NotNil(t, e.SplitDimensions)
	assert.NotContains(t, shown(t, c), "z", "options are not shown")
	assert.Nil(t, (&Entry{Package: "p"}).Reveal())
	require.NoError(t, (&Entry{Package: "p"}).Err())
}

// What is wrong with one entry is no fault of the file.
func TestEntryFaults(t *testing.T) {
	for field, want := range map[string]string{
		`"api":5`:                            `api must be a string`,
		`"providerName":[]`:                  `providerName must be a string`,
		`"apiKey":{"k":"` + hidden + `"}`:    `apiKey must be a string`,
		`"createOptions":["` + hidden + `"]`: `createOptions must be an object`,
		`"models":{}`:                        `models must be a list`,
		`"models":[{"name":"x"}]`:            `models[0] needs an "id", a string`,
		`"models":[{"id":"x"},7]`:            `models[1] needs an "id", a string`,
		`"disableOAuth":"yes"`:               `disableOAuth must be true or false`,
		`"splitDimensions":"fast"`:           `splitDimensions must be a list of strings`,
		`"splitDimensions":["a",5]`:          `splitDimensions must be a list of strings`,
	} {
		c, err := ParseConfig("f.json", []byte("{\"providers\":[\n{\"package\":\"p\",\n "+field+"}]}"))
		require.NoError(t, err, field)
		err = c.Providers[0].Err()
		require.Error(t, err, field)
		assert.Equal(t, ConfigShape, kindOf(t, err))
		assert.True(t, strings.HasPrefix(err.Error(), "bridge: f.json:3:"), err.Error())
		assert.Contains(t, err.Error(), `"p": `+want)
		assert.NotContains(t, shown(t, err), hidden)
		assert.NotContains(t, shown(t, c), hidden)
	}
}

// All faults of an entry are told, in their order in the file, but of a list only the first.
func TestAllFaultsOfAnEntry(t *testing.T) {
	c, err := ParseConfig("f.json", []byte(`{"providers":[{"splitDimensions":[1,2],"package":"p","models":[{"id":"m"},{},{}],"baseUrl":5,"api":5}]}`))
	require.NoError(t, err)
	assert.EqualError(t, c.Providers[0].Err(), `bridge: f.json:1:35: "p": splitDimensions must be a list of strings
bridge: f.json:1:75: "p": models[1] needs an "id", a string
bridge: f.json:1:92: "p": baseUrl must be a string
bridge: f.json:1:100: "p": api must be a string`)
}

// What looks like a slip is kept, as the rest is, and told.
func TestNotesOfAnEntry(t *testing.T) {
	c, err := ParseConfig("f.json", []byte(`{"providers":[{"package":"p","preferAuthMethod":"OAuth","modles":[],"modles":[],
		"apikey":"x","own":1,"model":{},"baseUrl":"localhost:8080"}]}`))
	require.NoError(t, err)
	assert.Contains(t, string(c.Providers[0].Reveal()), `"modles":[]`)
	p, err := newAcme().host(t, "pi").Register(context.Background(), &c.Providers[0])
	require.NoError(t, err)
	assert.Equal(t, []string{
		`f.json:1:57: unknown key "modles": did you mean "models"?`,
		`f.json:2:3: unknown key "apikey": did you mean "apiKey"?`,
		`f.json:2:24: unknown key "model": did you mean "models"?`,
		`preferAuthMethod "OAuth" is neither "oauth" nor "api": there is no login`,
		`baseUrl is no URL: it should begin with a scheme such as "https://"`,
	}, p.Registration().Notes)
	assert.Empty(t, p.Registration().Login)
}

func TestIsURL(t *testing.T) {
	for _, text := range []string{"https://a", "http://a:1/b?c", "opencode-plugin:x", "file:///x", "http://[::1]:1"} {
		assert.True(t, isURL(text), text)
	}
	for _, text := range []string{"a", "a/b", "/a", "//a", "localhost:8080", "https:", "https://", "a b", "http://a b", "1:2", ":"} {
		assert.False(t, isURL(text), text)
	}
}

// Every fault has its place, whatever is before it, and the file is not read anew for each: text that is
// not UTF-8 would be copied each time.
func TestManyEntryFaults(t *testing.T) {
	place := func(err error) [2]int { return [2]int{err.(*Error).Line, err.(*Error).Column} }
	parse := func(n int) (allocated float64) {
		data := []byte(`{"providers":[` + strings.Repeat("{\"package\":\"p\",\"x\":\"\xe2\x82\",\"y\":\"ä\",\"api\":5,\"baseUrl\":5},", n))
		data = append(data, "\n{\"package\":\"last\",\"api\":5}]}"...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := ParseConfig("f.json", data)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Len(t, c.Providers, n+1)
		for i, entry := range c.Providers[:n] {
			first, each := `{"providers":[{"package":"p","x":"-","y":"a","api":`, len(`{"package":"p","x":"-","y":"a","api":5,"baseUrl":5},`)
			require.Equal(t, [2]int{1, len(first) + i*each + 1}, place(entry.faults[0]))
			require.Equal(t, [2]int{1, len(first) + i*each + len(`5,"baseUrl":`) + 1}, place(entry.faults[1]))
		}
		assert.Equal(t, [2]int{2, len(`{"package":"last","api":`) + 1}, place(c.Providers[n].faults[0]))
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	small := parse(500)
	assert.Less(t, parse(5000), 15*small)
}

func TestPlaces(t *testing.T) {
	f := file{data: []byte("ab\nä\n\nx"), line: 1, column: 1}
	for _, c := range [][3]int{{0, 1, 1}, {0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {5, 2, 2}, {7, 4, 1}, {8, 4, 2}, {5, 2, 2}, {1, 1, 2}} {
		line, column := f.place(c[0])
		assert.Equal(t, c, [3]int{c[0], line, column})
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, seed := range []string{
		`{"providers":[{"package":"p","apiKey":"K","models":[{"id":"m"}]}]}`, `{"providers":[{"packageSpecifier":"p"}]}`, `{"providers":[null]}`,
		"\uFEFF{}", `{ // c`, `{"providers":[],}`, "\xff\xfe", `{"providers":[{"package":"\ud83e","splitDimensions":[1]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseConfig("f.json", data)
		var e *Error
		if err != nil {
			require.True(t, errors.As(err, &e))
			assert.Equal(t, e.Kind == ConfigParse, !jsonspan.Valid(data))
			assert.Positive(t, e.Line)
			assert.Positive(t, e.Column)
			return
		}
		require.True(t, jsonspan.Valid(data))
		out := c.Reveal()
		require.True(t, jsonspan.Valid(out), "%q", out)
		again, err := ParseConfig("f.json", out)
		require.NoError(t, err)
		require.Len(t, again.Providers, len(c.Providers))
		for i := range c.Providers {
			assert.NotEmpty(t, c.Providers[i].Package)
			assert.Equal(t, c.Providers[i].Package, again.Providers[i].Package)
			assert.Equal(t, c.Providers[i].Err() == nil, again.Providers[i].Err() == nil)
		}
	})
}
