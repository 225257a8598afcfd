package pi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/internal/e2e/mock"
)

// Providers maps each API to the provider under which a sandbox has it, with one model.
var Providers = map[string]string{
	mock.Responses: "mock-resp", mock.Codex: "mock-codex", mock.Completions: "mock-chat",
	mock.Messages: "mock-anth", mock.Google: "mock-goog",
}

// Model is the id of a provider's only model.
func Model(provider string) string { return "m-" + strings.TrimPrefix(provider, "mock-") }

// Sandbox is a home, an agent directory and a project, in which a Pi finds its configuration and nothing
// of the machine's.
type Sandbox struct{ Home, AgentDir, CWD, Sessions string }

// NewSandbox makes one in an empty folder, with the mock's providers as its models.
func NewSandbox(folder string, server *mock.Server) (*Sandbox, error) {
	// Pi gives paths as the system does, and temporary folders are behind a link on some.
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	s := &Sandbox{
		Home:     filepath.Join(folder, "u"),
		AgentDir: filepath.Join(folder, "u", ".pi", "agent"),
		CWD:      filepath.Join(folder, "ferry"),
		Sessions: filepath.Join(folder, "sessions"),
	}
	for _, d := range []string{s.AgentDir, s.CWD, s.Sessions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	models, err := json.MarshalIndent(map[string]any{"providers": providers(server)}, "", "  ")
	if err != nil {
		return nil, err
	}
	for path, content := range map[string]string{
		filepath.Join(s.AgentDir, "models.json"):   string(models),
		filepath.Join(s.AgentDir, "settings.json"): `{"transport": "sse", "retry": {"enabled": false}}`,
		filepath.Join(s.AgentDir, "AGENTS.md"):     "Global rules: be brief.\n",
		filepath.Join(s.CWD, "AGENTS.md"):          "Project rules: use British spelling.\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func providers(server *mock.Server) map[string]any {
	all := map[string]any{}
	for api, name := range Providers {
		model := map[string]any{
			"id": Model(name), "input": []string{"text", "image"}, "contextWindow": 20_000_000, "maxTokens": 4096,
			"reasoning": api == mock.Codex, "cost": map[string]int{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
		}
		all[name] = map[string]any{"baseUrl": server.BaseURL(api), "api": api, "apiKey": token, "models": []any{model}}
	}
	return all
}

// token is no key to anything. It has the form that Codex looks for an account in.
var token = strings.Join([]string{
	base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)),
	base64.RawURLEncoding.EncodeToString([]byte(`{"https://api.openai.com/auth":{"chatgpt_account_id":"acct"}}`)),
	"none",
}, ".")

// Env is the environment of a process in the sandbox, with more entries of the form NAME=value.
func (s *Sandbox) Env(more ...string) []string {
	return append([]string{
		"HOME=" + s.Home, "XDG_CONFIG_HOME=" + filepath.Join(s.Home, ".config"), "XDG_CACHE_HOME=" + filepath.Join(s.Home, ".cache"),
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=Europe/Lisbon", "SHELL=/usr/bin/zsh",
		"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0",
	}, more...)
}

// Session returns the lines of the only session file in the sandbox.
func (s *Sandbox) Session() ([]json.RawMessage, error) {
	files, err := filepath.Glob(filepath.Join(s.Sessions, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("%d session files in %s instead of one", len(files), s.Sessions)
	}
	return Lines(files[0])
}

// Lines reads a file of JSON lines.
func Lines(path string) ([]json.RawMessage, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var lines []json.RawMessage
	for line := range strings.Lines(string(data)) {
		if !json.Valid([]byte(line)) {
			return nil, fmt.Errorf("%s: line %d is not JSON: %.200s", path, len(lines)+1, line)
		}
		lines = append(lines, json.RawMessage(line))
	}
	return lines, nil
}
