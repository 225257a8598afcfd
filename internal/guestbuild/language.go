package guestbuild

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// A language is one in which guests are written.
type language struct {
	name  string                // as authors name it on the command line
	finds func(dir string) bool // whether the folder holds a guest in this language
	// build makes the guest's file: the module with its manifest.
	build func(ctx context.Context, j *job) ([]byte, error)
}

// languages are asked in this order which of them a folder is in.
var languages = []*language{golang, rust, assemblyscript, clang, typescript, javascript}

// A job is one build.
type job struct {
	dir  string
	toml *file     // the pintle.toml of the folder
	said io.Writer // takes the compiler's messages; may be nil
	warn func(message string)

	cacheDir string
}

func (j *job) say(messages []byte) {
	if j.said != nil {
		_, _ = j.said.Write(messages)
	}
}

// withManifest makes a build of a compiler: what the guest offers stands in pintle.toml.
func withManifest(compile func(context.Context, *job) ([]byte, error)) func(context.Context, *job) ([]byte, error) {
	return func(ctx context.Context, j *job) ([]byte, error) {
		manifest, err := j.toml.valid()
		if err != nil {
			return nil, &InputError{err}
		}
		module, err := compile(ctx, j)
		if err != nil {
			return nil, err
		}
		return Attach(module, manifest)
	}
}

// LanguageOf names the language of a folder's sources as the command line does. The error says what there could
// be.
func LanguageOf(dir string) (string, error) {
	l, err := languageOf(dir)
	if err != nil {
		return "", err
	}
	return l.name, nil
}

func languageOf(dir string) (*language, error) {
	var names []string
	for _, l := range languages {
		if l.finds(dir) {
			return l, nil
		}
		names = append(names, l.name)
	}
	for _, pattern := range []string{"*.ts", "*.js", "src/*.ts", "src/*.js"} {
		if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) > 0 { // the error is about the pattern
			return nil, fmt.Errorf("a guest in TypeScript or JavaScript begins in index.ts, index.js, or one of them in src: rename %s, "+
				"or name it in package.json as \"source\"", found[0])
		}
	}
	return nil, fmt.Errorf("%s holds no source of a guest (%s); compile the module in its own language and pass it with --module",
		dir, strings.Join(names, ", "))
}

// has reports whether a folder has a file that matches one of the patterns.
func has(dir string, patterns ...string) bool {
	for _, p := range patterns {
		if found, err := filepath.Glob(filepath.Join(dir, p)); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}
