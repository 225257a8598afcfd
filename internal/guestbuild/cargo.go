package guestbuild

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A crate is what the build has to know of a folder.
type crate struct {
	pkg, version string
	name         string // in code and in symbols
	edition      string
	source       string // its first file, from the folder
	cargo        string // why cargo has to build it; empty: the compiler alone can
}

// cargoFile is what of a Cargo.toml matters here. What cargo may write in several ways is any.
type cargoFile struct {
	Package struct {
		Name    string `toml:"name"`
		Version any    `toml:"version"`
		Edition any    `toml:"edition"`
		Build   any    `toml:"build"`
	} `toml:"package"`
	Lib struct {
		Name string `toml:"name"`
		Path string `toml:"path"`
	} `toml:"lib"`
	Dependencies      map[string]any `toml:"dependencies"`
	BuildDependencies map[string]any `toml:"build-dependencies"`
	Target            map[string]any `toml:"target"`
	Features          map[string]any `toml:"features"`
}

// readCrate reads the Cargo.toml of a folder; without one it takes the folder's name and the edition of the SDK.
func readCrate(dir string) (crate, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return crate{}, err
	}
	c := crate{pkg: filepath.Base(abs), version: "0.0.0", edition: "2021", source: "src/lib.rs"}
	if !has(dir, "src/lib.rs") {
		c.source = "lib.rs"
	}
	text, err := os.ReadFile(filepath.Join(dir, "Cargo.toml"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return crate{}, err
	default:
		if err := c.read(text); err != nil {
			return crate{}, fmt.Errorf("%s: %w", filepath.Join(dir, "Cargo.toml"), err)
		}
		if has(dir, "build.rs") {
			c.cargo = cmp.Or(c.cargo, "it has a build script")
		}
	}
	c.name = identifier(cmp.Or(c.name, c.pkg))
	return c, nil
}

func (c *crate) read(text []byte) error {
	var f cargoFile
	if err := toml.Unmarshal(text, &f); err != nil {
		return err
	}
	if f.Package.Name == "" {
		return errors.New("it has no [package] with a name")
	}
	c.pkg, c.name = f.Package.Name, f.Lib.Name
	c.source = cmp.Or(f.Lib.Path, c.source)
	if version, ok := f.Package.Version.(string); ok {
		c.version = version
	}
	switch edition := f.Package.Edition.(type) {
	case nil:
		c.edition = "2015"
	case string:
		c.edition = edition
	default:
		c.cargo = "its edition is that of a workspace"
	}
	for _, name := range sortedKeys(f.Dependencies) {
		if name != "pintle" {
			c.cargo = "it depends on " + name
		}
	}
	switch {
	case f.Package.Build != nil || len(f.BuildDependencies) > 0:
		c.cargo = "it has a build script"
	case len(f.Target) > 0:
		c.cargo = "it has dependencies for certain targets"
	case len(f.Features) > 0:
		c.cargo = "it has features"
	}
	return nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// identifier makes a name of a package one of code.
func identifier(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r < 0x80 && (r >= '0' && r <= '9' || r|' ' >= 'a' && r|' ' <= 'z') {
			return r
		}
		return '_'
	}, name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// byCargo has cargo build the crate, in its own folder target, with the flags that the compiler alone would
// get. What was fetched before is not fetched again.
func (b *rustBuild) byCargo(ctx context.Context) ([]byte, error) {
	cargo, err := b.findCargo()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(b.job.dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, cargo, "build", "--lib", "--release", "--target", rustTarget, "--message-format", "json-render-diagnostics")
	flags := []string{os.Getenv("RUSTFLAGS"), "-C target-feature=+bulk-memory -C link-arg=-zstack-size=65536",
		"--remap-path-prefix=" + dir + string(filepath.Separator) + "="}
	if home, err := os.UserHomeDir(); err == nil {
		flags = append(flags, "--remap-path-prefix="+filepath.Join(cmp.Or(os.Getenv("CARGO_HOME"), filepath.Join(home, ".cargo")), "registry", "src")+"=")
	}
	cmd.Env = append(os.Environ(), "RUSTC="+b.rustc, "RUSTFLAGS="+strings.TrimSpace(strings.Join(flags, " ")),
		"CARGO_PROFILE_RELEASE_OPT_LEVEL=s", "CARGO_PROFILE_RELEASE_PANIC=abort", "CARGO_PROFILE_RELEASE_LTO=true",
		"CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1", "CARGO_PROFILE_RELEASE_STRIP=debuginfo")
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := b.run(cmd, dir); err != nil {
		return nil, fmt.Errorf("%w\n(cargo builds it because %s)", err, b.crate.cargo)
	}
	path, ok := builtModule(&out, b.crate.name)
	if !ok {
		return nil, &InputError{fmt.Errorf("cargo built no module of %s: Cargo.toml needs crate-type = [\"cdylib\"] under [lib]", b.crate.name)}
	}
	return os.ReadFile(path)
}

// findCargo takes the one beside the compiler, which is of its version, or else the first on the PATH.
func (b *rustBuild) findCargo() (string, error) {
	for _, name := range []string{filepath.Join(filepath.Dir(b.rustc), "cargo"), "cargo"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("cargo is needed because %s, and it is neither beside %s nor on the PATH; on Debian and Ubuntu: apt-get install cargo",
		b.crate.cargo, b.rustc)
}

// builtModule finds the module among the messages of cargo, which are JSON, one in each line.
func builtModule(messages *bytes.Buffer, name string) (path string, ok bool) {
	for decoder := json.NewDecoder(messages); ; {
		var m struct {
			Reason    string                `json:"reason"`
			Target    struct{ Name string } `json:"target"`
			Filenames []string              `json:"filenames"`
		}
		if decoder.Decode(&m) != nil {
			return path, ok
		}
		for _, file := range m.Filenames {
			if m.Reason == "compiler-artifact" && identifier(m.Target.Name) == name && filepath.Ext(file) == ".wasm" {
				path, ok = file, true
			}
		}
	}
}
