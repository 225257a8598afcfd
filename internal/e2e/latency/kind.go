//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/e2e/mock"
	"github.com/pintle-wasm/pintle/internal/e2e/pi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

// A kind is one way to take a turn, in a process of its own: sidecars serve all sessions of a process.
type kind struct {
	name      string
	extension bool
	guests    int // contributions in guests, one in each
	here      int // contributions in Pi's process
	messages  int // developer messages that arrive: one for each contribution, and the environment

	process *pi.Process
	times   []time.Duration
}

func kinds() []kind {
	return []kind{
		{name: "Pi alone"},
		{name: "with the sidecar, no contributions", extension: true, messages: 1},
		{name: fmt.Sprintf("with %d contributions in guests", contributions), extension: true, guests: contributions, messages: contributions + 1},
		{name: fmt.Sprintf("with %d contributions in Pi's process", contributions), extension: true, here: contributions, messages: contributions + 1},
	}
}

func (k *kind) start(folder, command string, server *mock.Server) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	s, err := pi.NewSandbox(folder, server)
	if err != nil {
		return err
	}
	if err := writeGuests(filepath.Join(s.AgentDir, "pintle"), k.guests); err != nil {
		return err
	}
	install, err := pi.Find(".", version)
	if err != nil {
		return err
	}
	provider := pi.Providers[mock.Responses]
	env := []string{
		"PINTLE_COMMAND=" + command, "E2E_SDK=" + install.SDK(), "E2E_PROVIDER=" + provider, "E2E_MODEL=" + pi.Model(provider),
		fmt.Sprint("E2E_TURNS=", perSession), fmt.Sprint("E2E_CONTRIBUTIONS=", k.here),
		"PINTLE_START_WAIT=300000", "PINTLE_CALL_LIMIT=60000",
	}
	if k.extension {
		path, err := filepath.Abs("clients/pi/src/index.ts")
		if err != nil {
			return err
		}
		env = append(env, "E2E_EXTENSION="+path)
	}
	module, err := filepath.Abs("internal/e2e/sdk/turns.mjs")
	if err != nil {
		return err
	}
	k.process, err = install.Start(s, env, module)
	return err
}

func (k *kind) turn(prompt string) (time.Duration, error) {
	if err := k.process.Send(prompt); err != nil {
		return 0, err
	}
	line, err := k.process.Next()
	if err != nil {
		return 0, err
	}
	micros, err := strconv.ParseInt(line, 10, 64)
	return time.Duration(micros) * time.Microsecond, err
}

// writeGuests writes guests that answer the prompt, so that none of them is remembered from the turn before.
func writeGuests(folder string, n int) error {
	module, err := os.ReadFile("internal/bench/guests/echo.wasm")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for i := range n {
		name := fmt.Sprintf("bench%02d", i)
		file, err := guestbuild.Attach(module, manifest(name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name+".wasm"), file, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func manifest(name string) *abi.Manifest {
	return &abi.Manifest{
		Transport: abi.Transport, ID: name, Version: "1.0.0",
		Contributions: []abi.Contribution{{
			Interface: abi.DeveloperMessagesV1, ID: "echo/" + name, Needs: []abi.ContextField{abi.FieldPrompt}}},
	}
}
