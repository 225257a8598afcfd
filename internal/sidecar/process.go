package sidecar

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/registry"
)

// A process is what one client has: a host with its guests, and how to ask the client.
type process struct {
	host     *host.Host
	renders  bool          // the client answers render
	patience time.Duration // with a client that is asked to render
}

// settingsFile is where the settings are in the agent directory, and guestsDir the guests that are loaded
// beside those that are named.
const (
	settingsFile = "pintle/sidecar.toml"
	guestsDir    = "pintle"
)

// openProcess opens the host of a client and loads its guests. What is amiss with settings or guests is in
// the result; an error is about the params.
func openProcess(ctx context.Context, o Options, p *initializeParams) (*process, initializeResult, error) {
	result := initializeResult{Guests: []guestInfo{}, Problems: []problem{}}
	env := o.Environment
	if p.CWD != "" {
		env.WorkingDir = p.CWD
	}
	if p.AgentDir != "" {
		env.AgentDir = p.AgentDir
	}
	env, err := p.Environment.over(env)
	if err != nil {
		return nil, result, err
	}
	agentDir := env.ResolveAgentDir()
	if !filepath.IsAbs(agentDir) {
		agentDir = filepath.Join(env.WorkingDir, agentDir)
	}
	config := settings(o, p, agentDir, &result)
	result.Lookup = cmp.Or(config.Lookup, lookups[0])

	h := host.Open(host.Options{Engine: o.Engine, CacheDir: o.CacheDir, Grants: o.Grants, Logger: o.Logger, Limits: o.Limits,
		Lookup: config.Lookup.value(), Policy: config.Policy.value(), Environment: env})
	// Where one failure ends all, nothing behind it may run.
	h.Envelope.Sequential = config.Policy.value() == registry.Fail
	h.Envelope.SetAuditEntries(config.AuditEntries)
	l := loader{host: h, grants: o.Grants, result: &result}
	l.loadAll(ctx, &config, filepath.Join(agentDir, guestsDir))
	if ctx.Err() != nil {
		return nil, result, errors.Join(context.Cause(ctx), h.Close(context.WithoutCancel(ctx)))
	}
	return &process{host: h, renders: p.Capabilities.Render, patience: o.RenderPatience}, result, nil
}

// settings reads the file of settings and lays what the client says over it.
func settings(o Options, p *initializeParams, agentDir string, result *initializeResult) configuration {
	path := o.ConfigFile
	if path == "" {
		path = filepath.Join(agentDir, settingsFile)
	}
	file, err := readSettings(path)
	if err != nil && (o.ConfigFile != "" || !errors.Is(err, fs.ErrNotExist)) {
		if bare := (*fs.PathError)(nil); errors.As(err, &bare) {
			err = bare.Err
		}
		result.Problems = append(result.Problems, problem{path, "the settings are not used: " + err.Error()})
	}
	file.rooted(agentDir)
	if p.Config == nil {
		return file
	}
	p.Config.rooted(p.CWD)
	return p.Config.over(file)
}

// engineName names the engine that runs the guests.
func (p *process) engineName() string { return p.host.Engine() }

// close waits for what guests do and releases them.
func (p *process) close(ctx context.Context) error { return p.host.Close(ctx) }
