package runtime

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
)

func ptr[T any](v T) *T { return &v }

func scalar(t testing.TB, v any) abi.Scalar {
	s, err := abi.ScalarOf(v)
	require.NoError(t, err)
	return s
}

func path(steps ...string) abi.Path {
	var p abi.Path
	for _, s := range steps {
		p = append(p, abi.Step{Member: s, Each: s == "[]"})
		if s == "[]" {
			p[len(p)-1].Member = ""
		}
	}
	return p
}

// narrow is a guest that asks for a little of everything.
func narrow(t testing.TB) *abi.Manifest {
	return &abi.Manifest{
		Transport: abi.Transport, ID: "acme/style", Version: "1",
		Contributions: []abi.Contribution{
			{Interface: abi.DeveloperMessagesV1, ID: "style", Providers: &[]string{"acme"}, ActiveTools: []string{"read", "write"},
				Needs: []abi.ContextField{abi.FieldProvider}},
			{Interface: abi.DeveloperMessagesV1, ID: "blind", Providers: &[]string{"acme"}, ActiveTools: []string{"read"}},
		},
		Adapters: []abi.Adapter{
			{Interface: abi.ProviderPayloadAdaptersV1, ID: "one", Providers: []string{"acme"}, APIs: []string{"chat"}, Models: []string{"a-1"}},
			{Interface: abi.ProviderPayloadAdaptersV2, ID: "two", APIs: []string{"chat"},
				View: []abi.Selector{{Path: path("input", "[]"), Members: []string{"role"}, Clip: ptr(uint64(72)),
					Where: []abi.Filter{{Member: "role", Equals: scalar(t, "developer")}, {Member: "id", Prefix: ptr("m")}}}},
				Write: []abi.Path{path("input")}},
		},
		Capabilities: []abi.Capability{
			{Name: abi.CapabilityKV, Reason: "r"}, {Name: abi.CapabilityConfig, Reason: "r", Keys: []string{"tone"}}},
		Limits: abi.Limits{MemoryBytes: 1 << 20, Milliseconds: 10, AnswerBytes: 1000, LogBytes: 1000, Fuel: 1000},
	}
}

func TestWidened(t *testing.T) {
	none := capabilities{}
	caps := Limits{MemoryBytes: 4 << 20, Time: 20 * time.Millisecond, AnswerBytes: 2000, LogBytes: 2000, Fuel: 2000}
	contribution := func(m *abi.Manifest) *abi.Contribution { return &m.Contributions[0] }
	v1 := func(m *abi.Manifest) *abi.Adapter { return &m.Adapters[0] }
	v2 := func(m *abi.Manifest) *abi.Adapter { return &m.Adapters[1] }
	selector := func(m *abi.Manifest) *abi.Selector { return &m.Adapters[1].View[0] }
	for name, test := range map[string]struct {
		change func(m *abi.Manifest)
		given  capabilities
		want   []string
	}{
		"nothing":                 {func(*abi.Manifest) {}, none, nil},
		"another version":         {func(m *abi.Manifest) { m.Version, m.Description, m.Uses = "2", "better", 8 }, none, nil},
		"a capability":            {func(m *abi.Manifest) { m.Capabilities = append(m.Capabilities, abi.Capability{Name: "clock"}) }, none, []string{`capability "clock"`}},
		"an unknown capability":   {func(m *abi.Manifest) { m.Capabilities[0].Name = "tele\x1bpathy" }, none, []string{`capability "tele\x1bpathy"`}},
		"one that is given":       {func(m *abi.Manifest) { m.Capabilities = append(m.Capabilities, abi.Capability{Name: "clock"}) }, capabilities{clock: true}, nil},
		"the log":                 {func(m *abi.Manifest) { m.Capabilities = append(m.Capabilities, abi.Capability{Name: "log"}) }, none, nil},
		"twice the same":          {func(m *abi.Manifest) { m.Capabilities = slices.Repeat(m.Capabilities, 2) }, none, nil},
		"another reason":          {func(m *abi.Manifest) { m.Capabilities[0].Reason = "another" }, none, nil},
		"fewer capabilities":      {func(m *abi.Manifest) { m.Capabilities = nil }, none, nil},
		"a key":                   {func(m *abi.Manifest) { m.Capabilities[1].Keys = []string{"tone", "token", "token"} }, none, []string{`configuration key "token"`}},
		"a need":                  {func(m *abi.Manifest) { contribution(m).Needs = abi.ContextFields()[:3] }, none, []string{`contribution "style" sees activeTools`, `contribution "style" sees sessionId`}},
		"needs of another":        {func(m *abi.Manifest) { m.Contributions[1].Needs = contribution(m).Needs }, none, []string{`contribution "blind" sees provider`}},
		"a contribution":          {func(m *abi.Manifest) { m.Contributions = append(m.Contributions, abi.Contribution{ID: "new"}) }, none, nil},
		"one that sees":           {func(m *abi.Manifest) { contribution(m).ID = "new" }, none, []string{`contribution "new" sees provider`}},
		"no needs":                {func(m *abi.Manifest) { contribution(m).Needs = nil }, none, nil},
		"every provider":          {func(m *abi.Manifest) { contribution(m).Providers = nil }, none, []string{`contribution "style" is for every provider`}},
		"another provider":        {func(m *abi.Manifest) { contribution(m).Providers = &[]string{"acme", "b"} }, none, []string{`contribution "style" is for provider "b"`}},
		"no provider":             {func(m *abi.Manifest) { contribution(m).Providers = &[]string{} }, none, nil},
		"fewer tools":             {func(m *abi.Manifest) { contribution(m).ActiveTools = []string{"read"} }, none, []string{`contribution "style" renders without tool "write"`}},
		"more tools":              {func(m *abi.Manifest) { contribution(m).ActiveTools = []string{"write", "read", "x"} }, none, nil},
		"of one that is blind":    {func(m *abi.Manifest) { m.Contributions[1].Providers, m.Contributions[1].ActiveTools = nil, nil }, none, nil},
		"more turns":              {func(m *abi.Manifest) { contribution(m).Volatility, contribution(m).Priority = abi.VolatilityTurn, -3 }, none, nil},
		"an adapter":              {func(m *abi.Manifest) { v1(m).ID = "new" }, none, []string{`adapter "new" of provider-payload-adapters/v1`}},
		"an older interface":      {func(m *abi.Manifest) { v2(m).Interface = abi.ProviderPayloadAdaptersV1 }, none, []string{`adapter "two" of provider-payload-adapters/v1`}},
		"fewer adapters":          {func(m *abi.Manifest) { m.Adapters = nil }, none, nil},
		"an adapter's provider":   {func(m *abi.Manifest) { v1(m).Providers = []string{"b", "acme"} }, none, []string{`adapter "one" is for provider "b"`}},
		"the default":             {func(m *abi.Manifest) { v1(m).Providers = nil }, none, []string{`adapter "one" is the default for its apis`}},
		"no default any more":     {func(m *abi.Manifest) { v2(m).Providers = []string{"acme"} }, none, []string{`adapter "two" is for provider "acme"`}},
		"an api":                  {func(m *abi.Manifest) { v1(m).APIs = []string{"chat", "b"} }, none, []string{`adapter "one" is for api "b"`}},
		"every api":               {func(m *abi.Manifest) { v1(m).APIs = nil }, none, []string{`adapter "one" is for every api`}},
		"a model":                 {func(m *abi.Manifest) { v1(m).Models = []string{"a-2"} }, none, []string{`adapter "one" is for model "a-2"`}},
		"every model":             {func(m *abi.Manifest) { v1(m).Models = nil }, none, []string{`adapter "one" is for every model`}},
		"only a model":            {func(m *abi.Manifest) { v2(m).Models = []string{"a-1"} }, none, nil},
		"an operation":            {func(m *abi.Manifest) { v1(m).Operations = []string{abi.ReplaceDeveloperMessagesV1} }, none, []string{`adapter "one" has operation "provider_payload_adapters_v1_replace_developer_messages"`}},
		"a selector":              {func(m *abi.Manifest) { v2(m).View = append(v2(m).View, abi.Selector{Path: path("model")}) }, none, []string{`adapter "two" sees more of "model"`}},
		"another path":            {func(m *abi.Manifest) { selector(m).Path = path("input") }, none, []string{`adapter "two" sees more of "input"`}},
		"a member":                {func(m *abi.Manifest) { selector(m).Members = []string{"role", "content"} }, none, []string{`adapter "two" sees more of "input[]"`}},
		"no members":              {func(m *abi.Manifest) { selector(m).Members = nil }, none, nil},
		"longer strings":          {func(m *abi.Manifest) { selector(m).Clip = ptr(uint64(73)) }, none, []string{`adapter "two" sees more of "input[]"`}},
		"the longest strings":     {func(m *abi.Manifest) { selector(m).Clip = nil }, none, []string{`adapter "two" sees more of "input[]"`}},
		"shorter strings":         {func(m *abi.Manifest) { selector(m).Clip = ptr(uint64(0)) }, none, nil},
		"no filters":              {func(m *abi.Manifest) { selector(m).Where = nil }, none, []string{`adapter "two" sees more of "input[]"`}},
		"one filter less":         {func(m *abi.Manifest) { selector(m).Where = selector(m).Where[1:] }, none, []string{`adapter "two" sees more of "input[]"`}},
		"another filter":          {func(m *abi.Manifest) { selector(m).Where[0].Equals = scalar(t, "user") }, none, []string{`adapter "two" sees more of "input[]"`}},
		"another member filtered": {func(m *abi.Manifest) { selector(m).Where[0].Member = "kind" }, none, []string{`adapter "two" sees more of "input[]"`}},
		"another prefix":          {func(m *abi.Manifest) { selector(m).Where[1].Prefix = ptr("") }, none, []string{`adapter "two" sees more of "input[]"`}},
		"a suffix for a prefix": {func(m *abi.Manifest) { selector(m).Where[1] = abi.Filter{Member: "id", Suffix: ptr("m")} },
			none, []string{`adapter "two" sees more of "input[]"`}},
		"another depth":  {func(m *abi.Manifest) { selector(m).Where[0].Of = ptr(uint64(1)) }, none, []string{`adapter "two" sees more of "input[]"`}},
		"the same depth": {func(m *abi.Manifest) { selector(m).Where[0].Of = ptr(uint64(2)) }, none, nil},
		"more filters": {func(m *abi.Manifest) {
			selector(m).Where = append(selector(m).Where, abi.Filter{Member: "x", Equals: scalar(t, 1)})
			slices.Reverse(selector(m).Where)
		}, none, nil},
		"a place to edit": {func(m *abi.Manifest) { v2(m).Write = append(v2(m).Write, path("tools")) }, none, []string{`adapter "two" edits "tools"`}},
		"below a place":   {func(m *abi.Manifest) { v2(m).Write = []abi.Path{path("input", "[]", "content")} }, none, nil},
		"limits": {func(m *abi.Manifest) {
			m.Limits = abi.Limits{MemoryBytes: 2 << 20, Milliseconds: 11, AnswerBytes: 1001, LogBytes: 1001, Fuel: 1001}
		}, none,
			[]string{"limit memory of 2097152 bytes instead of 1048576", "limit fuel of 1001 units instead of 1000", "limit time of 11 ms instead of 10",
				"limit answer of 1001 bytes instead of 1000", "limit log of 1001 bytes instead of 1000"}},
		"the host's limits": {func(m *abi.Manifest) { m.Limits = abi.Limits{} }, none,
			[]string{"limit memory of 4194304 bytes instead of 1048576", "limit fuel of 2000 units instead of 1000", "limit time of 20 ms instead of 10",
				"limit answer of 2000 bytes instead of 1000", "limit log of 2000 bytes instead of 1000"}},
		"lower limits": {func(m *abi.Manifest) {
			m.Limits = abi.Limits{MemoryBytes: 1, Milliseconds: 1, AnswerBytes: 1, LogBytes: 1, Fuel: 1}
		}, none, nil},
		"state":    {func(m *abi.Manifest) { m.State = abi.StateSession }, none, []string{"state session: its memory lives as long as the session"}},
		"no state": {func(m *abi.Manifest) { m.State = abi.StateNone }, none, nil},
	} {
		m := narrow(t)
		require.NoError(t, m.Validate())
		test.change(m)
		assert.Equal(t, test.want, widened(narrow(t), m, caps, test.given), name)
	}
	// What the host does not give anyway is not wider.
	high := narrow(t)
	high.Limits = abi.Limits{MemoryBytes: 8 << 20, Milliseconds: 1000, AnswerBytes: 1 << 20, LogBytes: 1 << 20, Fuel: 1 << 40}
	higher := narrow(t)
	higher.Limits = abi.Limits{}
	assert.Empty(t, widened(high, higher, caps, none))

	session := narrow(t)
	session.State = abi.StateSession
	assert.Empty(t, widened(session, session, caps, none))
}

func TestBelow(t *testing.T) {
	for _, test := range []struct {
		path, top abi.Path
		want      bool
	}{
		{path("input"), path("input"), true},
		{path("input", "[]", "content"), path("input"), true},
		{path("input", "[]", "content"), path("input", "[]"), true},
		{path("input"), path("input", "[]"), false},
		{path("input", "[]"), path("input", "content"), false},
		{path("inputs"), path("input"), false},
	} {
		assert.Equal(t, test.want, below(test.path, test.top), "%s below %s", test.path, test.top)
	}
}
