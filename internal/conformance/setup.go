package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/registry"
)

// newEnvironment makes the process that a case's setup describes. Nothing is read from the machine.
func newEnvironment(setup Value) (envelope.Environment, error) {
	now, err := instant(setup.Get("now").str("2026-03-09T12:00:00Z"))
	if err != nil {
		return envelope.Environment{}, fmt.Errorf("setup: %w", err)
	}
	zone := setup.Get("tz").str("Europe/Lisbon")
	if setup.Has("tz") && !setup.Get("tz").present() {
		zone = "unknown"
	}
	shell := setup.Get("SHELL").str("/usr/bin/zsh")
	if setup.Has("SHELL") && !setup.Get("SHELL").present() {
		shell = ""
	}
	variables := map[string]string{"SHELL": shell, "ComSpec": setup.Get("ComSpec").str("")}
	exists := setup.Get("exists").strs()
	e := envelope.Environment{
		Now:        func() time.Time { return now.UTC() },
		Zone:       zone,
		Getenv:     func(key string) string { return variables[key] },
		OS:         setup.Get("platform").str("linux"),
		FileExists: func(path string) bool { return slices.Contains(exists, path) },
		AgentDir:   setup.Get("agentDir").str("/home/u/.pi/agent"),
		WorkingDir: "/runner",
	}
	if e.OS == "win32" {
		e.WorkingDir = `C:\runner`
	}
	return e, nil
}

// instant reads a time as JavaScript's Date does: seconds, or all of the time of day, may be missing.
func instant(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	for _, layout := range []string{"2006-01-02T15:04Z07:00", time.DateOnly} {
		if short, other := time.Parse(layout, text); err != nil && other == nil {
			return short, nil
		}
	}
	return t, err
}

// overlay lays the members of one object over another.
func overlay(under, over Value) Value {
	for i, key := range over.keys {
		under = under.with(key, over.items[i])
	}
	return under
}

func promptOptions(v Value) (registry.PromptOptions, error) {
	var o registry.PromptOptions
	if !v.present() {
		return o, nil
	}
	err := json.Unmarshal(v.raw, &o)
	return o, err
}

func messages(v Value) ([]registry.Message, error) {
	list := []registry.Message{}
	err := json.Unmarshal(v.raw, &list)
	return list, err
}

// newService makes a service as the kit wants it: failures end the render, and contributions are
// rendered one after the other.
func newService(r *registry.Registry, requests *envelope.RequestStore, e envelope.Environment) *envelope.Service {
	return &envelope.Service{Registry: r, Requests: requests, Environment: e, Policy: registry.Fail, Sequential: true}
}
