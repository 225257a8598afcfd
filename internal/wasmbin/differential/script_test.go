package differential_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The core test suite of WebAssembly, as wast2json left it: one file of commands per script, and the
// modules that the commands name. The engine's module carries it.

// suiteDir returns the folder of the scripts of core 2.0, and the module that they all may import.
func suiteDir(t testing.TB) (dir, spectest string) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	require.NoError(t, err)
	base := filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test", "spectest")
	return filepath.Join(base, "v2", "testdata"), filepath.Join(base, "testdata", "spectest.wasm")
}

type script struct {
	Commands []command `json:"commands"`
}

type command struct {
	Type       string  `json:"type"`
	Line       int     `json:"line"`
	Name       string  `json:"name"`
	Filename   string  `json:"filename"`
	As         string  `json:"as"`
	ModuleType string  `json:"module_type"`
	Text       string  `json:"text"`
	Action     action  `json:"action"`
	Expected   []value `json:"expected"`
}

type action struct {
	Type   string  `json:"type"`
	Module string  `json:"module"`
	Field  string  `json:"field"`
	Args   []value `json:"args"`
}

type value struct {
	Type  string `json:"type"`
	Lane  string `json:"lane_type"`
	Value any    `json:"value"`
}

func readScript(t testing.TB, file string) script {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	var s script
	require.NoError(t, json.Unmarshal(b, &s))
	return s
}

// words returns the argument as the engine takes it: one word, two for a v128.
func (v value) words() ([]uint64, error) {
	switch {
	case v.Type == "v128":
		lanes, ok := v.Value.([]any)
		if !ok {
			return nil, fmt.Errorf("v128 of %T", v.Value)
		}
		width := map[string]int{"i8": 8, "i16": 16, "i32": 32, "f32": 32, "i64": 64, "f64": 64}[v.Lane]
		if width == 0 || len(lanes)*width != 128 {
			return nil, fmt.Errorf("v128 of %d lanes of %q", len(lanes), v.Lane)
		}
		var words [2]uint64
		for i, lane := range lanes {
			n, err := number(lane, width)
			if err != nil {
				return nil, err
			}
			words[i*width/64] |= n << (i * width % 64)
		}
		return words[:], nil
	case v.Value == "null" || v.Value == nil:
		return []uint64{0}, nil
	case v.Type == "externref":
		n, err := number(v.Value, 64)
		return []uint64{n + 1}, err // 0 is null
	case v.Type == "i32" || v.Type == "f32":
		n, err := number(v.Value, 32)
		return []uint64{n}, err
	case v.Type == "i64" || v.Type == "f64":
		n, err := number(v.Value, 64)
		return []uint64{n}, err
	}
	return nil, fmt.Errorf("a value of type %q", v.Type)
}

func number(v any, width int) (uint64, error) {
	s, _ := v.(string)
	if strings.HasPrefix(s, "-") {
		n, err := strconv.ParseInt(s, 10, width)
		return uint64(n) & (1<<(width-1)<<1 - 1), err
	}
	return strconv.ParseUint(s, 10, width)
}

func words(values []value) ([]uint64, error) {
	var out []uint64
	for _, v := range values {
		w, err := v.words()
		if err != nil {
			return nil, err
		}
		out = append(out, w...)
	}
	return out, nil
}
