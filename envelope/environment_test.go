package envelope

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/registry"
)

var fixed = Environment{
	Now:        func() time.Time { return time.Date(2026, 3, 9, 23, 30, 0, 0, time.UTC) },
	Zone:       "UTC",
	Getenv:     func(key string) string { return map[string]string{"SHELL": "/usr/bin/zsh", "HOME": "/home/u"}[key] },
	OS:         "linux",
	FileExists: func(string) bool { return false },
	AgentDir:   "/a",
	WorkingDir: "/wd",
}

func TestObserve(t *testing.T) {
	assert.Equal(t, Surroundings{"zsh", "2026-03-09", "UTC"}, fixed.Observe())
	e := fixed
	e.Zone = "Nowhere/Atall"
	assert.Equal(t, "Nowhere/Atall", e.Observe().Timezone, "reported as configured")
	own := Environment{}.Observe()
	assert.NotEmpty(t, own.Shell)
	assert.NotEmpty(t, own.Timezone)
	_, err := time.Parse(time.DateOnly, own.CurrentDate)
	assert.NoError(t, err)
}

func TestProcessZone(t *testing.T) {
	for tz, want := range map[string]string{
		"UTC":                            "UTC",
		":UTC":                           "UTC",
		"/usr/share/zoneinfo/Etc/UTC":    "Etc/UTC",
		":/usr/share/zoneinfo/Etc/UTC":   "Etc/UTC",
		"Nowhere/Atall":                  zoneUnknown,
		"CET-1CEST,M3.5.0,M10.5.0/3":     zoneUnknown,
		"../../etc/passwd":               zoneUnknown,
		"/srv/private/localtime-of-ship": zoneUnknown,
	} {
		e := Environment{Getenv: func(key string) string {
			if key == "TZ" {
				return tz
			}
			return ""
		}}
		assert.Equal(t, want, e.processZone(&zones{}), tz)
	}
	t.Setenv("TZ", "")
	assert.Equal(t, "UTC", Environment{}.processZone(&zones{}), "set but empty")
}

func TestResolveAgentDir(t *testing.T) {
	dir := func(os string, env map[string]string) string {
		return Environment{OS: os, Getenv: func(key string) string { return env[key] }}.ResolveAgentDir()
	}
	assert.Equal(t, "/home/u/.pi/agent", dir("linux", map[string]string{"HOME": "/home/u"}))
	assert.Equal(t, "/home/u/x", dir("linux", map[string]string{"HOME": "/home/u", "PI_CODING_AGENT_DIR": "~/x"}))
	assert.Equal(t, "/home/u", dir("linux", map[string]string{"HOME": "/home/u", "PI_CODING_AGENT_DIR": "~"}))
	assert.Equal(t, "/x", dir("linux", map[string]string{"HOME": "/home/u", "PI_CODING_AGENT_DIR": "/x"}))
	assert.Equal(t, `C:\u\x`, dir("windows", map[string]string{"USERPROFILE": `C:\u`, "PI_CODING_AGENT_DIR": `~\x`}))
	assert.Equal(t, "/a", fixed.ResolveAgentDir())
}

func TestShellProbeAsksTheFileSystem(t *testing.T) {
	e := Environment{OS: "linux"}
	want := "sh"
	for _, candidate := range []string{"/bin/sh", "/bin/zsh", "/bin/bash"} {
		if _, err := os.Stat(candidate); err == nil {
			want = filepath.Base(candidate)
		}
	}
	m := e.Message("/w", []string{"exec_command"}, Surroundings{Shell: "fish"})
	assert.Contains(t, m.Content, "<shell>"+want+"</shell>")
}

func TestOnlyFishIsFish(t *testing.T) {
	e := Environment{OS: "windows"}
	for shell, want := range map[string]string{"FiSh": "bash.exe", `C:\x\fish`: "bash.exe", "fiſh": "fiſh", "fish ": "fish "} {
		m := e.Message("/w", []string{"exec_command"}, Surroundings{Shell: shell})
		assert.Contains(t, m.Content, "<shell>"+want+"</shell>", shell)
	}
}

func TestPathRules(t *testing.T) {
	posix, windows := pathRules{}, pathRules{windows: true}
	for p, want := range map[string]string{"": "", "/": "", "a": "a", "/a/b/": "b", `C:\a\b`: `C:\a\b`, "//": ""} {
		assert.Equal(t, want, posix.base(p), p)
	}
	for p, want := range map[string]string{"": "", `C:\`: "", "C:": "", "C:f": "f", `C:\a/b\`: "b", `\\srv\share\f`: "f", "1:x": "1:x"} {
		assert.Equal(t, want, windows.base(p), p)
	}
	for p, want := range map[string]string{
		"": "/wd", "a": "/wd/a", "/a/../b/": "/b", "/..": "/", "//a": "/a", ".": "/wd", "../x": "/x",
	} {
		assert.Equal(t, want, posix.resolve("/wd", p), p)
	}
	for p, want := range map[string]string{
		"": `D:\wd`, "a": `D:\wd\a`, `C:\a\..\b\`: `C:\b`, "C:/a/./b": `C:\a\b`, `\x`: `D:\x`, "D:y": `D:\wd\y`, "E:y": `E:\y`,
		`\\srv\share\a\..`: `\\srv\share\`, `C:\..\..`: `C:\`, `//srv/share/q`: `\\srv\share\q`,
	} {
		assert.Equal(t, want, windows.resolve(`D:\wd`, p), p)
	}
	for p, want := range map[string]string{"/a/f": "/a", "f": "/wd", "/f": "/", "/x/../a/f": "/a", "/a/f/": "/a"} {
		assert.Equal(t, want, posix.dir("/wd", p), p)
	}
	assert.Equal(t, `C:\`, windows.dir(`D:\wd`, `C:\f`))
	assert.Equal(t, `D:\wd`, windows.dir(`D:\wd`, `f`))
	assert.True(t, windows.same(`c:\A`, `C:\a`))
	assert.False(t, posix.same("/A", "/a"))
}

func TestContextTextUsesTheWorkingDirForRelativePaths(t *testing.T) {
	e := fixed
	e.WorkingDir, e.AgentDir = "/a", "."
	text := e.ContextText([]registry.ContextFile{{Path: "AGENTS.md", Content: "G"}, {Path: "/w/AGENTS.md", Content: "R"}}, "/w")
	assert.Contains(t, text, "G\n\n--- project-doc ---\n\nR")
}
