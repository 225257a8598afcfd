package profile

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withRules is a table with some rules.
func withRules(rules string) []byte {
	return []byte(`{"name":"kelp","paths":{"folder":".kelp"},"tools":{"rules":[` + rules + `]}}`)
}

// A host may call its arguments as it likes: the aliases of the rule say how. Each call is what a provider
// sends, what the host gets, and what the provider is shown of that later.
func TestShapesFollowTheAliases(t *testing.T) {
	for _, c := range []struct{ rule, provider, host, back string }{
		{
			`"aliases":[["filePath","file"]],"schema":"read","history":"read"`,
			`{"filePath":"a.md","offset":3,"limit":2}`, `{"file":"a.md","offset":3,"limit":2}`, "",
		},
		{
			`"aliases":[["filePath","file"],["offset","from"],["limit","lines"]],"schema":"read","history":"read"`,
			`{"filePath":"a.md","offset":3,"limit":2}`, `{"file":"a.md","from":3,"lines":2}`, "",
		},
		{
			`"aliases":[["filePath","filePath"]],"schema":"read","history":"read"`,
			`{"filePath":"a.md","offset":3}`, `{"filePath":"a.md","offset":3}`, "",
		},
		{
			`"aliases":[["filePath","file"],["offset","from"],["limit","lines"]],"schema":"read","call":"selector","history":"selector"`,
			`{"filePath":"a.md","offset":3,"limit":2}`, `{"file":"a.md:raw:3-4"}`, "",
		},
		{
			`"aliases":[["filePath","filePath"]],"schema":"read","call":"selector","history":"selector"`,
			`{"filePath":"a.md","offset":3}`, `{"filePath":"a.md:raw:3"}`, "",
		},
		{
			`"aliases":[["filePath","file"],["content","text"]],"schema":"write","history":"write"`,
			`{"filePath":"a.md","content":"x"}`, `{"file":"a.md","text":"x"}`, "",
		},
		{
			`"aliases":[["filePath","file"]],"schema":"edit","call":"edits","history":"edits"`,
			`{"filePath":"a.md","oldString":"x","newString":"y"}`, `{"file":"a.md","edits":[{"oldText":"x","newText":"y"}]}`, "",
		},
		{
			`"aliases":[["filePath","file"],["oldString","before"],["newString","after"],["replaceAll","everywhere"]],` +
				`"schema":"edit","call":"edits","history":"edits"`,
			`{"filePath":"a.md","oldString":"x","newString":"y","replaceAll":true}`,
			`{"file":"a.md","edits":[{"oldText":"x","newText":"y"}]}`, `{"filePath":"a.md","oldString":"x","newString":"y"}`,
		},
		{
			`"aliases":[["filePath","file"],["oldString","before"],["newString","after"],["replaceAll","everywhere"]],` +
				`"schema":"replace","history":"replace"`,
			`{"filePath":"a.md","oldString":"x","newString":"y","replaceAll":true}`,
			`{"file":"a.md","before":"x","after":"y","everywhere":true}`, "",
		},
		{
			`"aliases":[["command","line"],["workdir","in"],["timeout","seconds"],["quiet","silent"]],` +
				`"schema":"shell","call":"shell","history":"shell"`,
			`{"command":"ls","workdir":"/w","timeout":1500,"quiet":true}`,
			`{"line":"ls","in":"/w","seconds":1.5,"silent":true}`, "",
		},
		{
			`"aliases":[["workdir","workdir"]],"schema":"shell","call":"shell","history":"shell"`,
			`{"command":"ls","workdir":"/w","timeout":1500}`, `{"command":"ls","workdir":"/w","timeout":1.5}`, "",
		},
		{
			`"aliases":[["path","where"],["limit","most"],["hidden","dots"]],"schema":"glob","call":"glob","history":"glob"`,
			`{"pattern":"*.go","path":"src","limit":3,"hidden":true}`, `{"where":"src/*.go","most":3,"dots":true}`, "",
		},
		{
			`"aliases":[["pattern","find"],["path","where"]],"schema":"glob","call":"glob","history":"glob"`,
			`{"pattern":"*.go"}`, `{"where":"*.go"}`, "",
		},
		{
			`"aliases":[["path","where"],["pattern","re"]],"schema":"grep","call":"grep","history":"grep"`,
			`{"pattern":"x","path":"src","include":"*.go"}`, `{"re":"x","where":"src/*.go"}`, "",
		},
		{
			`"aliases":[["dir","where"],["path","where"]],"schema":"grep","call":"grep","history":"grep"`,
			`{"pattern":"x","path":"src","include":"*.go"}`, `{"pattern":"x","where":"src/*.go"}`,
			`{"pattern":"x","dir":"src","include":"*.go"}`,
		},
		{
			`"aliases":[["filePath","path"],["path","file"]],"schema":"read","history":"read"`, // one leads on
			`{"filePath":"a.md"}`, `{"file":"a.md"}`, "",
		},
	} {
		p, err := Parse(withRules(`{"tool":"x",` + c.rule + `}`))
		require.NoError(t, err, c.rule)
		tools := p.Bind([]Tool{{Name: "x"}}, Options{})
		there := tools.ToHost(Call{"x", json.RawMessage(c.provider)}, nil)
		require.Len(t, there.Calls, 1, c.rule)
		assert.JSONEq(t, c.host, string(there.Calls[0].Arguments), c.rule)
		back := tools.ToProvider(there.Calls[0])
		if c.back == "" {
			c.back = c.provider
		}
		assert.JSONEq(t, c.back, string(back.Arguments), c.rule)
	}
}

func TestSchemasFollowTheAliases(t *testing.T) {
	schemaOf := func(rule, host string) string {
		p, err := Parse(withRules(`{"tool":"x",` + rule + `}`))
		require.NoError(t, err)
		return string(p.Bind([]Tool{{Name: "x", Parameters: json.RawMessage(host)}}, Options{}).Catalog()[0].InputSchema)
	}
	write := `"aliases":[["filePath","file"],["content","text"]],"schema":"write","history":"write"`
	assert.Contains(t, schemaOf(write, `{"properties":{"text":{}},"required":["text"]}`), `"required":["filePath","content"]`)
	assert.Contains(t, schemaOf(write, `{"properties":{"content":{}},"required":["content"]}`), `"required":["filePath"]`)

	shell := schemaOf(`"aliases":[["workdir","in"],["ms","seconds"],["timeout","seconds"]],`+
		`"schema":"shell","call":"shell","history":"shell"`, `{"properties":{"command":{},"in":{},"seconds":{},"tty":{}}}`)
	var got struct{ Properties map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(shell), &got))
	assert.Len(t, got.Properties, 4, "what stands for timeout is not there by another name: %s", shell)

	same := schemaOf(`"aliases":[["filePath","filePath"],["file_path","filePath"]],"schema":"aliases","history":"aliases"`,
		`{"properties":{"filePath":{"type":"string"}},"required":["filePath"]}`)
	assert.JSONEq(t, `{"properties":{"filePath":{"type":"string"}},"required":["filePath"]}`, same)
}

// What would be lost between shapes and aliases is told when the table is read.
func TestKeysThatLeadNowhere(t *testing.T) {
	to := func(keys ...string) string {
		pairs := make([]string, len(keys))
		for i, key := range keys {
			pairs[i] = `["` + key + `","h` + key + `"]`
		}
		return `"aliases":[` + strings.Join(pairs, ",") + `]`
	}
	for _, c := range []struct{ rule, complaint string }{
		{`"schema":"read","call":"selector","history":"selector"`, `tools.rules[0].aliases: shape "read" has "filePath" for providers`},
		{`"history":"read"`, `add ["filePath", the host's key], which is ["filePath", "filePath"] if it is the same`},
		{`"call":"selector"`, `shape "selector" has "filePath"`},
		{`"schema":"write","history":"write",` + to("content"), `"filePath"`},
		{`"schema":"edit","history":"edits",` + to("filePath"), `shape "edit" has "oldString"`},
		{`"schema":"replace","history":"replace",` + to("filePath", "oldString"), `shape "replace" has "newString"`},
		{`"schema":"replace","history":"replace",` + to("filePath", "oldString", "newString"), `"replaceAll"`},
		{`"schema":"shell","history":"shell"`, `"workdir"`},
		{`"schema":"grep","history":"grep"`, `"include"`},
		{`"schema":"read","history":"read","aliases":[["filePath","offset"]]`, `"filePath" and "offset" of shape "read" would both be "offset"`},
		{`"schema":"glob","history":"glob","aliases":[["pattern","p"],["path","p"]]`, `would both be "p"`},
		{`"schema":"read","history":"read","drop":["hfilePath"],` + to("filePath"), `tools.rules[0].drop: shape "read" needs "hfilePath"`},
		{`"call":"edits","drop":["edits"],` + to("filePath"), `shape "edits" needs "edits"`},
		{`"call":"edits",` + to("filePath", "edits"), `shape "edits" needs "edits" as it is`},
		{`"provider":["w","r"],"schema":"todo","call":"todo","history":"todo",` + to("op"), `shape "todo" needs "op" as it is`},
		{`"provider":["w","r"],"schema":"todo","call":"todo","history":"todo",` + to("todos"), `"todos" as it is`},
		{`"schema":"edit","call":"edits","history":"edits","aliases":[["filePath","all"],["replaceAll","all"]]`, `"filePath" and "replaceAll" of shape "edits" would both be "all"`},
		{`"schema":"read","history":"read","aliases":[["filePath","f"],["limit","filePath"]]`, `"limit" would be "filePath", which shape "read" takes for "filePath"`},
		{`"schema":"write","history":"write","aliases":[["filePath","f"],["content","filePath"]]`, `"content" would be "filePath"`},
		{`"schema":"shell","call":"shell","history":"shell","aliases":[["workdir","dir"],["command","workdir"]]`, `"command" would be "workdir"`},
		{`"schema":"edit","call":"edits","history":"edits","aliases":[["filePath","newText"]]`, `tools.rules[0].aliases: "filePath" would be "newText", which shape "edits" takes for "newString"`},
		{`"schema":"edit","call":"edits","history":"edits","aliases":[["filePath","f"],["newString","oldText"]]`, `"newString" would be "oldText"`},
		{`"schema":"edit","call":"edits","history":"edits","aliases":[["filePath","f"],["replaceAll","new_string"]]`, `"replaceAll" would be "new_string"`},
		{`"schema":"replace","history":"replace","aliases":[["filePath","old_string"],["oldString","b"],["newString","a"],["replaceAll","e"]]`, `"filePath" would be "old_string"`},
	} {
		_, err := Parse(withRules(`{"tool":"x",` + c.rule + `}`))
		assert.ErrorContains(t, err, c.complaint, c.rule)
	}
	for _, rule := range []string{
		`"schema":"edit","call":"edits","history":"edits",` + to("filePath"),
		`"schema":"edit","call":"edits","history":"edits","aliases":[["filePath","f"],["oldString","old_string"],["newString","newText"]]`,
		`"schema":"grep","call":"grep","history":"grep"`,
		`"schema":"grep","history":"aliases",` + to("include"),
		`"schema":"aliases","hide":["why"]`,
		`"schema":"glob","history":"aliases"`,
		`"aliases":[["action","op"]]`,
	} {
		_, err := Parse(withRules(`{"tool":"x",` + rule + `}`))
		assert.NoError(t, err, rule)
	}
}

// The description of tables says of every shape what the code does.
func TestKeysAreDescribed(t *testing.T) {
	text, err := os.ReadFile("tables/README.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(text), "### Keys of shapes")
	require.True(t, ok)
	described := map[string][]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+) \| (.*) \| ?(.*)\|$`).FindAllStringSubmatch(section, -1) {
		described[row[1]] = row[2:]
	}
	words := regexp.MustCompile(`\w+\*?`)
	plain := regexp.MustCompile(`\([^)]*\)`)
	for shape, keys := range keysOfShapes {
		require.Contains(t, described, shape)
		var want []string
		for _, key := range keys.provider {
			if slices.Contains(keys.aliased, key) {
				key += "*"
			}
			want = append(want, key)
		}
		if shape != todoShape {
			assert.Equal(t, want, words.FindAllString(described[shape][0], -1), shape)
		}
		host := words.FindAllString(plain.ReplaceAllString(described[shape][1], ""), -1)
		assert.ElementsMatch(t, slices.DeleteFunc(slices.Clone(keys.host), func(k string) bool { return k == "todos" }), host, shape)
	}
	_, together, ok := strings.Cut(string(text), "### Shapes that go together")
	require.True(t, ok)
	together, _, _ = strings.Cut(together, "\n###")
	goes := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+) \| (.*) \|$`).FindAllStringSubmatch(together, -1) {
		goes[row[1]] = row[2]
	}
	for schema, partners := range partnersOf {
		var words []string
		for _, p := range partners {
			words = append(words, strings.ReplaceAll(p.String(), `"`, "`"))
		}
		if schema == "" {
			schema = "none"
		}
		assert.Equal(t, strings.Join(words, "; "), goes[schema], schema)
	}
	assert.Len(t, goes, len(partnersOf)+1, "and a head")
	for _, shapes := range [][]string{shapesOf(schemaShapes), shapesOf(callShapes), shapesOf(historyShapes)} {
		for _, shape := range shapes {
			assert.Contains(t, described, shape)
			if shape != "aliases" {
				assert.Contains(t, keysOfShapes, shape)
			}
		}
	}
}
