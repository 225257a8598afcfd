package guestbuild

import (
	"context"
	"io"
)

// A language is one in which guests are written.
type language struct {
	name string // as authors name it on the command line
	// finds returns the file that makes a folder one with a guest in this language, "" if there is none.
	finds func(dir string) string
	owns  []string // files of a project in this language and no other
	// build makes the guest's file: the module with its manifest.
	build func(ctx context.Context, j *job) ([]byte, error)
}

// languages are asked in this order whether a folder is in them.
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
