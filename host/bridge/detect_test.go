package bridge_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/bridge"
	"github.com/pintle-wasm/pintle/host/profile"
)

func parsed(table string) *profile.Profile {
	p, err := profile.Parse([]byte(table))
	if err != nil {
		panic(err)
	}
	return p
}

func named(name string) *profile.Profile {
	p, err := profile.Named(name)
	if err != nil {
		panic(err)
	}
	return p
}

func hostVariable(value string) bridge.Environment {
	return bridge.Environment{Getenv: func(name string) string {
		if name == "PI_BRIDGE_HOST" {
			return value
		}
		return ""
	}}
}

// A program may know hosts that no embedded table has.
func TestDetectHostsOfAProgram(t *testing.T) {
	reef := parsed(`{"name": "reef", "package": "@reef/ai", "paths": {"folder": ".reef"}}`)
	kelp := parsed(`{"name": "kelp", "paths": {"folder": ".kelp"}}`)
	pi, omp := named("pi"), named("omp")
	all := []*profile.Profile{kelp, pi, reef, omp}
	every := func(string) bool { return true }
	none := func(string) bool { return false }
	for _, c := range []struct {
		env      string
		resolves func(string) bool
		hosts    []*profile.Profile
		want     *profile.Profile
		how      string
	}{
		{"reef", none, all, reef, bridge.ByEnvironment},
		{" kelp ", every, all, kelp, bridge.ByEnvironment},
		{"omp", every, all, omp, bridge.ByEnvironment},
		{"", func(pkg string) bool { return pkg == "@reef/ai" }, all, reef, bridge.ByProbe},
		{"", every, all, pi, bridge.ByProbe}, // in the program's order, and kelp has no package
		{"", every, []*profile.Profile{reef, pi}, reef, bridge.ByProbe},
		{"", every, nil, omp, bridge.ByProbe},
	} {
		p, how, err := bridge.DetectHost(hostVariable(c.env), c.resolves, c.hosts...)
		require.NoError(t, err, c.env)
		assert.Equal(t, c.want.Name, p.Name)
		if c.hosts != nil {
			assert.Same(t, c.want, p)
		}
		assert.Equal(t, c.how, how)
	}
	for _, c := range []struct {
		env       string
		hosts     []*profile.Profile
		kind      bridge.Kind
		complaint string
	}{
		{"omp", []*profile.Profile{reef, pi}, bridge.UnknownHost, `unknown host "omp": the hosts are ["reef" "pi"]`},
		{"reef", nil, bridge.UnknownHost, `unknown host "reef": the hosts are ["omp" "pi"]`},
		{"", all, bridge.NoHost, `none of the packages ["@earendil-works/pi-ai" "@reef/ai" "@oh-my-pi/pi-ai"] can be loaded`},
		{"", []*profile.Profile{kelp}, bridge.NoHost, `set PI_BRIDGE_HOST to one of ["kelp"]`},
	} {
		_, _, err := bridge.DetectHost(hostVariable(c.env), none, c.hosts...)
		var failed *bridge.Error
		require.True(t, errors.As(err, &failed))
		assert.Equal(t, c.kind, failed.Kind)
		assert.Equal(t, c.kind == bridge.UnknownHost, errors.Is(err, profile.ErrUnknownHost))
		assert.ErrorContains(t, err, c.complaint)
	}
}

// A program with a table of its own gives it together with the embedded ones that it wants.
func ExampleDetectHost_ownHost() {
	reef, err := profile.Parse([]byte(`{"name": "reef", "package": "@reef/ai", "paths": {"folder": ".reef"}}`))
	if err != nil {
		panic(err)
	}
	omp, err := profile.Named("omp")
	if err != nil {
		panic(err)
	}
	p, how, err := bridge.DetectHost(
		bridge.Environment{}, func(pkg string) bool { return pkg == "@reef/ai" }, omp, reef,
	)
	fmt.Println(p.Name, how, err)
	// Output: reef probe <nil>
}
