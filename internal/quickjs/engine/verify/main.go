// Command verify compares the embedded JavaScript engine with the npm package that it was taken from. It
// fetches the package with npm, which has to be on PATH, and ends with status 1 if anything differs.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(1)
	}
	fmt.Printf("quickjs.wasm is that of %s@%s\n", engine.NPMName, engine.NPMVersion)
}

func run(ctx context.Context) error {
	archive, err := fetch(ctx)
	if err != nil {
		return err
	}
	sum := sha512.Sum512(archive)
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); got != engine.NPMIntegrity {
		return fmt.Errorf("the package has the integrity %s, expected %s", got, engine.NPMIntegrity)
	}
	module, err := find(archive, "package/quickjs.wasm")
	if err != nil {
		return err
	}
	if !bytes.Equal(module, engine.Module()) {
		return errors.New("the package's quickjs.wasm differs from the embedded one")
	}
	return nil
}

// fetch downloads the package's archive.
func fetch(ctx context.Context) (archive []byte, err error) {
	dir, err := os.MkdirTemp("", "pintle-verify-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cmd := exec.CommandContext(ctx, "npm", "pack", "--silent", "--pack-destination", dir, engine.NPMName+"@"+engine.NPMVersion)
	cmd.Dir = dir // no package.json and no .npmrc of a project
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("npm pack: %w", err)
	}
	return os.ReadFile(filepath.Join(dir, filepath.Base(strings.TrimSpace(string(out)))))
}

// find returns one file of an archive.
func find(archive []byte, name string) ([]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the package has no %s", name)
		}
		if err != nil {
			return nil, err
		}
		if header.Name == name {
			return io.ReadAll(files)
		}
	}
}
