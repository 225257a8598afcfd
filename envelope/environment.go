package envelope

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/registry"
)

// Environment says where the facts of the environment message, and the agent directory, come from. The
// zero value takes those of this process; a host that composes for another process sets the fields, and so
// do tests. The functions may be called from several goroutines.
type Environment struct {
	// Now returns the time, in the local zone unless Zone is known; nil is time.Now.
	Now func() time.Time
	// Zone is the IANA name of the time zone, for the date as well. "" means the process's zone.
	Zone string
	// Getenv returns an environment variable, "" when unset; nil is os.Getenv.
	Getenv func(key string) string
	// OS is a GOOS value ("win32" is accepted for windows); "" is this system's. It also selects the
	// rules for paths.
	OS string
	// FileExists probes for a shell; nil asks the file system.
	FileExists func(path string) bool
	// AgentDir is the host's directory of global context files; "" is PI_CODING_AGENT_DIR or
	// ~/.pi/agent.
	AgentDir string
	// WorkingDir makes relative paths of context files absolute; "" is the process's.
	WorkingDir string
}

// Surroundings are the facts in the environment message.
type Surroundings struct {
	// Shell is the shell's name, CurrentDate is YYYY-MM-DD, and Timezone is an IANA name or "unknown".
	Shell, CurrentDate, Timezone string
}

func (e Environment) windows() bool {
	name := e.os()
	return name == "windows" || name == "win32"
}

func (e Environment) os() string {
	if e.OS == "" {
		return runtime.GOOS
	}
	return e.OS
}

func (e Environment) paths() pathRules { return pathRules{e.windows()} }

func (e Environment) getenv(key string) string {
	if e.Getenv == nil {
		return os.Getenv(key)
	}
	return e.Getenv(key)
}

// Observe returns the surroundings as they are now.
func (e Environment) Observe() Surroundings { return e.observe(&zones{}) }

func (e Environment) observe(z *zones) Surroundings {
	now := time.Now
	if e.Now != nil {
		now = e.Now
	}
	zone := e.Zone
	if zone == "" {
		zone = e.processZone(z)
	}
	date := now()
	if location := z.load(zone); location != nil {
		date = date.In(location)
	}
	shell := e.getenv("SHELL")
	if shell == "" {
		shell = e.getenv("ComSpec")
	}
	if shell == "" {
		shell = "unknown"
	}
	return Surroundings{e.paths().base(shell), date.Format(time.DateOnly), zone}
}

// Message writes the environment message. The surroundings are taken as they are, except that a shell
// is named for exec_command by its base name, and fish by the shell that runs in its place.
func (e Environment) Message(cwd string, activeTools []string, s Surroundings) registry.Message {
	shell := s.Shell
	if slices.Contains(activeTools, "exec_command") {
		shell = e.commandShell(shell)
	}
	return registry.Message{ID: EnvironmentID, Content: "<environment_context>" +
		"\n  <cwd>" + slashes(cwd) + "</cwd>" +
		"\n  <shell>" + shell + "</shell>" +
		"\n  <current_date>" + s.CurrentDate + "</current_date>" +
		"\n  <timezone>" + s.Timezone + "</timezone>" +
		"\n</environment_context>"}
}

// commandShell avoids fish, whose syntax models get wrong.
func (e Environment) commandShell(shell string) string {
	base := e.paths().base(shell)
	if len(base) != len("fish") || !strings.EqualFold(base, "fish") { // a long s folds to s, in JavaScript it does not
		return base
	}
	candidates := []string{"/bin/bash", "/bin/zsh", "/bin/sh"}
	switch {
	case e.windows():
		return "bash.exe"
	case e.os() == "darwin":
		candidates = []string{"/bin/zsh", "/bin/bash", "/bin/sh"}
	}
	exists := e.FileExists
	if exists == nil {
		exists = func(path string) bool {
			_, err := os.Stat(path)
			return err == nil
		}
	}
	for _, candidate := range candidates {
		if exists(candidate) {
			return e.paths().base(candidate)
		}
	}
	return "sh"
}

func slashes(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// ResolveAgentDir returns AgentDir or, when that is "", PI_CODING_AGENT_DIR with a leading tilde
// expanded, or ~/.pi/agent.
func (e Environment) ResolveAgentDir() string {
	if e.AgentDir != "" {
		return e.AgentDir
	}
	home := e.getenv("HOME")
	if e.windows() {
		home = e.getenv("USERPROFILE")
	}
	dir := e.getenv("PI_CODING_AGENT_DIR")
	switch {
	case dir == "":
		return home + "/.pi/agent"
	case dir == "~":
		return home
	case strings.HasPrefix(dir, "~/"), e.windows() && strings.HasPrefix(dir, `~\`):
		return home + dir[1:]
	}
	return dir
}

func (e Environment) workingDir() string {
	if e.WorkingDir != "" {
		return e.WorkingDir
	}
	wd, err := os.Getwd()
	if err != nil {
		return "/"
	}
	return wd
}
