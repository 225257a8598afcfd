package bridge

import (
	"path/filepath"
	"slices"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma"
)

// ConfigFile is the name of a configuration file.
const ConfigFile = "pi-bridge.json"

// SearchPaths are the places of a configuration file, the first that exists counts. They depend on the
// variables PI_BRIDGE_CONFIG, which names the only one, PI_CODING_AGENT_DIR, HOME, USERPROFILE and
// PI_BRIDGE_HOST. Those in the user's home are left out if that is not known; their folders are those of
// the host that PI_BRIDGE_HOST names, else of the first. hosts are those that it may be, as for
// [DetectHost]; a program that has found its host gives that one alone.
func SearchPaths(env Environment, hosts ...*profile.Profile) []string {
	if path := env.get(configVariable); path != "" {
		return []string{path}
	}
	var paths []string
	add := func(folder string) {
		if path := filepath.Join(folder, ConfigFile); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if folder := env.get(agentDirVariable); folder != "" {
		add(folder)
	}
	if home := env.home(); home != "" {
		for _, folder := range searchedBy(env.get(hostVariable), hosts).Paths.Config {
			add(filepath.Join(home, folder))
		}
	}
	return paths
}

// searchedBy is the profile whose folders are searched: that of the host, else the one that is looked
// for first.
func searchedBy(host string, hosts []*profile.Profile) *profile.Profile {
	if len(hosts) == 0 {
		hosts = profile.Embedded()
	}
	host = ecma.Trim(host)
	if at := slices.IndexFunc(hosts, func(p *profile.Profile) bool { return p.Name == host }); at >= 0 {
		return hosts[at]
	}
	return hosts[0]
}
