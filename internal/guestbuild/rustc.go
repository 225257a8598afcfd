package guestbuild

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	rustTarget = "wasm32-unknown-unknown"
	oldestRust = 63 // of version 1
)

// systemFolders are where a system's compiler is, also if the PATH does not lead there.
var systemFolders = []string{"/usr/bin", "/usr/local/bin"}

// rustCandidates lists where compilers may be: $RUSTC, the PATH, the given folders, and rustup's toolchains, of
// which the PATH shows one at most.
func rustCandidates(folders []string) []string {
	var all []string
	if chosen := os.Getenv("RUSTC"); chosen != "" {
		if path, err := exec.LookPath(chosen); err == nil {
			all = append(all, path)
		}
	}
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), folders...) {
		if path, err := exec.LookPath(filepath.Join(dir, "rustc")); err == nil && filepath.IsAbs(dir) {
			all = append(all, path)
		}
	}
	home, _ := os.UserHomeDir() // without one there is no rustup either
	rustup := os.Getenv("RUSTUP_HOME")
	if rustup == "" {
		rustup = filepath.Join(home, ".rustup")
	}
	for _, pattern := range []string{filepath.Join(home, ".cargo", "bin", "rustc"), filepath.Join(rustup, "toolchains", "*", "bin", "rustc")} {
		found, _ := filepath.Glob(pattern) // the error is about the pattern
		all = append(all, found...)
	}
	return distinct(all)
}

// distinct leaves out files that are there already under another name.
func distinct(paths []string) []string {
	var infos []os.FileInfo
	return slices.DeleteFunc(paths, func(path string) bool {
		info, err := os.Stat(path)
		if err != nil || slices.ContainsFunc(infos, func(known os.FileInfo) bool { return os.SameFile(known, info) }) {
			return true
		}
		infos = append(infos, info)
		return false
	})
}

// findRustc takes the first compiler that can compile for WebAssembly. Many cannot: the one that is first on
// the PATH may have come without that target's standard library.
func findRustc(ctx context.Context, folders []string) (string, error) {
	var refused []string
	for _, path := range rustCandidates(folders) {
		why := refusesRust(ctx, path)
		if why == "" {
			return path, nil
		}
		refused = append(refused, fmt.Sprintf("\n  %s: %s", path, why))
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	what := "no rustc was found ($RUSTC, the PATH, ~/.rustup)"
	if len(refused) > 0 {
		what = "no rustc was found that compiles for " + rustTarget + ":" + strings.Join(refused, "") + "\n"
	}
	return "", fmt.Errorf("%s; a guest in Rust needs rustc 1.%d or newer with the target %s: rustup target add %[3]s,"+
		" or on Debian and Ubuntu: apt-get install rustc libstd-rust-dev-wasm32 lld-14", strings.TrimSuffix(what, "\n"), oldestRust, rustTarget)
}

var rustVersion = regexp.MustCompile(`^rustc 1\.(\d+)\.`)

// refusesRust says why a compiler does not do; "" if it does.
func refusesRust(ctx context.Context, path string) string {
	said, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	if err != nil {
		return firstLine(said, err)
	}
	version := strings.TrimSpace(string(said))
	found := rustVersion.FindStringSubmatch(version)
	if found == nil {
		return "says that it is " + strconv.Quote(version)
	}
	if minor, err := strconv.Atoi(found[1]); err != nil || minor < oldestRust {
		return version + " is too old"
	}
	said, err = exec.CommandContext(ctx, path, "--print", "target-libdir", "--target", rustTarget).Output()
	if err != nil {
		return version + " does not know the target"
	}
	libraries := strings.TrimSpace(string(said))
	for _, name := range []string{"core", "std"} {
		if !has(libraries, "lib"+name+"-*.rlib") {
			return fmt.Sprintf("%s has no library %s for the target in %s", version, name, libraries)
		}
	}
	return ""
}
