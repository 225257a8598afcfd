package guestbuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	assemblyscriptsdk "github.com/pintle-wasm/pintle/guests/sdk/assemblyscript"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

var assemblyscript = &language{
	name:  "assemblyscript",
	finds: func(dir string) string { return first(dir, "asconfig.json", ascEntry) },
	owns:  []string{"asconfig.json", ascEntry},
	build: withManifest(ascModule),
}

const (
	ascEntry = "assembly/index.ts"
	// ascAbort is the SDK's function that the compiler calls for a throw.
	ascAbort = "~lib/" + projectSDK + "/internal/panic/abort"
)

// ascModule compiles assembly/index.ts with the SDK, which it imports as the package pintle. Names are kept:
// traces need them. Optimised for speed a call takes a third less than optimised for size, and the file is an
// eighth larger.
func ascModule(ctx context.Context, j *job) (module []byte, err error) {
	compiler, err := findASC(j.dir)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "pintle-build-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	packages, err := ascPackages(j.dir, tmp)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(tmp, "guest.wasm")
	cmd := exec.CommandContext(ctx, compiler[0], slices.Concat(compiler[1:], []string{ascEntry, "--outFile", out, "-O3", "--debug",
		"--runtime", "incremental", "--use", "abort=" + ascAbort, "--path", packages, "--noColors"})...)
	cmd.Dir = j.dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return nil, ascFailure(err, said.String())
	}
	j.say(said.Bytes())
	module, err = os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return withNamesOnly(module)
}

func ascFailure(err error, said string) error {
	text := strings.TrimSpace(said)
	if strings.Contains(said, "'"+ascAbort+"' not found") {
		text += "\n" + ascEntry + ` does not use the SDK, which exports what the host calls: export * from "pintle/exports/message"` +
			` (or edit, payload, developer)`
	}
	return fmt.Errorf("asc: %w\n%s", err, text)
}

// findASC returns the compiler's command: the npm package of the project or of a folder above it, else asc on
// the PATH. Node runs it.
func findASC(dir string) ([]string, error) {
	const install = "npm install --save-dev assemblyscript"
	const installNode = "Node 18 or newer (https://nodejs.org; Debian and Ubuntu: apt-get install nodejs npm)"
	compiler := installedASC(dir)
	if compiler == "" {
		path, err := exec.LookPath("asc")
		if err != nil {
			return nil, fmt.Errorf("no AssemblyScript compiler was found in %s, in the folders above it, or on the PATH: run %s there;"+
				" it needs %s", dir, install, installNode)
		}
		compiler = path
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("node was not found on the PATH, and runs the AssemblyScript compiler %s: install %s,"+
			" and the compiler by %s", compiler, installNode, install)
	}
	// npm puts a link to the script on the PATH, other tools a script of their own.
	if script, err := filepath.EvalSymlinks(compiler); err == nil && filepath.Ext(script) == ".js" {
		// Without the flag the script would start another Node, which nobody could stop.
		return []string{node, "--enable-source-maps", script}, nil
	}
	return []string{compiler}, nil
}

func installedASC(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		script := filepath.Join(dir, "node_modules", "assemblyscript", "bin", "asc.js")
		if info, err := os.Stat(script); err == nil && info.Mode().IsRegular() {
			return script
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}

// ascPackages returns the folder in which the package pintle is: the project with its copy of the SDK, or the
// temporary folder, to which the command's own is written.
func ascPackages(dir, tmp string) (string, error) {
	if has(filepath.Join(dir, projectSDK), "package.json") {
		return ".", nil
	}
	return tmp, os.CopyFS(filepath.Join(tmp, projectSDK), assemblyscriptsdk.Files)
}

// withNamesOnly drops all custom sections but the names of functions, as the address of a source map that an
// asconfig.json asks for.
func withNamesOnly(module []byte) ([]byte, error) {
	m, err := wasmbin.Parse(module, wasmbin.DefaultLimits())
	if err != nil {
		return nil, err
	}
	const header = 8
	out := slices.Clone(module[:header])
	for _, s := range m.Sections {
		if !s.Custom() || s.Name == "name" {
			out = append(out, module[s.Start:s.End]...)
		}
	}
	return out, nil
}
