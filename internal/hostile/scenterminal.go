package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func terminalScenarios() map[string]scenario {
	return map[string]scenario{
		"terminal-output": terminalOutput,
	}
}

// escapes clear the screen, set the title, move the cursor, turn the direction of writing and begin lines
// that look like the command's.
const escapes = "\x1b[2J\x1b]0;owned\x07\x1b[1;1H\rpintle: all is well\n\u009b31m\u202eevil\u2066\x7f\b\b\x00"

// escaping is a guest that logs and says the escapes, and panics with them when it is attacked.
func escaping() []byte {
	const textAt, answerAt = 64, 4096
	m := (&Entry{Name: "escapes\u202e"}).Manifest()
	m.Description = "it " + escapes
	m.Capabilities = []abi.Capability{{Name: abi.CapabilityKV, Reason: "to " + escapes}}
	n := wasmtest.I32Const(int32(len(escapes)))
	answer := wasmtest.Text("said: " + escapes)
	return wasmtest.Guest(wasmtest.Module{
		Imports: []wasmtest.Import{{Module: abi.HostModule, Name: "log", Type: wasmtest.SigLog}, {Module: abi.HostModule, Name: "panic", Type: wasmtest.SigPanic}},
		Data:    []wasmtest.Data{{Offset: textAt, Bytes: []byte(escapes)}, {Offset: answerAt, Bytes: answer}},
	}, m, wasmtest.Code(
		wasmtest.I32Const(2), wasmtest.I32Const(textAt), n, wasmtest.Call(0),
		wasmtest.LocalGet(1), wasmtest.I32Const(511), i32GreaterU, wasmtest.If(wasmtest.I32Const(textAt), n, wasmtest.Call(1)),
		wasmtest.Answer(answerAt, uint32(len(answer)))))
}

// terminalOutput looks at everything that the command prints about such a guest.
func terminalOutput(ctx context.Context, engine EngineMaker) (err error) {
	dir, err := os.MkdirTemp("", "pintle-hostile-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	command, err := builtCommand(ctx, dir, engineName(engine))
	if err != nil {
		return err
	}
	// Files have names as well.
	guest := "g\x1b[31m\u202e.wasm"
	turn := func(prompt string) []byte {
		text, _ := json.Marshal(map[string]any{"guests": []string{guest}, "prompt": prompt}) // strings can be written
		return text
	}
	for name, text := range map[string][]byte{guest: escaping(), "attack.json": turn(attackPrompt), "peace.json": turn("")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"turn", "attack.json"}, {"turn", "peace.json"}, {"turn", "--json", "attack.json"}, {"turn", "--json", "peace.json"},
		{"compose", "attack.json"}, {"compose", "peace.json"}, {"inspect", guest}, {"inspect", "--json", guest}, {"grant", guest}, {"grants"},
	} {
		cmd := exec.CommandContext(ctx, command[0], append(args, command[1:]...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+dir)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run() // what it prints matters
		if out.Len() == 0 {
			return fmt.Errorf("pintle %q prints nothing", args)
		}
		if at := strings.IndexFunc(out.String(), dangerous); at >= 0 {
			return fmt.Errorf("pintle %q prints %q", args, around(out.String(), at))
		}
		if strings.Contains(out.String(), "\npintle: all is well") {
			return fmt.Errorf("pintle %q lets the guest begin a line", args)
		}
	}
	return nil
}

// dangerous is what a terminal does something else with than to show it.
func dangerous(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
}

func around(s string, at int) string { return s[max(0, at-40):min(len(s), at+20)] }

// builtCommand builds the command for an engine and returns how to call it.
func builtCommand(ctx context.Context, dir, engine string) ([]string, error) {
	path := filepath.Join(dir, "pintle")
	args := []string{"build", "-o", path}
	call := []string{path}
	if engine == "wasmtime" {
		args = append(args, "-tags", "wasmtime")
		call = append(call, "--engine", engine)
	}
	build := exec.CommandContext(ctx, "go", append(args, "github.com/pintle-wasm/pintle/cmd/pintle")...)
	if said, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, said)
	}
	return call, nil
}
