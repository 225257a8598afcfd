package bridge

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

func hostProfile(t testing.TB, name string) *profile.Profile {
	t.Helper()
	p, err := profile.Named(name)
	require.NoError(t, err)
	return p
}

func TestDeriveName(t *testing.T) {
	for pkg, want := range map[string]string{
		"acme": "acme", "@Foo/Bar.Baz": "foo-bar-baz", "a/b/c": "a-b-c", "pkg@1.2.3": "pkg-1-2-3", "@s/p@1": "s-p-1",
		"UPPER_case": "upper-case", "a__b..c": "a-b-c", "a-_-b": "a---b", "ä": "-", "x.": "x-", "": "",
		"./dist/index.js": "index", "../x/Plugin.ts": "plugin", "/a/b/c.mjs": "c", "/a/b/": "b", "./": "-", "/": "-", "..": "--"[:1],
		"https://e.x/mod.cjs": "mod", "file:///a/b%20c.js": "b-20c", "https://e.x/m.js?v=1": "m-js-v-1", "x.tsx": "x-tsx", "a.js.ts": "a-js", "x.JS": "x-js",
		`C:\x\y.js`: "c-x-y", ".hidden": "-hidden",
	} {
		assert.Equal(t, want, DeriveName(pkg), pkg)
	}
}

func TestStem(t *testing.T) {
	for pkg, want := range map[string]string{
		"acme": "Acme", "acme-opencode-provider": "Acme", "@foo/bar": "Foo", "CURSOR-x": "Cursor", "x1-y": "X1", "3d": "3d", "_a": "A", "@": "",
		"/abs/cursor-opencode-provider/dist/index.js": "Cursor", "./dist/index.js": "Index", "/x/@foo/src/index.ts": "Foo", "/a/Src/Index.js": "A",
		"/x/acme.js/dist": "Acme", "dist": "Dist", "https://e.x/acme/dist/index.mjs": "Acme",
	} {
		assert.Equal(t, want, stem(pkg), pkg)
	}
}

func functions(names ...string) []Export {
	var exports []Export
	for _, name := range names {
		exports = append(exports, Export{Name: name, Function: true})
	}
	return exports
}

func TestFactoryExport(t *testing.T) {
	object := []Export{{Name: "createAcme"}, {Name: "provider", LanguageModel: true}, {Name: "text"}}
	for _, c := range []struct {
		exports         []Export
		pkg, configured string
		want            string
		kind            Kind
	}{
		{functions("createAcme", "helper"), "x", "", "createAcme", ""},
		{functions("createAcme", "createOther"), "acme-provider", "", "createAcme", ""},
		{functions("createACME", "createOther"), "acme", "", "", AmbiguousExport},
		{functions("createX", "createY", "default"), "acme", "", "", AmbiguousExport},
		{functions("createacme", "create", "create_", "createÄ", "default"), "acme", "", "default", ""},
		{functions("createA", "createB"), "z", "createB", "createB", ""},
		{functions("createA"), "z", "createC", "", BadExport},
		{object, "z", "provider", "provider", ""},
		{object, "z", "text", "", BadExport},
		{object, "z", "", "", NoExport}, // createAcme is no function
		{[]Export{{Name: "default", LanguageModel: true}}, "z", "", "default", ""},
		{append(functions("languageModel"), Export{Name: "default"}), "z", "", WholeModule, ""},
		{[]Export{{Name: "languageModel"}}, "z", "", "", NoExport},
		{[]Export{{Name: "default"}}, "z", "", "", NoExport},
		{nil, "z", "", "", NoExport},
		{functions("createDist", "createAcme"), "/x/acme/dist/index.js", "", "createAcme", ""},
	} {
		got, err := FactoryExport(c.exports, c.pkg, c.configured)
		assert.Equal(t, c.want, got)
		if c.kind != "" {
			assert.Equal(t, c.kind, kindOf(t, err))
			assert.ErrorContains(t, err, "factoryExport")
		} else {
			assert.NoError(t, err)
		}
	}
	_, err := FactoryExport(functions("createA", "createB"), "z", "")
	assert.EqualError(t, err, `bridge: "z": several exports could be meant (createA, createB): name one with factoryExport`)
	_, err = FactoryExport(nil, "z", "")
	assert.EqualError(t, err, `bridge: "z": none of the exports (none) makes a provider: name one with factoryExport`)
}

func TestPluginExport(t *testing.T) {
	for _, c := range []struct {
		exports                  []Export
		pkg, configured, factory string
		want                     string
		kind                     Kind
	}{
		{functions("AcmePlugin"), "x", "", "createAcme", "AcmePlugin", ""},
		{functions("Plugin", "default"), "x", "", "createAcme", "Plugin", ""},
		{functions("AcmePlugin", "OtherPlugin"), "acme", "", "", "AcmePlugin", ""},
		{functions("acmePlugin", "OtherPlugin"), "acme", "", "", "", AmbiguousExport},
		{functions("XPlugin", "YPlugin"), "acme", "YPlugin", "", "YPlugin", ""},
		{functions("XPlugin"), "acme", "ZPlugin", "", "", BadExport},
		{[]Export{{Name: "XPlugin", LanguageModel: true}}, "acme", "XPlugin", "", "", BadExport},
		{[]Export{{Name: "XPlugin"}}, "acme", "", "", "", ""},
		{functions("default"), "acme", "", "default", "", ""},
		{functions("default"), "acme", "", "createAcme", "default", ""},
		{[]Export{{Name: "default", LanguageModel: true}}, "acme", "", "createAcme", "", ""},
		{functions("Pluginish"), "acme", "", "", "", ""},
		{nil, "acme", "", "", "", ""},
	} {
		got, err := PluginExport(c.exports, c.pkg, c.configured, c.factory)
		assert.Equal(t, c.want, got)
		if c.kind != "" {
			assert.Equal(t, c.kind, kindOf(t, err))
			assert.ErrorContains(t, err, "pluginExport")
		} else {
			assert.NoError(t, err)
		}
	}
}

func TestNameProvider(t *testing.T) {
	for _, c := range []struct {
		host      string
		entry     Entry
		authID    string
		reference bool
		want      Names
	}{
		{"pi", Entry{Package: "@foo/acme"}, "", false, Names{"foo-acme", "foo-acme", "foo-acme-bridge", "foo-acme", false}},
		{"pi", Entry{Package: "x"}, "acme", false, Names{"acme", "acme", "acme-bridge", "acme", false}},
		{"pi", Entry{Package: "x"}, "anthropic", false, Names{"anthropic", "anthropic-opencode", "anthropic-opencode-bridge", "anthropic", true}},
		{"pi", Entry{Package: "anthropic"}, "", false, Names{"anthropic", "anthropic-opencode", "anthropic-opencode-bridge", "anthropic-opencode", true}},
		{"pi", Entry{Package: "x"}, "Anthropic", false, Names{"Anthropic", "Anthropic", "Anthropic-bridge", "Anthropic", false}},
		{"pi", Entry{Package: "x", ProviderName: "cursor"}, "cursor", false, Names{"cursor", "cursor", "cursor-bridge", "cursor", false}},
		{"pi", Entry{Package: "x", ProviderName: "mine", API: "wire"}, "", false, Names{"x", "mine", "wire", "mine", false}},
		{"pi", Entry{Package: "x"}, "amazon-bedrock", false, Names{"amazon-bedrock", "amazon-bedrock-opencode", "amazon-bedrock-opencode-bridge", "amazon-bedrock", true}},
		{"pi", Entry{Package: "x"}, "amazon-bedrock", true, Names{"amazon-bedrock", "amazon-bedrock", "amazon-bedrock-bridge", "amazon-bedrock", false}},
		{"omp", Entry{Package: "x"}, "amazon-bedrock", false, Names{"amazon-bedrock", "amazon-bedrock", "amazon-bedrock-bridge", "amazon-bedrock", false}},
		{"omp", Entry{Package: "x"}, "devin", true, Names{"devin", "devin-opencode", "devin-opencode-bridge", "devin", true}},
		{"pi", Entry{Package: "x", API: "pi-messages"}, "", true, Names{"x", "x", "pi-messages", "x", false}},
	} {
		got, err := (&Host{Profile: hostProfile(t, c.host), Reference: c.reference}).NameProvider(&c.entry, c.authID)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	for _, c := range []struct {
		host, api string
		reference bool
	}{{"pi", "openai-completions", true}, {"pi", "pi-messages", false}, {"omp", "devin-agent", true}, {"omp", "bedrock-converse-stream", false}} {
		_, err := (&Host{Profile: hostProfile(t, c.host), Reference: c.reference}).NameProvider(&Entry{Package: "x", API: c.api}, "")
		assert.Equal(t, ReservedAPI, kindOf(t, err), c.api)
		assert.ErrorContains(t, err, c.api)
	}
}

// Rule 11 of the sound default: each of these names is taken on pi, and none of them on omp for that.
func TestReservedOnPi(t *testing.T) {
	pi, omp := &Host{Profile: hostProfile(t, "pi")}, &Host{Profile: hostProfile(t, "omp")}
	reference := &Host{Profile: pi.Profile, Reference: true}
	for _, id := range []string{
		"amazon-bedrock", "ant-ling", "google-vertex", "azure", "openai-codex", "radius", "typesafe", "nvidia", "deepseek", "vercel-ai-gateway", "zai",
		"zai-coding-cn", "minimax", "minimax-cn", "moonshotai", "moonshotai-cn", "huggingface", "fireworks", "together", "baseten", "opencode", "opencode-go",
		"kimi-coding", "meta", "cloudflare-workers-ai", "cloudflare-ai-gateway", "qwen-token-plan", "qwen-token-plan-cn", "qwen-token-plan-individual",
		"qwen-token-plan-individual-cn", "xiaomi", "xiaomi-token-plan-cn", "xiaomi-token-plan-ams", "xiaomi-token-plan-sgp",
	} {
		assert.True(t, pi.isReservedProvider(id), id)
		assert.False(t, reference.isReservedProvider(id), id)
		assert.False(t, omp.isReservedProvider(id), id)
	}
	for _, api := range []string{"mistral-conversations", "azure-openai-responses", "openai-codex-responses", "bedrock-converse-stream", "pi-messages"} {
		assert.True(t, pi.isReservedAPI(api), api)
		assert.False(t, reference.isReservedAPI(api), api)
	}
}

func TestIdentity(t *testing.T) {
	for pkg, want := range map[string]string{
		"a@1": "a", "@s/a@1.2": "@s/a", "@s/a": "@s/a", "@": "@", "a@": "a", "a@b/c": "a@b/c", "a@1@2": "a@1", "/x/@s/p": "/x/@s/p", "": "", "@a@1": "@a",
	} {
		assert.Equal(t, want, StripVersion(pkg), pkg)
	}
	for pkg, want := range map[string]stream.Integration{
		"cursor-opencode-provider": stream.Cursor, "CURSOR-opencode-Provider@2": stream.Cursor, "x/cursor-opencode-provider/y": stream.Cursor,
		"cursor-opencode-provider/dist/index.js": stream.Cursor, "@s/cursor-opencode-provider@2": stream.Cursor,
		"file:///x/cursor-opencode-provider/index.js": stream.Cursor, "/x/cursor-opencode-provider@1/dist": stream.NoIntegration,
		"cursor-opencode-provider-x": stream.NoIntegration, "x-cursor-opencode-provider": stream.NoIntegration, "cursor": stream.NoIntegration, "": stream.NoIntegration,
		// As JavaScript lowers it: İ is no i, but the sign of Kelvin is a k.
		"CURSOR-OPENCODE-PROV\u0130DER": stream.NoIntegration, "cursor-opencode-prov\u0131der": stream.NoIntegration, "CURSOR-OPENCODE-PROVIDER/\u212a": stream.Cursor,
		"devin-opencode-provider@1.0.0": stream.Devin, "/x/devin-opencode-provider/dist": stream.Devin, "Devin-opencode-provider": stream.NoIntegration,
	} {
		assert.Equal(t, want, IntegrationOf(pkg), pkg)
	}
}

func TestDetectHost(t *testing.T) {
	only := func(packages ...string) func(string) bool {
		return func(pkg string) bool {
			for _, p := range packages {
				if p == pkg {
					return true
				}
			}
			return false
		}
	}
	omp, pi := "@oh-my-pi/pi-ai", "@earendil-works/pi-ai"
	for _, c := range []struct {
		env      string
		resolves func(string) bool
		want     string
		how      string
		kind     Kind
	}{
		{" omp\uFEFF", only(), "omp", ByEnvironment, ""},
		{"pi", only(omp), "pi", ByEnvironment, ""},
		{" \t", only(omp, pi), "omp", ByProbe, ""},
		{"", only(pi), "pi", ByProbe, ""},
		{"", only(), "", "", NoHost},
		{"PI", only(pi), "", "", UnknownHost},
	} {
		p, how, err := DetectHost(environment(hostVariable, c.env), c.resolves)
		if c.kind != "" {
			assert.Equal(t, c.kind, kindOf(t, err))
			assert.ErrorContains(t, err, "PI_BRIDGE_HOST")
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, p.Name)
		assert.Equal(t, c.how, how)
	}
}

func TestKeyReference(t *testing.T) {
	env := environment("ACME_KEY", "x", "EMPTY", "", "lower", "x")
	hosts := [3]Host{
		{Profile: hostProfile(t, "pi"), Env: env}, {Profile: hostProfile(t, "pi"), Env: env, Reference: true},
		{Profile: hostProfile(t, "omp"), Env: env},
	}
	for value, want := range map[string][3]string{ // pi, pi in reference mode, omp
		"ACME_KEY":  {"$ACME_KEY", "$ACME_KEY", "ACME_KEY"},
		"EMPTY":     {"EMPTY", "$EMPTY", "EMPTY"},
		"OTHER_1":   {"OTHER_1", "$OTHER_1", "OTHER_1"},
		"lower":     {"lower", "lower", "lower"},
		"$ACME_KEY": {"$ACME_KEY", "$ACME_KEY", "$ACME_KEY"},
		"${A}":      {"${A}", "${A}", "${A}"},
		"!pass x":   {"!pass x", "!pass x", "!pass x"},
		"A B":       {"A B", "A B", "A B"},
		"_":         {"_", "$_", "_"},
		"Ä":         {"Ä", "Ä", "Ä"},
		"":          {"", "", ""},
	} {
		var got [3]string
		for i := range hosts {
			got[i] = hosts[i].KeyReference(auth.NewSecret(value)).Reveal()
		}
		assert.Equal(t, want, got, value)
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		host     string
		env      Environment
		agentDir string
		root     string
	}{
		{"pi", environment("HOME", "/h"), "", "/h/.pi/agent"},
		{"omp", environment("HOME", "/h", folderVariable, "/abs/../a"), "", "/h/a/agent"},
		{"omp", environment("HOME", "/h", agentDirVariable, "rel/a/"), "", "/work/rel/a"},
		{"omp", environment("HOME", "/h", agentDirVariable, ""), "", "/h/.omp/agent"},
		{"pi", environment("HOME", "/h", agentDirVariable, "/z"), " \uFEFF", "/z"},
		{"pi", environment("HOME", "/h", agentDirVariable, "/z"), "from/host", "/work/from/host"},
		{"pi", Environment{Home: "/os"}, "", "/os/.pi/agent"},
	} {
		b := Paths(hostProfile(t, c.host), c.env, c.agentDir)
		assert.Equal(t, []string{c.root}, b.GlobalConfigDirs)
		assert.Equal(t, c.root, b.GlobalDataDir)
		assert.Equal(t, c.root+"/cache/opencode-providers", b.GlobalCacheDir)
		assert.Equal(t, c.root+"/plans", b.PlansDir)
	}
	b := Paths(hostProfile(t, "omp"), environment("HOME", "/h<"), "")
	assert.Equal(t, []string{"/w/q/.omp"}, b.ProjectConfigDirs("/w/proj/../q/"))
	assert.Equal(t, []string{"/work/sub/.omp"}, b.ProjectConfigDirs("sub"))
	assert.Equal(t, []string{"/work/.omp"}, b.ProjectConfigDirs(""))
	assert.Equal(t, `x{"keys":["opencode.host.path-bridge","opencode.compat.path-bridge"],"globalConfigDirs":["/h</.omp/agent"],`+
		`"globalDataDir":"/h</.omp/agent","globalCacheDir":"/h</.omp/agent/cache/opencode-providers","plansDir":"/h</.omp/agent/plans",`+
		`"configFileNames":["settings.json","pi-bridge.json"],"projectFolder":".omp","projectConfigDirs":["/w/.omp"]}`, string(b.AppendJSON([]byte("x"), "/w")))
}

func TestHostTools(t *testing.T) {
	cursor := &Config{Providers: []Entry{{Package: "x"}, {Package: "/y/cursor-opencode-provider@1"}}}
	tools := HostTools(cursor, Environment{})
	require.NotEmpty(t, tools)
	assert.Empty(t, HostTools(&Config{Providers: []Entry{{Package: "devin-opencode-provider"}}}, Environment{}))
	assert.Equal(t, tools, HostTools(&Config{}, environment("PI_BRIDGE_CURSOR_HOST_TOOLS", "1")))
	assert.Empty(t, HostTools(&Config{}, environment("PI_BRIDGE_CURSOR_HOST_TOOLS", "true")))

	pi := hostProfile(t, "pi")
	all, changed := Activate(pi, []string{"bash", "ls"}, []string{"ls", "find", "bash", "plan_exit"}, tools)
	assert.Equal(t, []string{"bash", "ls", "find", "plan_exit"}, all)
	assert.True(t, changed)
	all, changed = Activate(pi, []string{"find"}, []string{"find"}, nil)
	assert.Equal(t, []string{"find"}, all)
	assert.False(t, changed)
	all, changed = Activate(&profile.Profile{}, nil, []string{"find"}, nil)
	assert.Empty(t, all, "which tools is up to the host's table")
	assert.False(t, changed)
	all, _ = Activate(hostProfile(t, "omp"), nil, []string{"ls", "grep", "find"}, nil)
	assert.Equal(t, []string{"find", "grep", "ls"}, all)
	assert.Equal(t, []string{"find", "grep", "ls"}, hostProfile(t, "omp").SessionTools)
}
