package bridge

import "path/filepath"

// An Environment is what this package is told of the process that it runs in. The zero value is one in
// which nothing is set.
type Environment struct {
	// Getenv returns a variable, "" for one that is not set, as [os.Getenv] does. The variables that are
	// read are HOME, USERPROFILE, PI_BRIDGE_HOST, PI_BRIDGE_CONFIG, PI_CODING_AGENT_DIR and PI_CONFIG_DIR,
	// and those that the apiKey of a configuration or a [profile.PrivateTool] names.
	Getenv func(name string) string
	// Home is the user's home directory for the case that neither HOME nor USERPROFILE is set.
	Home string
	// Dir is the working directory, by which relative paths are made absolute; "" leaves them relative.
	Dir string
}

// The variables that are read.
const (
	hostVariable     = "PI_BRIDGE_HOST"
	configVariable   = "PI_BRIDGE_CONFIG"
	agentDirVariable = "PI_CODING_AGENT_DIR"
	folderVariable   = "PI_CONFIG_DIR"
)

func (e *Environment) get(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

func (e *Environment) home() string {
	for _, name := range [...]string{"HOME", "USERPROFILE"} {
		if home := e.get(name); home != "" {
			return home
		}
	}
	return e.Home
}

// absolute makes a path absolute and clean.
func (e *Environment) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(e.Dir, path)
}
