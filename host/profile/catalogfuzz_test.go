package profile_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Whatever schemas and descriptions the tools of other people have: nothing panics, every schema that a
// provider gets is a JSON object, tools without a rule keep theirs, and nothing grows beyond proportion.
func FuzzCatalog(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"agent":{"enum":["a"]},"type":{},"data":{}},"required":[]}`, "# Available Agents\n- `a`"},
		{`{"properties":{"command":{"$ref":"#"},"cwd":{},"cwd":1,"i":2,"case":{},"glob":{},"include":{}},"required":["i","glob"]}`,
			"## available agents\r\n### `x-1` (y)\r\n# z"},
		{`{"properties":` + strings.Repeat(`{"agent":[`, 200) + strings.Repeat(`]}`, 200) + `}`, strings.Repeat("#", 100)},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/a"},"agent":{"const":"\ud800"}}}`, "# Available Agents\n### \xff"},
		{`{"required":["content",1,null],"properties":7}`, "# Available Agents\n-\t`a`:"},
		{`[`, "#"},
	} {
		f.Add([]byte(seed[0]), seed[1])
	}
	third, err := profile.Parse([]byte(reef))
	require.NoError(f, err)
	pi, err := profile.Named("pi")
	require.NoError(f, err)
	omp, err := profile.Named("omp")
	require.NoError(f, err)
	names := slices.Concat(piTools, ompTools, []string{"yield", "cat", "patch", "sh", "rg", "log", "crew", "dock", "hail", "mcp"})
	slices.Sort(names)
	names = slices.Compact(names)
	f.Fuzz(func(t *testing.T, schema []byte, description string) {
		var tools []profile.Tool
		for _, name := range names {
			tools = append(tools, profile.Tool{Name: name, Description: description, Parameters: schema})
		}
		for _, p := range []*profile.Profile{pi, omp, third} {
			bound := p.Bind(tools, profile.Options{})
			list := bound.Catalog()
			assert.True(t, slices.IsSortedFunc(list, func(a, b profile.Declaration) int { return ecma.CompareUnits(a.Name, b.Name) }))
			for _, d := range list {
				w := jsonspan.Walk(d.InputSchema)
				require.Equal(t, jsonspan.Object, w.Kind(), d.Name)
				require.True(t, jsonspan.Valid(d.InputSchema), "%s: %s", d.Name, d.InputSchema)
				require.Less(t, len(d.InputSchema), 8*(len(schema)+len(description))+4096, d.Name)
				if d.Name == "mcp" && jsonspan.Valid(schema) && bytes.HasPrefix(bytes.TrimSpace(schema), []byte{'{'}) {
					require.Equal(t, string(schema), string(d.InputSchema))
				}
				host := bound.HostName(d.Name)
				require.True(t, slices.Contains(names, host), "%s is %s", d.Name, host)
			}
			roles := bound.Roles()
			require.NotNil(t, roles.Subagent)
			require.Equal(t, len(roles.Subagent.Agents), len(slices.Compact(slices.Sorted(slices.Values(roles.Subagent.Agents)))))
			bound.Choice(schema)
		}
	})
}
